"""A table that people keep in a spreadsheet or export from a form: rows with known columns, and the line of each. Pure.

What the columns mean is said by whoever reads the table. Nothing is dropped: a row that cannot be used has a line number for a message.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Generic, TypeVar

from grader.model.result import Override, RegradeRequest
from grader.roll.people.table_text import (
    TableError,
    cell_text,
    columns_in,
    file_bytes,
    heading_word,
    read_table,
)
from grader.roll.policy.course_file import PolicyError, lab_meant
from grader.roll.policy.late_rules import UnreadableError, moment

_LARGEST = 16 << 20
_MOST_ROWS = 20_000
Value = TypeVar("Value")


@dataclass(frozen=True)
class Decision(Generic[Value]):
    """What a row of a table says."""

    student: str  # as it is written
    lab: str
    value: Value
    place: str


@dataclass(frozen=True)
class Decisions(Generic[Value]):
    rows: tuple[Decision[Value], ...] = ()
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class TableForm(Generic[Value]):
    """`columns`: what a column says → words that head it, in lower case. `needed`: those that must be there, and be filled in. `read`: what
    a row says besides student and lab, from its cells, its place and the zone of times without an offset. It raises PolicyError for a row
    that must not be passed over.
    """

    what: str  # "overrides"
    columns: Mapping[str, tuple[str, ...]]  # of two columns with one meaning, that counts whose word comes first
    needed: tuple[str, ...]
    example: str  # a first line
    read: Callable[[Mapping[str, str], str, tzinfo | None], Value]
    lost: str = ""  # what becomes of a row that nobody can assign; empty: it must not be passed over
    quiet: str = ""  # a column without which a row says nothing


def is_there(path: Path) -> bool:
    """Also where it is a folder or a link that leads nowhere: then reading it says what is wrong."""
    return path.is_symlink() or path.exists()


def read_decisions(
    path: Path, form: TableForm[Value], labs: Sequence[str], zone: tzinfo | None = None
) -> Decisions[Value]:
    """None where there is no such file. Raises PolicyError."""
    if not is_there(path):
        return Decisions()
    data = file_bytes(path, _LARGEST, f"table of {form.what}", "Correct that, or move the file away.", PolicyError)
    return decisions_in(data, path.name, form, labs, zone)


def decisions_in(
    data: bytes, name: str, form: TableForm[Value], labs: Sequence[str], zone: tzinfo | None = None
) -> Decisions[Value]:
    """`name`: the file, for messages. Raises PolicyError. An empty file says nothing."""
    if not data.strip(b"\xef\xbb\xbf \t\r\n"):
        return Decisions()
    try:
        table = read_table(data, lambda headings: sum(bool(_meaning(heading_word(one), form)) for one in headings))
    except TableError as error:
        raise PolicyError(f"{name}: {error}. Its first line is, for instance, {form.example}.") from error
    at, notices = _columns([*table.headings.cells], f"{name}, line {table.headings.line}", form)
    if len(table.rows) > _MOST_ROWS:
        raise PolicyError(f"{name}: it has more than {_MOST_ROWS} rows. Is it the right file?")
    rows: list[Decision[Value]] = []
    notices = [f"{name}: {notice}" for notice in (*notices, *table.notices)]
    for row in table.rows:
        place = f"{name}, line {row.line}"
        if len(row.cells) > len(table.headings.cells):
            raise PolicyError(
                f"{place}: it has more cells than the first line. Put a text with a comma into quotation marks, and end no row with a "
                "separator."
            )
        cells = {what: cell_text(row.cells[number]) for what, number in at.items() if number < len(row.cells)}
        cells = {**dict.fromkeys(form.columns, ""), **cells}
        if not any(cells.values()) or (form.quiet and not cells[form.quiet]):
            continue
        try:
            lab = _lab(cells, form.needed, labs, place)
        except PolicyError as error:
            if not form.lost:
                raise
            notices.append(f"{str(error).removesuffix('.')}: {form.lost}")
            continue
        rows.append(Decision(cells["student"], lab, form.read(cells, place, zone), place))
    return Decisions(tuple(rows), tuple(notices))


def _lab(cells: Mapping[str, str], needed: Sequence[str], labs: Sequence[str], place: str) -> str:
    """Raises PolicyError where the row lacks something, too."""
    if missing := next((what for what in needed if not cells[what]), ""):
        remedy = "Write why, for the student reads it" if missing == "reason" else "Fill it in, or remove the row"
        raise PolicyError(f"{place}: the {missing} is missing. {remedy}.")
    return lab_meant(cells["lab"], labs, place)


def _columns(headings: Sequence[str], place: str, form: TableForm[Value]) -> tuple[dict[str, int], list[str]]:
    """Where each column is, and a notice about headings that say nothing here."""

    def rank(word: str, what: str) -> int:
        return (what, *form.columns[what]).index(word)  # our own word comes first

    found = columns_in([heading_word(one) for one in headings], lambda word: _meaning(word, form), rank)
    if missing := [one for one in form.needed if one not in found.at]:
        raise PolicyError(
            f"{place}: no column is headed {' or '.join(map(repr, missing))}. The first line is, for instance, {form.example}."
        )
    unused = [repr(headings[number].strip()[:40]) for number in sorted([*found.unknown, *found.twice])]
    return found.at, [f"columns that are not used: {', '.join(unused)}"] if unused else []


def _meaning(word: str, form: TableForm[Value]) -> str:
    return next((what for what, words in form.columns.items() if word == what or word in words), "")


# overrides.csv: points that a person decided for a student's lab. They stand whatever a grading finds. Pure, but for reading the file.
#
# Two rows for one lab of one student are refused: nobody could see later which of them was meant.

_LONGEST = {"reason": 2000, "author": 200, "date": 60}


def _override(cells: Mapping[str, str], place: str, _: tzinfo | None) -> Override:
    for what, most in _LONGEST.items():
        if len(cells[what]) > most:
            raise PolicyError(f"{place}: the {what} has more than {most} letters. Shorten it.")
    points = points_in(cells["points"], place)
    return Override(points=points, reason=cells["reason"], author=cells["author"], date=cells["date"])


def points_in(text: str, place: str) -> float:
    """With a decimal point or a decimal comma. Raises PolicyError."""
    if re.fullmatch(r"[0-9]{1,3}([.,][0-9]{3})+", text):
        raise PolicyError(
            f"{place}: {text!r} may be thousands or thousandths. Write the points without a separator, or with two decimals."
        )
    try:
        points = float(text.replace(",", ".")) if re.fullmatch(r"\+?[0-9]+([.,][0-9]*)?|[.,][0-9]+", text) else math.nan
    except ValueError:
        points = math.nan
    if not math.isfinite(points):
        raise PolicyError(
            f"{place}: {text[:40]!r} is no number of points. Write it as in 7.5 or 7,5; a spreadsheet may have made a date of it."
        )
    return points


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
    _override,
)  # fmt: skip


# regrade.csv: what students ask about their grades, as a form exports it, with a column for the answer. Pure, but for reading the file.
#
# A request changes no points. So a row of an unknown student or lab stops nothing: it is told to the instructor.

_REGRADE_REQUESTS_LONGEST = 8000


def _request(cells: Mapping[str, str], _: str, __: tzinfo | None) -> RegradeRequest:
    request, answer = (cells[what][:_REGRADE_REQUESTS_LONGEST] for what in ("request", "answer"))
    return RegradeRequest(request=request, answer=answer, author=cells["author"][:200], date=cells["date"][:60])


REQUESTS = TableForm(
    "regrade requests",
    {
        "student": ("your student id", "student id", "student number", "number", "matrikelnummer", "login", "username", "email", "e mail",
                    "email address", "e mail address", "mail", "e mail adresse", "your name", "name", "id"),
        "lab": ("which lab", "labs", "assignment", "exercise", "task", "aufgabe", "which assignment"),
        "request": ("requests", "question", "reason", "what", "what should be looked at again", "your question", "your request", "why",
                    "text", "message", "begründung", "frage", "anfrage"),
        "answer": ("answers", "reply", "response", "antwort", "decision"),
        "author": ("by", "answered by", "who", "instructor", "grader"),
        "date": ("timestamp", "submitted", "day", "when", "start time", "completion time", "zeitstempel", "datum"),
    },
    ("student", "lab", "request"),
    "date,student,lab,request,answer,author",
    _request,
    lost="this regrade request is on no page",
)  # fmt: skip


# times.csv: when files were handed in, for platforms whose downloads do not say it. Pure, but for reading the file.
#
# It counts only where the platform says nothing. A row that nobody can assign stops nothing: such a file lists whoever the platform lists.


def _time(cells: Mapping[str, str], place: str, zone: tzinfo | None) -> datetime:
    try:
        return moment(cells["at"], zone, favour="early")
    except (UnreadableError, OverflowError) as error:
        raise PolicyError(f"{place}: {error}.") from error


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
    _time,
    lost="this time is not used",
    quiet="at",
)  # fmt: skip
