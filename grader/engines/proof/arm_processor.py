"""64-bit ARM as the proof asks of a processor: where control goes, and which function knows what an instruction does.

An instruction that is in no list here is refused: the lists are the border of what the proof understands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from grader.engines.proof.arm_arithmetic import (
    add_or_subtract,
    choose,
    compare,
    extend,
    field,
    load_or_store,
    move,
    move_part,
    negative,
    operation,
    relocated,
    shift,
    thread_pointer,
)
from grader.engines.proof.arm_decoding import (
    EXTENSIONS,
    FRAME_POINTER,
    LARGEST_STEP,
    LINK_REGISTER,
    STACK_POINTER,
    Decoded,
    Memory,
    Number,
    Operands,
    Register,
    decode,
)
from grader.engines.proof.code_object import Relocation
from grader.engines.proof.machine_state import WORD, State, UnprovableCodeError, Value
from grader.engines.proof.memory_rules import BRANCH, CALL, JUMP, POINTER_CALL, RETURN, STOP, CodeSite, Flow

_CALL26 = 283  # R_AARCH64_CALL26
_CONDITIONS = {"ls": "be", "lo": "b", "cc": "b", "hi": "a", "hs": "ae", "cs": "ae"}
_OPERATIONS = "and orr eor bic orn eon ands bics mul madd msub smull umull smulh umulh sdiv udiv"
_CHOICES = "csel csinc csinv csneg cset csetm cinc cinv cneg"
# Results in vectors, which nobody follows, or in a register that nothing is known of then.
_UNKNOWN = """
    fmov fadd fsub fmul fdiv fneg fabs fsqrt fmadd fmsub fnmadd fnmsub fnmul fmax fmin fmaxnm fminnm fcvt fcvtzs fcvtzu fcvtns fcvtnu
    fcvtas fcvtau fcvtms fcvtmu fcvtps fcvtpu scvtf ucvtf frinta frinti frintm frintn frintp frintx frintz fcsel movi mvni dup umov smov
    ins bfi bfxil bfm ubfm sbfm ubfx sbfx extr clz cls rbit rev rev16 rev32 cnt addv ext zip1 zip2 uzp1 uzp2 trn1 trn2 bsl ushr sshr shl
    sshll ushll xtn uaddlv fmla fmls fcmeq fcmgt fcmge cmeq cmgt cmge fabd
"""
UNKNOWN = frozenset(_UNKNOWN.split())
COMPARES = frozenset({"fcmp", "fcmpe", "ccmp", "ccmn", "fccmp", "fccmpe"})
NOTHING = frozenset({"nop", "dmb", "dsb", "isb", "prfm", "yield", "bti"})


class Arm(Operands):
    """One function's instructions, one after the other."""

    stack_pointer, frame_pointer = STACK_POINTER, FRAME_POINTER
    arguments, result = ("x0", "x1", "x2"), "x8"
    preserved = frozenset({f"x{number}" for number in range(19, 30)} | {STACK_POINTER})
    call_relocations = frozenset({_CALL26})
    call_addend = 0

    @staticmethod
    def decode(code: bytes) -> list[tuple[int, Decoded]]:
        return decode(code)

    def begin(self) -> State:
        return State(
            {
                STACK_POINTER: (0, self.memory.entry),
                FRAME_POINTER: self.caller,
                LINK_REGISTER: self.back,
                **self.memory.given,
            }
        )

    def flow(self, instruction: Decoded) -> Flow:
        name, operands = instruction.name, instruction.operands
        if name in {"bl", "blr"}:
            return Flow(CALL, "", _target(instruction)) if name == "bl" else Flow(POINTER_CALL)
        if name == "b" and instruction.condition:
            return Flow(BRANCH, _CONDITIONS.get(instruction.condition, "?"), _target(instruction))
        if name in {"cbz", "cbnz", "tbz", "tbnz"}:
            return Flow(BRANCH, "?", _target(instruction))
        if name in {"b", "br"}:
            return Flow(JUMP, "", _target(instruction) if name == "b" else None)
        if name == "ret":
            plain = not operands or operands == (Register(LINK_REGISTER, WORD),)
            return Flow(RETURN) if plain else Flow()  # refused where it is executed
        return Flow(STOP) if name in {"brk", "udf", "hlt"} else Flow()

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
        if limit is None or offset is None or before is None or offset >= before or (before - offset) % LARGEST_STEP:
            raise UnprovableCodeError(at, "a loop that moves the stack")
        state.registers[STACK_POINTER] = limit
        state.flags = None

    def has_frame(self, state: State) -> bool:
        begin, end = self.memory.link
        return begin < end and self.memory.frame_offset(state.registers[FRAME_POINTER]) == begin

    def called_address(self, state: State, place: CodeSite[Decoded]) -> Value | None:
        operands = place.instruction.operands
        if len(operands) != 1 or not isinstance(operands[0], Register) or operands[0].bits != WORD:
            raise UnprovableCodeError(place.offset, "a call of a kind no compiler makes")
        return self.register(state, operands[0].name)

    def taken_address(self, _place: CodeSite[Decoded], _at: int, relocation: Relocation) -> int:
        return relocation.addend

    def called(self, state: State) -> None:
        state.registers[LINK_REGISTER] = self.atoms.fresh()

    def has_returned(self, state: State) -> bool:
        return (
            self.stack_offset(state) == 0
            and state.registers[FRAME_POINTER] == self.caller
            and self.register(state, LINK_REGISTER) == self.back
        )

    def execute(self, state: State, place: CodeSite[Decoded]) -> None:
        instruction, name = place.instruction, place.instruction.name
        relocation = place.relocations.get(0)
        if len(place.relocations) > (relocation is not None):
            raise UnprovableCodeError(place.offset, "a relocation of a strange kind")
        handler = _HANDLERS.get(name)
        if name in NOTHING:
            return
        if any(isinstance(one, Memory) for one in instruction.operands):
            load_or_store(self, state, place, relocation)
        elif relocation is not None:
            relocated(self, state, place, relocation)
        elif handler is not None:
            handler(self, state, place)
        elif name in UNKNOWN:
            self.set(state, place, instruction.operands[0], None)
        elif name in COMPARES:
            state.flags = None
        elif name == "xpaclri":
            state.registers[LINK_REGISTER] = self.atoms.fresh()
        else:
            raise UnprovableCodeError(place.offset, f"the instruction `{name}`")


def _target(instruction: Decoded) -> int | None:
    last = instruction.operands[-1] if instruction.operands else None
    return last.value if isinstance(last, Number) else None  # each was decoded as if it stood at 0


_Handler = Callable[[Operands, State, CodeSite[Decoded]], None]
_HANDLERS: dict[str, _Handler] = {
    "add": add_or_subtract, "sub": add_or_subtract, "adds": add_or_subtract, "subs": add_or_subtract,
    "cmp": compare, "cmn": compare, "tst": compare,
    "mov": move, "movz": move, "movn": move, "movk": move_part,
    "neg": negative, "negs": negative, "mvn": negative,
    "lsl": shift, "lsr": shift, "asr": shift, "ror": shift,
    "sbfiz": field, "ubfiz": field, "mrs": thread_pointer,
    **dict.fromkeys(EXTENSIONS, extend),
    **dict.fromkeys(_OPERATIONS.split(), operation),
    **dict.fromkeys(_CHOICES.split(), choose),
}  # fmt: skip
