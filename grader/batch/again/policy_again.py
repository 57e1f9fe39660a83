"""Applies a course's policy to a class that was graded before: overrides and answered regrade requests above all. Writes nothing.

Which of a student's attempts counts was decided by the batch, and so was what "now" is for deadlines: whoever handed in since then is not
known here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from grader.batch.again.kept_class import KeptClass
from grader.batch.standing.class_standing import earlier_labs, hand_in
from grader.model.result import LabResult, Result
from grader.policy.applied_policy import Applied, Candidate, apply_policy
from grader.policy.class_policy import ClassPolicy
from grader.policy.grade_history import KeptGrade, last_grades


def policy_again(
    kept: KeptClass, policy: ClassPolicy, elsewhere: Mapping[tuple[str, str], KeptGrade], labs: Sequence[str]
) -> Applied:
    """The results without their old comments and decisions, by the `policy` of today. `elsewhere`: by student and lab, of other OUTs."""
    judged = [_as_judged(one) for one in kept.results]
    candidates = {}
    for result in judged:
        student = result.submission.id
        said = kept.students[student].said
        for lab_id, lab in result.labs.items():
            if lab_id in said:
                candidates[student, lab_id] = [Candidate(lab, hand_in(policy, student, lab_id, said[lab_id]))]
    known = {**elsewhere, **last_grades(kept.history)}
    now = datetime.fromisoformat(kept.material.now)
    return apply_policy(judged, policy, candidates, now, earlier_labs(known, labs, policy))


def _as_judged(result: Result) -> Result:
    return result.model_copy(update={"labs": {lab_id: _lab(lab) for lab_id, lab in result.labs.items()}})


def _lab(lab: LabResult) -> LabResult:
    points = lab.points if lab.standing is None else lab.standing.judged_points
    return lab.model_copy(update={"points": points, "standing": None, "requests": (), "comment": "", "changes": ()})
