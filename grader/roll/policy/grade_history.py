"""The history of a class's grades as data: what each batch found new, and why. Pure.

A batch keeps only what differs from what was known. A field that is not known here stays as it is, so that a newer version loses nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from grader.model.result import UNDECIDED, GradeChange, LabResult, Override, Result, Standing
from grader.model.verdicts import Verdict

Cause = Literal["first", "code", "time", "tests", "grader", "policy", "deadline", "override", "fault", "again"]
_DUST = 1e-6
_SHOWN = 30  # changes on a page


class Kept(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow", allow_inf_nan=False, populate_by_name=True)


class KeptGrade(Kept):
    """One lab of one student as a batch left it, and what it follows from."""

    student: str
    lab: str
    points: float | None  # none: not graded yet, or not due yet
    judged: float
    most: float
    verdict: str
    source: str = ""  # digest of the file; empty: there is none
    tests: str = ""  # digest of the lab's tests and points
    grader: str = ""  # digest of grader, kit, compiler, sandbox and seed
    at: str = ""
    due: str = ""
    lost: float = 0.0
    spent: int = 0
    open: bool = False
    override: Override | None = None
    causes: tuple[Cause, ...] = ()  # why it differs from what was known before


class KeptBatch(Kept):
    schema_: Literal["tilelab/grade-history/v1"] = Field(default="tilelab/grade-history/v1", alias="schema")
    date: str  # ISO 8601 in UTC
    kit: str = ""
    grades: tuple[KeptGrade, ...] = ()


@dataclass(frozen=True)
class Basis:
    """What a grade follows from, besides the student's file."""

    tests: str
    grader: str


Grades = Mapping[tuple[str, str], KeptGrade]  # by student and lab


def last_grades(batches: Iterable[KeptBatch]) -> dict[tuple[str, str], KeptGrade]:
    """`batches`: the oldest first."""
    return {(one.student, one.lab): one for batch in batches for one in batch.grades}


def new_grades(
    results: Sequence[Result], sources: Mapping[tuple[str, str], str], bases: Mapping[str, Basis], before: Grades
) -> tuple[KeptGrade, ...]:
    """What this batch found that was not known `before`. `sources`: by student and lab, the digest of the file."""
    found = []
    for result in results:
        for lab_id, lab in result.labs.items():
            key = (result.submission.id, lab_id)
            now = _grade(result.submission.id, lab_id, lab, sources.get(key, ""), bases[lab_id])
            causes = _causes(before.get(key), now)
            if causes:
                found.append(now.model_copy(update={"causes": causes}))
    return tuple(found)


def changes_in(batches: Iterable[KeptBatch]) -> dict[tuple[str, str], tuple[GradeChange, ...]]:
    """By student and lab, all of one grade, the oldest first. The first grade is none."""
    kept: dict[tuple[str, str], list[tuple[str, KeptGrade]]] = {}
    for batch in batches:
        for one in batch.grades:
            kept.setdefault((one.student, one.lab), []).append((batch.date, one))
    pairs = {key: pairwise(grades) for key, grades in kept.items()}
    return {key: tuple(_change(old, new, date) for (_, old), (date, new) in both) for key, both in pairs.items()}


def with_changes(results: Sequence[Result], batches: Sequence[KeptBatch]) -> list[Result]:
    """The results with each grade's changes."""
    changes, changed = changes_in(batches), []
    for result in results:
        labs = dict(result.labs)
        for lab_id, lab in result.labs.items():
            if found := changes.get((result.submission.id, lab_id), ())[-_SHOWN:]:
                labs[lab_id] = lab.model_copy(update={"changes": found})
        changed.append(result.model_copy(update={"labs": labs}))
    return changed


def _change(old: KeptGrade, new: KeptGrade, date: str) -> GradeChange:
    causes = tuple(_WORDS[cause](old, new) for cause in new.causes)
    details = tuple(_details(old, new))
    return GradeChange(date=date, before=old.points, after=new.points, causes=causes, details=details)


