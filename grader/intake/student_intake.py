"""What was taken from one student's uploads, as data: all attempts, and for each lab's file the attempt that counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from grader.intake.answer_files import HandedAnswers
from grader.model.result import Submission


@dataclass(frozen=True)
class Attempt:
    """One time that a student handed something in, and what was taken of it.

    The platform or its download says the time. A student cannot choose it. `sources`, `blocked`, `hints` and `answers` are as in Intake.
    """

    number: int  # 1, 2, …: of those of the same download, in the order in which they were handed in
    of: int = 1  # how many the same download holds of this student
    download: int = 0  # which of the given SUBMISSIONS it is from
    at: datetime | None = None  # with its time zone; none: the platform does not say
    late: bool = False  # the platform itself marked it as late
    sources: Mapping[str, Path] = field(default_factory=dict)
    blocked: Mapping[str, str] = field(default_factory=dict)
    hints: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    refused: str | None = None
    answers: Mapping[str, HandedAnswers] = field(default_factory=dict)

    def holds(self, file: str) -> bool:
        """Whether a lab's file is in it, be it one that can be taken or not."""
        return file in self.sources or file in self.blocked


@dataclass(frozen=True)
class Intake:
    """What was taken from one student's upload. Members of a team share their files' paths."""

    submission: Submission
    sources: dict[str, Path] = field(default_factory=dict)  # a lab's file → its normalised copy
    blocked: dict[str, str] = field(default_factory=dict)  # a lab's file that cannot be taken → why
    hints: dict[str, str] = field(default_factory=dict)  # a lab's file that is missing → what was there instead
    attempts: tuple[Attempt, ...] = ()  # of each download, the first one first; also those that do not count
    counted: Mapping[str, int] = field(
        default_factory=dict
    )  # a lab's file → the index in `attempts` of the one that counts

    answers: Mapping[str, HandedAnswers] = field(default_factory=dict)  # a lab's file → the answers to its questions

    def texts(self) -> dict[str, str]:
        """The text of each file that was taken. Pages quote from it."""
        return {name: path.read_bytes().decode("utf-8", "replace") for name, path in self.sources.items()}

    def attempt_for(self, file: str) -> Attempt | None:
        """The attempt that counts for a lab's file. None: nothing was handed in for it."""
        number = self.counted.get(file)
        return None if number is None else self.attempts[number]

    def handed_in(self, file: str) -> datetime | None:
        """When the file that counts was handed in. None: it was not, or nothing says when."""
        attempt = self.attempt_for(file)
        return None if attempt is None else attempt.at
