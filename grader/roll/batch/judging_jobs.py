"""The jobs of a batch: which files must be judged, which were judged before, and the judging itself on several cores.

One file of one lab is one job, no matter how many students handed it in. Outcomes are stored while the batch runs, so an interrupted
batch continues where it stopped. Nothing that happens in one job, including a failure of ours, stops the others. A control that fails
stops all of them, because no outcome can be believed then.
"""

from __future__ import annotations

import math
import os
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from grader.model.errors import RemediableError
from grader.model.labs import Lab
from grader.model.outcome import LabOutcome, nothing_handed_in, unjudged
from grader.model.result import Environment, Model
from grader.model.verdicts import Verdict
from grader.roll.batch.job_store import Check, HeldOutcomes, JobStore, job_key, lab_fingerprint
from grader.roll.intake.intake import Intake
from grader.run.lab_verdict import broke, fault_messages, went_wrong
from grader.run.scoring.lab_score import JudgedStudent
from grader.system.own_files import remove_folder

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

    def add(self, student: str, lab: Lab, path: Path, key: str) -> None:
        self.keys[student, lab.id] = key
        self.files[key] = lab, path
        if key not in self.outcomes and key not in self.jobs:
            self.look_up(key)

    def look_up(self, key: str) -> bool:
        """Whether the store holds all of the outcome, which is taken then. What it lacks is to be judged."""
        lab, known = self.files[key][0], self.store.find(key)
        if known is None or broke(lab, known):
            self.jobs[key] = None
        elif self.setup.sweep is not None and self.setup.sweep.lacks(lab, known):
            self.jobs[key] = known
        else:
            self.outcomes[key] = known
        return key in self.outcomes

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


_TRIES = 2  # of a job that failed because of us


def plan_judging(students: Sequence[Intake], labs: Sequence[Lab], setup: JudgingSetup, store: JobStore) -> JudgingPlan:
    """What `store` does not hold yet is to be judged."""
    plan = JudgingPlan(students, labs, setup, store)
    for lab in labs:
        asked = lab_fingerprint(lab)
        for student in students:
            path = student.sources.get(lab.public.file)
            if path is None:
                continue
            key = job_key(path.read_bytes(), asked, setup=setup.fingerprints[lab.id], seed=setup.seed)
            plan.add(student.submission.id, lab, path, key)
    plan.reused = len(plan.outcomes)
    return plan


def judge_class(
    plan: JudgingPlan, scratch: Path, progress: Progress, *, workers: int | None = None, explore: Explore | None = None
) -> JudgedClass:
    """`workers` None: one for each core. `explore`: what else is to be found out of this class."""
    progress.begin(len(plan.jobs), plan.reused)
    if plan.setup.elsewhere is not None:
        stopped, faults, notices = plan.setup.elsewhere.judge(plan, progress)
        progress.end()
        plan.discard(plan.jobs.keys() - plan.outcomes.keys())
        if explore is not None and not stopped:
            explore(plan.wrong(), 0.0)
        return plan.judged(faults, stopped, notices)
    began = time.monotonic()
    with HeldOutcomes(plan.store, plan.setup.controls) as held:
        stopped = _judge_all(plan, held, scratch, workers, progress)
        if not stopped:
            taken = time.monotonic() - began if plan.jobs else 0.0
            answer = held.last_look()
            with ThreadPoolExecutor(1) as beside:
                explored = beside.submit(explore, plan.wrong(), taken) if explore is not None else None
                if plan.setup.lines is not None:
                    plan.faults.extend(plan.setup.lines.run(plan.files, plan.outcomes, held.keep, taken))
            if explored is not None:
                explored.result()
            stopped = held.settled(answer.result())
    progress.end()
    if stopped and not held.passed:
        plan.faults.clear()  # what broke on such a machine says nothing
        plan.discard(plan.jobs.keys())
    elif stopped:
        plan.discard({*held.unsettled, *plan.jobs.keys() - plan.outcomes.keys()})
    return plan.judged(held.faults, stopped)


