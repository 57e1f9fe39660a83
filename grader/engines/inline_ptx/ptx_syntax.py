"""What a PTX text consists of: statements and their operands, as plain data. It knows no instruction's meaning."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Name:
    """A register, a special register, or an operand of the statement (`%0`)."""

    text: str


@dataclass(frozen=True)
class Number:
    """A constant: a whole number, or the bits of a float of `width` bits (0: a whole number; 1: decimals of either width)."""

    value: int | float
    width: int = 0


@dataclass(frozen=True)
class Address:
    base: Name | Number
    offset: int


@dataclass(frozen=True)
class Vector:
    parts: tuple[Operand, ...]


@dataclass(frozen=True)
class Not:
    """`!p`"""

    of: Name


@dataclass(frozen=True)
class Both:
    """`p|q`"""

    first: Name
    second: Name


@dataclass(frozen=True)
class Part:
    """`r1.b0`, `%0.h10`: bytes or halves of a register."""

    of: Name
    which: str


@dataclass(frozen=True)
class Negative:
    """`-r1`"""

    of: Name | Part


Operand = Name | Number | Address | Vector | Not | Both | Part | Negative


@dataclass(frozen=True)
class Instruction:
    """`opcode`: its words, as ("ld", "global", "f32"). `guard`: the predicate before it."""

    opcode: tuple[str, ...]
    operands: tuple[Operand, ...]
    guard: Name | Not | None
    at: int

    @property
    def name(self) -> str:
        return ".".join(self.opcode)


@dataclass(frozen=True)
class Declaration:
    """`.reg .b32 a, b<4>;`"""

    type: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class Scope:
    """`{` (opens) or `}`."""

    opens: bool


Statement = Instruction | Declaration | Scope
