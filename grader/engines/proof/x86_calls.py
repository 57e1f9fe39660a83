"""The call that announces an access before it happens, as assembly for x86-64 in AT&T syntax, which GCC and Clang both write."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.engines.proof.code_object import UNSEEN
from grader.engines.proof.machine_state import StrangeAssemblyError
from grader.engines.proof.memory_rules import Unannounced
from grader.engines.proof.x86_decoding import COUNTED, Decoded, Memory, Register

_WORDS = re.compile(r"^\s*((?:(?:rep|repe|repz|repne|repnz|lock)[ ;]\s*)?[a-z]\w*)\s*(.*?)\s*(?:#.*)?$")


def call_before(missing: Unannounced, instruction: Decoded, line: str) -> list[str]:
    """Registers and flags are as they were: the called function sees to all that is not restored here. Raises
    StrangeAssemblyError.
    """
    if missing.kind == "call":
        return _checked_call(instruction, line)
    return [
        "\tpushq\t%rdi",
        "\tpushq\t%rsi",
        *_where(missing, instruction, line),
        f"\tcall\t{UNSEEN[missing.kind]}",
        "\tpopq\t%rsi",
        "\tpopq\t%rdi",
    ]


def _checked_call(instruction: Decoded, line: str) -> list[str]:
    """Before a call through a pointer. One that reads its target from memory has it read into %r11 first."""
    target = instruction.operands[0]
    if isinstance(target, Memory):
        return [f"\tmovq\t{_called(line)}, %r11", *_checked("r11")]
    if not isinstance(target, Register):
        raise StrangeAssemblyError(line)
    return _checked(target.name)


def _checked(register: str) -> list[str]:
    return [
        "\tpushq\t%rdi",
        "\tpushq\t%rsi",
        f"\tmovq\t%{register}, %rdi",
        f"\tcall\t{UNSEEN['call']}",
        "\tpopq\t%rsi",
        "\tpopq\t%rdi",
    ]


def call_in_place_of(instruction: Decoded, line: str) -> str:
    """The call through a pointer itself, behind its check: through %r11 where it would read memory once more."""
    return "\tcall\t*%r11" if isinstance(instruction.operands[0], Memory) else line


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
    if name in COUNTED and len(instruction.operands) > 1 and _is_string(instruction):
        if missing.kind == "read":
            yield "\tmovq\t%rsi, %rdi"
        yield f"\tleaq\t(,%rcx,{COUNTED[name]}), %rsi" if repeated else f"\tmovl\t${COUNTED[name]}, %esi"
        return
    operand = instruction.operands[missing.operand]
    if not isinstance(operand, Memory):
        raise StrangeAssemblyError(line)
    segment, text = _memory_operand(line)
    yield f"\tleaq\t{text}, %rdi"
    if segment:
        yield "\tmovq\t%fs:0, %rsi"
        yield "\tleaq\t(%rdi,%rsi), %rdi"
    yield f"\tmovl\t${operand.size}, %esi"


def _is_string(instruction: Decoded) -> bool:
    target = instruction.operands[0]
    return (
        isinstance(target, Memory)
        and target.base == "rdi"
        and (instruction.name.rpartition(" ")[2].startswith("stos") or isinstance(instruction.operands[1], Memory))
    )


def _memory_operand(line: str) -> tuple[str, str]:
    """Its segment and the rest, as it is to be written after two pushes."""
    words = _WORDS.match(line)
    operands = [one.removeprefix("*") for one in _split(words[2]) if _is_memory(one)] if words else []
    if len(operands) != 1:
        raise StrangeAssemblyError(line)
    segment, colon, text = operands[0].rpartition(":")
    if colon and segment != "%fs":
        raise StrangeAssemblyError(line)
    if "(%rsp" in text:
        text = f"16+{text}" if not text.startswith("(") else f"16{text}"
    return segment, text


def _split(operands: str) -> list[str]:
    """At the commas outside brackets."""
    parts, depth = [""], 0
    for character in operands:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def _is_memory(operand: str) -> bool:
    place = operand.removeprefix("*")
    return not place.startswith("$") and (not place.startswith("%") or ":" in place)