def _judge_all(plan: JudgingPlan, held: HeldOutcomes, scratch: Path, workers: int | None, progress: Progress) -> str:
    """Every job, and the first look at controls beside them, until a control fails: then the answer is why, and what is not judged yet
    is left.
    """
    stop = threading.Event()
    labs = {plan.files[key][0].id: plan.files[key][0] for key in plan.jobs} if plan.setup.looks_first else {}
    first = held.begin(list(labs.values()))
    with _pool(workers or os.cpu_count() or 1, stop) as pool:
        keys: dict[Future[Any], str] = {
            pool.submit(_do_job, plan, key, scratch / key[:16], stop): key for key in _longest_first(plan)
        }
        for future in as_completed([first, *keys]):
            if future is first:
                stopped = held.begun(first.result())
            else:
                outcome, fault = future.result()
                lab = plan.files[keys[future]][0]
                plan.take(keys[future], outcome, fault)
                if fault:
                    who, _, why = plan.faults[-1].partition(": ")
                    progress.note(f"not graded: {who}, {lab.id}: {why.strip().splitlines()[-1]}")
                if broke(lab, outcome):
                    stopped = held.broke(lab)
                elif outcome.speed is not None and outcome.speed.trouble:
                    stopped = ""  # such times are measured again
                else:
                    stopped = held.take(keys[future], lab, outcome)
            if stopped:
                stop.set()
                pool.shutdown(wait=True, cancel_futures=True)
                return stopped
            if future is not first:
                progress.step()
    return ""


def _longest_first(plan: JudgingPlan) -> list[str]:
    """The keys. What takes long at the end would keep one core busy while the others wait: host code is built in several programs, and
    right kernels that are timed wait for each other.
    """
    specs = {key: plan.files[key][0].public for key in plan.jobs}
    return sorted(specs, key=lambda key: (not specs[key].starts_itself, specs[key].performance is None))


@contextmanager
def _pool(workers: int, stop: threading.Event) -> Iterator[ThreadPoolExecutor]:
    """A thread pool that, when left by an exception or Ctrl-C, starts nothing more."""
    pool = ThreadPoolExecutor(max_workers=workers)
    try:
        yield pool
    except BaseException:
        stop.set()
        pool.shutdown(wait=True, cancel_futures=True)
        raise
    pool.shutdown()


def _do_job(plan: JudgingPlan, key: str, scratch: Path, stop: threading.Event) -> tuple[LabOutcome, str]:
    """The outcome, and what failed on our side. A sweep that fails affects only the sweep."""
    (lab, source), known, sweep = plan.files[key], plan.jobs[key], plan.setup.sweep
    outcome, fault = (known, "") if known else _judge_job(plan.setup.judge, lab, source, scratch, stop)
    if sweep is None or fault or stop.is_set() or not sweep.lacks(lab, outcome):
        return outcome, fault
    try:
        scratch.mkdir(parents=True, exist_ok=True)
        return sweep.add(lab, source, outcome, scratch), ""
    except Exception:  # noqa: BLE001 -- as in _judge_once
        return outcome, f"{lab.id}: the size sweep broke: {traceback.format_exc()}"
    finally:
        remove_folder(scratch)


def _judge_job(judge: Judge, lab: Lab, source: Path, scratch: Path, stop: threading.Event) -> tuple[LabOutcome, str]:
    """The outcome, tried again if we failed; and what failed, for the instructor."""
    for number in range(_TRIES):
        outcome, fault = _judge_once(judge, lab, source, scratch / str(number))
        remove_folder(scratch)
        ours = broke(lab, outcome)
        if not ours or stop.is_set():
            break
    if ours and not fault:
        fault = f"{lab.id}: internal-error: {'; '.join(fault_messages(lab, outcome))}"
    return outcome, fault


def _judge_once(judge: Judge, lab: Lab, source: Path, scratch: Path) -> tuple[LabOutcome, str]:
    try:
        scratch.mkdir(parents=True)
        return judge(lab, source, scratch), ""
    except Exception as error:  # noqa: BLE001 -- whatever breaks on our side must not stop the batch
        message = f"the grader broke: {type(error).__name__}: {error}"
        return unjudged(lab.id, Verdict.INTERNAL_ERROR, message), f"{lab.id}: {traceback.format_exc()}"
