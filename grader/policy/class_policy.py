"""A course's policy for the students of one batch: who is meant by each row, and which deadline holds for whom. Pure.

An override or extension of somebody whom nobody knows stops the batch where a roster says who is in the course. Without one, the
student may only not be in this batch, so it is told as the first thing to look at. So is one that may be several students': any of them
may have chosen the other's name, which must not stop a batch.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from grader.model.labs import Lab
from grader.model.result import Submission
from grader.model.standing import Override, RegradeRequest
from grader.people.identities import Identities
from grader.people.name_forms import shown, some
from grader.people.person_keys import plain
from grader.policy.course_file import CourseFile, Extension, PolicyError
from grader.policy.moments import days_later, shown_time
from grader.policy.person_index import AmbiguousError, PersonIndex
from grader.policy.policy_files import CoursePolicy

_DUST = 1e-9
_MOST_NAMED = 30  # lines in one sentence
_Row = TypeVar("_Row")


@dataclass(frozen=True)
class Due:
    """When a student has to hand in a lab."""

    at: datetime | None = None  # none: there is no deadline
    before: datetime | None = None  # without the extension; none: there is no extension
    reason: str = ""  # of the extension


@dataclass(frozen=True)
class ClassPolicy:
    """By a student's id and a lab's id."""

    course: CourseFile = field(default_factory=CourseFile)
    extensions: Mapping[tuple[str, str], Extension] = field(default_factory=dict)
    overrides: Mapping[tuple[str, str], Override] = field(default_factory=dict)
    requests: Mapping[tuple[str, str], tuple[RegradeRequest, ...]] = field(default_factory=dict)
    times: Mapping[tuple[str, str], datetime] = field(
        default_factory=dict
    )  # of files that the platform says nothing of
    notices: tuple[str, ...] = ()
    alarms: tuple[str, ...] = ()

    def due(self, submission: Submission, lab: str) -> Due:
        usual = usual_deadline(self.course, submission.student.section, lab)
        extension = self.extensions.get((submission.id, lab))
        if extension is None:
            return Due(usual)
        if extension.until is not None:
            return Due(extension.until, usual, extension.reason)
        extended = None if usual is None else days_later(usual, extension.days, self.course.zone)
        return Due(extended, usual, extension.reason)


def usual_deadline(course: CourseFile, section: str, lab: str) -> datetime | None:
    """The section's; else the one for everybody. Of a student in several sections, as Canvas writes "A and B", the latest."""
    names = [section, *section.replace(",", " and ").split(" and ")]
    found = [times[lab] for one in names if lab in (times := course.sections.get(plain(one), {}))]
    return max(found) if found else course.deadlines.get(lab)


def class_policy(
    policy: CoursePolicy,
    submissions: Sequence[Submission],
    labs: Sequence[Lab],
    book: Identities,
    rostered: Collection[str] | None = None,
) -> ClassPolicy:
    """`labs`: of this batch; `rostered`: the ids of those in the roster, none without one. Raises PolicyError with the first lines that
    cannot be used.
    """
    index = PersonIndex(submissions, book, rostered)
    return _Reader(policy, submissions, labs, index, rostered is not None).read()


