"""What the compiler's assembly output tells before it is assembled: calls through pointers, and where each call stands."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LINE = re.compile(
    r'^\s*(?:\.file\s+(?P<number>\d+)\s+(?:"[^"]*"\s+)?"(?P<path>[^"]*)"'
    r"|\.loc\s+(?P<file>\d+)\s+(?P<line>\d+)"
    r"|(?:call|jmp)q?\s+(?P<indirect>\*)"
    r"|(?:blr|br)\s+(?P<register>x\d+)"
    r"|(?:call|jmp|bl|b)q?\s+(?P<name>[\w.$]+)"
    r"|(?P<app>\#APP))",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Calls:
    indirect_line: int | None  # the first call through a pointer; None: there is none
    lines: dict[str, int]  # the first line that calls each symbol
    has_inline_assembly: bool


def calls_of(assembly: str, file_name: str) -> Calls:
    """Reads the text once. Lines are the submission's, 0 where the code comes from another file."""
    ours: set[str] = set()
    line, indirect, inline = 0, None, False
    lines: dict[str, int] = {}
    for match in _LINE.finditer(assembly):
        if match["number"] is not None:
            if match["path"].rsplit("/", 1)[-1] == file_name:
                ours.add(match["number"])
        elif match["file"] is not None:
            line = int(match["line"]) if match["file"] in ours else 0
        elif match["indirect"] is not None or match["register"] is not None:
            indirect = line if indirect is None else indirect
        elif match["name"] is not None:
            if not lines.get(match["name"]):
                lines[match["name"]] = line
        elif match["app"] is not None:
            inline = True
    return Calls(indirect, lines, inline)
