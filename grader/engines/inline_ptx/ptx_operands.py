"""What every kind of instruction needs: how operands and modifiers are taken, and how one is refused by its name."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from grader.engines.inline_ptx.ptx_registers import Registers
from grader.engines.inline_ptx.ptx_syntax import Instruction, Operand
from grader.engines.inline_ptx.ptx_words import WIDTHS, NotUnderstoodError

Emit = Callable[[Instruction, Registers], list[str]]
INTEGERS = ("u16", "s16", "u32", "s32", "u64", "s64")


def refuse(instruction: Instruction) -> NotUnderstoodError:
    return NotUnderstoodError(f"`{instruction.name.replace(':', '::')}`")


def operands(instruction: Instruction, *counts: int) -> Sequence[Operand]:
    if len(instruction.operands) not in counts:
        raise refuse(instruction)
    return instruction.operands


def modifiers(instruction: Instruction, *allowed: str) -> set[str]:
    """The words between the first and the last, which must all be known."""
    found = set(instruction.opcode[1:-1])
    if found - set(allowed):
        raise refuse(instruction)
    return found


def kind_of(instruction: Instruction, *allowed: str) -> str:
    kind = instruction.opcode[-1]
    if kind not in WIDTHS or (allowed and kind not in allowed):
        raise refuse(instruction)
    return kind


def truth(value: object) -> str:
    return "true" if value else "false"
