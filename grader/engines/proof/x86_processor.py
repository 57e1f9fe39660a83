"""x86-64 as the proof asks of a processor: its registers and operands, where control goes, and what its instructions do."""

from __future__ import annotations

import re
from collections.abc import Iterator

import capstone
from capstone import x86_const

from grader.engines.objects.symbol_table import Relocation
from grader.engines.proof.evaluator import (
    LARGEST_STEP,
    CodeSite,
    Decoded,
    Decoder,
    Flow,
    Memory,
    Number,
    Operand,
    Processor,
    Raw,
    Register,
    effects,
)
from grader.engines.proof.machine_state import (
    ALL,
    HALF,
    WORD,
    State,
    StrangeAssemblyError,
    UnprovableCodeError,
    Value,
    constant,
    plus,
    times,
)
from grader.engines.proof.memory_rules import UNSEEN, FunctionMemory, Unannounced

STRING_BYTES = {"stosb": 1, "stosd": 4, "stosq": 8, "stosw": 2, "movsb": 1, "movsw": 2, "movsd": 4, "movsq": 8}
_LINK = (-8, 8)  # the caller's frame pointer and the return address, from the stack pointer at the function's begin
_RED_ZONE = 128  # bytes below the stack pointer that are a leaf's own
# Relocations: R_X86_64_…
_ABSOLUTE = frozenset({1, 10, 11})  # 64, 32, 32S
_RELATIVE = frozenset({2, 4})  # PC32, PLT32
_THREAD, _THREAD_SLOT = 23, 22  # TPOFF32, GOTTPOFF
_SCALARS = {"comisd": 8, "comiss": 4, "ucomisd": 8, "ucomiss": 4}  # bytes that are read; Capstone 5 says 16 for comisd
_CONDITIONS = ("o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g")
_JUMPS = {f"j{condition}": condition for condition in _CONDITIONS}
_FLOWS = {"ret": Flow("return"), "ud2": Flow("stop"), "hlt": Flow("stop")}

# The instructions that compilers make without optimising, by what they do to their operands.

_EFFECTS = effects(
    """
    add add 2 set         sub subtract 2 set    inc increment 1 lost   dec decrement 1 lost   neg negate 1 set
    not invert 1 kept     imul multiply 2 lost  and and 2 set          or or 2 set            xor xor 2 set
    shl left 2 lost       sal left 2 lost       shr right 2 lost       sar sar 2 lost
    cmp compare 2 set     test compare 2 set    mov copy 1 kept        movabs copy 1 kept
    """
    + " ".join(f"cmov{condition} choose 2 kept" for condition in _CONDITIONS)
)
_EXTENSIONS = {"movzx": (False, 0), "movsx": (True, 0), "movsxd": (True, HALF)}
_SETS = " ".join(f"set{condition}" for condition in _CONDITIONS)
_COMPARISONS = " ".join(
    f"cmp{how}{kind}"
    for how in ("", "eq", "lt", "le", "unord", "neq", "nlt", "nle", "ord")
    for kind in ("ss", "sd", "ps", "pd")
)
_MOVES = """
    movaps movapd movups movupd movdqa movdqu movd movq movss movsd movlps movhps movlpd movhpd movnti movntps movntpd movntdq fst fstp
    fistp fist fisttp fnstcw fnstsw
"""
_WRITERS = f"""
    {_MOVES} {_SETS} {_COMPARISONS} cvtsi2ss cvtsi2sd cvttss2si cvttsd2si cvtss2si cvtsd2si cvtss2sd cvtsd2ss cvtps2pd cvtpd2ps
    cvtdq2ps cvtdq2pd cvttps2dq cvtps2dq cvttpd2dq sqrtss sqrtsd sqrtps sqrtpd pshufd pshuflw pshufhw shufps shufpd unpcklps unpckhps
    unpcklpd unpckhpd punpcklbw punpcklwd punpckldq punpcklqdq punpckhbw punpckhwd punpckhdq punpckhqdq addss addsd addps addpd subss
    subsd subps subpd mulss mulsd mulps mulpd divss divsd divps divpd minss minsd minps minpd maxss maxsd maxps maxpd andps andpd andnps
    andnpd orps orpd xorps xorpd pand pandn por pxor paddb paddw paddd paddq psubb psubw psubd psubq pmuludq pmullw pmulhw psllw pslld
    psllq psrlw psrld psrlq psraw psrad pslldq psrldq pcmpeqb pcmpeqw pcmpeqd pcmpgtb pcmpgtw pcmpgtd packssdw packsswb packuswb movmskps
    movmskpd pmovmskb movhlps movlhps pinsrw pextrw rsqrtss rsqrtps rcpss rcpps bsf bsr
"""
_READERS = """
    ucomiss ucomisd comiss comisd fld fild fldcw fadd fsub fsubr fmul fdiv fdivr fiadd fisub fimul fidiv fldz fld1 fchs fabs fxch faddp
    fsubp fsubrp fmulp fdivp fdivrp fucomi fcomi fucompi fcompi fcmovne fcmove fcmovb fcmovbe fcmovnb fcmovnbe fcmovu fcmovnu fucomip
    fcomip frndint fsqrt fwait wait ffree fldpi fldl2e fldln2 fldl2t fldlg2
"""
_NO_EFFECT = "nop endbr64 pause prefetcht0 prefetcht1 prefetcht2 prefetchnta"

