"""Which of a student's attempts counts by the course's policy: those in time, or the best once all points are known. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from grader.intake.attempt_choice import AttemptChoice, Counted, Which
from grader.intake.counted_attempts import with_counted
from grader.intake.student_intake import Intake
from grader.model.labs import Lab
from grader.policy.class_policy import ClassPolicy


@dataclass(frozen=True)
class OtherAttempt:
    """An attempt that does not count yet, as a submission of its own. Its points may show that it is the best."""

    student: int  # whose: the number in the class
    attempt: int
    intake: Intake


def before_deadlines(students: Sequence[Intake], labs: Sequence[Lab], policy: ClassPolicy) -> list[Intake]:
    """For each lab, the last attempt that was in time counts, where the course says so."""
    if policy.course.attempts != "before-deadline":
        return list(students)
    return [_in_time(one, labs, policy) for one in students]


def other_attempts(students: Sequence[Intake], labs: Sequence[Lab], policy: ClassPolicy) -> list[OtherAttempt]:
    """Those with a lab's file for which another attempt counts, where the course takes the best one."""
    if policy.course.attempts != "best":
        return []
    files = [lab.public.file for lab in labs]
    found = []
    for number, student in enumerate(students):
        for attempt, one in enumerate(student.attempts):
            sources = {
                file: one.sources[file]
                for file in files
                if file in one.sources and student.counted.get(file) != attempt
            }
            if sources:
                name = f"{student.submission.id}, another attempt ({attempt + 1})"
                submission = student.submission.model_copy(update={"id": name, "refused": None})
                found.append(OtherAttempt(number, attempt, Intake(submission, sources=sources)))
    return found


def with_chosen(student: Intake, chosen: Mapping[str, int]) -> Intake:
    """`chosen`: a lab's file → the attempt that counts for it."""
    if all(student.counted.get(file) == attempt for file, attempt in chosen.items()):
        return student
    return _recounted(student, Counted({**student.counted, **chosen}))


def _in_time(student: Intake, labs: Sequence[Lab], policy: ClassPolicy) -> Intake:
    grace = policy.course.late.grace
    dues = {lab.id: policy.due(student.submission, lab.id).at for lab in labs}
    choice = AttemptChoice(
        Which.BEFORE_DEADLINE,
        lambda _, lab: None if (due := dues[lab]) is None else due + grace,
        {lab.public.file: lab.id for lab in labs},
    )
    counted = choice.counted(student.submission.student, student.attempts, [lab.public.file for lab in labs])
    same = dict(counted.attempts) == dict(student.counted) and not counted.hints
    return student if same or not student.attempts else _recounted(student, counted)


def _recounted(student: Intake, counted: Counted) -> Intake:
    """What was said of the student besides the attempts, such as whose team's it is, stays said."""
    of_attempts = {notice for one in student.attempts for notice in one.notices}
    besides = [notice for notice in student.submission.notices if notice not in of_attempts]
    new = with_counted(student, counted)
    notices = (*new.submission.notices, *besides)
    return replace(new, submission=new.submission.model_copy(update={"notices": notices}))
