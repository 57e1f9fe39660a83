"""The call that announces an access before it happens, as assembly for x86-64 in AT&T syntax, which GCC and Clang both write."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.engines.proof.instructions import Decoded, Memory, Register
from grader.engines.proof.kit_calls import UNSEEN
from grader.engines.proof.machine_state import StrangeAssemblyError
from grader.engines.proof.memory_rules import Unannounced

STRING_BYTES = {"stosb": 1, "stosd": 4, "stosq": 8, "stosw": 2, "movsb": 1, "movsw": 2, "movsd": 4, "movsq": 8}
_WORDS = re.compile(r"^\s*((?:(?:rep|repe|repz|repne|repnz|lock)[ ;]\s*)?[a-z]\w*)\s*(.*?)\s*(?:#.*)?$")
_OUTSIDE_BRACKETS = re.compile(r"(?:[^,(]|\([^)]*\))+")


def call_before(missing: Unannounced, instruction: Decoded, line: str) -> list[str]:
    """As `Processor.call_before`. Before a call through a pointer, one that reads its target from memory has it read into %r11 first."""
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
    is_set = "stos" in instruction.name
    return (
        isinstance(target, Memory)
        and target.base == "rdi"
        and (is_set or any(isinstance(one, Memory) for one in others))
    )


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
