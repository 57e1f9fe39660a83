"""What was taken from one student's upload, as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from grader.model.result import Submission


@dataclass(frozen=True)
class Intake:
    """What was taken from one student's upload. Members of a team share their files' paths."""

    submission: Submission
    sources: dict[str, Path] = field(default_factory=dict)  # a lab's file → its normalised copy
    blocked: dict[str, str] = field(default_factory=dict)  # a lab's file that cannot be taken → why
    hints: dict[str, str] = field(default_factory=dict)  # a lab's file that is missing → what was there instead

    def texts(self) -> dict[str, str]:
        """The text of each file that was taken. Pages quote from it."""
        return {name: path.read_bytes().decode("utf-8", "replace") for name, path in self.sources.items()}
