"""A processor's instructions as the proof reads them, decoded by Capstone: one shape for every processor. What an instruction means is
in `evaluator.py` and in the table of its processor.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import capstone

from grader.engines.objects.symbol_table import Relocation


@dataclass(frozen=True, slots=True)
class Register:
    name: str  # the whole register's: "rax" for al, "x0" for w0; "zero"
    bits: int  # 0: of a vector, a mask, the floating-point stack
    extend: str = ""  # how it is made longer before it is used; "high": ah, bh, ch, dh
    shift: str = ""
    by: int = 0


@dataclass(frozen=True, slots=True)
class Number:
    value: int


@dataclass(frozen=True, slots=True)
class Memory:
    base: str  # "": none; "rip"
    index: Register | None
    displacement: int
    size: int  # bytes, of a pair together
    segment: str = ""  # "", "fs"
    writes_back: str = ""  # "": the base stays; "before", "behind": it moves before or behind the access
    moves_by: int = 0


@dataclass(frozen=True, slots=True)
class Other:
    """A system register, a vector's immediate: nothing that this proof looks at."""


Operand = Register | Number | Memory | Other


@dataclass(frozen=True, slots=True)
class Decoded:
    name: str  # the mnemonic, with its prefix: "rep stosq"
    length: int
    operands: tuple[Operand, ...]
    text: str  # of the operands, as Capstone writes them
    condition: str = ""  # of a branch or a choice
    displacement_at: int = 0  # where in the instruction these stand; 0: nowhere
    immediate_at: int = 0
    prefixes: bytes = b""


class Decoder:
    """Of one processor. Most instructions of a file are like others: each is decoded once."""

    def __init__(self, architecture: int, mode: int, read: Callable[[capstone.CsInsn], Decoded]) -> None:
        self._lengths, self._details = capstone.Cs(architecture, mode), capstone.Cs(architecture, mode)
        self._details.detail = True
        self._read = read
        self._known: dict[bytes, Decoded] = {}

    def decode(self, code: bytes) -> list[tuple[int, Decoded]]:
        """Each instruction with its offset, as if it stood at 0, up to the first bytes that are none: the caller sees where that ends."""
        found: list[tuple[int, Decoded]] = []
        for at, length, _, _ in self._lengths.disasm_lite(code, 0):
            raw = code[at : at + length]
            decoded = self._known.get(raw)
            if decoded is None:
                decoded = self._known[raw] = self._read(next(self._details.disasm(raw, 0)))
            found.append((at, decoded))
        return found


CALL, JUMP, BRANCH, RETURN, STOP = "call", "jump", "branch", "return", "stop"
TAIL = "tail"  # a jump to another function, which returns to this one's caller
POINTER_CALL = "pointer call"  # of what a register or a word of memory holds


@dataclass(frozen=True, slots=True)
class Flow:
    """Where control goes behind an instruction; `kind` "": to the next one."""

    kind: str = ""
    condition: str = ""  # of a branch: "be", "b", "a" and "ae" compare without signs; the others are not looked at
    target: int | None = None  # of a jump or a branch, from the instruction's own first byte; None: nobody knows


@dataclass(frozen=True, slots=True)
class CodeSite:
    """Where an instruction stands, and what the linker will put into it."""

    offset: int
    instruction: Decoded
    relocations: Mapping[int, Relocation]  # by offset in the instruction

    @property
    def bits(self) -> int:
        """Of the first operand."""
        first = self.instruction.operands[0]
        if isinstance(first, Memory):
            return first.size * 8
        return first.bits or 64 if isinstance(first, Register) else 64


Raw = Any  # an operand of Capstone's, which has no type annotations
