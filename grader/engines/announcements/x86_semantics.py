"""What x86-64 instructions do to registers, to the stack pointer and to memory: those that compilers make without optimising.

An instruction that is not listed here is refused: this list is the border of what the proof understands.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from grader.engines.announcements.code_object import Relocation
from grader.engines.announcements.machine_state import State
from grader.engines.announcements.memory_rules import FunctionMemory
from grader.engines.announcements.processor import BRANCH, CALL, JUMP, RETURN, STOP, Flow, Place
from grader.engines.announcements.refusals import UnprovableCodeError
from grader.engines.announcements.values import ALL, HALF, WORD, Value, constant, plus, signed, times
from grader.engines.announcements.x86_decoding import Decoded, Immediate, Memory, Operand, Register, decode

STACK_POINTER, FRAME_POINTER = "rsp", "rbp"
LINK = (-8, 8)  # the caller's frame pointer and the return address, from the stack pointer at the function's begin
_RED_ZONE = 128  # bytes below the stack pointer that are a leaf's own
_LONGEST_SUM = 16  # terms; a longer one becomes an unknown of its own
_LARGEST_STEP = 4096  # of the stack pointer, that no probe follows
_ABSOLUTE, _RELATIVE, _THREAD, _THREAD_SLOT = (
    {1, 10, 11},
    {2, 4},
    {23},
    {22},
)  # R_X86_64_: 64, 32, 32S; PC32, PLT32; TPOFF32; GOTTPOFF

_CONDITIONS = "o no b ae e ne be a s ns p np l ge le g".split()
JUMPS = {f"j{condition}": condition for condition in _CONDITIONS}

_WHOLE_MOVES = "movaps movapd movups movupd movdqa movdqu movd movq movss movlps movhps movlpd movhpd movnti movntps movntpd movntdq"
# The first operand is written, the others are read. Of a general register nothing is known afterwards.
_WRITERS = frozenset(
    f"""{_WHOLE_MOVES} cvtsi2ss cvtsi2sd cvttss2si cvttsd2si cvtss2si cvtsd2si cvtss2sd cvtsd2ss cvtps2pd cvtpd2ps cvtdq2ps cvtdq2pd
    cvttps2dq cvtps2dq cvttpd2dq sqrtss sqrtsd sqrtps sqrtpd pshufd pshuflw pshufhw shufps shufpd unpcklps unpckhps unpcklpd unpckhpd
    punpcklbw punpcklwd punpckldq punpcklqdq punpckhbw punpckhwd punpckhdq punpckhqdq addss addsd addps addpd subss subsd subps subpd
    mulss mulsd mulps mulpd divss divsd divps divpd minss minsd minps minpd maxss maxsd maxps maxpd andps andpd andnps andnpd orps orpd
    xorps xorpd pand pandn por pxor paddb paddw paddd paddq psubb psubw psubd psubq pmuludq pmullw pmulhw psllw pslld psllq psrlw psrld
    psrlq psraw psrad pslldq psrldq pcmpeqb pcmpeqw pcmpeqd pcmpgtb pcmpgtw pcmpgtd packssdw packsswb packuswb movmskps movmskpd pmovmskb
    movhlps movlhps pinsrw pextrw rsqrtss rsqrtps rcpss rcpps bsf bsr {" ".join(f"set{one}" for one in _CONDITIONS)}
    {" ".join(f"cmp{how}{kind}" for how in ("", "eq", "lt", "le", "unord", "neq", "nlt", "nle", "ord") for kind in ("ss", "sd", "ps", "pd"))}
    fst fstp fistp fist fisttp fnstcw fnstsw""".split()
)
_MAY_STORE = frozenset(f"{_WHOLE_MOVES} movsd fst fstp fistp fist fisttp fnstcw fnstsw".split()) | {
    f"set{one}" for one in _CONDITIONS
}
_READERS = frozenset(
    """cmp test bt ucomiss ucomisd comiss comisd fld fild fldcw fadd fsub fsubr fmul fdiv fdivr fiadd fisub fimul fidiv fldz fld1 fchs fabs
    fxch faddp fsubp fsubrp fmulp fdivp fdivrp fucomi fcomi fucompi fcompi fcmovne fcmove fcmovb fcmovbe fcmovnb fcmovnbe fcmovu fcmovnu
    fucomip fcomip frndint fsqrt fwait wait ffree fldpi fldl2e fldln2 fldl2t fldlg2""".split()
)
_NOTHING = frozenset("nop endbr64 pause".split())
_NO_ACCESS = frozenset("prefetcht0 prefetcht1 prefetcht2 prefetchnta".split())
_CHANGERS = frozenset("adc sbb rol ror rcl rcr btc btr bts xchg xadd".split())  # read and write the first operand
COUNTED = {"stosb": 1, "stosd": 4, "stosq": 8, "stosw": 2, "movsb": 1, "movsw": 2, "movsd": 4, "movsq": 8}


class X86:
    """One function's instructions, one after the other."""

    stack_pointer, frame_pointer = STACK_POINTER, FRAME_POINTER
    arguments, result = ("rdi", "rsi", "rdx"), "rdi"
    preserved = frozenset({"rbx", "rbp", "rsp", "r12", "r13", "r14", "r15"})
    call_relocations = frozenset(_RELATIVE)
    call_addend = -4  # from behind the instruction's last four bytes

    def __init__(self, memory: FunctionMemory) -> None:
        self.memory, self.atoms = memory, memory.atoms
        memory.stack_pointer, memory.link, memory.top, memory.red_zone = STACK_POINTER, LINK, LINK[1], _RED_ZONE
        memory.given = {"rdi": self.atoms.named("the first argument")}
        self._thread = self.atoms.named("the thread pointer")

    @staticmethod
    def decode(code: bytes) -> list[tuple[int, Decoded]]:
        return decode(code)

    def begin(self) -> State:
        caller = self.atoms.named("the caller's frame")
        return State({STACK_POINTER: (0, self.memory.entry), FRAME_POINTER: caller, **self.memory.given})

    def flow(self, instruction: Decoded) -> Flow:
        name = instruction.name
        if name in JUMPS or name == "jmp":
            operand = instruction.operands[0]
            # Each instruction was decoded as if it stood at 0.
            target = operand.number if isinstance(operand, Immediate) else None
            return Flow(BRANCH, JUMPS[name], target) if name in JUMPS else Flow(JUMP, "", target)
        if name == "ret" and instruction.operands:
            return Flow()  # refused where it is executed
        return _FLOWS.get(name, _NEXT)

    def is_probe(self, instructions: Sequence[Decoded]) -> bool:
        return [(one.name, one.operands) for one in instructions[:-1]] in _probes() and instructions[-1].name == "jne"

    def probe(self, state: State, at: int, _instructions: Sequence[Decoded]) -> None:
        """The stack pointer goes down a page at a time until it meets r11."""
        limit = state.registers.get("r11")
        offset = self.memory.frame_offset(limit) if limit is not None else None
        before = self.stack_offset(state)
        if limit is None or offset is None or before is None or offset >= before or (before - offset) % _LARGEST_STEP:
            raise UnprovableCodeError(at, "a loop that moves the stack")
        state.registers[STACK_POINTER] = limit
        state.flags = None

    def has_frame(self, state: State) -> bool:
        return self.memory.frame_offset(state.registers[FRAME_POINTER]) == LINK[0]

    def called(self, state: State) -> None:
        """Nothing more: the return address is gone from the stack again."""

    def stack_offset(self, state: State) -> int | None:
        return self.memory.frame_offset(state.registers[STACK_POINTER])

    def execute(self, state: State, place: Place) -> None:
        name = place.instruction.name
        for offset in place.relocations:
            if offset not in {place.instruction.displacement_at, place.instruction.immediate_at}:
                raise UnprovableCodeError(place.offset, "a relocation of a strange kind")
        handler = _HANDLERS.get(name)
        if handler is not None:
            handler(self, state, place)
        elif name in _WRITERS:
            self._write(state, place)
        elif name in _READERS:
            for position in range(len(place.instruction.operands)):
                self._read(state, place, position)
            state.flags = None
        elif name in _CHANGERS:
            self._change(state, place)
        elif name not in _NOTHING and name not in _NO_ACCESS:
            raise UnprovableCodeError(place.offset, f"the instruction `{name}`")

    # --- Operands.

    def register(self, state: State, name: str) -> Value:
        value = state.registers.get(name)
        if value is None:
            value = state.registers[name] = self.atoms.fresh()
        return value

    def address(self, state: State, place: Place, memory: Memory) -> Value:
        """Raises UnprovableCodeError for addresses of kinds that no compiler makes here."""
        relocation = self._relocation(place, place.instruction.displacement_at)
        value = constant(memory.displacement)
        if relocation is not None:
            value = self._relocated(place, relocation, memory)
        elif memory.base == "rip":
            raise UnprovableCodeError(place.offset, "an address relative to the code")
        if memory.segment == "fs":
            value = plus(value, self._thread)
        elif memory.segment:
            raise UnprovableCodeError(place.offset, f"the segment {memory.segment}")
        if memory.base and memory.base != "rip":
            value = plus(value, self.register(state, _whole(place, memory.base)))
        if memory.index:
            value = plus(value, times(self.register(state, _whole(place, memory.index)), memory.scale))
        return value

    def _relocation(self, place: Place, at: int) -> Relocation | None:
        return place.relocations.get(at) if at else None

    def _relocated(self, place: Place, relocation: Relocation, memory: Memory) -> Value:
        kind, relative = relocation.kind, memory.base == "rip"
        if relative and kind in _RELATIVE:
            behind = place.instruction.length - place.instruction.displacement_at  # the processor counts from there
            return self.memory.address_of(relocation.symbol, relocation.addend + behind)
        is_thread = relocation.symbol.kind == "STT_TLS"
        if not relative and (kind in _THREAD if is_thread else kind in _ABSOLUTE):
            return self.memory.address_of(relocation.symbol, relocation.addend)
        raise UnprovableCodeError(place.offset, f"a relocation of kind {kind}")

    def _value(self, state: State, place: Place, position: int) -> Value | None:
        """Of an operand that is read, 64 bits of it or the lower ones with zeros before them; None: nobody knows."""
        operand = place.instruction.operands[position]
        if isinstance(operand, Register):
            if operand.bits == WORD:
                return self.register(state, operand.name)
            if operand.bits == HALF:
                return self.atoms.unsigned(self.atoms.lower(self.register(state, operand.name)))
            if operand.bits == 0 or operand.high:
                return None
            whole = self.atoms.lower(self.register(state, operand.name))
            return self.atoms.named(("low", operand.bits, whole), (0, (1 << operand.bits) - 1))
        if isinstance(operand, Immediate):
            relocation = self._relocation(place, place.instruction.immediate_at)
            if relocation is None:
                return constant(operand.number)
            is_thread = relocation.symbol.kind == "STT_TLS"
            if relocation.kind not in (_THREAD if is_thread else _ABSOLUTE):
                raise UnprovableCodeError(place.offset, f"a relocation of kind {relocation.kind}")
            return self.memory.address_of(relocation.symbol, relocation.addend)
        return self._read(state, place, position)

    def _read(self, state: State, place: Place, position: int) -> Value | None:
        operand = place.instruction.operands[position]
        if not isinstance(operand, Memory):
            return None
        if operand.segment == "fs" and not operand.base and not operand.index and not place.relocations:
            if operand.displacement or operand.size not in {HALF // 8, WORD // 8}:
                raise UnprovableCodeError(place.offset, "the thread's control block")
            return self._thread if operand.size == WORD // 8 else self.atoms.unsigned(self.atoms.lower(self._thread))
        relocation = self._relocation(place, place.instruction.displacement_at)
        if relocation is not None and relocation.kind in _THREAD_SLOT and operand.base == "rip" and not operand.index:
            return self.memory.address_of(relocation.symbol, 0)  # the linker's own table, where that is written
        return self.memory.load(state, place.offset, self.address(state, place, operand), operand.size, position)

    def _load_number(self, state: State, place: Place) -> None:
        """`mov $symbol, %edi`: the linker promises that the address fits."""
        register = place.instruction.operands[0]
        relocation = self._relocation(place, place.instruction.immediate_at)
        if relocation is None or not isinstance(register, Register) or register.bits != HALF:
            self._assign(state, place, self._value(state, place, 1))
        elif register.name in {STACK_POINTER, FRAME_POINTER} or relocation.symbol.kind == "STT_TLS":
            raise UnprovableCodeError(place.offset, "half an address")
        else:
            state.registers[register.name] = self._value(state, place, 1) or self.atoms.fresh()

    def _assign(self, state: State, place: Place, value: Value | None) -> None:
        """To the first operand."""
        operand = place.instruction.operands[0]
        if isinstance(operand, Memory):
            if value is not None and operand.size != WORD // 8:
                value = self.atoms.unsigned(self.atoms.lower(value)) if operand.size == HALF // 8 else None
            self.memory.store(state, place.offset, self.address(state, place, operand), operand.size, value, 0)
        elif isinstance(operand, Register):
            self._set(state, place, operand, value)
        else:
            raise UnprovableCodeError(place.offset, "an instruction that assigns to a number")

    def _set(self, state: State, place: Place, register: Register, value: Value | None) -> None:
        name, bits = register.name, register.bits
        if bits == 0:
            return
        if name in {STACK_POINTER, FRAME_POINTER}:
            self._move_stack(state, place, name, value if bits == WORD else None)
        elif value is None or bits not in {HALF, WORD}:
            state.registers[name] = self.atoms.fresh((0, (1 << HALF) - 1) if bits == HALF else None)
        else:
            state.registers[name] = value if bits == WORD else self.atoms.unsigned(self.atoms.lower(value))

    def _move_stack(self, state: State, place: Place, name: str, value: Value | None) -> None:
        """Both pointers stay where constants lead them, and the stack grows by no more than a probe finds."""
        offset = None if value is None else self.memory.frame_offset(value)
        if value is None or offset is None:
            raise UnprovableCodeError(place.offset, "a stack frame whose size or alignment is known only when it runs")
        if name == STACK_POINTER:
            before = self.stack_offset(state)
            if before is None or offset < before - _LARGEST_STEP or offset > 0:
                raise UnprovableCodeError(place.offset, "a stack that moves in a way no compiler moves it")
            state.registers[name] = value
            if offset > before:
                state.dropped(offset)
        elif offset == LINK[0] and state.words.get(LINK[0]) == (WORD // 8, self.atoms.named("the caller's frame")):
            state.registers[name] = value
        else:
            raise UnprovableCodeError(place.offset, "a frame without a link to its caller's")

    # --- Instructions.

    def _write(self, state: State, place: Place) -> None:
        operands = place.instruction.operands
        for position in range(1, len(operands)):
            self._read(state, place, position)
        if not operands:
            return
        if isinstance(operands[0], Memory) and place.instruction.name not in _MAY_STORE:
            raise UnprovableCodeError(
                place.offset, f"the instruction `{place.instruction.name}` with memory in first place"
            )
        if isinstance(operands[0], Memory | Register):
            self._assign(state, place, None)
        if place.instruction.name in {"bsf", "bsr"}:
            state.flags = None

    def _change(self, state: State, place: Place) -> None:
        for position, operand in enumerate(place.instruction.operands):
            self._read(state, place, position)
            if position == 0:
                self._assign(state, place, None)
            elif isinstance(operand, Register) and place.instruction.name in {"xchg", "xadd"}:
                self._set(state, place, operand, None)
            elif isinstance(operand, Memory) and place.instruction.name in {"xchg", "xadd"}:
                raise UnprovableCodeError(place.offset, "an exchange with memory in second place")
        state.flags = None

    def _move_string_or_scalar(self, state: State, place: Place) -> None:
        operands = place.instruction.operands
        if isinstance(operands[0], Memory) and isinstance(operands[1], Memory):
            self._repeated(state, place)
        else:
            self._write(state, place)

    def _extend(self, state: State, place: Place) -> None:
        source = place.instruction.operands[1]
        name = place.instruction.name
        value = self._value(state, place, 1)
        if name == "movsxd":
            half = self.atoms.lower(value) if value is not None else None
            if half is None:
                half = self.atoms.fresh((0, (1 << HALF) - 1))
            self._assign(state, place, self.atoms.signed(half))
            return
        size = source.size if isinstance(source, Memory) else source.bits // 8 if isinstance(source, Register) else 0
        if size not in {1, 2}:
            raise UnprovableCodeError(place.offset, f"the instruction `{name}` of {size} bytes")
        top = 1 << (8 * size)
        if name == "movzx":
            bounds = (0, top - 1)
            extended = self.atoms.named(("zeros", value), bounds) if value is not None else self.atoms.fresh(bounds)
            self._assign(state, place, extended)
            return
        bounds = (-top // 2, top // 2 - 1)
        wide = place.instruction.operands[0]
        extended = self.atoms.named(("sign", size, value), bounds) if value is not None else self.atoms.fresh(bounds)
        self._assign(state, place, extended if isinstance(wide, Register) and wide.bits == WORD else None)

    def _address_only(self, state: State, place: Place) -> None:
        operand = place.instruction.operands[1]
        assert isinstance(operand, Memory)
        relocation = self._relocation(place, place.instruction.displacement_at)
        if operand.segment:
            raise UnprovableCodeError(place.offset, "an address in a segment")
        if relocation is not None and relocation.kind in _THREAD_SLOT:
            raise UnprovableCodeError(place.offset, "the address of the linker's table")
        self._assign(state, place, self.address(state, place, operand))

    def _sum(self, state: State, place: Place) -> None:
        one, other = self._value(state, place, 0), self._value(state, place, 1)
        state.flags = self._flags(place, one, other)
        value = None
        if one is not None and other is not None:
            value = plus(one, other if place.instruction.name == "add" else times(other, ALL))
            if len(value[1]) > _LONGEST_SUM:
                value = self.atoms.named(("sum", value))
        self._assign(state, place, value)

    def _flags(self, place: Place, one: Value | None, other: Value | None) -> tuple[str, int, Value, Value] | None:
        """What they follow from: the same for the same operation on the same values."""
        return None if one is None or other is None else (place.instruction.name, self._bits(place), one, other)

    def _step(self, state: State, place: Place) -> None:
        one = self._value(state, place, 0)
        by = {"inc": 1, "dec": -1}[place.instruction.name]
        value = plus(one, constant(by)) if one is not None else None
        state.flags = None
        self._assign(state, place, value)

    def _negative(self, state: State, place: Place) -> None:
        one = self._value(state, place, 0)
        value = times(one, ALL) if one is not None else None
        if value is not None and place.instruction.name == "not":
            value = plus(value, constant(-1))
        if place.instruction.name == "neg":
            state.flags = self._flags(place, one, one)
        self._assign(state, place, value)

    def _product(self, state: State, place: Place) -> None:
        operands = place.instruction.operands
        values = [self._value(state, place, position) for position in range(len(operands))]
        state.flags = None
        if len(operands) == 1:
            self._wide_product(state, place, values[0])
            return
        one, other = values[-2:]  # two operands, or three whose first is only written
        value = None
        if one is not None and other is not None:
            if not other[1]:
                value = times(one, other[0])
            elif not one[1]:
                value = times(other, one[0])
            else:
                value = self._named(place, "product", tuple(sorted((one, other))))
        self._assign(state, place, value)

    def _wide_product(self, state: State, place: Place, factor: Value | None) -> None:
        before = self.register(state, "rax")
        known = factor is not None and self._bits(place) >= HALF  # narrower ones leave the rest of both as it was
        for name in ("rax", "rdx"):
            what = (place.instruction.name, name, self._bits(place), before, factor)
            state.registers[name] = self.atoms.named(what) if known else self.atoms.fresh()

    def _quotient(self, state: State, place: Place) -> None:
        divisor = self._value(state, place, 0)
        high, low = self.register(state, "rdx"), self.register(state, "rax")
        state.flags = None
        known = divisor is not None and self._bits(place) >= HALF
        for name in ("rax", "rdx"):
            what = (place.instruction.name, name, self._bits(place), high, low, divisor)
            state.registers[name] = self.atoms.named(what) if known else self.atoms.fresh()

    def _bitwise(self, state: State, place: Place) -> None:
        operands = place.instruction.operands
        one, other = self._value(state, place, 0), self._value(state, place, 1)
        if place.instruction.name == "xor" and operands[0] == operands[1]:
            value: Value | None = constant(0)
        elif one is None or other is None:
            value = None
        else:
            value = self._named(place, place.instruction.name, (one, other), self._mask_bounds(place, other))
        state.flags = self._flags(place, one, other)
        if isinstance(operands[0], Register) and operands[0].name == STACK_POINTER:
            value = None
        self._assign(state, place, value)

    def _mask_bounds(self, place: Place, mask: Value) -> tuple[int, int] | None:
        if place.instruction.name != "and" or mask[1]:
            return None
        number = mask[0] & ((1 << self._bits(place)) - 1)
        return (0, number) if not number >> (WORD - 1) else None

    def _shift(self, state: State, place: Place) -> None:
        operands = place.instruction.operands
        one = self._value(state, place, 0)
        by = self._value(state, place, 1) if len(operands) > 1 else constant(1)
        name, bits = place.instruction.name, self._bits(place)
        value = None
        if one is not None and by is not None:
            count = by[0] & (WORD - 1 if bits == WORD else HALF - 1)
            if not by[1] and name in {"shl", "sal"}:
                value = times(one, 1 << count)
            else:
                top = (
                    (0, (1 << (bits - count)) - 1) if not by[1] and name == "shr" and (count or bits == HALF) else None
                )
                value = self._named(place, name, (one, by), top)
        state.flags = None  # a shift by nothing leaves them as they were
        self._assign(state, place, value)

    def _named(
        self, place: Place, name: str, values: tuple[Value, ...], bounds: tuple[int, int] | None = None
    ) -> Value:
        """The result of an operation that is no sum: half as wide, of the lower halves."""
        bits = self._bits(place)
        if bits == HALF:
            values = tuple(self.atoms.lower(value) for value in values)
            bounds = bounds or (0, (1 << HALF) - 1)
        return self.atoms.named((name, bits, values), bounds)

    def _bits(self, place: Place) -> int:
        operand = place.instruction.operands[0]
        return operand.bits if isinstance(operand, Register) else operand.size * 8

    def _compare(self, state: State, place: Place) -> None:
        state.flags = self._flags(place, self._value(state, place, 0), self._value(state, place, 1))

    def _conditional(self, state: State, place: Place) -> None:
        one, other = self._value(state, place, 0), self._value(state, place, 1)
        value = None
        if one is not None and other is not None and state.flags is not None:
            value = self._named(place, place.instruction.name, (one, other))
            value = self.atoms.named(("chosen", state.flags, value))
        self._assign(state, place, value)

    def _widen(self, state: State, place: Place) -> None:
        before = self.register(state, "rax")
        name = place.instruction.name
        if name == "cdqe":
            state.registers["rax"] = self.atoms.signed(self.atoms.lower(before))
        elif name in {"cdq", "cqo"}:
            half = self.atoms.lower(before) if name == "cdq" else before
            state.registers["rdx"] = self.atoms.named((name, half), (0, (1 << HALF) - 1) if name == "cdq" else None)
        else:
            state.registers["rdx" if name == "cwd" else "rax"] = self.atoms.fresh()

    def _push(self, state: State, place: Place) -> None:
        operand = place.instruction.operands[0]
        if (isinstance(operand, Register | Memory) and self._bits(place) != WORD) or place.instruction.prefixes[2]:
            raise UnprovableCodeError(place.offset, "a push of less than eight bytes")
        value = self._value(state, place, 0)
        lower = plus(state.registers[STACK_POINTER], constant(-8))
        self._move_stack(state, place, STACK_POINTER, lower)
        offset = self.memory.frame_offset(lower)
        assert offset is not None
        if offset >= LINK[0] and not (offset == LINK[0] and value == self.atoms.named("the caller's frame")):
            raise UnprovableCodeError(place.offset, "a push onto the link between two frames")
        state.stored(offset, 8, value)

    def _pop(self, state: State, place: Place) -> None:
        operand = place.instruction.operands[0]
        offset = self.stack_offset(state)
        if not isinstance(operand, Register) or operand.bits != WORD or offset is None or offset >= 0:
            raise UnprovableCodeError(place.offset, "a pop of a kind no compiler makes")
        known = state.words.get(offset)
        value = known[1] if known is not None and known[0] == WORD // 8 else self.atoms.fresh()
        self._move_stack(state, place, STACK_POINTER, constant_offset(self.memory, offset + 8))
        if operand.name == FRAME_POINTER:
            self._restored_frame(state, place, offset)
        elif operand.name == STACK_POINTER:
            raise UnprovableCodeError(place.offset, "a pop of the stack pointer")
        else:
            state.registers[operand.name] = value

    def _leave(self, state: State, place: Place) -> None:
        if self.memory.frame_offset(state.registers[FRAME_POINTER]) != LINK[0]:
            raise UnprovableCodeError(place.offset, "a frame that is left before it was made")
        self._move_stack(state, place, STACK_POINTER, constant_offset(self.memory, 0))
        self._restored_frame(state, place, LINK[0])

    def _restored_frame(self, state: State, place: Place, offset: int) -> None:
        """The link holds what was pushed there: no store may reach it."""
        if offset != LINK[0]:
            raise UnprovableCodeError(place.offset, "a frame pointer from somewhere else")
        state.registers[FRAME_POINTER] = self.atoms.named("the caller's frame")

    def has_returned(self, state: State) -> bool:
        """Whether the stack is as it was when the function began."""
        at_begin = self.memory.frame_offset(state.registers[STACK_POINTER]) == 0
        return at_begin and state.registers[FRAME_POINTER] == self.atoms.named("the caller's frame")

    def _repeated(self, state: State, place: Place) -> None:
        """`rep stos`, `rep movs` and what they are without `rep`; the direction is always up, as nothing here turns it."""
        repeated, _, name = place.instruction.name.rpartition(" ")
        width = COUNTED[name]
        if any(isinstance(one, Memory) and one.segment not in {"", "es", "ds"} for one in place.instruction.operands):
            raise UnprovableCodeError(place.offset, "a repeated instruction in a segment")
        if place.instruction.prefixes[3]:
            raise UnprovableCodeError(place.offset, "an address of 32 bits")
        count = self.register(state, "rcx") if repeated else constant(1)
        size = times(count, width)
        target = self.register(state, "rdi")
        if name.startswith("movs"):
            source = self.register(state, "rsi")
            self.memory.touch(state, place.offset, "read", source, size, 1)
            state.registers["rsi"] = plus(source, size)
        self.memory.touch(state, place.offset, "write", target, size, 0)
        state.registers["rdi"] = plus(target, size)
        if repeated:
            state.registers["rcx"] = constant(0)


@functools.cache
def _probes() -> list[list[tuple[str, tuple[Operand, ...]]]]:
    """`sub $4096, %rsp`, then `orq $0, (%rsp)` (GCC) or `movq $0, (%rsp)` (Clang), then `cmp %r11, %rsp`."""
    codes = ("4881ec0010000048830c24004c39dc", "4881ec0010000048c70424000000004c39dc")
    return [[(one.name, one.operands) for _, one in decode(bytes.fromhex(code))] for code in codes]


def constant_offset(memory: FunctionMemory, offset: int) -> Value:
    return offset & ALL, memory.entry


def _whole(place: Place, name: str) -> str:
    if not (name.startswith("r") and (name[1:].isalpha() or name[1:].isdigit())):
        raise UnprovableCodeError(place.offset, "an address of 32 bits")
    return name


_NEXT = Flow()
_FLOWS = {"call": Flow(CALL), "ret": Flow(RETURN), "ud2": Flow(STOP), "hlt": Flow(STOP)}
_Handler = Callable[[X86, State, Place], None]
_HANDLERS: dict[str, _Handler] = {
    "mov": X86._load_number, "movabs": X86._load_number, "movsd": X86._move_string_or_scalar,
    "movzx": X86._extend, "movsx": X86._extend, "movsxd": X86._extend, "lea": X86._address_only,
    "add": X86._sum, "sub": X86._sum, "inc": X86._step, "dec": X86._step, "neg": X86._negative, "not": X86._negative,
    "imul": X86._product, "mul": X86._product, "div": X86._quotient, "idiv": X86._quotient,
    "and": X86._bitwise, "or": X86._bitwise, "xor": X86._bitwise,
    "shl": X86._shift, "sal": X86._shift, "shr": X86._shift, "sar": X86._shift,
    "cmp": X86._compare, "test": X86._compare,
    "cdqe": X86._widen, "cdq": X86._widen, "cqo": X86._widen, "cwde": X86._widen, "cbw": X86._widen, "cwd": X86._widen,
    "push": X86._push, "pop": X86._pop, "leave": X86._leave,
    **{f"cmov{condition}": X86._conditional for condition in _CONDITIONS},
    **{f"{repeat}{name}": X86._repeated for name in COUNTED for repeat in ("", "rep ") if f"{repeat}{name}" != "movsd"},
}  # fmt: skip
