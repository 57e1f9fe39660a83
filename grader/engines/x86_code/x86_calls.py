"""The call that announces an access before it happens, as assembly for x86-64 in AT&T syntax, which GCC and Clang both write."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.engines.machine_model.announcing_calls import UNSEEN
from grader.engines.machine_model.memory_rules import Unannounced
from grader.engines.machine_model.refusals import StrangeAssemblyError
from grader.engines.x86_code.x86_decoding import Decoded, Memory
from grader.engines.x86_code.x86_names import COUNTED

_WORDS = re.compile(r"^\s*((?:(?:rep|repe|repz|repne|repnz|lock)[ ;]\s*)?[a-z]\w*)\s*(.*?)\s*(?:#.*)?$")


def call_before(missing: Unannounced, instruction: Decoded, line: str) -> list[str]:
    """Registers and flags are as they were: the called function sees to all that is not restored here. Raises
    StrangeAssemblyError.
    """
    return [
        "\tpushq\t%rdi",
        "\tpushq\t%rsi",
        *_where(missing, instruction, line),
        f"\tcall\t{UNSEEN[missing.kind]}",
        "\tpopq\t%rsi",
        "\tpopq\t%rdi",
    ]


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
    operands = [one for one in _split(words[2]) if _is_memory(one)] if words else []
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
    return not operand.startswith(("$", "*")) and (not operand.startswith("%") or ":" in operand)