WRITERS = frozenset(_WRITERS.split())  # the first operand, of which nothing is known then; they read the others
_MAY_STORE = frozenset([*_MOVES.split(), *_SETS.split()])  # of these: into memory
READERS = frozenset(_READERS.split())
_EXCHANGES = frozenset({"xchg", "xadd"})
_CHANGERS = frozenset({"adc", "sbb", "rol", "ror", "rcl", "rcr", *_EXCHANGES})  # read and write the first operand
_NOTHING = frozenset(_NO_EFFECT.split())  # a prefetch names memory and does not use it
_SPECIAL = {  # each with its method
    "mov": "_load_number", "movabs": "_load_number", "lea": "_address_only", "push": "_push", "pop": "_pop", "leave": "_leave",
    **dict.fromkeys(("imul", "mul", "div", "idiv"), "_wide"),
    **dict.fromkeys(("cdqe", "cdq", "cqo", "cwde", "cbw", "cwd"), "_widen"),
}  # fmt: skip
_STRINGS = frozenset(f"{repeat}{name}" for name in STRING_BYTES for repeat in ("", "rep "))


# The names of a whole register, of its lower 32, 16 and 8 bits, and of the eight bits above these.
_NAMES = """
    rax eax ax al ah; rbx ebx bx bl bh; rcx ecx cx cl ch; rdx edx dx dl dh; rsi esi si sil; rdi edi di dil; rbp ebp bp bpl; rsp esp sp spl
"""
_PARTS = [row.split() for row in _NAMES.split(";")] + [
    [f"r{number}{of}" for of in ("", "d", "w", "b")] for number in range(8, 16)
]
_REGISTERS = {name: (names[0], bits) for names in _PARTS for name, bits in zip(names, (64, 32, 16, 8, 8), strict=False)}


def _read(instruction: capstone.CsInsn) -> Decoded:
    return Decoded(
        instruction.mnemonic,
        instruction.size,
        tuple(_operand(instruction, one) for one in instruction.operands),
        instruction.op_str,
        _JUMPS.get(instruction.mnemonic, ""),
        instruction.encoding.disp_offset,
        instruction.encoding.imm_offset,
        bytes(instruction.prefix),
    )


