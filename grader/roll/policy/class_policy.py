"""A course's policy for the students of one batch: who is meant by each row, and which deadline holds for whom. Pure.

An override or extension of somebody whom nobody knows stops the batch where a roster says who is in the course. Without one, the
student may only not be in this batch, so it is told as the first thing to look at. So is one that may be several students': any of them
may have chosen the other's name, which must not stop a batch.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from itertools import dropwhile
from typing import TypeVar

from grader.model.labs import Lab
from grader.model.result import UNDECIDED, LabResult, Override, RegradeRequest, Result, Standing, Submission
from grader.model.verdicts import Verdict
from grader.model.written_names import exact_form, shown, some
from grader.roll.people.identities import Identities, id_form, keys_of, plain
from grader.roll.policy.course_file import CourseFile, CoursePolicy, Decision, Extension, PolicyError
from grader.roll.policy.grade_history import KeptGrade
from grader.roll.policy.late_rules import Lateness, Work, days_later, handed_in_at, seconds_between, settle, shown_time

# Finds the student whom a person's word means: an id, a number, a login, an address, a platform's id, or the whole name. Pure.
#
# Nothing is guessed. A word that two students have is refused, with their ids. A name that a student chose counts last: it can neither
# take a word from whom the roster or the platform calls so, nor make it unusable.

_Index = dict[str, set[str]]


class AmbiguousError(Exception):
    """The word may mean several students. The text names their ids."""


class PersonIndex:
    """Of the students of a batch, and of those whom `book` knows from earlier ones. `rostered`: the ids of those in the roster; none: there
    is no roster, so ids and names of the platform are the best that anybody knows.
    """

    def __init__(
        self,
        submissions: Iterable[Submission],
        book: Identities | None = None,
        rostered: Collection[str] | None = None,
    ) -> None:
        known = book.all if book is not None else []
        listed = {one.id: one.listed for one in known}
        self._rostered = frozenset(rostered or ())
        here: set[str] = set()
        self._said: _Index = {}
        self._ids: _Index = {}  # those made of a name that the student chose
        self._listed_names: _Index = {}
        self._names: _Index = {}
        self._before: _Index = {}
        for one in submissions:
            name = listed.get(one.id, "") if one.id in self._rostered else ""
            here.add(one.id)
            self._add(self._said, {*(key.value for key in keys_of(one.student)), plain(name)} - {""}, one.id)
            of_roster = one.id in self._rostered and _made_of(one.id, one, name)
            self._add(self._said if rostered is None or of_roster else self._ids, {plain(one.id)}, one.id)
            self._add(self._listed_names, {exact_form(name)} - {""}, one.id)
            if not name:
                shown = {plain(one.name)} if one.id not in self._rostered else set()
                self._add(self._names, {exact_form(one.student.name), *shown} - {""}, one.id)
        for each in known:
            if each.id not in here:
                self._add(self._before, {plain(each.id), *(key.value for key in each.keys)}, each.id)

    @staticmethod
    def _add(index: _Index, keys: Iterable[str], student: str) -> None:
        for key in keys:
            index.setdefault(key, set()).add(student)
            if key.isdecimal():  # a spreadsheet takes the zeros in front away
                index.setdefault(_without_zeros(key), set()).add(student)

    def find(self, word: str) -> str | None:
        """The id, also of somebody whom only an earlier batch knew. None: nobody is meant. Raises AmbiguousError."""
        exact, form = plain(word), exact_form(word)
        said = _of_key(self._said, exact)
        for found in (  # by what is surest first
            said & self._rostered or said,
            _of_key(self._ids, exact),
            self._listed_names.get(form, set()),
            self._names.get(exact, set()) | self._names.get(form, set()),
            _of_key(self._before, exact),
        ):
            if len(found) > 1:
                raise AmbiguousError(f"{word!r} may be {some(sorted(found))}. Write the id that the class page shows")
            if found:
                return next(iter(found))
        return None


def _of_key(index: _Index, key: str) -> set[str]:
    """Also by a number that has lost its zeros. One that still has them is what it is."""
    short = _without_zeros(key) if key.isdecimal() else ""
    exact = index.get(key, set())
    return exact if exact and key.startswith("0") else exact | index.get(short, set())


def _without_zeros(number: str) -> str:
    """With a mark, for another number may be written like this. Of zeros alone, nothing is left that tells of anybody."""
    short = number.lstrip("0")
    return f"\0{short}" if short else number


def _made_of(student: str, submission: Submission, name: str) -> bool:
    """Whether the id follows from what the roster or the platform says, with the number that tells it from an equal one."""
    said = (name, submission.student.login, submission.student.number, submission.student.email)
    forms = {id_form(one).casefold() for one in said if one}
    return bool({student.casefold(), re.sub(r"-\d+$", "", student).casefold()} & forms)


_DUST = 1e-9
_MOST_NAMED = 30  # lines in one sentence
_Row = TypeVar("_Row", Extension, Decision[Override])


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
    # Of files that the platform says nothing of.
    times: Mapping[tuple[str, str], datetime] = field(default_factory=dict)
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
    found = [times[lab] for one in _parts(section) if lab in (times := course.sections.get(plain(one), {}))]
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
    # Rows that mean no student, where nobody knows who is in the course.
    nobody: list[str] = field(default_factory=list)
    unclear: list[str] = field(default_factory=list)  # rows that may mean several
    notices: list[str] = field(default_factory=list)

    def read(self) -> ClassPolicy:
        course = self.policy.course
        by_id = {one.id: one for one in self.submissions}
        overrides = self._overrides()
        extensions = self._once(course.extensions, "extensions")
        requests: dict[tuple[str, str], tuple[RegradeRequest, ...]] = {}
        for row in self.policy.requests.rows:
            student, sure = self._meant(row.student, row.place, self.notices)
            if student is None and sure:
                whose = f"a regrade request of {row.student!r}, who is not in this batch, is on no page"
                self.notices.append(f"{row.place}: {whose}. Write the id, login or number")
            elif student is not None:
                requests[student, row.lab] = (*requests.get((student, row.lab), ()), row.value)
        for (student, lab), one in extensions.items():
            self._check_extension(one, by_id.get(student), lab)
        if self.wrong:
            more = f" There are {len(self.wrong) - 10} more such lines." if len(self.wrong) > 10 else ""  # noqa: PLR2004 -- a screen holds so many
            raise PolicyError(f"{' '.join(self.wrong[:10])}{more} Nothing was graded and nothing was changed.")
        self.notices += [*self.policy.notices, *self._sections()]
        times = self._times()
        return ClassPolicy(course, extensions, overrides, requests, times, tuple(self.notices), tuple(self._alarms()))

    def _alarms(self) -> Iterator[str]:
        if self.nobody:
            yield (
                f"these rows name no student of the submissions, so they do nothing: {_named(self.nobody, ',')}. "
                "Correct the names, or give a roster (ROSTER=roster.csv) if these students have handed in nothing yet"
            )
        if self.unclear:
            yield f"these rows may mean several students, so they do nothing: {_named(self.unclear, ';')}"

    def _times(self) -> dict[tuple[str, str], datetime]:
        """Of several times of one file, the latest."""
        found: dict[tuple[str, str], datetime] = {}
        unknown = []
        for row in self.policy.times.rows:
            student, sure = self._meant(row.student, row.place, self.notices)
            if student is not None:
                found[student, row.lab] = max(row.value, found.get((student, row.lab), row.value))
            elif sure:
                unknown.append(row.place)
        said = f"{len(unknown)} of the times are of students who are not in this batch: {some(unknown)}"
        self.notices += [said] if unknown else []
        return found

    def _overrides(self) -> dict[tuple[str, str], Override]:
        most = {  # however a lab is assessed
            lab.id: sum(case.points for case in lab.cases) + (lab.private.performance_points if lab.private else 0)
            for lab in self.labs
        }
        rows = self.policy.overrides.rows
        for row in rows:
            points = row.value.points
            if points > most.get(row.lab, points) + _DUST:
                more = f"{points:g} points are more than {row.lab} has ({most[row.lab]:g})"
                self.wrong.append(f"{row.place}: {more}. Correct the number, or the lab's points.")
        return {key: row.value for key, row in self._once(rows, "overrides").items()}

    def _once(self, rows: Sequence[_Row], what: str) -> dict[tuple[str, str], _Row]:
        """By student and lab. Two rows for the same are wrong."""
        found: dict[tuple[str, str], _Row] = {}
        for one in rows:
            if (student := self._student(one.student, one.place)) is None:
                continue
            first = found.setdefault((student, one.lab), one)
            if first is not one:
                self.wrong.append(
                    f"{one.place}: {student} has two {what} for {one.lab}, the other one in {first.place}. Remove one of them."
                )
        return found

    def _meant(self, word: str, place: str, unclear: list[str]) -> tuple[str | None, bool]:
        """Whom a row means, and whether that is sure; what is not goes into `unclear`."""
        try:
            return self.index.find(word), True
        except AmbiguousError as error:
            unclear.append(f"{place}: {error}")
            return None, False

    def _student(self, word: str, place: str) -> str | None:
        """None: nobody is meant, which has been said."""
        student, sure = self._meant(word, place, self.unclear)
        if student is None and sure and self.has_roster:
            who = f"no student in the roster or among the submissions is {shown(word)}"
            self.wrong.append(f"{place}: {who}. Correct the name, or remove the row.")
        elif student is None and sure:
            self.nobody.append(f"{place} ({shown(word)})")
        return student

    def _check_extension(self, extension: Extension, submission: Submission | None, lab: str) -> None:
        if submission is None:
            return
        usual = usual_deadline(self.policy.course, submission.student.section, lab)
        zone, why = self.policy.course.zone, ""
        if usual is None and extension.until is None:
            why = f"{submission.id} has no deadline for {lab} that days could be added to. Write `until`."
        elif usual is not None and extension.until is not None and extension.until < usual:
            until, due = shown_time(extension.until, zone), shown_time(usual, zone)
            why = f"{until} is before the deadline of {submission.id}, {due}. Correct the time."
        self.wrong += [f"{extension.place}: {why}"] if why else []

    def _sections(self) -> Iterator[str]:
        """Sections that one of the two sides does not know."""
        course = self.policy.course
        if not course.sections:
            return
        there = {plain(part) for one in self.submissions for part in _parts(one.student.section)}
        if unknown := [name for key, name in course.section_names.items() if key not in there]:
            yield f"{course.name}: no student of this batch is in section {some(map(repr, unknown))}"
        timed = [lab.id for lab in self.labs if course.has_deadlines(lab.id)]
        missing = [
            (one.id, usual_deadline(course, one.student.section, lab)) for one in self.submissions for lab in timed
        ]
        if without := list(dict.fromkeys(student for student, due in missing if due is None)):
            yield (
                f"{course.name}: no deadline holds for {len(without)} students, whose section has none ({some(without)}): add their "
                "section, or one for everybody to [deadlines]. Until then nothing of theirs is late"
            )


def _named(rows: Sequence[str], mark: str) -> str:
    more = len(rows) - _MOST_NAMED
    end = f"{mark if mark != ',' else ''} and {more} more" if more > 0 else ""
    return f"{mark} ".join(rows[:_MOST_NAMED]) + end


def _parts(section: str) -> list[str]:
    return [section, *section.replace(",", " and ").split(" and ")] if section else []


# Applies a course's policy to the results of a class: late work, extensions, overrides, and labs whose deadline is still to come. Pure.
#
# What judging found stays beside it, in `standing`. Where there is no policy, a result stays as it was.


_SAME = 1e-6


@dataclass(frozen=True)
class Candidate:
    """One attempt at a lab, as it was scored. It may count."""

    found: LabResult
    at: datetime | None = None  # when it was handed in, as far as the platform says
    said_late: bool = False  # it says only that it was late
    attempt: int = -1  # which of the student's; -1: nobody knows


@dataclass(frozen=True)
class Applied:
    results: tuple[Result, ...]
    notices: tuple[str, ...] = ()
    chosen: Mapping[tuple[str, str], Candidate] = field(default_factory=dict)  # which one counts


Candidates = Mapping[tuple[str, str], Sequence[Candidate]]  # by a student's id and a lab's, the earliest first


def apply_policy(
    results: Sequence[Result],
    policy: ClassPolicy,
    candidates: Candidates,
    now: datetime,
    earlier: Mapping[str, Mapping[str, KeptGrade]] | None = None,
) -> Applied:
    """`candidates`: what may count, where that is not what the results hold, of which nobody knows the time. `earlier`: by student and lab,
    what this batch does not grade: it may have taken late days.
    """
    chosen: dict[tuple[str, str], Candidate] = {}
    told: dict[str, dict[str, None]] = {kind: {} for kind in _NOTICES}
    students = [_Student(one, policy, candidates, now, told, chosen) for one in results]
    applied = tuple(one.applied((earlier or {}).get(one.result.submission.id, {})) for one in students)
    clock = shown_time(now, policy.course.zone)
    said = [(_NOTICES[kind], whose) for kind, whose in told.items() if whose]
    notices = [words.format(some=some(whose), count=len(whose), now=clock) for words, whose in said]
    return Applied(applied, tuple(f"{policy.course.name}: {one}" for one in notices), chosen)


# What the instructor has to know, with the students and labs concerned.
_NOTICES = {
    "unknown": "nothing says when these were handed in, so they are not late: {some} ({count} in all)",
    "said late": "the platform marks these as late and does not say how late, so they lose nothing: {some} ({count} in all). An override "
    "can take points",
    "ahead": "these were handed in after now, {now}: {some}. Is the clock of this machine right?",
    "moved": "late days are spent otherwise than when these were graded: {some}. Grade their labs again",
}


@dataclass(frozen=True)
class _Student:
    """One result on its way: each lab's deadline, and what being late costs."""

    result: Result
    policy: ClassPolicy
    candidates: Candidates
    now: datetime
    told: Mapping[str, dict[str, None]]
    chosen: dict[tuple[str, str], Candidate]

    def applied(self, earlier: Mapping[str, KeptGrade]) -> Result:
        labs = self.result.labs
        works = {lab: [self._work(lab, one) for one in self._of(lab)] for lab in labs}
        old = {lab: [self._earlier_work(lab, one)] for lab, one in earlier.items()}
        settled = settle({**works, **old}, self.policy.course.late)
        for lab, known in earlier.items():
            points = known.judged - settled[lab].lost
            if old[lab][0].counts and known.points is not None and abs(points - known.points) > _SAME:
                self.told["moved"][f"{self._id} {lab}"] = None
        counted = {lab: self._counted(lab, settled[lab]) for lab in labs}
        total = round(sum(one.points for one in counted.values()), 6)
        return self.result.model_copy(update={"labs": counted, "total": total})

    @property
    def _id(self) -> str:
        return self.result.submission.id

    def _due(self, lab: str) -> Due:
        return self.policy.due(self.result.submission, lab)

    def _of(self, lab: str) -> Sequence[Candidate]:
        return self.candidates.get((self._id, lab)) or [Candidate(self.result.labs[lab])]

    def _work(self, lab: str, one: Candidate) -> Work:
        counts = one.found.verdict not in UNDECIDED and (self._id, lab) not in self.policy.overrides
        return Work(one.found.points, one.found.max_points, self._due(lab).at, one.at, counts)

    def _choose(self, lab: str, settled: Lateness) -> Candidate:
        """The best; but where we failed at one that may be better, that one, and nothing is decided yet."""
        candidates, number = self._of(lab), settled.chosen
        best = candidates[number].found.points - settled.lost
        open_ones = [at for at, one in enumerate(candidates) if one.found.verdict in UNDECIDED]
        if open_ones and best < candidates[number].found.max_points:
            number = open_ones[-1]
        self.chosen[self._id, lab] = candidates[number]
        return candidates[number]

    def _earlier_work(self, lab: str, known: KeptGrade) -> Work:
        at = handed_in_at(known.at, self.policy.course.zone)
        counts = known.verdict not in UNDECIDED and (self._id, lab) not in self.policy.overrides
        return Work(known.judged, known.most, self._due(lab).at, at, counts)

    def _counted(self, lab: str, settled: Lateness) -> LabResult:
        """The lab with the points that count, and what was asked about it."""
        requests = self.policy.requests.get((self._id, lab), ())
        one = self._choose(lab, settled)
        found = one.found
        if found.verdict in UNDECIDED:
            settled = Lateness(days_left=settled.days_left)
        standing = self._standing(lab, one, settled)
        if standing is None:
            return found.model_copy(update={"requests": requests}) if requests else found
        self._tell(lab, standing, one.at)
        points = standing.override.points if standing.override is not None else round(found.points - standing.lost, 6)
        return found.model_copy(update={"points": points, "standing": standing, "requests": requests})

    def _standing(self, lab: str, one: Candidate, late: Lateness) -> Standing | None:
        """None: no policy says anything about this lab."""
        due, override = self._due(lab), self.policy.overrides.get((self._id, lab))
        found = one.found
        if due.at is None and override is None:
            return None
        rules, zone = self.policy.course.late, self.policy.course.zone
        nothing = found.verdict is Verdict.MISSING_FILE
        seconds = 0 if nothing else self._seconds(due.at, one.at)
        unknown = not nothing and due.at is not None and one.at is None
        has_days = rules.days > 0 and rules.cost_something and due.at is not None
        return Standing(
            judged_points=found.points,
            at="" if one.at is None or nothing else _text(one.at, zone),
            due=_text(due.at, zone) if due.at is not None else "",
            extended_from=_text(due.before, zone) if due.before is not None else "",
            extension=due.reason,
            late_seconds=seconds,
            late=duration(seconds),
            late_days=late.days,
            days_spent=late.spent,
            days_left=late.days_left if has_days else None,
            lost=late.lost,
            closed=late.closed,
            open=nothing and override is None and due.at is not None and self.now <= due.at + rules.grace,
            time_unknown=unknown,
            said_late=unknown and one.said_late,
            override=override,
        )

    def _seconds(self, due: datetime | None, at: datetime | None) -> int:
        """How late it was, whether or not that costs anything."""
        if due is None or at is None or at <= due + self.policy.course.late.grace:
            return 0
        return math.ceil(seconds_between(due, at))

    def _tell(self, lab: str, standing: Standing, at: datetime | None) -> None:
        what, course = f"{self._id} {lab}", self.policy.course
        matters = standing.override is None and (course.late.cost_something or course.attempts == "before-deadline")
        if matters and standing.said_late:
            self.told["said late"][what] = None
        elif matters and standing.time_unknown:
            self.told["unknown"][what] = None
        if at is not None and at > self.now:
            self.told["ahead"][what] = None


def _text(value: datetime, zone: tzinfo | None) -> str:
    """ISO 8601 in the course's time zone; without one, in UTC."""
    return (value if zone is None else value.astimezone(zone)).isoformat()


def duration(seconds: int) -> str:
    """The two largest units: "1 day 2 hours", "1 second"."""
    days, rest = divmod(seconds, 86_400)
    hours, rest = divmod(rest, 3600)
    minutes, rest = divmod(rest, 60)
    units = [(days, "day"), (hours, "hour"), (minutes, "minute"), (rest, "second")]
    largest = list(dropwhile(lambda unit: not unit[0], units))[:2]
    return " ".join(f"{count} {name}{'s' if count > 1 else ''}" for count, name in largest if count)
