"""x86-64 machine code as the proof reads it, decoded by Capstone. What an instruction means is in `x86_semantics.py`."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import capstone
from capstone import x86_const

from grader.engines.proof.code_object import Relocation
from grader.engines.proof.machine_state import ALL, HALF, WORD, State, UnprovableCodeError, Value, constant, plus, times
from grader.engines.proof.memory_rules import CodeSite, FunctionMemory, Spot

_GENERAL = ("ax", "bx", "cx", "dx", "si", "di", "bp", "sp")
_SCALARS = {"comisd": 8, "comiss": 4, "ucomisd": 8, "ucomiss": 4}  # bytes that are read; Capstone 5 says 16 for comisd
_MEMORY, _REGISTER, _IMMEDIATE = x86_const.X86_OP_MEM, x86_const.X86_OP_REG, x86_const.X86_OP_IMM


def _register_names() -> dict[str, tuple[str, int]]:
    names: dict[str, tuple[str, int]] = {}
    for name in _GENERAL:
        low = name[0] + "l" if name.endswith("x") else name + "l"
        names |= {
            f"r{name}": (f"r{name}", 64),
            f"e{name}": (f"r{name}", 32),
            name: (f"r{name}", 16),
            low: (f"r{name}", 8),
        }
        if name.endswith("x"):
            names[name[0] + "h"] = (f"r{name}", 8)
    for number in range(8, 16):
        full = f"r{number}"
        names |= {full: (full, 64), f"{full}d": (full, 32), f"{full}w": (full, 16), f"{full}b": (full, 8)}
    return names


GENERAL_REGISTERS = _register_names()


@dataclass(frozen=True, slots=True)
class Memory:
    segment: str  # "" or "fs"
    base: str  # "": none; "rip"
    index: str
    scale: int
    displacement: int
    size: int  # bytes


@dataclass(frozen=True, slots=True)
class Register:
    name: str  # the whole register's: "rax" for al
    bits: int  # 0: a vector, a mask, the floating-point stack
    high: bool = False  # ah, bh, ch, dh


@dataclass(frozen=True, slots=True)
class Immediate:
    number: int
    size: int


Operand = Memory | Register | Immediate


@dataclass(frozen=True, slots=True)
class Decoded:
    name: str  # the mnemonic, with its prefix: "rep stosq"
    length: int
    operands: tuple[Operand, ...]
    displacement_at: int  # where in the instruction these stand; 0: nowhere
    immediate_at: int
    prefixes: bytes


@functools.cache
def _decoder() -> capstone.Cs:
    decoder = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    decoder.detail = True
    return decoder


@functools.cache
def _lengths() -> capstone.Cs:
    return capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)


_known: dict[bytes, Decoded] = {}  # most instructions of a file are like others


def decode(code: bytes) -> list[tuple[int, Decoded]]:
    """Each instruction with its offset, up to the first bytes that are none: the caller sees where that ends."""
    found: list[tuple[int, Decoded]] = []
    for at, length, _, _ in _lengths().disasm_lite(code, 0):
        raw = code[at : at + length]
        decoded = _known.get(raw)
        if decoded is None:
            decoded = _known[raw] = _decoded(raw)
        found.append((at, decoded))
    return found


def _decoded(raw: bytes) -> Decoded:
    instruction = next(_decoder().disasm(raw, 0))
    encoding = instruction.encoding
    return Decoded(
        instruction.mnemonic,
        instruction.size,
        tuple(_operand(instruction, one) for one in instruction.operands),
        encoding.disp_offset,
        encoding.imm_offset,
        bytes(instruction.prefix),
    )


def _operand(instruction: capstone.CsInsn, operand: capstone.x86.X86Op) -> Operand:
    if operand.type == _REGISTER:
        return _register(instruction.reg_name(operand.reg))
    if operand.type == _IMMEDIATE:
        return Immediate(operand.imm, operand.size)
    if operand.type != _MEMORY:
        message = f"operand of type {operand.type}"
        raise ValueError(message)
    place = operand.mem
    return Memory(
        instruction.reg_name(place.segment) or "",
        instruction.reg_name(place.base) or "",
        instruction.reg_name(place.index) or "",
        place.scale,
        place.disp,
        _SCALARS.get(instruction.mnemonic, operand.size),
    )


def _register(name: str) -> Register:
    whole, bits = GENERAL_REGISTERS.get(name, (name, 0))
    return Register(whole, bits, name in {"ah", "bh", "ch", "dh"})


# The x86-64 instructions that compilers make without optimising, by what they do to their operands. Those that compute with
# general registers are not here: `x86_processor.py` has a function for each.

CONDITIONS = ("o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g")
JUMPS = {f"j{condition}": condition for condition in CONDITIONS}

_SETS = " ".join(f"set{condition}" for condition in CONDITIONS)
_COMPARISONS = " ".join(
    f"cmp{how}{kind}"
    for how in ("", "eq", "lt", "le", "unord", "neq", "nlt", "nle", "ord")
    for kind in ("ss", "sd", "ps", "pd")
)
_MOVES = """
    movaps movapd movups movupd movdqa movdqu movd movq movss movlps movhps movlpd movhpd movnti movntps movntpd movntdq fst fstp fistp
    fist fisttp fnstcw fnstsw
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
_NOTHING = "nop endbr64 pause prefetcht0 prefetcht1 prefetcht2 prefetchnta"

