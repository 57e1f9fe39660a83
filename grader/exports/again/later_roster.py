"""A graded class with a roster that was given afterwards: names and numbers as it says them, and those who handed in nothing.

Who has which id does not change, and nothing is kept: the next batch reads the roster itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from grader.model.result import LabResult, Result, Submission
from grader.model.result.graded_class import GradedClass
from grader.model.standing import Standing
from grader.model.verdicts import Verdict
from grader.people.identities import Identities
from grader.people.roster import Roster
from grader.people.roster_matching import Arrival
from grader.people.who_is_who import Person, who_is_who


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
    return {
        lab_id: standing
        for one in results
        for lab_id, lab in one.labs.items()
        if (standing := lab.standing) is not None and standing.open and not standing.extended_from
    }


def _nothing(person: Person, like: Result, still_open: Mapping[str, Standing]) -> Result:
    """Of somebody who is on this roster alone."""
    student = person.student
    submission = Submission(
        id=person.id, name=student.name or student.login or person.id, student=student, handed_in=False
    )
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
