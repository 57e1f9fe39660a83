"""Which of a student's attempts counts by the course's policy: those in time, or the best once all points are known.

It reads files that were taken, and writes nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from grader.intake.attempt_choice import AttemptChoice, Counted, Which
from grader.intake.counted_attempts import with_counted
from grader.intake.student_intake import Intake
from grader.model.labs import Lab
from grader.people.name_forms import some
from grader.policy.class_policy import ClassPolicy

MOST = 20  # different files of a student for one lab that are judged to find the best


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


def other_attempts(
    students: Sequence[Intake], labs: Sequence[Lab], policy: ClassPolicy
) -> tuple[list[OtherAttempt], list[str]]:
    """Those with a lab's file for which another attempt counts, where the course takes the best one. Of each lab the last different files
    are taken; the second part tells the instructor whose earlier ones are not.
    """
    if policy.course.attempts != "best":
        return [], []
    files = [lab.public.file for lab in labs]
    found, shortened = [], []
    for number, student in enumerate(students):
        tried = {file: _last_different(student, file) for file in files}
        shortened += [f"{student.submission.id} {lab.id}" for lab in labs if tried[lab.public.file][1]]
        for attempt, one in enumerate(student.attempts):
            sources = {
                file: one.sources[file]
                for file in files
                if attempt in tried[file][0] and student.counted.get(file) != attempt
            }
            if sources:
                name = f"{student.submission.id}, another attempt ({attempt + 1})"
                submission = student.submission.model_copy(update={"id": name, "refused": None})
                found.append(OtherAttempt(number, attempt, Intake(submission, sources=sources)))
    if not shortened:
        return found, []
    notice = (
        f"{policy.course.name}: only the last {MOST} different files of a lab are judged to find the best, and these handed in more: "
        f"{some(shortened)} ({len(shortened)} in all)"
    )
    return found, [notice]


def _last_different(student: Intake, file: str) -> tuple[set[int], bool]:
    """The attempts with one of a lab's last different files, and whether there are others. An earlier attempt with the same file is judged
    with it, and is less late.
    """
    digests = {
        attempt: hashlib.sha256(one.sources[file].read_bytes()).digest()
        for attempt, one in enumerate(student.attempts)
        if file in one.sources
    }
    kept = set(list(dict.fromkeys(reversed(digests.values())))[:MOST])
    taken = {attempt for attempt, digest in digests.items() if digest in kept}
    return taken, len(taken) < len(digests)


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