def _operand(instruction: capstone.CsInsn, operand: Raw) -> Operand:
    def register(number: int, by: int = 0) -> Register:
        name = instruction.reg_name(number)
        whole, bits = _REGISTERS.get(name, (name, 0))
        return Register(whole, bits, "high" if name in {"ah", "bh", "ch", "dh"} else "", "lsl" if by else "", by)

    if operand.type == x86_const.X86_OP_REG:
        return register(operand.reg)
    if operand.type == x86_const.X86_OP_IMM:
        return Number(operand.imm)
    if operand.type != x86_const.X86_OP_MEM:
        raise ValueError(f"operand of type {operand.type}")
    place = operand.mem
    return Memory(
        instruction.reg_name(place.base) or "",
        register(place.index, place.scale.bit_length() - 1) if place.index else None,
        place.disp,
        _SCALARS.get(instruction.mnemonic, operand.size),
        instruction.reg_name(place.segment) or "",
    )


# The call that announces an access before it happens, in AT&T syntax, which GCC and Clang both write.

_WORDS = re.compile(r"^\s*((?:(?:rep|repe|repz|repne|repnz|lock)[ ;]\s*)?[a-z]\w*)\s*(.*?)\s*(?:#.*)?$")
_OUTSIDE_BRACKETS = re.compile(r"(?:[^,(]|\([^)]*\))+")


def call_before(missing: Unannounced, instruction: Decoded, line: str) -> list[str]:
    """As `Processor.call_before`. Before a call through a pointer, one that reads its target from memory has it read into %r11 first.
    GCC makes room for arguments before it puts any into registers, and never has a value in %r11 then.
    """
    if missing.kind == "stack":
        pages, _ = _room(instruction)
        limit, probe = f"\tleaq\t-{pages}(%rsp), %r11", f"\tsubq\t${LARGEST_STEP}, %rsp"
        return [limit, "1:", probe, "\torq\t$0, (%rsp)", "\tcmpq\t%r11, %rsp", "\tjne\t1b"]
    first, where = list[str](), _where(missing, instruction, line)
    if missing.kind == "call":
        target: object = instruction.operands[0]
        if isinstance(target, Memory):
            first, target = [f"\tmovq\t{_called(line)}, %r11"], Register("r11", 64)
        if not isinstance(target, Register):
            raise StrangeAssemblyError(line)
        where = iter([f"\tmovq\t%{target.name}, %rdi"])
    call = f"\tcall\t{UNSEEN[missing.kind]}"
    return [*first, "\tpushq\t%rdi", "\tpushq\t%rsi", *where, call, "\tpopq\t%rsi", "\tpopq\t%rdi"]


def _room(instruction: Decoded) -> tuple[int, int]:
    """Bytes of the whole pages that are made room for, and those of the last part."""
    size = instruction.operands[1]
    assert isinstance(size, Number)
    return size.value - size.value % LARGEST_STEP, size.value % LARGEST_STEP


def _called(line: str) -> str:
    words = _WORDS.match(line)
    if words is None or not words[1].startswith("call") or not words[2].startswith("*") or "%rsp" in words[2]:
        raise StrangeAssemblyError(line)
    return words[2][1:]


def _where(missing: Unannounced, instruction: Decoded, line: str) -> Iterator[str]:
    """The first byte's address into %rdi, the number of bytes into %rsi."""
    if missing.register:
        begin, end = missing.span
        yield f"\tleaq\t{begin}(%{missing.register}), %rdi"
        yield f"\tmovl\t${end - begin}, %esi"
        return
    repeated, _, name = instruction.name.rpartition(" ")
    operand = instruction.operands[missing.operand]
    if not isinstance(operand, Memory):
        raise StrangeAssemblyError(line)
    if name in STRING_BYTES and _is_string(instruction):
        if missing.kind == "read":
            yield "\tmovq\t%rsi, %rdi"
        yield f"\tleaq\t(,%rcx,{STRING_BYTES[name]}), %rsi" if repeated else f"\tmovl\t${STRING_BYTES[name]}, %esi"
        return
    segment, text = _memory_operand(line)
    yield f"\tleaq\t{text}, %rdi"
    if segment:
        yield "\tmovq\t%fs:0, %rsi"
        yield "\tleaq\t(%rdi,%rsi), %rdi"
    yield f"\tmovl\t${operand.size}, %esi"


