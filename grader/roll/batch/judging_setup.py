"""What a class is judged with: a judge, and what may look beside it; and what of it is to be judged. Each part is told by what it does.

Nothing is run here.
"""

from __future__ import annotations

import math
import time
import traceback
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from grader.model.errors import RemediableError
from grader.model.labs import Lab
from grader.model.outcome import LabOutcome, nothing_handed_in, unjudged
from grader.model.result import Environment, Model
from grader.model.verdicts import Verdict
from grader.roll.batch.job_store import Check, JobStore
from grader.roll.intake.attempts import Intake
from grader.run.lab_verdict import went_wrong
from grader.run.scoring.lab_score import JudgedStudent

# After judging: looks for the line of each wrong result that nothing explains, and keeps what is found with the outcome.
#
# Equal files are one search, and several files are searched at a time. The time is bounded by what judging took. What is not tried when
# it is over is left for the next grading, which continues there; a grading that judges nothing tries nothing. No verdict and no point
# depends on it.

SHARE = 0.125  # of the time that judging took
LEAST_SECONDS = 3.0  # also where little was judged


class Search(Protocol):
    """Adds the lines to look at to an outcome whose cause is unknown. Scoring ignores them."""

    def lacks(self, lab: Lab, outcome: LabOutcome, /) -> bool: ...
    def add(self, lab: Lab, source: Path, outcome: LabOutcome, seconds: float, workers: int, /) -> LabOutcome: ...