def _grade(student: str, lab_id: str, lab: LabResult, source: str, basis: Basis) -> KeptGrade:
    standing = lab.standing or Standing(judged_points=lab.points)
    undecided = standing.override is None and (lab.verdict in UNDECIDED or standing.open)
    return KeptGrade(
        student=student,
        lab=lab_id,
        points=None if undecided else lab.points,
        judged=standing.judged_points,
        most=lab.max_points,
        verdict=lab.verdict.value,
        source=source,
        tests=basis.tests,
        grader=basis.grader,
        at=standing.at,
        due=standing.due,
        lost=standing.lost,
        spent=standing.days_spent,
        open=standing.open,
        override=standing.override,
    )


def _causes(old: KeptGrade | None, new: KeptGrade) -> tuple[Cause, ...]:
    """Empty: nothing is new."""
    if old is None:
        return ("first",)
    judged_both = bool(old.source and new.source)
    decided = old.override != new.override
    # Else what was late is something else, and the rules need not have changed.
    same_work = (old.at, old.judged) == (new.at, new.judged)
    lateness = (old.lost, old.spent) != (new.lost, new.spent) and same_work
    differs: list[tuple[Cause, bool]] = [
        ("code", old.source != new.source),
        ("time", old.at != new.at and old.source == new.source),
        ("tests", old.tests != new.tests and judged_both),
        ("grader", old.grader != new.grader and judged_both),
        ("policy", (old.due != new.due or lateness) and not decided),
        ("deadline", old.open and not new.open and old.source == new.source and old.due == new.due and not decided),
        ("override", decided),
        ("fault", old.verdict == Verdict.INTERNAL_ERROR.value != new.verdict),
    ]
    causes = tuple(cause for cause, yes in differs if yes)
    return causes or (("again",) if _moved(old, new) else ())


def _moved(old: KeptGrade, new: KeptGrade) -> bool:
    if old.verdict != new.verdict or (old.points is None) != (new.points is None):
        return True
    before, after = ((one.points or 0.0, one.judged, one.most, one.lost) for one in (old, new))
    return any(abs(one - other) > _DUST for one, other in zip(before, after, strict=True))


def _code(old: KeptGrade, new: KeptGrade) -> str:
    if not new.source:
        return "your file is not there any more"
    return "you handed in a new file" if old.source else "you handed in a file"


def _override(_old: KeptGrade, new: KeptGrade) -> str:
    decided = new.override
    return f"{decided.author} decided: {decided.reason}" if decided else "a person's decision was taken back"


_WORDS: Mapping[str, Callable[[KeptGrade, KeptGrade], str]] = {
    "first": lambda _old, _new: "graded for the first time",
    "code": _code,
    "time": lambda _old, _new: "the same file was handed in at another time",
    "tests": lambda _old, _new: "the lab's tests or points were changed",
    "grader": lambda _old, _new: "the grader was updated",
    "policy": lambda _old, _new: "deadline, late days or the rules for late work changed",
    "deadline": lambda _old, _new: "the deadline has passed",
    "override": _override,
    "fault": lambda _old, _new: "the grader had failed before",
    "again": lambda _old, _new: "it was graded again",
}


def _details(old: KeptGrade, new: KeptGrade) -> list[str]:
    """What differs, for the instructor."""
    pairs = [
        ("verdict", old.verdict, new.verdict),
        ("judged", f"{old.judged:g} of {old.most:g}", f"{new.judged:g} of {new.most:g}"),
        ("lost by being late", f"{old.lost:g}", f"{new.lost:g}"),
        ("late days", str(old.spent), str(new.spent)),
        ("deadline", old.due, new.due),
        ("handed in", old.at, new.at),
        ("file", old.source[:12], new.source[:12]),
        ("tests", old.tests[:12], new.tests[:12]),
        ("grader", old.grader[:12], new.grader[:12]),
    ]
    return [f"{name}: {before or 'none'} → {after or 'none'}" for name, before, after in pairs if before != after]
