"""Which class a batch graded last, kept in OUT: instructor/people/last_batch.json. With the records it gives the graded class again.

Records of earlier batches may lie beside those of the last one, so what is not listed here is not in any export.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pydantic import Field

from grader.model.errors import RemediableError
from grader.model.graded_class import GradedClass
from grader.model.result import LabResult, Model, Result, Standing, Submission
from grader.model.verdicts import Verdict
from grader.roll.batch.output_folder import read_kept
from grader.roll.people.identities import Identities
from grader.roll.people.person_keys import SAFE
from grader.roll.people.roster import Roster
from grader.roll.people.roster_matching import Arrival
from grader.roll.people.who_is_who import Person, who_is_who
from grader.run.scoring.lab_score import total


class LastBatch(Model):
    schema_: Literal["tilelab/last-batch/v1"] = Field(default="tilelab/last-batch/v1", alias="schema")
    title: str
    assignment: str = ""  # what the instructor called it for exports
    labs: tuple[str, ...]
    students: tuple[str, ...]  # their ids, in the order of the class


class Record(Model):
    """What is kept of a student, for the instructor alone."""

    seed: int
    result: Result


@dataclass(frozen=True)
class LastBatchFile:
    """`private`: the instructor's folder in OUT."""

    private: Path

    @property
    def path(self) -> Path:
        return self.private / "people" / "last_batch.json"

    def text(self, graded: GradedClass, assignment: str) -> str:
        students = tuple(result.submission.id for result in graded.results)
        batch = LastBatch(title=graded.title, assignment=assignment, labs=graded.lab_ids, students=students)
        return batch.model_dump_json(by_alias=True) + "\n"

    def read(self) -> LastBatch:
        """Raises RemediableError."""
        batch = read_kept(self.path, LastBatch)
        if batch is None or not all(SAFE.fullmatch(one) for one in batch.students):
            raise RemediableError(
                f"{self.path}: this says which students the last batch had, and it is missing or cannot be read. Grade once more into this "
                "OUT: what has not changed is not judged again."
            )
        return batch

    def seed(self, batch: LastBatch) -> int:
        """The one that the batch was graded with, as its first record says; 0 without records. Raises RemediableError."""
        if not batch.students:
            return 0
        path = self.private / f"{batch.students[0]}.json"
        if (record := read_kept(path, Record)) is None:
            raise RemediableError(f"{path}: this record cannot be read. Grade once more into this OUT.")
        return record.seed

    def graded(self, batch: LastBatch) -> tuple[GradedClass, list[str]]:
        """The class as it was graded, and the records that cannot be used: their students are missing in it."""
        results, lost = [], []
        for student in batch.students:
            path = self.private / f"{student}.json"
            record = read_kept(path, Record)
            if record is not None and tuple(record.result.labs) == batch.labs:
                results.append(record.result)
            else:
                why = "cannot be read" if record is None else "is of another batch"
                lost.append(f"{path} {why}, so its student is missing in all exports: grade again")
        return GradedClass(batch.title, batch.labs, tuple(results)), lost


# A graded class with some of its labs alone, where each lab is an assignment of its own on the platform. Pure.

_DUST = 1e-6


def with_labs(graded: GradedClass, chosen: Sequence[str]) -> GradedClass:
    """Totals and maxima are those of the `chosen` labs. Raises RemediableError."""
    if strange := [one for one in chosen if one not in graded.lab_ids]:
        raise RemediableError(f"the last batch did not grade {strange[0]!r}. It graded: {', '.join(graded.lab_ids)}")
    adjusted = [one.submission.id for one in graded.results if abs(one.total - total(one.labs)[0]) > _DUST]
    if adjusted:
        raise RemediableError(
            f"the total of {adjusted[0]} is not the sum of the labs' points, as late days or a person's decision may make it: then no lab "
            "can be exported alone. Leave --lab out."
        )
    ids, parts = tuple(one for one in graded.lab_ids if one in chosen), []
    for result in graded.results:
        labs = {lab_id: result.labs[lab_id] for lab_id in ids}
        points, most = total(labs)
        parts.append(result.model_copy(update={"labs": labs, "total": points, "max": most}))
    return replace(graded, lab_ids=ids, results=tuple(parts))


# A graded class with a roster that was given afterwards: names and numbers as it says them, and those who handed in nothing.
#
# Who has which id does not change, and nothing is kept: the next batch reads the roster itself.


def with_roster(graded: GradedClass, roster: Roster, book: Identities) -> tuple[GradedClass, list[str]]:
    """The class with the roster's students, and notices about who is who."""
    given = [one for one in graded.results if one.submission.handed_in]
    absent = {one.submission.id: one for one in graded.results if not one.submission.handed_in}
    people = who_is_who([_arrival(one.submission) for one in given], roster, book)
    usual = _still_open(graded.results)
    results = [_as(one, person) for one, person in zip(given, people.arrived, strict=True)]
    for person in people.absent:
        known = absent.get(person.id)
        if known is not None:
            results.append(_as(known, person))
        elif graded.results:
            results.append(_nothing(person, graded.results[0], usual))
    return replace(graded, results=tuple(results)), list(people.notices)


def _arrival(submission: Submission) -> Arrival:
    student = submission.student
    known = any((student.name, student.login, student.number, student.email, student.platform_ids))
    return Arrival(submission.name, submission.name, student if known else None)


def _as(result: Result, person: Person) -> Result:
    """Whatever id was found for the person, the result keeps its own: its page and its record are called so."""
    return result.model_copy(update={"submission": result.submission.model_copy(update={"student": person.student})})


def _still_open(results: Sequence[Result]) -> dict[str, Standing]:
    """Labs whose usual deadline was still to come when the class was graded: they are no zeros for anybody."""
    standings = [(lab_id, lab.standing) for one in results for lab_id, lab in one.labs.items() if lab.standing]
    return {lab_id: one for lab_id, one in standings if one.open and not one.extended_from}


def _nothing(person: Person, like: Result, still_open: Mapping[str, Standing]) -> Result:
    """Of somebody who is on this roster alone."""
    student = person.student
    name = student.name or student.login or person.id
    submission = Submission(id=person.id, name=name, student=student, handed_in=False)
    labs = {lab_id: _not_handed_in(lab, still_open.get(lab_id)) for lab_id, lab in like.labs.items()}
    return Result(submission=submission, environment=like.environment, labs=labs, total=0.0, max=like.max)


def _not_handed_in(lab: LabResult, standing: Standing | None) -> LabResult:
    return LabResult(
        title=lab.title,
        file=lab.file,
        contract=lab.contract,
        verdict=Verdict.MISSING_FILE,
        points=0.0,
        max_points=lab.max_points,
        extra_credit=lab.extra_credit,
        standing=standing,
    )