def _is_string(instruction: Decoded) -> bool:
    """Not the `movsd` that moves a number."""
    target, *others = instruction.operands
    is_string = "stos" in instruction.name or any(isinstance(one, Memory) for one in others)
    return is_string and isinstance(target, Memory) and target.base == "rdi"


def _memory_operand(line: str) -> tuple[str, str]:
    """Its segment and the rest, as it is to be written after two pushes."""
    words = _WORDS.match(line)
    written = [one.strip().removeprefix("*") for one in _OUTSIDE_BRACKETS.findall(words[2] if words else "")]
    operands = [one for one in written if not one.startswith("$") and (not one.startswith("%") or ":" in one)]
    if len(operands) != 1:
        raise StrangeAssemblyError(line)
    segment, colon, text = operands[0].rpartition(":")
    if colon and segment != "%fs":
        raise StrangeAssemblyError(line)
    if "(%rsp" in text:
        text = f"16+{text}" if not text.startswith("(") else f"16{text}"
    return segment, text


class X86(Processor):
    stack_pointer, frame_pointer = "rsp", "rbp"
    arguments, result = ("rdi", "rsi", "rdx"), "rdi"
    preserved = frozenset({"rbx", "rbp", "rsp", "r12", "r13", "r14", "r15"})
    call_relocations = _RELATIVE
    call_addend = -4  # from behind the instruction's last four bytes
    stop = "\tud2"
    decoder = Decoder(capstone.CS_ARCH_X86, capstone.CS_MODE_64, _read)
    effects = _EFFECTS
    extensions = _EXTENSIONS
    # What touches a page is an `or` with nothing by GCC, also of a byte, and a `mov` by Clang.
    probe_text = re.compile(r"sub rsp, 0x1000; (?:or|mov) (?:qword|byte) ptr \[rsp\], 0; cmp rsp, r11")
    call_before = staticmethod(call_before)

    def __init__(self, memory: FunctionMemory) -> None:
        super().__init__(memory)
        memory.link, memory.top, memory.red_zone = _LINK, _LINK[1], _RED_ZONE
        memory.given = {"rdi": self.atoms.named("the first argument")}

    def takes_probes(self, place: CodeSite) -> bool:
        instruction = place.instruction
        return instruction.name == "sub" and isinstance(instruction.operands[1], Number) and not place.relocations

    @staticmethod
    def in_place_of(instruction: Decoded, line: str) -> str:
        """Through %r11 where it would read memory once more."""
        if instruction.name == "sub":
            return f"\tsubq\t${_room(instruction)[1]}, %rsp"
        return "\tcall\t*%r11" if isinstance(instruction.operands[0], Memory) else line

    def flow(self, instruction: Decoded) -> Flow:
        name, operands = instruction.name, instruction.operands
        target = operands[0].value if operands and isinstance(operands[0], Number) else None
        if instruction.condition:
            return Flow("branch", instruction.condition, target)
        if name == "jmp":
            return Flow("jump", "", target)
        if name == "call":
            return Flow("pointer call") if target is None else Flow("call", "", target)
        if name == "ret" and operands:
            return Flow()  # refused where it is executed
        return _FLOWS.get(name, Flow())

    def called_address(self, state: State, place: CodeSite) -> Value | None:
        operand = place.instruction.operands[0]
        if any(place.instruction.prefixes) or not isinstance(operand, Register | Memory) or place.bits != WORD:
            raise UnprovableCodeError(place.offset, "a call of a kind no compiler makes")
        if isinstance(operand, Register):
            return self.register(state, operand.name)
        self.read(state, place, 0)
        return None

    def taken_address(self, place: CodeSite, at: int, relocation: Relocation) -> int:
        return relocation.addend + (place.instruction.length - at if relocation.kind in _RELATIVE else 0)

    def execute(self, state: State, place: CodeSite) -> None:
        instruction, name, operands = place.instruction, place.instruction.name, place.instruction.operands
        if any(offset not in {instruction.displacement_at, instruction.immediate_at} for offset in place.relocations):
            raise UnprovableCodeError(place.offset, "a relocation of an unknown kind")
        if instruction.prefixes[3]:
            raise UnprovableCodeError(place.offset, "an address of 32 bits")
        if name in _STRINGS and (name != "movsd" or all(isinstance(one, Memory) for one in operands)):
            self._move_string(state, place)
        elif name in _SPECIAL and (name != "imul" or len(operands) == 1):
            getattr(self, _SPECIAL[name])(state, place)
        elif name in WRITERS:
            self._write(state, place)
        elif name in READERS:
            self._read_all(state, place, 0)
            state.flags = None
        elif name in _CHANGERS:
            self._change(state, place)
        elif not self.computes(state, place) and name not in _NOTHING:
            raise UnprovableCodeError(place.offset, f"the instruction `{name}`")

    # --- Operands.

    def address(self, state: State, place: CodeSite, memory: Memory) -> Value:
        """Raises UnprovableCodeError for addresses of kinds that no compiler makes here."""
        relocation = place.relocation_at(place.instruction.displacement_at)
        value = constant(memory.displacement)
        if relocation is not None:
            value = self._relocated(place, relocation, memory)
        elif memory.base == "rip":
            raise UnprovableCodeError(place.offset, "an address relative to the code")
        if memory.segment == "fs":
            value = plus(value, self.thread)
        elif memory.segment:
            raise UnprovableCodeError(place.offset, f"the segment {memory.segment}")
        index = memory.index
        if _REGISTERS.get(memory.base, ("", WORD))[1] != WORD or (index and index.bits != WORD):
            raise UnprovableCodeError(place.offset, "an address of 32 bits")
        if memory.base and memory.base != "rip":
            value = plus(value, self.register(state, memory.base))
        return plus(value, times(self.register(state, index.name), 1 << index.by)) if index else value

    def _relocated(self, place: CodeSite, relocation: Relocation, memory: Memory) -> Value:
        kind, relative = relocation.kind, memory.base == "rip"
        if relative and kind in _RELATIVE:
            behind = place.instruction.length - place.instruction.displacement_at  # the processor counts from there
            return self.memory.address_of(relocation.symbol, relocation.addend + behind)
        if relative or kind not in _absolute(relocation):
            raise UnprovableCodeError(place.offset, f"a relocation of kind {kind}")
        return self.memory.address_of(relocation.symbol, relocation.addend)

    def number(self, place: CodeSite, operand: Number) -> Value:
        relocation = place.relocation_at(place.instruction.immediate_at)
        if relocation is None:
            return constant(operand.value)
        if relocation.kind not in _absolute(relocation):
            raise UnprovableCodeError(place.offset, f"a relocation of kind {relocation.kind}")
        return self.memory.address_of(relocation.symbol, relocation.addend)

    def read(self, state: State, place: CodeSite, position: int) -> Value | None:
        operand = place.instruction.operands[position]
        if not isinstance(operand, Memory):
            return None
        if operand.segment == "fs" and not operand.base and not operand.index and not place.relocations:
            if operand.displacement or operand.size not in {HALF // 8, WORD // 8}:
                raise UnprovableCodeError(place.offset, "the thread's control block")
            return self.thread if operand.size == WORD // 8 else self.atoms.widened(self.atoms.lower(self.thread))
        relocation = place.relocation_at(place.instruction.displacement_at)
        if relocation is not None and relocation.kind == _THREAD_SLOT and operand.base == "rip" and not operand.index:
            if relocation.addend + place.instruction.length != place.instruction.displacement_at:
                raise UnprovableCodeError(place.offset, "the linker's table, used in an unsupported way")
            return self.memory.address_of(relocation.symbol, 0)  # which is what the linker writes there
        return self.memory.load(state, (place.offset, position), self.address(state, place, operand), operand.size)

    def _read_all(self, state: State, place: CodeSite, first: int) -> None:
        for position in range(first, len(place.instruction.operands)):
            self.read(state, place, position)

    def put(self, state: State, place: CodeSite, operand: Operand, value: Value | None) -> None:
        if not isinstance(operand, Memory):
            super().put(state, place, operand, value)
            return
        if value is not None and operand.size != WORD // 8:
            value = self.atoms.widened(self.atoms.lower(value)) if operand.size == HALF // 8 else None
        self.memory.store(state, (place.offset, 0), self.address(state, place, operand), operand.size, value)

    # --- What the table of effects does not say.

    def _load_number(self, state: State, place: CodeSite) -> None:
        """`mov $symbol, %edi`: the linker promises that the address fits."""
        register = place.instruction.operands[0]
        relocation = place.relocation_at(place.instruction.immediate_at)
        if relocation is None or not isinstance(register, Register) or register.bits != HALF:
            self.computes(state, place)
        elif register.name in {self.stack_pointer, self.frame_pointer} or relocation.symbol.kind == "STT_TLS":
            raise UnprovableCodeError(place.offset, "half an address")
        else:
            state.registers[register.name] = self.value(state, place, 1) or self.atoms.fresh()

    def _address_only(self, state: State, place: CodeSite) -> None:
        operand = place.instruction.operands[1]
        assert isinstance(operand, Memory)
        relocation = place.relocation_at(place.instruction.displacement_at)
        if operand.segment:
            raise UnprovableCodeError(place.offset, "an address in a segment")
        if relocation is not None and relocation.kind == _THREAD_SLOT:
            raise UnprovableCodeError(place.offset, "the address of the linker's table")
        self.assign(state, place, self.address(state, place, operand))

    def _write(self, state: State, place: CodeSite) -> None:
        name, operands = place.instruction.name, place.instruction.operands
        self._read_all(state, place, 1)
        if operands and isinstance(operands[0], Memory) and name not in _MAY_STORE:
            raise UnprovableCodeError(place.offset, f"the instruction `{name}` with memory in first place")
        if operands and isinstance(operands[0], Memory | Register):
            self.assign(state, place, None)
        if name in {"bsf", "bsr"}:
            state.flags = None

    def _change(self, state: State, place: CodeSite) -> None:
        exchanges = place.instruction.name in _EXCHANGES
        for position, operand in enumerate(place.instruction.operands):
            self.read(state, place, position)
            if position == 0:
                self.assign(state, place, None)
            elif exchanges and isinstance(operand, Memory):
                raise UnprovableCodeError(place.offset, "an exchange with memory in second place")
            elif exchanges:
                self.put(state, place, operand, None)
        state.flags = None

    def _wide(self, state: State, place: CodeSite) -> None:
        """A product of twice as many bits, or a quotient and what remains; narrower ones leave the rest of both registers as it was."""
        name, factor = place.instruction.name, self.value(state, place, 0)
        before = [self.register(state, one) for one in (("rax",) if "mul" in name else ("rdx", "rax"))]
        state.flags = None
        for target in ("rax", "rdx"):
            what = (name, target, place.bits, *before, factor)
            known = factor is not None and place.bits >= HALF
            state.registers[target] = self.atoms.named(what) if known else self.atoms.fresh()

    def _widen(self, state: State, place: CodeSite) -> None:
        name, before = place.instruction.name, self.register(state, "rax")
        if name == "cdqe":
            state.registers["rax"] = self.extended(before, True, HALF)
        elif name in {"cdq", "cqo"}:
            half = self.atoms.lower(before) if name == "cdq" else before
            state.registers["rdx"] = self.atoms.named((name, half), (0, (1 << HALF) - 1) if name == "cdq" else None)
        else:
            state.registers["rdx" if name == "cwd" else "rax"] = self.atoms.fresh()

    def make_frame(self, state: State, place: CodeSite, value: Value | None) -> None:
        if self.constant_offset(place, value) != _LINK[0] or state.words.get(_LINK[0]) != (WORD // 8, self.caller):
            raise UnprovableCodeError(place.offset, "a frame without a link to its caller's")
        state.registers[self.frame_pointer] = _LINK[0] & ALL, self.memory.entry

    def _push(self, state: State, place: CodeSite) -> None:
        operand = place.instruction.operands[0]
        if (isinstance(operand, Register | Memory) and place.bits != WORD) or place.instruction.prefixes[2]:
            raise UnprovableCodeError(place.offset, "a push of less than eight bytes")
        value = self.value(state, place, 0)
        self.move_stack(state, place, plus(state.registers[self.stack_pointer], constant(-8)))
        offset = self.constant_offset(place, state.registers[self.stack_pointer])
        if offset >= _LINK[0] and not (offset == _LINK[0] and value == self.caller):
            raise UnprovableCodeError(place.offset, "a push onto the link between two frames")
        state.stored(offset, 8, value)

    def _pop(self, state: State, place: CodeSite) -> None:
        operand = place.instruction.operands[0]
        offset = self.stack_offset(state)
        if not isinstance(operand, Register) or operand.bits != WORD or offset is None or offset >= 0:
            raise UnprovableCodeError(place.offset, "a pop of a kind no compiler makes")
        known = state.words.get(offset)
        value = known[1] if known is not None and known[0] == WORD // 8 else self.atoms.fresh()
        self.move_stack(state, place, plus(state.registers[self.stack_pointer], constant(8)))
        if operand.name == self.frame_pointer:
            self._restore_frame(state, place, offset)
        elif operand.name == self.stack_pointer:
            raise UnprovableCodeError(place.offset, "a pop of the stack pointer")
        else:
            state.registers[operand.name] = value

    def _leave(self, state: State, place: CodeSite) -> None:
        if self.memory.frame_offset(state.registers[self.frame_pointer]) != _LINK[0]:
            raise UnprovableCodeError(place.offset, "a frame that is left before it was made")
        self.move_stack(state, place, (0, self.memory.entry))
        self._restore_frame(state, place, _LINK[0])

    def _restore_frame(self, state: State, place: CodeSite, offset: int) -> None:
        """The link holds what was pushed there: no store may reach it."""
        if offset != _LINK[0]:
            raise UnprovableCodeError(place.offset, "a frame pointer from somewhere else")
        state.registers[self.frame_pointer] = self.caller

    def _move_string(self, state: State, place: CodeSite) -> None:
        """`rep stos`, `rep movs` and what they are without `rep`; the direction is always up, as nothing here turns it."""
        again, _, name = place.instruction.name.rpartition(" ")
        if any(isinstance(one, Memory) and one.segment not in {"", "es", "ds"} for one in place.instruction.operands):
            raise UnprovableCodeError(place.offset, "a repeated instruction in a segment")
        size = times(self.register(state, "rcx") if again else constant(1), STRING_BYTES[name])
        for register, position, kind in (("rsi", 1, "read"), ("rdi", 0, "write")):
            if kind == "write" or name.startswith("movs"):
                begin = self.register(state, register)
                self.memory.touch(state, (place.offset, position), kind, begin, size)
                state.registers[register] = plus(begin, size)
        if again:
            state.registers["rcx"] = constant(0)


def _absolute(relocation: Relocation) -> frozenset[int]:
    """The kinds that put such a symbol's address as it is."""
    return frozenset({_THREAD}) if relocation.symbol.kind == "STT_TLS" else _ABSOLUTE
