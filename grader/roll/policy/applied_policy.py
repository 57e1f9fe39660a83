"""Applies a course's policy to the results of a class: late work, extensions, overrides, and labs whose deadline is still to come. Pure.

What judging found stays beside it, in `standing`. Where there is no policy, a result stays as it was.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from itertools import dropwhile

from grader.model.result import UNDECIDED, LabResult, Result, Standing
from grader.model.verdicts import Verdict
from grader.model.written_names import some
from grader.roll.policy.class_policy import ClassPolicy, Due
from grader.roll.policy.grade_history import KeptGrade
from grader.roll.policy.late_rules import Lateness, Work, handed_in_at, seconds_between, settle, shown_time

_DUST = 1e-6


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
            if old[lab][0].counts and known.points is not None and abs(points - known.points) > _DUST:
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
