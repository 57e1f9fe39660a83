"""Cuts a model solution at its `// BEGIN …` and `// END …` markers. Pure; knows no lab and no file system."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class Region(StrEnum):
    """What a line of a model solution is for."""

    OUTSIDE = "OUTSIDE"  # both: the same in the solution and in the starter
    SOLUTION = "SOLUTION"  # ours alone
    PROMPT = "PROMPT"  # left for the student, who completes it


@dataclass(frozen=True)
class Line:
    """One line of a solution, its marker lines excepted."""

    number: int  # 1-based
    text: str
    region: Region


class MarkerError(Exception):
    """A marker is nested, stray, unterminated or misspelt: for the lab's author to mend."""

    def __init__(self, name: str, line: int, reason: str) -> None:
        super().__init__(f"{name}:{line}: {reason}")
        self.name, self.line, self.reason = name, line, reason


_MARKER = re.compile(r"^\s*//\s*(BEGIN|END)\s+(SOLUTION|PROMPT)\s*$")
# Whatever looks like a marker without being one would silently hand out a solution.
_ALMOST = re.compile(r"\b(?:BEGIN|END)\W*(?:SOLUTION|PROMPT)\b|//\s*#*\s*(?:BEGIN|END)\b", re.IGNORECASE)


def cut(text: str, name: str) -> list[Line]:
    """The lines of `text` with the region each lies in. Raises MarkerError, naming `name` and the line."""
    lines: list[Line] = []
    region, opened = Region.OUTSIDE, 0
    for number, line in enumerate(text.splitlines(), start=1):
        marker = _MARKER.match(line)
        if marker is None:
            if _ALMOST.search(line):
                reason = f"not a marker, but it looks like one: {line.strip()!r}; write `// BEGIN SOLUTION`"
                raise MarkerError(name, number, reason)
            lines.append(Line(number, line, region))
            continue
        verb, named = marker[1], Region(marker[2])
        if verb == "BEGIN":
            if region is not Region.OUTSIDE:
                reason = f"BEGIN {named} inside the {region} that began in line {opened}; regions do not nest"
                raise MarkerError(name, number, reason)
            region, opened = named, number
        else:
            if region is not named:
                inside = f"inside the {region} of line {opened}" if opened else "without a BEGIN"
                raise MarkerError(name, number, f"END {named} {inside}")
            region, opened = Region.OUTSIDE, 0
    if region is not Region.OUTSIDE:
        raise MarkerError(name, opened, f"BEGIN {region} without an END")
    return lines