@dataclass
class _Reader:
    policy: CoursePolicy
    submissions: Sequence[Submission]
    labs: Sequence[Lab]
    index: PersonIndex
    has_roster: bool
    wrong: list[str] = field(default_factory=list)
    nobody: list[str] = field(
        default_factory=list
    )  # rows that mean no student, where nobody knows who is in the course
    unclear: list[str] = field(default_factory=list)  # rows that may mean several
    notices: list[str] = field(default_factory=list)

    def read(self) -> ClassPolicy:
        course = self.policy.course
        by_id = {one.id: one for one in self.submissions}
        overrides = self._overrides()
        extensions = self._once([(one.student, one.lab, one.place, one) for one in course.extensions], "extensions")
        requests: dict[tuple[str, str], tuple[RegradeRequest, ...]] = {}
        for row in self.policy.requests.rows:
            if (student := self._asker(row.student, row.place)) is not None:
                requests[student, row.lab] = (*requests.get((student, row.lab), ()), row.request)
        for (student, lab), one in extensions.items():
            self._check_extension(one, by_id.get(student), lab)
        if self.wrong:
            more = f" There are {len(self.wrong) - 10} more such lines." if len(self.wrong) > 10 else ""  # noqa: PLR2004 -- a screen holds so many
            message = f"{' '.join(self.wrong[:10])}{more} Nothing was graded and nothing was changed."
            raise PolicyError(message)
        self.notices += [*self.policy.notices, *self._sections()]
        times = self._times()
        return ClassPolicy(course, extensions, overrides, requests, times, tuple(self.notices), tuple(self._alarms()))

    def _alarms(self) -> Iterator[str]:
        if self.nobody:
            more = f" and {len(self.nobody) - _MOST_NAMED} more" if len(self.nobody) > _MOST_NAMED else ""
            yield (
                f"nobody among the submissions is meant by these rows, so they do nothing: {', '.join(self.nobody[:_MOST_NAMED])}{more}. "
                "Correct the names, or give a roster (ROSTER=roster.csv) if these students have handed in nothing yet"
            )

        if self.unclear:
            more = f"; and {len(self.unclear) - _MOST_NAMED} more" if len(self.unclear) > _MOST_NAMED else ""
            yield f"these rows may mean several students, so they do nothing: {'; '.join(self.unclear[:_MOST_NAMED])}{more}"

    def _times(self) -> dict[tuple[str, str], datetime]:
        """Of several times of one file, the latest."""
        found: dict[tuple[str, str], datetime] = {}
        unknown = []
        for row in self.policy.times.rows:
            try:
                meant = self.index.find(row.student)
            except AmbiguousError as error:
                self.notices.append(f"{row.place}: {error}")
                continue
            if meant is None:
                unknown.append(row.place)
            else:
                key = (meant.id, row.lab)
                found[key] = max(row.at, found.get(key, row.at))
        if unknown:
            self.notices.append(
                f"{len(unknown)} of the times are of students who are not in this batch: {some(unknown)}"
            )
        return found

    def _overrides(self) -> dict[tuple[str, str], Override]:
        most = {lab.id: _most(lab) for lab in self.labs}
        rows = self.policy.overrides.rows
        for row in rows:
            if row.override.points > most.get(row.lab, row.override.points) + _DUST:
                self.wrong.append(
                    f"{row.place}: {row.override.points:g} points are more than {row.lab} has ({most[row.lab]:g}). Correct the "
                    "number, or the lab's points."
                )
        found = self._once([(one.student, one.lab, one.place, one) for one in rows], "overrides")
        return {key: row.override for key, row in found.items()}

    def _once(self, rows: Sequence[tuple[str, str, str, _Row]], what: str) -> dict[tuple[str, str], _Row]:
        """By student and lab. Two rows for the same are wrong."""
        found: dict[tuple[str, str], _Row] = {}
        places: dict[tuple[str, str], str] = {}
        for word, lab, place, one in rows:
            student = self._student(word, place)
            if student is None:
                continue
            key = (student, lab)
            if key in found:
                self.wrong.append(
                    f"{place}: {student} has two {what} for {lab}, the other one in {places[key]}. Remove one of them."
                )
                continue
            found[key], places[key] = one, place
        return found

    def _student(self, word: str, place: str) -> str | None:
        """None: nobody is meant, which has been said."""
        try:
            meant = self.index.find(word)
        except AmbiguousError as error:
            self.unclear.append(f"{place}: {error}")
            return None
        if meant is not None:
            return meant.id
        if self.has_roster:
            self.wrong.append(
                f"{place}: nobody in the roster or among the submissions is {shown(word)}. Correct the name, or remove the row."
            )
        else:
            self.nobody.append(f"{place} ({shown(word)})")
        return None

    def _asker(self, word: str, place: str) -> str | None:
        try:
            meant = self.index.find(word)
        except AmbiguousError as error:
            self.notices.append(f"{place}: {error}")
            return None
        if meant is None:
            self.notices.append(
                f"{place}: a regrade request of {word!r}, who is not in this batch, is on no page. Write the id, login or number"
            )
        return None if meant is None else meant.id

    def _check_extension(self, extension: Extension, submission: Submission | None, lab: str) -> None:
        if submission is None:
            return
        usual = usual_deadline(self.policy.course, submission.student.section, lab)
        if usual is None and extension.until is None:
            self.wrong.append(
                f"{extension.place}: {submission.id} has no deadline for {lab} that days could be added to. Write `until`."
            )
        if usual is not None and extension.until is not None and extension.until < usual:
            zone = self.policy.course.zone
            self.wrong.append(
                f"{extension.place}: {shown_time(extension.until, zone)} is before the deadline of {submission.id}, "
                f"{shown_time(usual, zone)}. Correct the time."
            )

    def _sections(self) -> Iterator[str]:
        """Sections that one of the two sides does not know."""
        course = self.policy.course
        if not course.sections:
            return
        there = {plain(part) for one in self.submissions for part in _parts(one.student.section)}
        if unknown := [name for key, name in course.section_names.items() if key not in there]:
            yield f"{course.name}: no student of this batch is in section {some(map(repr, unknown))}"
        without = [
            one.id
            for one in self.submissions
            if any(
                course.has_deadlines(lab.id) and usual_deadline(course, one.student.section, lab.id) is None
                for lab in self.labs
            )
        ]
        if without:
            yield (
                f"{course.name}: no deadline holds for {len(without)} students, whose section has none ({some(without)}): add their "
                "section, or one for everybody to [deadlines]. Until then nothing of theirs is late"
            )


def _parts(section: str) -> list[str]:
    return [section, *section.replace(",", " and ").split(" and ")] if section else []


def _most(lab: Lab) -> float:
    """The most points that a lab may have, however it is assessed."""
    return sum(case.points for case in lab.cases) + (lab.private.performance_points if lab.private else 0)
