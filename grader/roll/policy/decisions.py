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
from grader.roll.people.table_text import Table, TableError, file_bytes, heading_word, read_table
from grader.roll.policy.course_file import PolicyError, lab_meant
from grader.roll.policy.late_rules import MomentError, moment

_LARGEST = 16 << 20
_MOST_ROWS = 20_000
Value = TypeVar("Value")


@dataclass(frozen=True)
class DecisionRow:
    place: str  # "overrides.csv, line 3"
    cells: Mapping[str, str]  # by what they say; empty where the table has no such column
    labs: Sequence[str]  # the course's
    zone: tzinfo | None  # of times without an offset


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
    """`columns`: what a column says → words that head it, in lower case. `needed`: those that must be there. `read`: what a row says; a
    text is a notice, and none says nothing. It raises PolicyError for a row that must not be passed over.
    """

    what: str  # "overrides"
    columns: Mapping[str, tuple[str, ...]]  # of two columns with one meaning, that counts whose word comes first
    needed: tuple[str, ...]
    example: str  # a first line
    read: Callable[[DecisionRow], Decision[Value] | str | None]


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
    at, unused = _columns(table, name, form)
    if len(table.rows) > _MOST_ROWS:
        raise PolicyError(f"{name}: it has more than {_MOST_ROWS} rows. Is it the right file?")
    rows: list[Decision[Value]] = []
    notices = [f"{name}: columns that are not used: {', '.join(unused)}"] if unused else []
    if table.encoding == "cp1252":
        notices.append(f"{name}: it is not UTF-8 and was read as Windows-1252: look at names with accents")
    for row in table.rows:
        if len(row.cells) > len(table.headings.cells):
            raise PolicyError(
                f"{name}, line {row.line}: it has more cells than the first line. Put a text with a comma into quotation marks, and end no "
                "row with a separator."
            )
        cells = {what: _cell(row.cells[number]) if number < len(row.cells) else "" for what, number in at.items()}
        if not any(cells.values()):
            continue
        said = form.read(
            DecisionRow(f"{name}, line {row.line}", {**dict.fromkeys(form.columns, ""), **cells}, labs, zone)
        )
        if isinstance(said, str):
            notices.append(said)
        elif said is not None:
            rows.append(said)
    return Decisions(tuple(rows), tuple(notices))


def _columns(table: Table, name: str, form: TableForm[Value]) -> tuple[dict[str, int], list[str]]:
    """Where each column is, and the headings that say nothing here."""
    at: dict[str, int] = {}
    unused: list[str] = []
    words = [heading_word(one) for one in table.headings.cells]
    for number, word in enumerate(words):
        what = _meaning(word, form)
        if not what:
            unused += [repr(table.headings.cells[number].strip()[:40])] if word else []
        elif what not in at or _rank(word, what, form) < _rank(words[at[what]], what, form):
            unused += [repr(table.headings.cells[at[what]].strip()[:40])] if what in at else []
            at[what] = number
        else:
            unused.append(repr(table.headings.cells[number].strip()[:40]))
    if missing := [one for one in form.needed if one not in at]:
        raise PolicyError(
            f"{name}, line {table.headings.line}: no column is headed {' or '.join(map(repr, missing))}. The first line is, for instance, "
            f"{form.example}."
        )
    return at, unused


def _meaning(word: str, form: TableForm[Value]) -> str:
    return next((what for what, words in form.columns.items() if word == what or word in words), "")


def _rank(word: str, what: str, form: TableForm[Value]) -> int:
    """The smaller, the surer does the word mean it. Our own word comes first."""
    return (what, *form.columns[what]).index(word)


def _cell(cell: str) -> str:
    """Without control characters, and without what keeps a spreadsheet from computing: `="0042"`, and the `'` before a formula."""
    text = "".join(
        one if one.isprintable() or one == "\n" else " " for one in cell.replace("\r\n", "\n").replace("\r", "\n")
    ).strip()
    if found := re.fullmatch(r'="([^"]*)"', text):
        text = found[1].strip()
    return text[1:] if re.match(r"'[=+\-@]", text) else text


# overrides.csv: points that a person decided for a student's lab. They stand whatever a grading finds. Pure, but for reading the file.
#
# Two rows for one lab of one student are refused: nobody could see later which of them was meant.

_LONGEST = {"reason": 2000, "author": 200, "date": 60}


def _override(row: DecisionRow) -> Decision[Override]:
    cells = row.cells
    for what in ("student", "lab", "points", "reason", "author"):
        if not cells[what]:
            remedy = "Write why, for the student reads it" if what == "reason" else "Fill it in, or remove the row"
            raise PolicyError(f"{row.place}: the {what} is missing. {remedy}.")
    for what, most in _LONGEST.items():
        if len(cells[what]) > most:
            raise PolicyError(f"{row.place}: the {what} has more than {most} letters. Shorten it.")
    points = points_in(cells["points"], row.place)
    override = Override(points=points, reason=cells["reason"], author=cells["author"], date=cells["date"])
    return Decision(cells["student"], lab_meant(cells["lab"], row.labs, row.place), override, row.place)


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


def _request(row: DecisionRow) -> Decision[RegradeRequest] | str:
    cells = {what: text[:_REGRADE_REQUESTS_LONGEST] for what, text in row.cells.items()}
    if missing := next((what for what in ("student", "lab", "request") if not cells[what]), ""):
        return f"{row.place}: the {missing} is missing, so this regrade request is on no page. Fill it in"
    try:
        lab = lab_meant(cells["lab"], row.labs, row.place)
    except PolicyError as error:
        return f"{str(error).removesuffix('.')}: this regrade request is on no page"
    request = RegradeRequest(
        request=cells["request"], answer=cells["answer"], author=cells["author"][:200], date=cells["date"][:60]
    )
    return Decision(cells["student"], lab, request, row.place)


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
)  # fmt: skip


# times.csv: when files were handed in, for platforms whose downloads do not say it. Pure, but for reading the file.
#
# It counts only where the platform says nothing. A row that nobody can assign stops nothing: such a file lists whoever the platform lists.


def _time(row: DecisionRow) -> Decision[datetime] | str | None:
    if not row.cells["at"]:  # nothing was handed in
        return None
    if not row.cells["student"]:
        return f"{row.place}: the student is missing, so this time is nobody's"
    try:
        lab = lab_meant(row.cells["lab"], row.labs, row.place)
    except PolicyError as error:
        return f"{str(error).removesuffix('.')}: this time is not used"
    try:
        at = moment(row.cells["at"], row.zone, favour="early")
    except (MomentError, OverflowError) as error:
        raise PolicyError(f"{row.place}: {error}.") from error
    return Decision(row.cells["student"], lab, at, row.place)


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
)  # fmt: skip
