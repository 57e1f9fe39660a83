"""Cuts a model solution at its `// BEGIN …` and `// END …` markers. Pure: it knows neither labs nor files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class Region(StrEnum):
    """Which part of a model solution a line belongs to."""

    OUTSIDE = "OUTSIDE"  # in the solution and in the starter
    SOLUTION = "SOLUTION"  # in the solution only
    GIVEN = "GIVEN"  # likewise in both, and said to be code that the student is meant to have
    PROMPT = "PROMPT"  # a hint in the starter, which the student replaces with code


@dataclass(frozen=True)
class Line:
    """One line of a solution; no marker line."""

    number: int  # 1-based
    text: str
    region: Region


class MarkerError(Exception):
    """A marker is nested, stray, unterminated or misspelt. The lab's author has to correct it."""

    def __init__(self, name: str, line: int, reason: str) -> None:
        super().__init__(f"{name}:{line}: {reason}")
        self.name, self.line, self.reason = name, line, reason


_MARKER = re.compile(r"^\s*//\s*(BEGIN|END)\s+(SOLUTION|PROMPT|GIVEN)\s*$")
# A misspelt marker must be an error: otherwise the solution would be handed out and nobody would notice.
_ALMOST = re.compile(r"\b(?:BEGIN|END)\W*(?:SOLUTION|PROMPT|GIVEN)\b|//\s*#*\s*(?:BEGIN|END)\b", re.IGNORECASE)


def cut(text: str, name: str) -> list[Line]:
    """The lines of `text`, each with its region. Raises MarkerError, which names `name` and the line."""
    lines: list[Line] = []
    region, opened = Region.OUTSIDE, 0
    for number, line in enumerate(text.splitlines(), start=1):
        marker = _MARKER.match(line)
        if marker is None:
            if _ALMOST.search(line):
                reason = f"this looks like a marker, but it is not one: {line.strip()!r}; write `// BEGIN SOLUTION`"
                raise MarkerError(name, number, reason)
            lines.append(Line(number, line, region))
            continue
        verb, named = marker[1], Region(marker[2])
        if verb == "BEGIN":
            if region is not Region.OUTSIDE:
                reason = f"BEGIN {named} inside the {region} that began in line {opened}; regions cannot be nested"
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
