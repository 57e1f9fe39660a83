"""What the proof asks of a processor: how its code reads, where control goes, and what each instruction does to what is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from grader.engines.machine_model.code_object import Relocation
from grader.engines.machine_model.machine_state import State
from grader.engines.machine_model.memory_rules import FunctionMemory
from grader.engines.machine_model.values import Value

CALL, JUMP, BRANCH, RETURN, STOP = "call", "jump", "branch", "return", "stop"
TAIL = "tail"  # a jump to another function, which returns to this one's caller
POINTER_CALL = "pointer call"  # of what a register or a word of memory holds


class Instruction(Protocol):
    @property
    def length(self) -> int: ...


Code = TypeVar("Code", bound=Instruction)  # a processor's own kind of instruction


@dataclass(frozen=True, slots=True)
class Flow:
    """Where control goes behind an instruction; `kind` "": to the next one."""

    kind: str = ""
    condition: str = ""  # of a branch: "be", "b", "a" and "ae" compare without signs; the others are not looked at
    target: int | None = None  # of a jump or a branch, from the instruction's own first byte; None: nobody knows


@dataclass(frozen=True, slots=True)
class Place(Generic[Code]):
    """Where an instruction stands, and what the linker will put into it."""

    offset: int
    instruction: Code
    relocations: Mapping[int, Relocation]  # by offset in the instruction


class Processor(Protocol[Code]):
    """One function's instructions, one after the other. What it cannot follow raises UnprovableCodeError."""

    stack_pointer: str
    frame_pointer: str
    arguments: tuple[str, str, str]
    result: str  # in which a function is told where to make a result that fits into no register
    preserved: frozenset[str]  # registers that the kit's functions leave as they are
    call_relocations: frozenset[int]
    call_addend: int  # of a relocation that names the first byte of what is called
    memory: FunctionMemory

    @staticmethod
    def decode(code: bytes) -> Sequence[tuple[int, Code]]:
        """With their offsets, up to the first bytes that are none."""

    def flow(self, instruction: Code) -> Flow: ...

    def is_probe(self, instructions: Sequence[Code]) -> bool:
        """Whether this block, which jumps back to itself, touches each page of a large frame and does nothing else."""

    def probe(self, state: State, at: int, instructions: Sequence[Code]) -> None: ...

    def begin(self) -> State: ...

    def execute(self, state: State, place: Place[Code]) -> None:
        """Everything but calls, jumps and returns."""

    def register(self, state: State, name: str) -> tuple[int, tuple[tuple[int, int], ...]]: ...

    def called_address(self, state: State, place: Place[Code]) -> Value | None:
        """What a call through a pointer goes to. None: it is read from memory, so that nobody can have checked it before."""

    def taken_address(self, place: Place[Code], at: int, relocation: Relocation) -> int:
        """Behind which byte of its symbol's section the address lies that the linker puts into the instruction at `at`."""

    def has_frame(self, state: State) -> bool:
        """Whether the frame pointer leads to the two words that lead to the caller's frame, so that others may be called."""

    def called(self, state: State) -> None:
        """What the call itself changes."""

    def has_returned(self, state: State) -> bool:
        """Whether the stack and the frame pointer are as they were when the function began."""
