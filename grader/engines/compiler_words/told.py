"""One message of a compiler beside the text that it is about, and what is said of it instead. Plain data."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.engines.compiler_words.compiler_message import Diagnostic
from grader.engines.student_text.student_code import Place, StudentCode


@dataclass(frozen=True)
class Said:
    """A sentence for the student, and the place that it is about."""

    place: Place
    message: str
    advice: str = ""


@dataclass(frozen=True)
class Told:
    """A message that matched a row of the table, and what is known of the place that it names."""

    match: re.Match[str]
    error: Diagnostic
    code: StudentCode

    @property
    def bare(self) -> str:
        return self.code.line(self.error.line)

    @property
    def column(self) -> int:
        return max(self.error.column, 0)

    def group(self, *names: str) -> str:
        """The first of these groups of the expression that matched."""
        return next((text for name in names if (text := self.match.groupdict().get(name))), "")

    def at(self, word: str = "") -> Place:
        return self.code.word_at(self.error.line, self.error.column, word)

    def part(self, start: int, end: int) -> Place:
        return Place(self.error.line, start, end)
