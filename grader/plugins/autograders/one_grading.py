"""Grades one student's submission, as a batch grades a class of one. What a platform gets of it is made elsewhere.

A pass needs no control. Anything else counts only after the course's own kernels got their verdicts on this machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path

from grader.model import visible_text
from grader.model.errors import MachineError
from grader.model.labs import Lab
from grader.model.result import UNDECIDED, Result, Student
from grader.model.verdicts import Verdict
from grader.model.written_names import clean
from grader.roll.batch.class_insight import asking_labs, with_answers
from grader.roll.batch.job_store import JobStore
from grader.roll.batch.judging_jobs import judge_class, plan_judging
from grader.roll.batch.judging_setup import JudgingSetup, Progress
from grader.roll.intake.attempts import Intake
from grader.roll.intake.intake import take_one
from grader.roll.intake.matching import lab_file
from grader.roll.intake.upload import STUDENT, Refusal, Upload, read_folder
from grader.roll.people.person_keys import id_form
from grader.run.scoring.lab_score import decide_class, score_class
from grader.system.confinement import Confinement

# What a platform says of the submission that its container holds: whose it is, when it was handed in, when it was due. Plain data.


@dataclass(frozen=True)
class HandedIn:
    people: tuple[Student, ...] = ()  # several for a team; empty: the platform does not say
    at: datetime | None = None  # with its time zone
    due: datetime | None = None
    notices: tuple[str, ...] = ()  # what could not be read of it

    @property
    def late(self) -> timedelta:
        """Zero: in time, or nobody knows."""
        if self.at is None or self.due is None:
            return timedelta(0)
        return max(self.at - self.due, timedelta(0))


NOBODY_SAYS = HandedIn()


def late_words(late: timedelta) -> str:
    """How late it was, to the minute. Empty: it was not."""
    minutes = -(-int(late.total_seconds()) // 60)
    if minutes <= 0:
        return ""
    units = ((minutes // 1440, "d"), (minutes // 60 % 24, "h"), (minutes % 60, "min"))
    said = " ".join(f"{count} {unit}" for count, unit in units if count)
    return f"Handed in {said} after the due date. What that costs, the platform decides."


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
    plan = plan_judging([intake], labs, setup, JobStore(scratch / "outcomes"))
    judged = judge_class(plan, scratch / "jobs", Progress())
    scored = score_class(judged.students, labs, setup.environment, decide_class(judged.students, labs))
    (result,) = with_answers(scored, [intake], asking)
    faults = [*filter(None, [judged.stopped]), *judged.faults]
    return OneGrading(result, intake.texts(), tuple(faults))


def _taken(
    folder: Path, handed_in: HandedIn, labs: Sequence[Lab], scratch: Path, confinement: Confinement | None
) -> Intake:
    try:
        is_empty = not any(folder.iterdir())
    except OSError as error:
        raise MachineError(
            f"{folder}: the submission cannot be read ({error.strerror}). The platform has to put it there."
        ) from error
    name = ", ".join(clean(one.name or one.email or one.login) for one in handed_in.people) or "Submission"
    of_whom = Upload(name, owners=handed_in.people, at=handed_in.at, notices=handed_in.notices)
    try:
        upload = of_whom if is_empty else replace(of_whom, contents=read_folder(folder, STUDENT))
    except Refusal as refusal:
        upload = replace(of_whom, refused=str(refusal))
    return take_one(upload, id_form(name), scratch / "intake", [lab_file(lab) for lab in labs], confinement)


# What every platform consists of: its name, how its word about a submission is read, and two pure functions that make its files.
#
# A platform that gets no result has to leave the grade open. So `not_graded` never holds a score that could count.

# What a student reads where something of ours failed. It names no cause: a cause may hold the name of a hidden case.
NOT_GRADED = (
    "Not graded: the autograder failed, and not your files. You lose no points by it. "
    "Submit the same files again in some minutes. If it happens again, tell your instructor."
)
# Where a file is valid CUDA that only a GPU can run.
NEEDS_A_GPU = (
    "Not graded yet: your file needs a GPU, and this autograder has none. You lose no points by it now. "
    "Your instructor has to grade it on another machine."
)


@dataclass(frozen=True)
class Graded:
    """One submission, graded. Platforms' files are made from it."""

    result: Result  # redacted: what the student may see
    page: str  # the student's page
    handed_in: HandedIn = NOBODY_SAYS
    environment: Mapping[str, str] = field(default_factory=dict)  # of the process: some platforms name things there
    at: str = ""  # when it was graded: "2026-02-02T00:00:00Z"


@dataclass(frozen=True)
class Answer:
    files: Mapping[str, str] = field(
        default_factory=dict
    )  # by path in the folder of results, with "/" between its parts
    printed: str = ""  # for a platform that reads standard output


def nobody_says(_: Path | None, __: Mapping[str, str]) -> HandedIn:
    return NOBODY_SAYS


@dataclass(frozen=True)
class AutograderPlatform:
    name: str  # as in `tilelab grade-one NAME`
    graded: Callable[[Graded], Answer]  # every lab is graded
    not_graded: Callable[[Sequence[str], str], Answer]  # gets the ids of the labs, and one of the sentences above
    # Reads the platform's own file about the submission, if there is one, and the environment.
    handed_in: Callable[[Path | None, Mapping[str, str]], HandedIn] = nobody_says
    output_is_secret: bool = True  # whether students do not see what is printed on standard error


# What a student reads who handed in files, but none of the name that a lab asks for. No verdict depends on it. Pure.

_MOST = 8


def misnamed_words(result: Result) -> str:
    """Empty: each lab has its file, or nothing but the labs' files is there."""
    missing = [lab.file for lab in result.labs.values() if lab.verdict is Verdict.MISSING_FILE]
    asked = {lab.file for lab in result.labs.values()}
    others = [one for one in result.submission.files if one.rsplit("/", 1)[-1] not in asked]
    others = [one for one in others if ".cu" in one.lower()] or others
    if not missing or not others:
        return ""
    more = f" and {len(others) - _MOST} more" if len(others) > _MOST else ""
    there = ", ".join(visible_text.line(one, 80) for one in others[:_MOST])
    asks = "If one of these is meant, give it that name and submit again."
    return f"Your submission holds {there}{more}, but no {' and no '.join(missing)}. {asks}"
