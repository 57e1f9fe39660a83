"""Puts a call that announces an access before each instruction that the proof found unannounced, into the compiler's assembly.

What comes of it is assembled and proved anew, so nothing here has to be trusted: a call in the wrong place proves nothing.
What the calls look like is each processor's: `x86_calls.py`, `arm_calls.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from grader.engines.announcements.processors import call_writer_of
from grader.engines.machine_model.memory_rules import Unannounced
from grader.engines.machine_model.processor import Instruction
from grader.engines.machine_model.refusals import StrangeAssemblyError

_LABEL = re.compile(r"^([\w.$]+):")
_SIZE = re.compile(r"^\s+\.size\s+([\w.$]+),")
_INSTRUCTION = re.compile(r"^\s+(?![.#/])\S")
_ANNOUNCEMENT = re.compile(
    r"^\s+(?:callq?|bl)\s+__tsan_(read|write)\d+(?:@PLT)?\s*$"
)  # not of a volatile: ours does not say that
_RELOAD = re.compile(
    r"^\s+(?:mov[lq]|ldr)\s.*(?:Reload|\(%rbp\), %\w+|\[(?:sp|x29)[^\]]*\])\s*$"
)  # from the frame, into a register
_RELOADS = 2  # at most so many instructions between the call and the access
_PLACE = re.compile(r"^\s+\.loc\s+(\d+)\s+(\d+)")
_FILE = re.compile(r'^\s+\.file\s+(\d+)\s+(?:"[^"]*"\s+)?"([^"]*)"')

Code = Sequence[tuple[int, Instruction]]  # of one function: its instructions with their offsets


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
    assembly: str, functions: Mapping[str, Code], unannounced: Mapping[str, Sequence[Unannounced]], machine: str
) -> str:
    """Raises StrangeAssemblyError. The compiler's own call right before such an access goes: what it announces could not be proved to be
    the same, and the access would be counted twice.
    """
    writer = call_writer_of(machine)
    places = instruction_lines(assembly, functions)
    lines = assembly.split("\n")
    before: dict[int, list[str]] = {}
    behind: dict[int, list[str]] = {}
    instead: dict[int, str] = {}
    gone: set[int] = set()
    for name, missing in unannounced.items():
        number_of = {offset: number for number, (offset, _) in enumerate(functions[name])}
        for one in missing:
            number = number_of[one.offset]
            line = places[name][number]
            if one.kind == "end":
                behind[line] = [writer.stop]
            else:
                instruction = functions[name][number][1]
                before.setdefault(line, []).extend(writer.before(one, instruction, lines[line]))
                gone.update(_doubted(one, lines, places[name][max(0, number - _RELOADS - 1) : number]))
                if one.kind == "call":
                    instead[line] = writer.in_place_of(instruction, lines[line])
    return "\n".join(
        piece
        for number, line in enumerate(lines)
        if number not in gone
        for piece in (*before.get(number, ()), instead.get(number, line), *behind.get(number, ()))
    )


def _doubted(missing: Unannounced, lines: Sequence[str], before: Sequence[int]) -> Iterator[int]:
    """The line of the compiler's own call for this access; `before`: the lines of the instructions right before it."""
    for line in reversed(before):
        if announced := _ANNOUNCEMENT.match(lines[line]):
            if announced[1] == missing.kind:
                yield line
            return
        if not _RELOAD.match(lines[line]):
            return


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