WRITERS = frozenset(_WRITERS.split())  # the first operand, of which nothing is known then; they read the others
MAY_STORE = frozenset([*_MOVES.split(), *_SETS.split(), "movsd"])  # of these: into memory
READERS = frozenset(_READERS.split())
CHANGERS = frozenset({"adc", "sbb", "rol", "ror", "rcl", "rcr", "xchg", "xadd"})  # read and write the first operand
NOTHING = frozenset(_NOTHING.split())  # a prefetch names memory and does not use it
COUNTED = {"stosb": 1, "stosd": 4, "stosq": 8, "stosw": 2, "movsb": 1, "movsw": 2, "movsd": 4, "movsq": 8}


# What an x86-64 instruction's operands hold and where they lie; what is assigned to them. The stack pointer stays where constants
# lead it.

STACK_POINTER, FRAME_POINTER = "rsp", "rbp"
LINK = (-8, 8)  # the caller's frame pointer and the return address, from the stack pointer at the function's begin
LARGEST_STEP = 4096  # of the stack pointer, that no probe follows
_RED_ZONE = 128  # bytes below the stack pointer that are a leaf's own
# Relocations: R_X86_64_…
_ABSOLUTE = frozenset({1, 10, 11})  # 64, 32, 32S
RELATIVE = frozenset({2, 4})  # PC32, PLT32
_THREAD, THREAD_SLOT = 23, 22  # TPOFF32, GOTTPOFF


