"""times.csv: when files were handed in, for platforms whose downloads do not say it. Pure, but for reading the file.

It counts only where the platform says nothing. A row that nobody can assign stops nothing: such a file lists whoever the platform lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path

from grader.policy.course_file import PolicyError, lab_meant
from grader.policy.decision_table import DecisionTable, TableForm, decisions_in, read_decisions
from grader.policy.moments import MomentError, moment

TIMES = TableForm(
    "times",
    {
        "student": (
            "student id", "login", "username", "sis login id", "sis user id", "user id", "email", "e mail", "email address", "number",
            "matrikelnummer", "id", "name",
        ),
        "lab": ("labs", "assignment", "assignment name", "exercise", "task", "aufgabe"),
        "at": ("submitted at", "handed in", "handed in at", "submitted", "time", "date", "timestamp", "submission date", "abgabe"),
    },
    ("student", "lab", "at"),
    "student,lab,at",
)  # fmt: skip


@dataclass(frozen=True)
class TimeRow:
    student: str  # as it is written
    lab: str
    at: datetime
    place: str


@dataclass(frozen=True)
class HandInTimes:
    rows: tuple[TimeRow, ...] = ()
    notices: tuple[str, ...] = ()


def read_times(path: Path, labs: Sequence[str], zone: tzinfo | None) -> HandInTimes:
    """`labs`: the course's; `zone`: of times without an offset. Raises PolicyError."""
    return _times(read_decisions(path, TIMES), labs, zone)


def times_in(data: bytes, name: str, labs: Sequence[str], zone: tzinfo | None) -> HandInTimes:
    """The same for a file's bytes."""
    return _times(decisions_in(data, name, TIMES), labs, zone)


def _times(table: DecisionTable, labs: Sequence[str], zone: tzinfo | None) -> HandInTimes:
    rows, notices = [], list(table.notices)
    for row in table.rows:
        if not row.cells["at"]:  # nothing was handed in
            continue
        if not row.cells["student"]:
            notices.append(f"{row.place}: the student is missing, so this time is nobody's")
            continue
        try:
            lab = lab_meant(row.cells["lab"], labs, row.place)
        except PolicyError as error:
            notices.append(f"{str(error).removesuffix('.')}: this time is not used")
            continue
        try:
            at = moment(row.cells["at"], zone, favour="early")
        except (MomentError, OverflowError) as error:
            message = f"{row.place}: {error}."
            raise PolicyError(message) from error
        rows.append(TimeRow(row.cells["student"], lab, at, row.place))
    return HandInTimes(tuple(rows), tuple(notices))
