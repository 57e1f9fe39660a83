"""x86-64 as the proof asks of a processor: where control goes, and which function knows what an instruction does.

An instruction that is in no list here is refused: the lists are the border of what the proof understands.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from grader.engines.proof.code_object import Relocation
from grader.engines.proof.machine_state import WORD, State, UnprovableCodeError, Value
from grader.engines.proof.memory_rules import BRANCH, CALL, JUMP, POINTER_CALL, RETURN, STOP, CodeSite, Flow
from grader.engines.proof.x86_arithmetic import (
    add_or_subtract,
    address_only,
    bitwise,
    change,
    compare,
    conditional,
    extend,
    leave,
    load_number,
    move_string_or_scalar,
    negative,
    pop,
    product,
    push,
    quotient,
    repeated,
    shift,
    step,
    widen,
    write,
)
from grader.engines.proof.x86_decoding import (
    CHANGERS,
    CONDITIONS,
    COUNTED,
    FRAME_POINTER,
    JUMPS,
    LARGEST_STEP,
    LINK,
    NOTHING,
    READERS,
    RELATIVE,
    STACK_POINTER,
    WRITERS,
    Decoded,
    Immediate,
    Memory,
    Operand,
    Operands,
    Register,
    bits_of,
    decode,
)


class X86(Operands):
    """One function's instructions, one after the other."""

    stack_pointer, frame_pointer = STACK_POINTER, FRAME_POINTER
    arguments, result = ("rdi", "rsi", "rdx"), "rdi"
    preserved = frozenset({"rbx", "rbp", "rsp", "r12", "r13", "r14", "r15"})
    call_relocations = RELATIVE
    call_addend = -4  # from behind the instruction's last four bytes

    @staticmethod
    def decode(code: bytes) -> list[tuple[int, Decoded]]:
        return decode(code)

    def begin(self) -> State:
        return State({STACK_POINTER: (0, self.memory.entry), FRAME_POINTER: self.caller, **self.memory.given})

    def flow(self, instruction: Decoded) -> Flow:
        name = instruction.name
        if name in JUMPS or name == "jmp":
            operand = instruction.operands[0]
            # Each instruction was decoded as if it stood at 0.
            target = operand.number if isinstance(operand, Immediate) else None
            return Flow(BRANCH, JUMPS[name], target) if name in JUMPS else Flow(JUMP, "", target)
        if name == "ret" and instruction.operands:
            return Flow()  # refused where it is executed
        if name == "call":
            operand = instruction.operands[0]
            return Flow(CALL, "", operand.number) if isinstance(operand, Immediate) else Flow(POINTER_CALL)
        return _FLOWS.get(name, _NEXT)

    def is_probe(self, instructions: Sequence[Decoded]) -> bool:
        return [(one.name, one.operands) for one in instructions[:-1]] in _probes() and instructions[-1].name == "jne"

    def probe(self, state: State, at: int, _instructions: Sequence[Decoded]) -> None:
        """The stack pointer goes down a page at a time until it meets r11."""
        limit = state.registers.get("r11")
        offset = self.memory.frame_offset(limit) if limit is not None else None
        before = self.stack_offset(state)
        if limit is None or offset is None or before is None or offset >= before or (before - offset) % LARGEST_STEP:
            raise UnprovableCodeError(at, "a loop that moves the stack")
        state.registers[STACK_POINTER] = limit
        state.flags = None

    def has_frame(self, state: State) -> bool:
        return self.memory.frame_offset(state.registers[FRAME_POINTER]) == LINK[0]

    def called_address(self, state: State, place: CodeSite[Decoded]) -> Value | None:
        operand = place.instruction.operands[0]
        if any(place.instruction.prefixes) or not isinstance(operand, Register | Memory) or bits_of(place) != WORD:
            raise UnprovableCodeError(place.offset, "a call of a kind no compiler makes")
        if isinstance(operand, Register):
            return self.register(state, operand.name)
        self.read(state, place, 0)
        return None

    def taken_address(self, place: CodeSite[Decoded], at: int, relocation: Relocation) -> int:
        return relocation.addend + (place.instruction.length - at if relocation.kind in RELATIVE else 0)

    def called(self, state: State) -> None:
        """Nothing more: the return address is gone from the stack again."""

    def has_returned(self, state: State) -> bool:
        return self.stack_offset(state) == 0 and state.registers[FRAME_POINTER] == self.caller

    def execute(self, state: State, place: CodeSite[Decoded]) -> None:
        instruction, name = place.instruction, place.instruction.name
        if any(offset not in {instruction.displacement_at, instruction.immediate_at} for offset in place.relocations):
            raise UnprovableCodeError(place.offset, "a relocation of a strange kind")
        if instruction.prefixes[3]:
            raise UnprovableCodeError(place.offset, "an address of 32 bits")
        handler = _HANDLERS.get(name)
        if handler is not None:
            handler(self, state, place)
        elif name in WRITERS:
            write(self, state, place)
        elif name in READERS:
            for position in range(len(instruction.operands)):
                self.read(state, place, position)
            state.flags = None
        elif name in CHANGERS:
            change(self, state, place)
        elif name not in NOTHING:
            raise UnprovableCodeError(place.offset, f"the instruction `{name}`")


@functools.cache
def _probes() -> list[list[tuple[str, tuple[Operand, ...]]]]:
    """`sub $4096, %rsp`, then one of these, then `cmp %r11, %rsp`."""
    touches = (
        "48830c2400",  # GCC: orq $0, (%rsp)
        "800c2400",  # GCC 16: orb $0, (%rsp)
        "48c7042400000000",  # Clang: movq $0, (%rsp)
    )
    codes = [bytes.fromhex(f"4881ec00100000{touch}4c39dc") for touch in touches]
    return [[(one.name, one.operands) for _, one in decode(code)] for code in codes]


_NEXT = Flow()
_FLOWS = {"ret": Flow(RETURN), "ud2": Flow(STOP), "hlt": Flow(STOP)}
_Handler = Callable[[Operands, State, CodeSite[Decoded]], None]
_HANDLERS: dict[str, _Handler] = {
    "mov": load_number, "movabs": load_number, "movsd": move_string_or_scalar,
    "movzx": extend, "movsx": extend, "movsxd": extend, "lea": address_only,
    "add": add_or_subtract, "sub": add_or_subtract, "inc": step, "dec": step, "neg": negative, "not": negative,
    "imul": product, "mul": product, "div": quotient, "idiv": quotient,
    "and": bitwise, "or": bitwise, "xor": bitwise,
    "shl": shift, "sal": shift, "shr": shift, "sar": shift,
    "cmp": compare, "test": compare,
    "cdqe": widen, "cdq": widen, "cqo": widen, "cwde": widen, "cbw": widen, "cwd": widen,
    "push": push, "pop": pop, "leave": leave,
    **{f"cmov{condition}": conditional for condition in CONDITIONS},
    **{f"{repeat}{name}": repeated for name in COUNTED for repeat in ("", "rep ") if f"{repeat}{name}" != "movsd"},
}  # fmt: skip