class Operands:
    """Of one function's instructions."""

    def __init__(self, memory: FunctionMemory) -> None:
        self.memory, self.atoms = memory, memory.atoms
        memory.stack_pointer, memory.link, memory.top, memory.red_zone = STACK_POINTER, LINK, LINK[1], _RED_ZONE
        memory.given = {"rdi": self.atoms.named("the first argument")}
        self.thread = self.atoms.named("the thread pointer")
        self.caller = self.atoms.named("the caller's frame")

    def stack_offset(self, state: State) -> int | None:
        return self.memory.frame_offset(state.registers[STACK_POINTER])

    def register(self, state: State, name: str) -> Value:
        value = state.registers.get(name)
        if value is None:
            value = state.registers[name] = self.atoms.fresh()
        return value

    def address(self, state: State, place: CodeSite[Decoded], memory: Memory) -> Value:
        """Raises UnprovableCodeError for addresses of kinds that no compiler makes here."""
        relocation = self.relocation(place, place.instruction.displacement_at)
        value = constant(memory.displacement)
        if relocation is not None:
            value = self.relocated(place, relocation, memory)
        elif memory.base == "rip":
            raise UnprovableCodeError(place.offset, "an address relative to the code")
        if memory.segment == "fs":
            value = plus(value, self.thread)
        elif memory.segment:
            raise UnprovableCodeError(place.offset, f"the segment {memory.segment}")
        if memory.base and memory.base != "rip":
            value = plus(value, self.register(state, _whole(place, memory.base)))
        if memory.index:
            value = plus(value, times(self.register(state, _whole(place, memory.index)), memory.scale))
        return value

    def relocation(self, place: CodeSite[Decoded], at: int) -> Relocation | None:
        return place.relocations.get(at) if at else None

    def relocated(self, place: CodeSite[Decoded], relocation: Relocation, memory: Memory) -> Value:
        kind, relative = relocation.kind, memory.base == "rip"
        if relative and kind in RELATIVE:
            behind = place.instruction.length - place.instruction.displacement_at  # the processor counts from there
            return self.memory.address_of(relocation.symbol, relocation.addend + behind)
        is_thread = relocation.symbol.kind == "STT_TLS"
        if not relative and (kind == _THREAD if is_thread else kind in _ABSOLUTE):
            return self.memory.address_of(relocation.symbol, relocation.addend)
        raise UnprovableCodeError(place.offset, f"a relocation of kind {kind}")

    def value(self, state: State, place: CodeSite[Decoded], position: int) -> Value | None:
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
            return self._number(place, operand)
        return self.read(state, place, position)

    def _number(self, place: CodeSite[Decoded], operand: Immediate) -> Value:
        relocation = self.relocation(place, place.instruction.immediate_at)
        if relocation is None:
            return constant(operand.number)
        is_thread = relocation.symbol.kind == "STT_TLS"
        if relocation.kind not in ({_THREAD} if is_thread else _ABSOLUTE):
            raise UnprovableCodeError(place.offset, f"a relocation of kind {relocation.kind}")
        return self.memory.address_of(relocation.symbol, relocation.addend)

    def read(self, state: State, place: CodeSite[Decoded], position: int) -> Value | None:
        operand = place.instruction.operands[position]
        if not isinstance(operand, Memory):
            return None
        if operand.segment == "fs" and not operand.base and not operand.index and not place.relocations:
            if operand.displacement or operand.size not in {HALF // 8, WORD // 8}:
                raise UnprovableCodeError(place.offset, "the thread's control block")
            return self.thread if operand.size == WORD // 8 else self.atoms.unsigned(self.atoms.lower(self.thread))
        relocation = self.relocation(place, place.instruction.displacement_at)
        if relocation is not None and relocation.kind == THREAD_SLOT and operand.base == "rip" and not operand.index:
            if relocation.addend + place.instruction.length != place.instruction.displacement_at:
                raise UnprovableCodeError(place.offset, "the linker's table, used in a strange way")
            return self.memory.address_of(relocation.symbol, 0)  # which is what the linker writes there
        return self.memory.load(state, Spot(place.offset, position), self.address(state, place, operand), operand.size)

    def assign(self, state: State, place: CodeSite[Decoded], value: Value | None) -> None:
        """To the first operand."""
        operand = place.instruction.operands[0]
        if isinstance(operand, Memory):
            if value is not None and operand.size != WORD // 8:
                value = self.atoms.unsigned(self.atoms.lower(value)) if operand.size == HALF // 8 else None
            self.memory.store(state, Spot(place.offset, 0), self.address(state, place, operand), operand.size, value)
        elif isinstance(operand, Register):
            self.set(state, place, operand, value)
        else:
            raise UnprovableCodeError(place.offset, "an instruction that assigns to a number")

    def set(self, state: State, place: CodeSite[Decoded], register: Register, value: Value | None) -> None:
        name, bits = register.name, register.bits
        if bits == 0:
            return
        if name in {STACK_POINTER, FRAME_POINTER}:
            self.move_stack(state, place, name, value if bits == WORD else None)
        elif value is None or bits not in {HALF, WORD}:
            state.registers[name] = self.atoms.fresh((0, (1 << HALF) - 1) if bits == HALF else None)
        else:
            state.registers[name] = value if bits == WORD else self.atoms.unsigned(self.atoms.lower(value))

    def move_stack(self, state: State, place: CodeSite[Decoded], name: str, value: Value | None) -> None:
        """Both pointers stay where constants lead them, and the stack grows by no more than a probe finds."""
        offset = None if value is None else self.memory.frame_offset(value)
        if value is None or offset is None:
            raise UnprovableCodeError(place.offset, "a stack frame whose size or alignment is known only when it runs")
        if name == STACK_POINTER:
            before = self.stack_offset(state)
            if before is None or offset < before - LARGEST_STEP or offset > 0:
                raise UnprovableCodeError(place.offset, "a stack that moves in a way no compiler moves it")
            state.registers[name] = value
            if offset > before:
                state.dropped(offset)
        elif offset == LINK[0] and state.words.get(LINK[0]) == (WORD // 8, self.caller):
            state.registers[name] = value
        else:
            raise UnprovableCodeError(place.offset, "a frame without a link to its caller's")


def bits_of(place: CodeSite[Decoded]) -> int:
    """Of the first operand."""
    operand = place.instruction.operands[0]
    return operand.bits if isinstance(operand, Register) else operand.size * 8


def at_offset(memory: FunctionMemory, offset: int) -> Value:
    return offset & ALL, memory.entry


def _whole(place: CodeSite[Decoded], name: str) -> str:
    if not (name.startswith("r") and (name[1:].isalpha() or name[1:].isdigit())):
        raise UnprovableCodeError(place.offset, "an address of 32 bits")
    return name
