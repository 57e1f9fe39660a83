"""Grades one student's submission, as a batch grades a class of one. What a platform gets of it is made elsewhere.

A pass needs no control. Anything else counts only after the course's own kernels got their verdicts on this machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grader.autograders.handed_in import HandedIn
from grader.batch.class_answers import asking_labs, with_answers
from grader.batch.held_outcomes import Check
from grader.batch.job_store import JobStore
from grader.batch.judging_jobs import judge_class
from grader.batch.judging_setup import JudgingSetup
from grader.exports.frame.points import UNDECIDED
from grader.intake.intake import Intake, take_one
from grader.intake.lab_files import lab_file
from grader.intake.uploads.folders import read_folder
from grader.intake.uploads.naming import clean
from grader.intake.uploads.upload import STUDENT, Refusal, Upload
from grader.model.errors import MachineError
from grader.model.labs import Lab
from grader.model.result import Result
from grader.people.student_ids import id_form
from grader.sandbox import Confinement
from grader.scoring.class_score import score_class


class SilentProgress:
    """Implements the batch's Progress for one submission."""

    def doing(self, what: str, done: int, total: int) -> None: ...

    def begin(self, jobs: int, reused: int) -> None: ...

    def step(self) -> None: ...

    def note(self, text: str) -> None: ...

    def end(self) -> None: ...


class LaterControls:
    """Implements the batch's Check. The first look, which a batch takes beside its first jobs, is left out."""

    def __init__(self, controls: Check) -> None:
        self._controls = controls
        self._looked = False

    def trouble(self, labs: Sequence[Lab]) -> str:
        if not self._looked:
            self._looked = True
            return ""
        return self._controls.trouble(labs)

    def covers(self, lab: Lab) -> bool:
        return self._controls.covers(lab)

    def stop(self) -> None:
        self._controls.stop()


@dataclass(frozen=True)
class OneGrading:
    result: Result  # not redacted
    texts: dict[str, str]  # of the submission's files; the page quotes from them
    faults: tuple[str, ...]  # what broke on our side, for the instructor

    @property
    def undecided(self) -> tuple[str, ...]:
        """Labs that are not graded."""
        return tuple(lab_id for lab_id, lab in self.result.labs.items() if lab.verdict in UNDECIDED)


def grade_folder(  # noqa: PLR0913, PLR0917 -- what was handed in, and what it is graded with
    folder: Path,
    handed_in: HandedIn,
    labs: Sequence[Lab],
    setup: JudgingSetup,
    scratch: Path,
    confinement: Confinement | None = None,
) -> OneGrading:
    """`confinement`: of the programs that unpack archives. Raises MachineError where the platform gave no folder that can be read: that is
    no submission without files.
    """
    asking = asking_labs(labs)
    intake = _taken(folder, handed_in, labs, scratch, confinement)
    judged = judge_class(
        [intake],
        labs,
        setup,
        JobStore(scratch / "outcomes"),
        scratch / "jobs",
        workers=None,
        progress=SilentProgress(),
    )
    (result,) = with_answers(score_class(judged.students, labs, setup.environment), [intake], asking)
    faults = [*filter(None, [judged.stopped]), *judged.faults]
    return OneGrading(result, intake.texts(), tuple(faults))


def _taken(
    folder: Path, handed_in: HandedIn, labs: Sequence[Lab], scratch: Path, confinement: Confinement | None
) -> Intake:
    try:
        is_empty = not any(folder.iterdir())
    except OSError as error:
        message = f"{folder}: the submission cannot be read ({error.strerror}). The platform has to put it there."
        raise MachineError(message) from error
    name = ", ".join(clean(one.name or one.email or one.login) for one in handed_in.people) or "Submission"
    of_whom = Upload(name, owners=handed_in.people, at=handed_in.at, notices=handed_in.notices)
    try:
        upload = of_whom if is_empty else replace(of_whom, contents=read_folder(folder, STUDENT))
    except Refusal as refusal:
        upload = replace(of_whom, refused=str(refusal))
    return take_one(upload, id_form(name), scratch / "intake", [lab_file(lab) for lab in labs], confinement)
