"""What every export consists of: a name to request it by, where it is written in OUT, and a pure function that makes it.

Exports are made from redacted results alone, so that none of them can tell a student of a hidden case.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from grader.model.result import Result
from grader.model.result.graded_class import GradedClass


@dataclass(frozen=True)
class Grades:
    """What an export is made from. `grades_of` in redacted_grades.py makes it."""

    graded: GradedClass  # its results are redacted
    assignment: str  # what the platform calls it: the heading of its column
    at: str  # when they were exported: ISO 8601 in UTC, with milliseconds
    page: Callable[[str], bytes | None]  # by a student's id: the page that may be given back; None: there is none

    @property
    def results(self) -> tuple[Result, ...]:
        return self.graded.results

    @property
    def max(self) -> float:
        """The same for everybody."""
        return self.results[0].max if self.results else 0.0


@dataclass(frozen=True)
class ExportFile:
    path: str  # in OUT, with "/" between its parts
    contents: str | bytes


@dataclass(frozen=True)
class Made:
    """The files of one export, and what the instructor has to know before an import."""

    files: tuple[ExportFile, ...]
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Export:
    """`render` makes the text of `file` alone, or all files with notices."""

    name: str  # as in `--export NAME`
    file: str  # in OUT; of an export of several files, the folder or the name with a *
    help: str  # one line
    render: Callable[[Grades], str | Made]

    def made(self, grades: Grades) -> Made:
        found = self.render(grades)
        return found if isinstance(found, Made) else Made((ExportFile(self.file, found),))
