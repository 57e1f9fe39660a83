"""Reads the files of a course's policy: course.toml with its deadlines, its rules for lateness, extensions, and which attempt counts; and
the tables beside it. What is wrong in one is refused before anything is graded, with the place and what to write instead. docs/policy.md
describes them.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from grader.model.errors import RemediableError
from grader.model.labs import what_is_wrong
from grader.model.result import Override, RegradeRequest
from grader.roll.people.identities import plain
from grader.roll.people.table_text import TableError, cell_text, columns_in, file_bytes, heading_word, read_table
from grader.roll.policy.late_rules import Amount, LateRules, UnreadableError, amount, moment, strange_hour, zone_named

_LARGEST = 4 << 20
_MOST_DAYS = 1000
Attempts = Literal["latest", "best", "before-deadline"]


class PolicyError(RemediableError):
    """A file of the course's policy cannot be used. The text says where, and what to do."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class _Late(_Part):
    days: int = Field(default=0, ge=0, le=_MOST_DAYS)
    days_per_lab: int | None = Field(default=None, ge=0, le=_MOST_DAYS)
    penalty: Annotated[Amount, BeforeValidator(amount)] = Amount()
    each: Literal["day", "hour"] = "day"
    at_most: Annotated[Amount | None, BeforeValidator(amount)] = None
    grace_minutes: int = Field(default=0, ge=0, le=7 * 24 * 60)
    closed_after_days: int | None = Field(default=None, ge=0, le=_MOST_DAYS)
    also_in: list[str] = Field(default_factory=list, max_length=200)


class _Extension(_Part):
    student: str = Field(min_length=1, max_length=200)
    lab: str = Field(min_length=1, max_length=200)
    until: Any = None
    days: int | None = Field(default=None, ge=1, le=_MOST_DAYS)
    reason: str = Field(min_length=1, max_length=1000)


class _Course(_Part):
    time_zone: str = ""
    attempts: Attempts = "latest"
    deadlines: dict[str, Any] = Field(default_factory=dict)
    sections: dict[str, dict[str, Any]] = Field(default_factory=dict)
    late: _Late = _Late()
    extension: list[_Extension] = Field(default_factory=list)


@dataclass(frozen=True)
class Extension:
    """A later deadline of one student for one lab: a moment, or so many days after the one that holds for the others."""

    student: str  # as it is written: an id, a login, a number or an address
    lab: str
    reason: str
    place: str  # for messages: "course.toml, line 12"
    until: datetime | None = None
    days: int = 0


@dataclass(frozen=True)
class CourseFile:
    """Moments are in UTC."""

    name: str = "course.toml"
    zone: tzinfo | None = None
    attempts: Attempts = "latest"
    deadlines: Mapping[str, datetime] = field(default_factory=dict)  # by lab, for everybody
    # By a section's plain form, then by lab.
    sections: Mapping[str, Mapping[str, datetime]] = field(default_factory=dict)
    section_names: Mapping[str, str] = field(default_factory=dict)  # as they are written
    late: LateRules = field(default_factory=LateRules)
    extensions: tuple[Extension, ...] = ()
    also_in: tuple[str, ...] = ()  # other OUT folders in which late days of the term were spent; may hold a *
    notices: tuple[str, ...] = ()

    def has_deadlines(self, lab: str) -> bool:
        return lab in self.deadlines or any(lab in one for one in self.sections.values())


def read_course(path: Path, labs: Sequence[str]) -> CourseFile:
    """`labs`: the course's. Raises PolicyError."""
    data = file_bytes(path, _LARGEST, "course.toml", "Name a file, as in COURSE=course.toml.", PolicyError)
    course = course_in(data, path.name, labs)
    return replace(course, also_in=tuple(str(path.parent / Path(one).expanduser()) for one in course.also_in))


def course_in(data: bytes, name: str, labs: Sequence[str]) -> CourseFile:
    """`name`: the file, for messages. Raises PolicyError."""
    try:
        text = data.decode("utf-8-sig")
        read = _Course.model_validate(tomllib.loads(text))
    except UnicodeDecodeError as error:
        raise PolicyError(f"{name}: this is not UTF-8: save it as UTF-8.") from error
    except tomllib.TOMLDecodeError as error:
        raise PolicyError(
            f'{name}: {error}. Times and percentages stand in quotation marks: "2026-10-19 23:59", "10%".'
        ) from error
    except (ValidationError, RecursionError) as error:
        raise PolicyError(f"{name}: {_sentence(error)}") from error
    try:
        return _Reader(name, text, labs).course(read)
    except (UnreadableError, OverflowError) as error:
        raise PolicyError(f"{name}: {error}.") from error


