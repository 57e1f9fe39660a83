"""Which of a student's attempts counts for each lab: the latest one, or the last before the deadline. Pure.

"The best" is chosen where scores are known: see grader/batch/. Until then the latest counts, and all are in `Intake.attempts`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from grader.intake.student_intake import Attempt
from grader.model.result import Student

# When a student has to hand in a lab, extensions included. None: there is no deadline. The second argument is the lab's id.
Deadline = Callable[[Student, str], datetime | None]


class Which(StrEnum):
    """Of several attempts of one student."""

    LATEST = "latest"
    BEST = "best"
    BEFORE_DEADLINE = "before-deadline"


def no_deadline(_student: Student, _lab: str) -> datetime | None:
    return None


@dataclass(frozen=True)
class Counted:
    """By a lab's file: the index of the attempt that counts; and why none counts, although some attempt holds the file."""

    attempts: Mapping[str, int]
    hints: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class AttemptChoice:
    """`labs`: a lab's file → the lab's id, which `deadline` is asked with."""

    which: Which = Which.LATEST
    deadline: Deadline = no_deadline
    labs: Mapping[str, str] = field(default_factory=dict)

    def counted(self, student: Student, attempts: Sequence[Attempt], wanted: Iterable[str]) -> Counted:
        """In each download one attempt counts as a whole: a later one replaces all that was in an earlier one. Between downloads, the one
        that was handed in last and holds the file counts. An upload that was refused counts where no other holds the file.
        """
        counted, hints = {}, {}
        for file in wanted:
            deadline = self._deadline(student, file)
            of_download: dict[int, int] = {}
            for number, one in enumerate(attempts):
                if deadline is None or one.at is None or one.at <= deadline:
                    of_download[one.download] = number
            holding = [number for number in of_download.values() if attempts[number].holds(file)]
            holding = holding or [number for number in of_download.values() if attempts[number].refused is not None]
            if holding:
                counted[file] = max(holding, key=lambda number: _moment(attempts[number]))
            elif lost := [number for number, one in enumerate(attempts) if one.holds(file)]:
                late = all(number > of_download.get(attempts[number].download, -1) for number in lost)
                reason = (
                    "after the deadline" if late else "in an earlier attempt, which a later one without it replaced"
                )
                hints[file] = f"it was handed in {reason}"
        return Counted(counted, hints)

    def _deadline(self, student: Student, file: str) -> datetime | None:
        if self.which is not Which.BEFORE_DEADLINE:
            return None
        return self.deadline(student, self.labs.get(file, file))


def _moment(attempt: Attempt) -> tuple[float, int]:
    """What no time is known of comes first. Of equal ones, the download that was named later counts."""
    return (attempt.at.timestamp() if attempt.at is not None else 0.0, attempt.download)