@dataclass(frozen=True)
class LineSearch:
    """`seconds`: how long a batch may search; None: as long as follows from what judging took. `workers`: so many changed
    kernels are tried at a time, of as many files as there are.
    """

    search: Search
    seconds: float | None = None
    clock: Callable[[], float] = time.monotonic
    workers: int = 1

    def run(
        self,
        files: Mapping[str, tuple[Lab, Path]],
        outcomes: dict[str, LabOutcome],
        keep: Callable[[str, LabOutcome], None],
        judging_seconds: float,
    ) -> tuple[str, ...]:
        """Replaces outcomes that lack a cause. `files`: the lab and source of each outcome, by key. `judging_seconds`: 0 where nothing
        was judged. `keep` raises OSError. Gives back what broke on our side, for the instructor: an outcome whose search broke stands as
        it is.
        """
        least = LEAST_SECONDS if judging_seconds else 0.0
        seconds = max(SHARE * judging_seconds, least) if self.seconds is None else self.seconds
        end = self.clock() + seconds
        lacking = [key for key, (lab, _) in files.items() if seconds and self.search.lacks(lab, outcomes[key])]
        together = max(min(self.workers, len(lacking)), 1)
        faults = dict[str, None]()  # each once: what breaks at one file may break at all of them

        def searched(at: int, key: str) -> LabOutcome | None:
            """None where the time is over."""
            rounds = math.ceil((len(lacking) - at) / together)  # what one file leaves is for the others
            seconds = (end - self.clock()) / rounds
            each = max(self.workers // together, 1)
            return self.search.add(*files[key], outcomes[key], seconds, each) if seconds > 0 else None

        with ThreadPoolExecutor(together) as pool:
            tasks = {pool.submit(searched, *one): one[1] for one in enumerate(lacking)}
            for task in as_completed(tasks):
                key = tasks[task]
                try:
                    if (outcome := task.result()) is not None:
                        outcomes[key] = outcome
                        keep(key, outcome)
                except (OSError, RemediableError):  # the machine's state, of which judging itself says more
                    continue
                except Exception:  # noqa: BLE001 -- whatever breaks on our side must not stop the batch
                    fault = traceback.format_exc()
                    faults[f"{files[key][0].id}: the search for the line of a wrong result broke: {fault}"] = None
        return tuple(faults)


# Builds a source file for a lab and runs all its cases, in a scratch folder of its own.
Judge = Callable[[Lab, Path, Path], LabOutcome]


class Sweep(Protocol):
    """Adds a size sweep to an outcome that has none. Scoring ignores it."""

    def lacks(self, lab: Lab, outcome: LabOutcome, /) -> bool: ...
    def add(self, lab: Lab, source: Path, outcome: LabOutcome, scratch: Path, /) -> LabOutcome: ...


class Progress:
    """Told how far judging has come, and any other work that takes time. This one shows nothing."""

    def doing(self, what: str, done: int, total: int) -> None: ...
    def begin(self, jobs: int, reused: int) -> None: ...
    def step(self) -> None: ...
    def note(self, text: str) -> None: ...
    def end(self) -> None: ...


# Finds out more of a class that has wrong submissions of these labs, the one with most of them first; and told is how many seconds judging
# took. It is called once, in another thread, after judging and beside the last look at controls: whether this machine can be believed is
# not known yet.
Explore = Callable[[Sequence[Lab], float], None]


class JudgingOptions(Model):
    """What `tilelab grade` was asked that judging depends on."""

    allow_no_sandbox: bool = False
    sanitized: bool = False
    sweep: bool = False
    workers: int | None = None  # files judged at once on a machine; none: one for each processor that it has
    search_seconds: float | None = None  # for the lines of wrong results, on each; none: an eighth of judging


class Elsewhere(Protocol):
    """Judges on other machines, which are held against controls there."""

    @property
    def speed_message(self) -> str:
        """Whether they time kernels, when it is known."""

    def bench(self, setup: JudgingSetup, labs: Sequence[Lab], progress: Progress, /) -> JudgingSetup:
        """`setup` as those machines have it."""

    def judge(self, plan: JudgingPlan, progress: Progress, /) -> tuple[str, Sequence[str], Sequence[str]]:
        """Judges every job of `plan`, and tells it each outcome once. Why grading stopped, and what to do; what broke on our side, and
        concerns no job; and what else there is to say of those machines.
        """


@dataclass(frozen=True)
class JudgingSetup:
    """What judging is done with."""

    judge: Judge
    environment: Environment
    fingerprints: Mapping[str, str]  # by lab: of kit, judge, grader, toolchain, sandbox, limits and device
    seed: int
    sweep: Sweep | None = None  # none: not requested, or no GPU to make it on
    controls: Check | None = None  # none: this machine is not checked
    # At controls beside the first jobs; else only where an outcome costs its student something.
    looks_first: bool = True
    lines: LineSearch | None = None  # none: nobody looks for the lines of wrong results
    elsewhere: Elsewhere | None = None  # none: this machine judges


# What is to be judged with it.

_STOPPED = "not judged: grading stopped, because this machine did not judge the course's own kernels as it must"


@dataclass(frozen=True)
class JudgedClass:
    students: tuple[JudgedStudent, ...]  # in the order in which they were given
    judged: int
    reused: int
    faults: tuple[str, ...] = ()  # what broke on our side, for the instructor
    stopped: str = ""  # why grading stopped, and what to do
    notices: tuple[str, ...] = ()  # about the machines that judged


@dataclass
class JudgingPlan:
    """What is to be judged of a class, and what is known: outcomes by key, and the key of each student's file for each lab."""

    students: Sequence[Intake]
    labs: Sequence[Lab]
    setup: JudgingSetup
    store: JobStore
    # By key, what was judged before: then only its sweep is missing. Equal files make one job.
    jobs: dict[str, LabOutcome | None] = field(default_factory=dict)
    outcomes: dict[str, LabOutcome] = field(default_factory=dict)
    keys: dict[tuple[str, str], str] = field(default_factory=dict)  # (student, lab) → key
    files: dict[str, tuple[Lab, Path]] = field(default_factory=dict)  # what is judged, by key
    faults: list[str] = field(default_factory=list)
    reused: int = 0

    def take(self, key: str, outcome: LabOutcome, fault: str) -> None:
        self.outcomes[key] = outcome
        if fault:
            concerned = ", ".join(student for (student, _), one in self.keys.items() if one == key)
            self.faults.append(f"{concerned}: {fault}")

    def judged(self, faults: Sequence[str], stopped: str, notices: Sequence[str] = ()) -> JudgedClass:
        found = [(one, {lab.id: self._outcome(one, lab) for lab in self.labs}) for one in self.students]
        students = tuple(JudgedStudent(one.submission, outcomes) for one, outcomes in found)
        return JudgedClass(students, len(self.jobs), self.reused, (*self.faults, *faults), stopped, (*notices,))

    def discard(self, keys: Collection[str]) -> None:
        """Of these nothing is known: their outcomes are ours to make anew."""
        for key in keys:
            self.outcomes[key] = unjudged(self.files[key][0].id, Verdict.INTERNAL_ERROR, _STOPPED)

    def wrong(self) -> list[Lab]:
        """Labs with submissions that went wrong, and not only the grader; those with most first."""
        by_id = {lab.id: lab for lab in self.labs}
        bad = {key: went_wrong(self.files[key][0], outcome) for key, outcome in self.outcomes.items()}
        counts = Counter(lab_id for (_, lab_id), key in self.keys.items() if bad.get(key, False))
        return [by_id[lab_id] for lab_id, _ in counts.most_common()]

    def _outcome(self, student: Intake, lab: Lab) -> LabOutcome:
        """The outcome of the student's file. For a file that was not judged, it says why."""
        file = lab.public.file
        if not student.submission.handed_in:
            return nothing_handed_in(lab.id)
        if student.submission.refused is not None:
            return unjudged(lab.id, Verdict.REJECTED, f"the submission was refused: {student.submission.refused}")
        if file in student.blocked:
            return unjudged(lab.id, Verdict.REJECTED, student.blocked[file], file=file)
        if file in student.sources:
            return self.outcomes[self.keys[student.submission.id, lab.id]]
        hint = f": {student.hints[file]}" if file in student.hints else ""
        return unjudged(lab.id, Verdict.MISSING_FILE, f"{file} was not handed in{hint}")