@dataclass
class _Reader:
    name: str
    text: str
    labs: Sequence[str]
    notices: list[str] = field(default_factory=list)

    def course(self, read: _Course) -> CourseFile:
        zone = zone_named(read.time_zone) if read.time_zone else None
        sections = {plain(one): self._times(times, zone, f"sections.{one}") for one, times in read.sections.items()}
        if len(sections) < len(read.sections):
            names = ", ".join(read.sections)
            raise PolicyError(f"{self.name}: two sections have one name, apart from capital letters: {names}.")
        course = CourseFile(
            name=self.name,
            zone=zone,
            attempts=read.attempts,
            deadlines=self._times(read.deadlines, zone, "deadlines"),
            sections=sections,
            section_names={plain(one): one for one in read.sections},
            late=self._late(read.late, zone),
            extensions=tuple(self._extensions(read.extension, zone)),
            also_in=tuple(read.late.also_in),
        )
        for one in course.extensions:
            if not course.has_deadlines(one.lab):
                raise PolicyError(
                    f"{one.place}: {one.lab} has no deadline, so none can be extended. Add it to [deadlines]."
                )
        if course.attempts == "before-deadline" and not (course.deadlines or course.sections):
            self.notices.append('attempts = "before-deadline" has no effect, because there is no deadline')
        return replace(course, notices=tuple(f"{self.name}: {one}" for one in self.notices))

    def _times(self, times: Mapping[str, object], zone: tzinfo | None, where: str) -> dict[str, datetime]:
        found: dict[str, datetime] = {}
        for word, value in times.items():
            lab = lab_meant(word, self.labs, f"{self.name}, [{where}]")
            if lab in found:
                raise PolicyError(f"{self.name}, [{where}]: {lab} has two deadlines here. Remove one.")
            try:
                found[lab] = moment(value, zone)
                strange = strange_hour(value, zone)
            except (UnreadableError, OverflowError) as error:
                raise PolicyError(f"{self.name}, [{where}], {word}: {error}.") from error
            self.notices += [f"{lab}: {strange}"] if strange else []
        return found

    def _late(self, read: _Late, zone: tzinfo | None) -> LateRules:
        own = dict(read)
        grace = timedelta(minutes=own.pop("grace_minutes"))
        del own["also_in"]
        late = LateRules(**own, grace=grace, zone=zone)
        if late.days and not late.cost_something:
            nothing = "being late costs nothing: set penalty or closed_after_days"
            self.notices.append(f"late days have no effect, because {nothing}")
        return late

    def _extensions(self, read: Sequence[_Extension], zone: tzinfo | None) -> Iterator[Extension]:
        begin = re.compile(r"\s*\[\[\s*extension\s*\]\]")
        lines = [number for number, line in enumerate(self.text.splitlines(), 1) if begin.match(line)]
        for number, one in enumerate(read):
            where = f"line {lines[number]}" if len(lines) == len(read) else f"extension {number + 1}"
            place = f"{self.name}, {where}"
            if (one.until is None) == (one.days is None):
                raise PolicyError(f"{place}: write either `until` or `days`, for {one.student!r}.")
            try:
                until = None if one.until is None else moment(one.until, zone)
            except (UnreadableError, OverflowError) as error:
                raise PolicyError(f"{place}: {error}.") from error
            lab = lab_meant(one.lab, self.labs, place)
            yield Extension(one.student, lab, one.reason.strip(), place, until, one.days or 0)


def lab_meant(word: str, labs: Sequence[str], place: str) -> str:
    """The lab that a person's `word` names: its id, or a part that no other lab's id has. Raises PolicyError."""
    wanted = word.strip().casefold()
    like = [one for one in labs if wanted and wanted in one.casefold()]
    found = [one for one in like if one.casefold() == wanted] or like
    if len(found) == 1:
        return found[0]
    which = f"{word!r} may be {' or '.join(found)}" if found else f"there is no lab {word!r}"
    raise PolicyError(f"{place}: {which}. The labs are: {', '.join(labs)}.")


def _sentence(error: ValidationError | RecursionError) -> str:
    """The first thing that is wrong."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply."
    return what_is_wrong(error, "docs/policy.md")


# Tables that people keep in a spreadsheet or export from a form: rows with known columns, and the line of each. Nothing is dropped: a row
# that cannot be used has a line number for a message.

_LARGEST_TABLE = 16 << 20
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
    data = file_bytes(
        path, _LARGEST_TABLE, f"table of {form.what}", "Correct that, or move the file away.", PolicyError
    )
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


# The files of a course's policy: course.toml, and overrides.csv, regrade.csv and times.csv beside it. Each may be missing.
#
# A file that cannot be understood is refused before anything is graded.

_COURSE = "course.toml"


@dataclass(frozen=True)
class CoursePolicy:
    """What the files say. Students are named there as a person wrote them: class_policy.py finds out who is meant."""

    course: CourseFile = field(default_factory=CourseFile)
    overrides: Decisions[Override] = field(default_factory=Decisions)
    requests: Decisions[RegradeRequest] = field(default_factory=Decisions)
    times: Decisions[datetime] = field(default_factory=Decisions)
    named: str = ""  # the course.toml that was asked for; empty: the course's own

    @property
    def notices(self) -> tuple[str, ...]:
        return (*self.course.notices, *self.overrides.notices, *self.requests.notices, *self.times.notices)


def read_policy(root: Path, labs: Sequence[str], named: Path | None = None) -> CoursePolicy:
    """`root`: the course's folder; `named`: the course.toml that was asked for, or the folder that holds it; `labs`: the course's.
    Raises PolicyError.
    """
    course = root / _COURSE if named is None else named / _COURSE if named.is_dir() else named
    if named is not None and not course.is_file():
        raise PolicyError(f"{course}: there is no such file. Name the course's file, as in COURSE=course.toml.")
    decided = read_course(course, labs) if is_there(course) else CourseFile()
    return CoursePolicy(
        decided,
        read_decisions(course.parent / "overrides.csv", OVERRIDES, labs),
        read_decisions(course.parent / "regrade.csv", REQUESTS, labs),
        read_decisions(course.parent / "times.csv", TIMES, labs, decided.zone),
        "" if named is None else str(course.absolute()),
    )
