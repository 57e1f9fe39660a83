"""How an object is passed by value: in which registers, on the stack, or as a pointer to a copy.

The rules are those of the System V convention for x86-64 and of AAPCS64, with the Itanium C++ rules for classes. kit/runner/kernel_call.cpp
puts the parts there. Objects aligned to more than 16 bytes are not passed.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass
from typing import Literal

from grader.launch_arguments.class_layout import Layout, Member

_WORD = 8  # bytes of a register
_IN_REGISTERS = 16  # bytes of an object that may travel in registers
_MOST_SAME = 4  # members of a homogeneous aggregate
WIDEST = 16  # alignment

Piece = tuple[int, int, bool]  # offset, bytes, whether its register is one for floating-point numbers


@dataclass(frozen=True)
class Passing:
    how: Literal["registers", "stack", "reference"]
    pieces: tuple[Piece, ...] = ()


def passing_of(layout: Layout, machine: str = platform.machine()) -> Passing:
    if layout.by_reference:
        return Passing("reference")
    return _on_arm(layout) if machine in {"aarch64", "arm64"} else _on_x86(layout)


def _on_x86(layout: Layout) -> Passing:
    if layout.bytes > _IN_REGISTERS or any(one.offset % one.bytes for one in layout.members):
        return Passing("stack")
    words = [
        [one for one in layout.members if one.offset // _WORD == word] for word in range(-(-layout.bytes // _WORD))
    ]
    pieces = [
        (word * _WORD, min(_WORD, layout.bytes - word * _WORD), all(map(_is_floating, held)))
        for word, held in enumerate(words)
        if held
    ]
    return Passing("registers", tuple(pieces))


def _on_arm(layout: Layout) -> Passing:
    members = layout.members
    if 0 < len(members) <= _MOST_SAME and all(map(_is_floating, members)) and len({one.bytes for one in members}) == 1:
        return Passing("registers", tuple((one.offset, one.bytes, True) for one in members))
    if layout.bytes > _IN_REGISTERS:
        return Passing("reference")
    return Passing(
        "registers", tuple((at, min(_WORD, layout.bytes - at), False) for at in range(0, layout.bytes, _WORD))
    )


def _is_floating(member: Member) -> bool:
    """The kit's half precision is an integer for the compiler."""
    return member.number is not None and member.number.kind == "floating" and member.number.bytes in {4, 8}
