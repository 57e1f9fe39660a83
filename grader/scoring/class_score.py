"""Scores a whole class: every lab of every student once, with the labs' files as they are now. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from grader.model.labs import Lab
from grader.model.outcomes.outcome import LabOutcome
from grader.model.result import Environment, LabResult, Result, Submission
from grader.scoring.lab_score import score_lab, speed_is_assessed, sum_points, with_measured_speed


@dataclass(frozen=True)
class JudgedStudent:
    """A student's outcomes, by the lab's id."""

    submission: Submission
    outcomes: Mapping[str, LabOutcome]


def score_class(students: Sequence[JudgedStudent], labs: Sequence[Lab], environment: Environment) -> list[Result]:
    """A result for each student. Each of them has an outcome for every one of `labs`."""
    scored = {lab.id: _score(lab, [student.outcomes[lab.id] for student in students]) for lab in labs}
    return [
        _result(student.submission, {lab.id: scored[lab.id][number] for lab in labs}, environment)
        for number, student in enumerate(students)
    ]


def _score(lab: Lab, outcomes: Iterable[LabOutcome]) -> list[LabResult]:
    results = [score_lab(lab, outcome) for outcome in outcomes]
    if not speed_is_assessed(lab, results):
        return results
    return [with_measured_speed(lab, result) for result in results]


def _result(submission: Submission, labs: Mapping[str, LabResult], environment: Environment) -> Result:
    points, maximum = total(labs)
    return Result(submission=submission, environment=environment, labs=dict(labs), total=points, max=maximum)


def total(labs: Mapping[str, LabResult]) -> tuple[float, float]:
    """Points and maximum over all labs; extra credit counts into the points alone."""
    points = sum_points(lab.points for lab in labs.values())
    return points, sum_points(lab.max_points for lab in labs.values() if not lab.extra_credit)
