"""Puts a call that announces an access before each instruction that the proof found unannounced, into the compiler's assembly.

What comes of it is assembled and proved anew, so nothing here has to be trusted: a call in the wrong place proves nothing.
AT&T syntax, as GCC and Clang write it for x86-64.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from grader.engines.announcements.announcing_calls import UNSEEN
from grader.engines.announcements.memory_rules import Unannounced
from grader.engines.announcements.x86_decoding import Decoded, Memory
from grader.engines.announcements.x86_semantics import COUNTED

_LABEL = re.compile(r"^([\w.$]+):")
_SIZE = re.compile(r"^\s+\.size\s+([\w.$]+),")
_INSTRUCTION = re.compile(r"^\s+(?![.#/])\S")
_WORDS = re.compile(r"^\s*((?:(?:rep|repe|repz|repne|repnz|lock)[ ;]\s*)?[a-z]\w*)\s*(.*?)\s*(?:#.*)?$")
_PLACE = re.compile(r"^\s+\.loc\s+(\d+)\s+(\d+)")
_FILE = re.compile(r'^\s+\.file\s+(\d+)\s+(?:"[^"]*"\s+)?"([^"]*)"')

Code = Sequence[tuple[int, Decoded]]  # of one function: its instructions with their offsets


class StrangeAssemblyError(Exception):
    """The compiler's text and its object file do not tell the same story."""


def instruction_lines(assembly: str, functions: Mapping[str, Code]) -> dict[str, list[int]]:
    """For each function the numbers of the lines on which its instructions stand, in their order. Raises StrangeAssemblyError."""
    found: dict[str, list[int]] = {}
    inside = ""
    for number, line in enumerate(assembly.split("\n")):
        if not inside:
            label = _LABEL.match(line)
            if label and label[1] in functions:
                inside = label[1]
                found[inside] = []
        elif (size := _SIZE.match(line)) and size[1] == inside:
            inside = ""
        elif _INSTRUCTION.match(line):
            found[inside].append(number)
    for name, code in functions.items():
        if len(found.get(name, ())) != len(code):
            raise StrangeAssemblyError(name)
    return found


def with_calls(
    assembly: str, functions: Mapping[str, Code], unannounced: Mapping[str, Sequence[Unannounced]]
) -> str:
    """Raises StrangeAssemblyError."""
    places = instruction_lines(assembly, functions)
    lines = assembly.split("\n")
    before: dict[int, list[str]] = {}
    behind: dict[int, list[str]] = {}
    for name, missing in unannounced.items():
        number_of = {offset: number for number, (offset, _) in enumerate(functions[name])}
        for one in missing:
            number = number_of[one.offset]
            line = places[name][number]
            if one.kind == "end":
                behind[line] = ["\tud2"]
            else:
                before.setdefault(line, []).extend(_call(one, functions[name][number][1], lines[line]))
    return "\n".join(
        piece for number, line in enumerate(lines) for piece in (*before.get(number, ()), line, *behind.get(number, ()))
    )


def _call(missing: Unannounced, instruction: Decoded, line: str) -> list[str]:
    """Registers and flags are as they were: the called function sees to all that is not restored here."""
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
    if missing.operand < 0:
        begin, end = missing.span
        yield f"\tleaq\t{begin}(%rdi), %rdi"
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
    return isinstance(target, Memory) and target.base == "rdi" and (
        instruction.name.rpartition(" ")[2].startswith("stos") or isinstance(instruction.operands[1], Memory)
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


def source_lines(assembly: str, numbers: Sequence[int], file_name: str) -> dict[int, int]:
    """Of some lines of the assembly: the submission's line they come from, 0 where that is another file's."""
    wanted, ours, line = set(numbers), set[str](), 0
    found: dict[int, int] = {}
    for number, text in enumerate(assembly.split("\n")):
        if file := _FILE.match(text):
            if file[2].rsplit("/", 1)[-1] == file_name:
                ours.add(file[1])
        elif place := _PLACE.match(text):
            line = int(place[2]) if place[1] in ours else 0
        if number in wanted:
            found[number] = line
    return found
