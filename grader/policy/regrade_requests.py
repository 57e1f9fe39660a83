"""regrade.csv: what students ask about their grades, as a form exports it, with a column for the answer. Pure, but for reading the file.

A request changes no points. So a row of an unknown student or lab stops nothing: it is told to the instructor.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.model.standing import RegradeRequest
from grader.policy.course_file import PolicyError, lab_meant
from grader.policy.decision_table import DecisionTable, TableForm, decisions_in, read_decisions

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
)  # fmt: skip
_LONGEST = 8000


@dataclass(frozen=True)
class RequestRow:
    student: str  # as it is written
    lab: str
    request: RegradeRequest
    place: str


@dataclass(frozen=True)
class RegradeRequests:
    rows: tuple[RequestRow, ...] = ()
    notices: tuple[str, ...] = ()


def read_requests(path: Path, labs: Sequence[str]) -> RegradeRequests:
    """`labs`: the course's. Raises PolicyError where the table as a whole cannot be read."""
    return _requests(read_decisions(path, REQUESTS), labs)


def requests_in(data: bytes, name: str, labs: Sequence[str]) -> RegradeRequests:
    """The same for a file's bytes."""
    return _requests(decisions_in(data, name, REQUESTS), labs)


def _requests(table: DecisionTable, labs: Sequence[str]) -> RegradeRequests:
    notices = list(table.notices)
    return RegradeRequests(tuple(_rows(table, labs, notices)), tuple(notices))


def _rows(table: DecisionTable, labs: Sequence[str], notices: list[str]) -> Iterator[RequestRow]:
    for row in table.rows:
        cells = {what: text[:_LONGEST] for what, text in row.cells.items()}
        missing = [what for what in ("student", "lab", "request") if not cells[what]]
        if missing:
            notices.append(
                f"{row.place}: the {missing[0]} is missing, so this regrade request is on no page. Fill it in"
            )
            continue
        try:
            lab = lab_meant(cells["lab"], labs, row.place)
        except PolicyError as error:
            notices.append(f"{str(error).removesuffix('.')}: this regrade request is on no page")
            continue
        request = RegradeRequest(
            request=cells["request"], answer=cells["answer"], author=cells["author"][:200], date=cells["date"][:60]
        )
        yield RequestRow(cells["student"], lab, request, row.place)
