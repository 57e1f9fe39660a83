"""What OUT keeps of the class that a batch graded last, so that its pages and exports are written again without what was handed in.

instructor/pages/class.json is about the class, and is written last. instructor/<id>.json is about one student; it holds the student's code.
Both are plain data for the instructor alone; a damaged file counts as a missing one. Records of earlier batches may lie beside those of the
last one, so what is not listed in class.json is not in any export.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pydantic import Field

from grader.explain.story import packed_page, unpacked
from grader.model.errors import RemediableError
from grader.model.graded_class import NOTHING_KNOWN, ClassInsight, GradedClass
from grader.model.result import LabResult, Model, Result, Standing, StepPage, Submission
from grader.model.verdicts import Verdict
from grader.roll.batch.output_folder import digest, read_kept
from grader.roll.people.identities import SAFE, Identities
from grader.roll.people.roster import Roster
from grader.roll.people.roster_matching import Arrival
from grader.roll.people.who_is_who import Person, who_is_who
from grader.roll.policy.grade_history import Basis
from grader.run.scoring.lab_score import total

GRADE_AGAIN = "Grade once more into this OUT: what has not changed is not judged again."


class LastBatch(Model):
    schema_: Literal["tilelab/last-batch/v2"] = Field(default="tilelab/last-batch/v2", alias="schema")
    title: str
    assignment: str = ""  # what the instructor called it for exports
    labs: tuple[str, ...]
    students: tuple[str, ...]  # their ids, in the order of the class
    seed: int
    now: str  # when deadlines were looked at: ISO 8601
    stopped: str = ""  # why grading stopped; then nothing is known of the class
    comments: str = ""  # the file of comments that was named; empty: the one in OUT
    course: str = ""  # the course.toml that was named; empty: the course's own
    rostered: tuple[str, ...] | None = None  # ids of those in the roster; none: there was no roster
    notices: tuple[str, ...] = ()  # but those about the course's policy
    bases: dict[str, Basis] = Field(default_factory=dict)  # by lab
    likenesses: dict[str, dict[str, str]] = Field(default_factory=dict)  # by lab and behaviour
    insight: ClassInsight = NOTHING_KNOWN


class SaidHandIn(Model):
    """When a student handed in what counts for a lab, as the platform says."""

    at: str = ""  # ISO 8601; empty: it does not say
    late: bool = False  # it says only that it was late


class KeptStepPage(Model):
    """A page that steps through a block. Its text lies beside the report."""

    page: StepPage  # without its text
    text: str  # a digest


class Record(Model):
    """What is kept of a student."""

    seed: int
    result: Result
    texts: dict[str, str] = Field(default_factory=dict)  # by name of a file
    digests: dict[str, str] = Field(default_factory=dict)  # by lab: of the file as it was handed in
    said: dict[str, SaidHandIn] = Field(default_factory=dict)  # by lab
    step_pages: dict[str, tuple[KeptStepPage, ...]] = Field(default_factory=dict)  # by lab


@dataclass(frozen=True)
class LastBatchFile:
    """`private`: the instructor's folder in OUT."""

    private: Path

    @property
    def path(self) -> Path:
        return self.private / "pages" / "class.json"

    def read(self) -> LastBatch:
        """Raises RemediableError."""
        batch = read_kept(self.path, LastBatch)
        if batch is None or not all(SAFE.fullmatch(one) for one in batch.students):
            raise RemediableError(
                f"{self.path}: this says which students the last batch had and what its pages were made from. It is missing or cannot be "
                f"read, as after a batch of an older version. {GRADE_AGAIN}"
            )
        return batch

    def records(self, batch: LastBatch) -> tuple[list[Record], list[str]]:
        """Those of the class as it was graded, and which cannot be used: their students are missing."""
        records, lost = [], []
        for student in batch.students:
            path = self.private / f"{student}.json"
            record = read_kept(path, Record)
            if record is not None and tuple(record.result.labs) == batch.labs:
                records.append(record)
            else:
                why = "cannot be read" if record is None else "is of another batch"
                lost.append(f"{path} {why}, so its student is missing in all exports: grade again")
        return records, lost

    def graded(self, batch: LastBatch) -> tuple[GradedClass, list[str]]:
        """The class as it was graded, and the records that cannot be used."""
        records, lost = self.records(batch)
        return GradedClass(batch.title, batch.labs, tuple(one.result for one in records)), lost

    def seed_notices(self, seed: int) -> list[str]:
        """A notice where the last batch was graded with another seed."""
        before = read_kept(self.path, LastBatch)
        notice = (
            f"{self.private.parent} was graded with another seed before: everything was judged again, on other random sizes. If that was "
            "not meant, write the old number into the seed file again: each record in instructor/ begins with it"
        )
        return [] if before is None or before.seed == seed else [notice]


def kept_step_pages(result: Result) -> dict[str, tuple[KeptStepPage, ...]]:
    return {
        lab_id: tuple(
            KeptStepPage(page=page.model_copy(update={"packed": ""}), text=digest(unpacked(page)))
            for page in lab.step_pages
        )
        for lab_id, lab in result.labs.items()
        if lab.step_pages
    }


def with_step_pages(
    result: Result, kept: Mapping[str, Sequence[KeptStepPage]], folder: Path
) -> tuple[Result, list[str]]:
    """The result with the pages that still lie in the student's `folder`, and the names of those that do not, or were changed."""
    labs, gone = dict(result.labs), []
    for lab_id, ones in kept.items():
        found = []
        for one in ones:
            try:
                text = (folder / one.page.name).read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError):
                text = ""
            if text and digest(text) == one.text:
                found.append(packed_page(one.page.name, text, one.page.links))
            else:
                gone.append(one.page.name)
        if lab_id in labs:
            labs[lab_id] = labs[lab_id].model_copy(update={"step_pages": tuple(found)})
    return result.model_copy(update={"labs": labs}), gone


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
