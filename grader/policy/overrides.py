"""overrides.csv: points that a person decided for a student's lab. They stand whatever a grading finds. Pure, but for reading the file.

Two rows for one lab of one student are refused: nobody could see later which of them was meant.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.model.standing import Override
from grader.policy.course_file import PolicyError, lab_meant
from grader.policy.decision_table import DecisionRow, DecisionTable, TableForm, decisions_in, read_decisions

OVERRIDES = TableForm(
    "overrides",
    {
        "student": (
            "students", "student id", "login", "username", "email", "e mail", "number", "student number", "matrikelnummer", "id", "name",
        ),
        "lab": ("labs", "assignment", "exercise", "task", "aufgabe"),
        "points": ("point", "score", "grade", "new points", "punkte"),
        "reason": ("why", "because", "comment", "grund", "begründung"),
        "author": ("by", "who", "decided by", "instructor", "grader", "autor"),
        "date": ("day", "when", "datum", "timestamp"),
    },
    ("student", "lab", "points", "reason", "author"),
    "student,lab,points,reason,author,date",
)  # fmt: skip
_LONGEST = {"reason": 2000, "author": 200, "date": 60}


@dataclass(frozen=True)
class OverrideRow:
    student: str  # as it is written
    lab: str
    override: Override
    place: str


@dataclass(frozen=True)
class Overrides:
    rows: tuple[OverrideRow, ...] = ()
    notices: tuple[str, ...] = ()


def read_overrides(path: Path, labs: Sequence[str]) -> Overrides:
    """`labs`: the course's. Raises PolicyError."""
    return _overrides(read_decisions(path, OVERRIDES), labs)


def overrides_in(data: bytes, name: str, labs: Sequence[str]) -> Overrides:
    """The same for a file's bytes."""
    return _overrides(decisions_in(data, name, OVERRIDES), labs)


def _overrides(table: DecisionTable, labs: Sequence[str]) -> Overrides:
    return Overrides(tuple(_row(one, labs) for one in table.rows), table.notices)


def _row(row: DecisionRow, labs: Sequence[str]) -> OverrideRow:
    cells = row.cells
    for what in ("student", "lab", "points", "reason", "author"):
        if not cells[what]:
            remedy = "Write why, for the student reads it" if what == "reason" else "Fill it in, or remove the row"
            message = f"{row.place}: the {what} is missing. {remedy}."
            raise PolicyError(message)
    for what, most in _LONGEST.items():
        if len(cells[what]) > most:
            message = f"{row.place}: the {what} has more than {most} letters. Shorten it."
            raise PolicyError(message)
    points = points_in(cells["points"], row.place)
    override = Override(points=points, reason=cells["reason"], author=cells["author"], date=cells["date"])
    return OverrideRow(cells["student"], lab_meant(cells["lab"], labs, row.place), override, row.place)


def points_in(text: str, place: str) -> float:
    """With a decimal point or a decimal comma. Raises PolicyError."""
    if re.fullmatch(r"[0-9]{1,3}([.,][0-9]{3})+", text):
        message = f"{place}: {text!r} may be thousands or thousandths. Write the points without a separator, or with two decimals."
        raise PolicyError(message)
    try:
        points = float(text.replace(",", ".")) if re.fullmatch(r"\+?[0-9]+([.,][0-9]*)?|[.,][0-9]+", text) else math.nan
    except ValueError:
        points = math.nan
    if not math.isfinite(points):
        message = f"{place}: {text[:40]!r} is no number of points. Write it as in 7.5 or 7,5; a spreadsheet may have made a date of it."
        raise PolicyError(message)
    return points
