"""What 64-bit ARM instructions do to registers, to the stack pointer and to memory: those that compilers make without optimising.

An instruction that is not listed here is refused: this list is the border of what the proof understands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from grader.engines.announcements.arm_decoding import Decoded, Memory, Number, Register, decode
from grader.engines.announcements.code_object import Relocation
from grader.engines.announcements.machine_state import State
from grader.engines.announcements.memory_rules import FunctionMemory
from grader.engines.announcements.processor import BRANCH, CALL, JUMP, RETURN, STOP, Flow, Place
from grader.engines.announcements.refusals import UnprovableCodeError
from grader.engines.announcements.values import ALL, HALF, WORD, Bounds, Value, constant, minus, plus, times

STACK_POINTER, FRAME_POINTER, LINK_REGISTER = "sp", "x29", "x30"
_LARGEST_STEP = 4096  # of the stack pointer, that no probe follows
_LONGEST_SUM = 16  # terms; a longer one becomes an unknown of its own
# Relocations: R_AARCH64_…
_PAGE, _PAGE_OFFSET = 275, 277  # ADR_PREL_PG_HI21, ADD_ABS_LO12_NC
_PLACE_IN_PAGE = frozenset({278, 284, 285, 286, 299})  # LDST8, 16, 32, 64 and 128_ABS_LO12_NC
_THREAD_HIGH, _THREAD_LOW = 549, 551  # TLSLE_ADD_TPREL_HI12, TLSLE_ADD_TPREL_LO12_NC
_THREAD_SLOT_PAGE, _THREAD_SLOT = 541, 542  # TLSIE_ADR_GOTTPREL_PAGE21, TLSIE_LD64_GOTTPREL_LO12_NC
_CALL26 = 283

_UNSIGNED = {"ls": "be", "lo": "b", "cc": "b", "hi": "a", "hs": "ae", "cs": "ae"}
_NAMED = frozenset("and orr eor bic orn eon ands bics mul madd msub smull umull smulh umulh sdiv udiv".split())
# Results in vectors, which nobody follows, or in a register that nothing is known of then.
_UNKNOWN = frozenset(
    """fmov fadd fsub fmul fdiv fneg fabs fsqrt fmadd fmsub fnmadd fnmsub fnmul fmax fmin fmaxnm fminnm fcvt fcvtzs fcvtzu fcvtns fcvtnu
    fcvtas fcvtau fcvtms fcvtmu fcvtps fcvtpu scvtf ucvtf frinta frinti frintm frintn frintp frintx frintz fcsel movi mvni dup umov smov
    mov ins bfi bfxil bfm ubfm sbfm ubfx sbfx extr clz cls rbit rev rev16 rev32 cnt addv add sub neg mul ext zip1 zip2 uzp1 uzp2 trn1
    trn2 and orr eor bic bsl ushr sshr shl sshll ushll xtn uaddlv fmla fmls fcmeq fcmgt fcmge cmeq cmgt cmge fabd""".split()
)
_COMPARES = frozenset("fcmp fcmpe ccmp ccmn fccmp fccmpe".split())
_NOTHING = frozenset("nop hint dmb dsb isb prfm yield bti".split())
_EXTENSIONS = {"sxtw": ("signed", 32), "uxtw": ("unsigned", 32), "sxth": ("signed", 16), "uxth": ("unsigned", 16), "sxtb": ("signed", 8),
               "uxtb": ("unsigned", 8)}  # fmt: skip


class Arm:
    """One function's instructions, one after the other."""

    stack_pointer, frame_pointer = STACK_POINTER, FRAME_POINTER
    arguments, result = ("x0", "x1", "x2"), "x8"
    preserved = frozenset({f"x{number}" for number in range(19, 30)} | {STACK_POINTER})
    call_relocations = frozenset({_CALL26})
    call_addend = 0

    def __init__(self, memory: FunctionMemory) -> None:
        self.memory, self.atoms = memory, memory.atoms
        memory.stack_pointer = STACK_POINTER
        memory.given = {name: self.atoms.named(("given in", name)) for name in ("x0", "x8")}
        self._thread = self.atoms.named("the thread pointer")
        self._caller = self.atoms.named("the caller's frame")
        self._back = self.atoms.named("the return address")

    @staticmethod
    def decode(code: bytes) -> list[tuple[int, Decoded]]:
        return decode(code)

    def begin(self) -> State:
        return State(
            {
                STACK_POINTER: (0, self.memory.entry),
                FRAME_POINTER: self._caller,
                LINK_REGISTER: self._back,
                **self.memory.given,
            }
        )

    def flow(self, instruction: Decoded) -> Flow:
        name, operands = instruction.name, instruction.operands
        if name == "bl":
            return Flow(CALL)
        if name == "b" and instruction.condition:
            return Flow(BRANCH, _UNSIGNED.get(instruction.condition, "?"), self._target(instruction))
        if name in {"cbz", "cbnz", "tbz", "tbnz"}:
            return Flow(BRANCH, "?", self._target(instruction))
        if name in {"b", "br", "blr"}:
            return Flow(JUMP, "", self._target(instruction) if name == "b" else None)
        if name == "ret":
            return Flow(STOP) if operands and operands != (Register(LINK_REGISTER, WORD),) else Flow(RETURN)
        return Flow(STOP) if name in {"brk", "udf", "hlt"} else Flow()

    def _target(self, instruction: Decoded) -> int | None:
        last = instruction.operands[-1] if instruction.operands else None
        return last.value if isinstance(last, Number) else None  # each was decoded as if it stood at 0

    def is_probe(self, instructions: Sequence[Decoded]) -> bool:
        """`sub sp, sp, 4096`, `str xzr, [sp, 1024]`, `cmp sp, x9`, `b.ne` back."""
        texts = [f"{one.name} {one.text}" for one in instructions]
        limits = {f"cmp sp, x{number}" for number in (9, 10, 11, 12, 13)}
        return (
            len(texts) == 4  # noqa: PLR2004 - instructions
            and texts[0] == "sub sp, sp, #1, lsl #12"
            and re.fullmatch(r"str xzr, \[sp(, #0x\w+)?\]", texts[1]) is not None
            and texts[2] in limits
            and instructions[3].condition == "ne"
        )

    def probe(self, state: State, at: int, instructions: Sequence[Decoded]) -> None:
        """The stack pointer goes down a page at a time until it meets the limit."""
        last = instructions[2].operands[1]
        limit = state.registers.get(last.name) if isinstance(last, Register) else None
        offset = self.memory.frame_offset(limit) if limit is not None else None
        before = self.stack_offset(state)
        if limit is None or offset is None or before is None or offset >= before or (before - offset) % _LARGEST_STEP:
            raise UnprovableCodeError(at, "a loop that moves the stack")
        state.registers[STACK_POINTER] = limit
        state.flags = None

    def stack_offset(self, state: State) -> int | None:
        return self.memory.frame_offset(state.registers[STACK_POINTER])

    def has_frame(self, state: State) -> bool:
        begin, end = self.memory.link
        return begin < end and self.memory.frame_offset(state.registers[FRAME_POINTER]) == begin

    def called(self, state: State) -> None:
        state.registers[LINK_REGISTER] = self.atoms.fresh()

    def has_returned(self, state: State) -> bool:
        return (
            self.stack_offset(state) == 0
            and state.registers[FRAME_POINTER] == self._caller
            and self.register(state, LINK_REGISTER) == self._back
        )

    def execute(self, state: State, place: Place) -> None:
        instruction = place.instruction
        assert isinstance(instruction, Decoded)
        relocation = place.relocations.get(0)
        if len(place.relocations) > (relocation is not None):
            raise UnprovableCodeError(place.offset, "a relocation of a strange kind")
        name = instruction.name
        if name == "ret":
            raise UnprovableCodeError(place.offset, "a return through another register")
        if any(isinstance(one, Memory) for one in instruction.operands):
            if name not in _NOTHING:
                self._load_or_store(state, place, instruction, relocation)
        elif relocation is not None:
            self._relocated(state, place, instruction, relocation)
        elif handler := _HANDLERS.get(name):
            handler(self, state, place, instruction)
        elif name in _UNKNOWN:
            self._set(state, place, instruction.operands[0], None)
        elif name in _COMPARES:
            state.flags = None
        elif name == "xpaclri":
            state.registers[LINK_REGISTER] = self.atoms.fresh()
        elif name not in _NOTHING:
            raise UnprovableCodeError(place.offset, f"the instruction `{name}`")

    # --- Operands.

    def register(self, state: State, name: str) -> Value:
        if name == "zero":
            return constant(0)
        value = state.registers.get(name)
        if value is None:
            value = state.registers[name] = self.atoms.fresh()
        return value

    def _value(self, state: State, operand: object) -> Value | None:
        if isinstance(operand, Number):
            return constant(operand.value)
        if not isinstance(operand, Register) or operand.bits == 0:
            return None
        value = self.register(state, operand.name)
        if operand.extend in _EXTENSIONS:
            how, bits = _EXTENSIONS[operand.extend]
            value = self._extended(value, how, bits)
        elif operand.bits == HALF:
            value = self.atoms.unsigned(self.atoms.lower(value))
        if operand.by or operand.shift:
            if operand.shift not in {"lsl", ""}:
                return self.atoms.named((operand.shift, operand.bits, value, operand.by))
            value = times(value, 1 << operand.by)
        return value

    def _extended(self, value: Value, how: str, bits: int) -> Value:
        half = self.atoms.lower(value)
        if bits == HALF:
            return self.atoms.signed(half) if how == "signed" else self.atoms.unsigned(half)
        top = 1 << bits
        return self.atoms.named((how, bits, half), (-top // 2, top // 2 - 1) if how == "signed" else (0, top - 1))

    def _set(self, state: State, place: Place, operand: object, value: Value | None) -> None:
        if not isinstance(operand, Register) or operand.bits == 0 or operand.name == "zero":
            return
        if value is not None and len(value[1]) > _LONGEST_SUM:
            value = self.atoms.named(("sum", value))
        if operand.name == STACK_POINTER:
            self._move_stack(state, place, value if operand.bits == WORD else None)
        elif operand.name == FRAME_POINTER:
            self._make_frame(state, place, value if operand.bits == WORD else None)
        elif value is None:
            state.registers[operand.name] = self.atoms.fresh(_HALF_BOUNDS if operand.bits == HALF else None)
        elif operand.bits == HALF:
            state.registers[operand.name] = self.atoms.unsigned(self.atoms.lower(value))
        else:
            state.registers[operand.name] = value

    def _move_stack(self, state: State, place: Place, value: Value | None) -> None:
        offset = None if value is None else self.memory.frame_offset(value)
        if value is None or offset is None:
            raise UnprovableCodeError(place.offset, "a stack frame whose size or alignment is known only when it runs")
        before = self.stack_offset(state)
        if before is None or offset < before - _LARGEST_STEP or offset > 0:
            raise UnprovableCodeError(place.offset, "a stack that moves in a way no compiler moves it")
        state.registers[STACK_POINTER] = value
        if offset > before:
            state.dropped(offset)

    def _make_frame(self, state: State, place: Place, value: Value | None) -> None:
        """Where the two words are that were stored for it."""
        offset = None if value is None else self.memory.frame_offset(value)
        bytes_of = WORD // 8
        if (
            value is None
            or offset is None
            or state.words.get(offset) != (bytes_of, self._caller)
            or state.words.get(offset + bytes_of) != (bytes_of, self._back)
            or self.memory.link not in {(0, 0), (offset, offset + 2 * bytes_of)}
        ):
            raise UnprovableCodeError(place.offset, "a frame without a link to its caller's")
        self.memory.link = offset, offset + 2 * bytes_of
        state.registers[FRAME_POINTER] = value

    # --- Instructions.

    def _load_or_store(self, state: State, place: Place, instruction: Decoded, relocation: Relocation | None) -> None:
        name, operands = instruction.name, instruction.operands
        memory = operands[-1]
        if not isinstance(memory, Memory) or memory.size == 0 or not re.fullmatch(r"(ld|st)(u?r|p)(s?[bhw])?", name):
            raise UnprovableCodeError(place.offset, f"the instruction `{name}`")
        if relocation is not None and relocation.kind == _THREAD_SLOT:
            self._load_slot(state, place, instruction, relocation)
            return
        base = self.register(state, memory.base)
        address = base
        if memory.writes_back != "behind":
            address = plus(address, constant(memory.displacement))
        if memory.index is not None:
            address = plus(address, self._value(state, memory.index) or self.atoms.fresh())
        if relocation is not None:
            if relocation.kind not in _PLACE_IN_PAGE:
                raise UnprovableCodeError(place.offset, f"a relocation of kind {relocation.kind}")
            address = plus(address, self._in_page(relocation))
        moved = plus(base, constant(memory.moves_by))
        if memory.writes_back and memory.base == STACK_POINTER and memory.moves_by < 0:
            self._move_stack(state, place, moved)  # what is stored lies above the pointer then
        registers = operands[:-1]
        each = memory.size // len(registers)
        position = len(operands) - 1
        if name.startswith("st"):
            for number, one in enumerate(registers):
                value = self._value(state, one) if each in {HALF // 8, WORD // 8} else None
                self.memory.store(state, place.offset, plus(address, constant(number * each)), each, value, position)
        else:
            self._load(state, place, instruction, address, each)
        if memory.writes_back and not (memory.base == STACK_POINTER and memory.moves_by < 0):
            self._set(state, place, Register(memory.base, WORD), moved)

    def _load(self, state: State, place: Place, instruction: Decoded, address: Value, each: int) -> None:
        registers, name = instruction.operands[:-1], instruction.name
        begin, end = self.memory.link
        names = tuple(one.name for one in registers if isinstance(one, Register))
        if FRAME_POINTER in names:
            if names != (FRAME_POINTER, LINK_REGISTER) or begin == end or self.memory.frame_offset(address) != begin:
                raise UnprovableCodeError(place.offset, "a frame pointer from somewhere else")
            state.registers[FRAME_POINTER], state.registers[LINK_REGISTER] = self._caller, self._back
            return
        loaded = [
            self.memory.load(state, place.offset, plus(address, constant(number * each)), each, len(registers))
            for number in range(len(registers))
        ]
        for one, value in zip(registers, loaded, strict=True):
            if value is not None and name in {"ldrsw", "ldursw", "ldpsw"}:
                value = self.atoms.signed(self.atoms.lower(value))  # noqa: PLW2901 - the same word, wider
            elif each < HALF // 8 and not name.endswith(("sb", "sh")):
                value = self.atoms.fresh((0, (1 << (8 * each)) - 1))  # noqa: PLW2901
            elif name in {"ldrsw", "ldursw", "ldpsw"}:
                value = self.atoms.signed(self.atoms.fresh(_HALF_BOUNDS))  # noqa: PLW2901
            self._set(state, place, one, value)

    def _load_slot(self, state: State, place: Place, instruction: Decoded, relocation: Relocation) -> None:
        """From the linker's own table: where a variable of the thread's lies."""
        memory = instruction.operands[-1]
        page = self.atoms.named(("slot", relocation.symbol.name, relocation.symbol.section, relocation.addend))
        known = isinstance(memory, Memory) and self.register(state, memory.base) == page and memory.displacement == 0
        if instruction.name != "ldr" or not known or relocation.symbol.kind != "STT_TLS" or relocation.addend:
            raise UnprovableCodeError(place.offset, "the linker's table, used in a strange way")
        self._set(state, place, instruction.operands[0], self.memory.address_of(relocation.symbol, 0))

    def _in_page(self, relocation: Relocation) -> Value:
        """What is to be added to the page's address, which cancels out."""
        if relocation.symbol.kind == "STT_TLS":
            return self.atoms.fresh()
        return minus(self.memory.address_of(relocation.symbol, relocation.addend), self._part("page", relocation))

    def _part(self, what: str, relocation: Relocation) -> Value:
        symbol = relocation.symbol
        return self.atoms.named((what, symbol.section, symbol.name, symbol.value, relocation.addend))

    def _relocated(self, state: State, place: Place, instruction: Decoded, relocation: Relocation) -> None:
        name, kind, operands = instruction.name, relocation.kind, instruction.operands
        is_thread = relocation.symbol.kind == "STT_TLS"
        if name == "adrp" and kind == _PAGE and not is_thread:
            value: Value | None = self._part("page", relocation)
        elif name == "adrp" and kind == _THREAD_SLOT_PAGE and is_thread:
            symbol = relocation.symbol
            value = self.atoms.named(("slot", symbol.name, symbol.section, relocation.addend))
        elif name == "add" and kind in {_PAGE_OFFSET, _THREAD_HIGH, _THREAD_LOW} and operands[-1] == Number(0):
            base = self._value(state, operands[1])
            if is_thread != (kind != _PAGE_OFFSET) or base is None:
                raise UnprovableCodeError(place.offset, f"a relocation of kind {kind}")
            if kind == _THREAD_HIGH:
                value = plus(base, self._part("high", relocation))
            elif kind == _THREAD_LOW:
                low = minus(
                    self.memory.address_of(relocation.symbol, relocation.addend), self._part("high", relocation)
                )
                value = plus(base, low)
            else:
                value = plus(base, self._in_page(relocation))
        else:
            raise UnprovableCodeError(place.offset, f"a relocation of kind {kind}")
        self._set(state, place, operands[0], value)

    def _sum(self, state: State, place: Place, instruction: Decoded) -> None:
        target, *rest = instruction.operands
        if len(rest) != 2 or not _all_general(instruction):  # noqa: PLR2004 - what is added
            self._set(state, place, target, None)
            return
        one, other = (self._value(state, operand) for operand in rest)
        name = instruction.name
        value = None
        if one is not None and other is not None:
            value = plus(one, other) if name.startswith("add") else minus(one, other)
        if name.endswith("s"):
            state.flags = self._flags(instruction, one, other)
        self._set(state, place, target, value)

    def _compare(self, state: State, _place: Place, instruction: Decoded) -> None:
        one, other = (self._value(state, operand) for operand in instruction.operands[:2])
        state.flags = self._flags(instruction, one, other)

    def _flags(
        self, instruction: Decoded, one: Value | None, other: Value | None
    ) -> tuple[str, int, Value, Value] | None:
        if one is None or other is None:
            return None
        return instruction.name, _bits(instruction), one, other

    def _move(self, state: State, place: Place, instruction: Decoded) -> None:
        self._set(state, place, instruction.operands[0], self._value(state, instruction.operands[1]))

    def _move_part(self, state: State, place: Place, instruction: Decoded) -> None:
        """`movk`: sixteen bits among known ones."""
        target, part = instruction.operands
        before = self._value(state, target)
        words = re.fullmatch(r"\w+, #(\w+)(?:, lsl #(\w+))?", instruction.text)
        value = None
        if before is not None and not before[1] and words is not None and isinstance(part, Number):
            shift = int(words[2] or "0", 0)
            value = constant((before[0] & ~(0xFFFF << shift)) | (int(words[1], 0) << shift))
        self._set(state, place, target, value)

    def _negative(self, state: State, place: Place, instruction: Decoded) -> None:
        target, source = instruction.operands[:2]
        one = self._value(state, source) if _all_general(instruction) else None
        value = times(one, ALL) if one is not None else None
        if instruction.name == "mvn" and value is not None:
            value = plus(value, constant(-1))
        if instruction.name == "negs":
            state.flags = self._flags(instruction, one, one)
        self._set(state, place, target, value)

    def _shift(self, state: State, place: Place, instruction: Decoded) -> None:
        target, source, by = instruction.operands
        one, count = self._value(state, source), self._value(state, by)
        bits = _bits(instruction)
        value = None
        if one is not None and count is not None:
            if instruction.name == "lsl" and not count[1]:
                value = times(one, 1 << (count[0] & (bits - 1)))
            else:
                known = not count[1] and instruction.name == "lsr" and 0 < count[0] < bits
                value = self._named(instruction, (one, count), (0, (1 << (bits - count[0])) - 1) if known else None)
        self._set(state, place, target, value)

    def _extend(self, state: State, place: Place, instruction: Decoded) -> None:
        target, source = instruction.operands
        assert isinstance(source, Register)
        how, bits = _EXTENSIONS[instruction.name]
        self._set(state, place, target, self._extended(self.register(state, source.name), how, bits))

    def _field(self, state: State, place: Place, instruction: Decoded) -> None:
        """`sbfiz x0, x1, 2, 32`: an index of 32 bits, extended and scaled."""
        target, source, shift, width = instruction.operands
        value = None
        plain = isinstance(source, Register) and isinstance(shift, Number) and width == Number(HALF)
        if plain and _bits(instruction) == WORD:
            assert isinstance(source, Register)
            assert isinstance(shift, Number)
            how = "signed" if instruction.name == "sbfiz" else "unsigned"
            value = times(self._extended(self.register(state, source.name), how, HALF), 1 << shift.value)
        self._set(state, place, target, value)

    def _operation(self, state: State, place: Place, instruction: Decoded) -> None:
        target, *sources = instruction.operands
        values = [self._value(state, one) for one in sources]
        name = instruction.name
        known = [one for one in values if one is not None]
        value = None
        if len(known) == len(values) and _all_general(instruction):
            if name == "mul" and (not known[0][1] or not known[1][1]):
                factor, other = (known[0], known[1]) if not known[0][1] else (known[1], known[0])
                value = times(other, factor[0])
            else:
                mask = known[-1][0] if name in {"and", "ands"} and not known[-1][1] else -1
                value = self._named(instruction, tuple(known), (0, mask) if 0 <= mask < 1 << (WORD - 1) else None)
        if name in {"ands", "bics"}:
            state.flags = self._flags(instruction, values[0], values[1])
        self._set(state, place, target, value)

    def _named(self, instruction: Decoded, values: tuple[Value, ...], bounds: Bounds | None = None) -> Value:
        bits = _bits(instruction)
        if bits == HALF:
            values = tuple(self.atoms.lower(value) for value in values)
            bounds = bounds or _HALF_BOUNDS
        return self.atoms.named((instruction.name, bits, instruction.text.count("w"), values), bounds)

    def _choose(self, state: State, place: Place, instruction: Decoded) -> None:
        target, *sources = instruction.operands
        values = [self._value(state, one) for one in sources]
        value = None
        if state.flags is not None and all(one is not None for one in values):
            what = (instruction.name, instruction.condition, _bits(instruction), state.flags, tuple(values))
            value = self.atoms.named(what, (0, 1) if instruction.name == "cset" else None)
        self._set(state, place, target, value)

    def _thread_pointer(self, state: State, place: Place, instruction: Decoded) -> None:
        if not instruction.text.endswith(", tpidr_el0"):
            raise UnprovableCodeError(place.offset, "a system register")
        self._set(state, place, instruction.operands[0], self._thread)


def _bits(instruction: Decoded) -> int:
    first = instruction.operands[0]
    return first.bits if isinstance(first, Register) and first.bits else WORD


def _all_general(instruction: Decoded) -> bool:
    return all(one.bits for one in instruction.operands if isinstance(one, Register))


_HALF_BOUNDS: Bounds = (0, (1 << HALF) - 1)
_Handler = Callable[[Arm, State, Place, Decoded], None]
_HANDLERS: dict[str, _Handler] = {
    "add": Arm._sum, "sub": Arm._sum, "adds": Arm._sum, "subs": Arm._sum,
    "cmp": Arm._compare, "cmn": Arm._compare, "tst": Arm._compare,
    "mov": Arm._move, "movz": Arm._move, "movn": Arm._move, "movk": Arm._move_part,
    "neg": Arm._negative, "negs": Arm._negative, "mvn": Arm._negative,
    "lsl": Arm._shift, "lsr": Arm._shift, "asr": Arm._shift, "ror": Arm._shift,
    "sbfiz": Arm._field, "ubfiz": Arm._field, "mrs": Arm._thread_pointer,
    **dict.fromkeys(_EXTENSIONS, Arm._extend),
    **dict.fromkeys(_NAMED, Arm._operation),
    **dict.fromkeys("csel csinc csinv csneg cset csetm cinc cinv cneg".split(), Arm._choose),
}  # fmt: skip
