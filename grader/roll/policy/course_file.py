"""Reads course.toml: a course's deadlines, its rules for lateness, extensions, and which attempt counts.

What is wrong in it is refused before anything is graded, with the place and what to write instead. docs/policy.md describes the file.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from grader.model.errors import RemediableError
from grader.roll.people.person_keys import plain
from grader.roll.people.table_text import file_bytes
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
    first = error.errors()[0]
    place = ".".join(f"entry {one + 1}" if isinstance(one, int) else str(one) for one in first["loc"])
    if first["type"] == "value_error":
        return f"{first['ctx']['error']}."
    if first["type"] == "extra_forbidden":
        return f"`{place}` is not known here. docs/policy.md lists what may be written."
    return f"`{place}` is missing." if first["type"] == "missing" else f"`{place}`: {first['msg']}."
