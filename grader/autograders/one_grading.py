"""Grades one student's submission, as a batch grades a class of one. What a platform gets of it is made elsewhere.

A pass needs no control. Anything else counts only after the course's own kernels got their verdicts on this machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.autograders.handed_in import HandedIn
from grader.batch.job_store import JobStore
from grader.batch.judging_jobs import JudgingSetup, judge_class
from grader.exports.frame.points import UNDECIDED
from grader.intake.folders import read_folder
from grader.intake.intake import Intake, take_one
from grader.intake.naming import clean
from grader.intake.upload import STUDENT, Refusal, Upload
from grader.model.errors import MachineError
from grader.model.labs import Lab
from grader.model.result import Result, Student
from grader.people.student_ids import id_form
from grader.scoring.class_score import score_class


class SilentProgress:
    """Implements the batch's Progress for one submission."""

    def begin(self, jobs: int, reused: int) -> None: ...

    def step(self) -> None: ...

    def end(self) -> None: ...


@dataclass(frozen=True)
class OneGrading:
    result: Result  # not redacted
    texts: dict[str, str]  # of the submission's files; the page quotes from them
    faults: tuple[str, ...]  # what broke on our side, for the instructor

    @property
    def undecided(self) -> tuple[str, ...]:
        """Labs that are not graded."""
        return tuple(lab_id for lab_id, lab in self.result.labs.items() if lab.verdict in UNDECIDED)


def grade_folder(
    folder: Path, handed_in: HandedIn, labs: Sequence[Lab], setup: JudgingSetup, scratch: Path
) -> OneGrading:
    """Raises MachineError where the platform gave no folder that can be read: that is no submission without files."""
    intake = _taken(folder, handed_in, labs, scratch)
    judged = judge_class(
        [intake],
        labs,
        setup,
        JobStore(scratch / "outcomes"),
        scratch / "jobs",
        workers=None,
        progress=SilentProgress(),
    )
    (result,) = score_class(judged.students, labs, setup.environment)
    faults = [*filter(None, [judged.stopped]), *judged.faults]
    return OneGrading(result, intake.texts(), tuple(faults))


def _taken(folder: Path, handed_in: HandedIn, labs: Sequence[Lab], scratch: Path) -> Intake:
    try:
        is_empty = not any(folder.iterdir())
    except OSError as error:
        message = f"{folder}: the submission cannot be read ({error.strerror}). The platform has to put it there."
        raise MachineError(message) from error
    name = ", ".join(clean(one.name or one.email or one.login) for one in handed_in.people) or "Submission"
    try:
        upload = Upload(name) if is_empty else Upload(name, read_folder(folder, STUDENT))
    except Refusal as refusal:
        upload = Upload(name, refused=str(refusal))
    wanted = [lab.public.file for lab in labs]
    (scratch / "intake").mkdir(parents=True)
    intake = take_one(upload, scratch / "intake" / id_form(name), scratch / "spool", wanted)
    return Intake(
        intake.submission.model_copy(
            update={
                "student": handed_in.people[0] if len(handed_in.people) == 1 else Student(),
                "at": handed_in.at.isoformat() if handed_in.at is not None else "",
                "notices": (*handed_in.notices, *intake.submission.notices),
            }
        ),
        intake.sources,
        intake.blocked,
        intake.hints,
    )
