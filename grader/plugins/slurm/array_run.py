"""Judges a class on a cluster: arrays of tasks, one after the other, until each job has an outcome or has been tried often enough.

Theory of operation. A task judges its slice into the job store and leaves an answer. When all tasks of an array have answered, or none is
left in the queue, what has no outcome goes into the next array, in smaller slices. So nothing needs to be known of a single task, and this
covers `scancel`, time limits, memory limits and nodes that die alike. A try is held against a job only where nothing of its slice was
judged; after `MOST_TRIES` of them the job is our failure, and it alone. A node that refuses (its controls fail, or it judges with other
tools) is excluded from then on, and no try is held against anybody. Nothing of a submission runs on this machine, and no control.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
import shlex
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

from grader.model.errors import MachineError, RemediableError
from grader.model.labs import Lab
from grader.model.outcome import LabOutcome, unjudged
from grader.model.verdicts import Verdict
from grader.plugins.slurm import SlurmOptions
from grader.plugins.slurm.slice_judging import ArrayFolder, ArrayOrder, Bench, Slice, TaskAnswer
from grader.roll.batch.job_store import JobStore
from grader.roll.batch.judging_jobs import JudgingOptions, JudgingPlan, JudgingSetup, Progress
from grader.roll.batch.output_folder import read_kept
from grader.run.lab_verdict import broke
from grader.run.speed.speed_run import lacks_sweep
from grader.system.own_files import remove_folder, write_atomically

# Slurm's commands. Every array of one OUT has the same name, and the queue is asked by that name alone: an array that Slurm has forgotten
# is simply not in the answer, and a failing `squeue` always means that the queue itself does not answer. What `sbatch` prints is not read.

# What Slurm says when slurmctld cannot be reached, and not that it does not want this array.
_BUSY = re.compile(r"contact slurm controller|timed out|temporarily|try again|connection refused", re.IGNORECASE)
_SECONDS = 120  # for one command; slurmctld may be busy
DIED = frozenset({"BOOT_FAIL", "FAILED", "LAUNCH_FAILED", "NODE_FAIL"})  # another node may do better
ENDED = DIED | {"CANCELLED", "COMPLETED", "DEADLINE", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED", "TIMEOUT"}


class RefusedError(RemediableError):
    """Slurm does not do what it is asked. The text holds its own words."""


class SilentError(RemediableError):
    """Slurm does not answer at the moment: the same may be asked later."""


class QueuedTask(NamedTuple):
    state: str  # Slurm's word. One that nobody knows is that of a task which may still run
    node: str = ""
    reason: str = ""


class SlurmCommands:
    """The commands as they are on the path. All raise SilentError, or RemediableError where they are not on this machine."""

    def submit(self, command: str, log: Path, tasks: int, name: str, options: Sequence[str]) -> None:
        """`log`: with sbatch's signs in its name. Raises RefusedError: a smaller array may be taken."""
        ours = [f"--array=0-{tasks - 1}", f"--job-name={name}", "--nodes=1", "--ntasks=1", "--no-requeue"]
        output = str(log.parent).replace("%", "%%") + f"/{log.name}"
        _run("sbatch", *options, *ours, f"--output={output}", f"--wrap=exec {command}")

    def queue(self, name: str) -> list[QueuedTask]:
        """The tasks of all arrays called `name` that Slurm knows of, also those that have ended lately."""
        try:
            output = _run("squeue", f"--name={name}", "--array", "--noheader", "--states=all", "--format=%T|%N|%r")
        except RefusedError as error:
            raise SilentError(str(error)) from error
        lines = [line.strip() for line in output.splitlines() if line.strip()]
        if strange := next((line for line in lines if not re.match(r"[A-Z_]+\|[^|]*\|", line)), ""):
            raise SilentError(f"squeue printed a line that is not understood: {strange[:200]!r}")
        return [QueuedTask(*line.split("|", 2)) for line in lines]

    def cancel(self, name: str) -> None:
        """All arrays called `name`. Where it fails, they run on, and what they judge is kept."""
        with suppress(RemediableError):
            _run("scancel", f"--name={name}")


def _run(*command: str) -> str:
    # Without what an allocation around this command has set, and without formats of the person's own.
    theirs = [name for name in os.environ if name.startswith(("SLURM_", "SQUEUE_", "SCANCEL_"))]
    dropped = {*theirs} - {"SLURM_CONF", "SLURM_CLUSTERS"}
    try:
        done = subprocess.run(
            command,
            check=False,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_SECONDS,
            stdin=subprocess.DEVNULL,
            env={name: value for name, value in os.environ.items() if name not in dropped},
        )
    except FileNotFoundError as error:
        raise RemediableError(
            f"there is no {command[0]!r} on this machine: `tilelab grade --slurm` runs where Slurm's commands are, on a login node."
        ) from error
    except subprocess.TimeoutExpired as error:
        raise SilentError(f"{command[0]}: no answer within {_SECONDS} seconds") from error
    except OSError as error:
        raise SilentError(f"{command[0]} cannot be started: {error.strerror}") from error
    if done.returncode != 0:
        words = " ".join(line.strip() for line in done.stderr.splitlines()[-3:] if line.strip())[:500]
        kind = SilentError if _BUSY.search(words) else RefusedError
        raise kind(f"{command[0]} failed: {words or f'it ended with status {done.returncode}'}")
    return done.stdout


# What is submitted, and again.

MOST_TRIES = 3  # submissions of one job that end without an outcome
_MOST_REFUSALS = 3  # nodes that refuse while none has judged anything: then it is not the nodes
_MOST_TASKS = 1000  # of an array; Slurm's usual limit is 1001
_SLICE = 32  # jobs of a task: its controls cost about as much as two of them
_SHRINK = 4

_Answer = TypeVar("_Answer")


def cut(jobs: Mapping[str, str], tries: Mapping[str, int], size: int) -> Iterator[Slice]:
    """`jobs`: the lab of each key. Slices of one lab, as equal as they can be, of at most `size` keys: what was tried before goes into
    smaller ones, and at last alone, so one file that ends its task takes no other with it.
    """
    groups: dict[tuple[str, int], list[str]] = defaultdict(list)
    for key, lab in jobs.items():
        groups[lab, tries.get(key, 0)].append(key)
    for (lab, tried), keys in groups.items():
        whole = min(size, len(keys))
        count = math.ceil(len(keys) / (whole, math.ceil(whole / _SHRINK), 1)[tried])
        for at in range(count):
            yield Slice(lab=lab, keys=tuple(keys[at * len(keys) // count : (at + 1) * len(keys) // count]))


class _SweepThere:
    """Says which outcomes lack a sweep. Tasks add them."""

    def lacks(self, lab: Lab, outcome: LabOutcome) -> bool:
        return lacks_sweep(lab, outcome)

    def add(self, lab: Lab, source: Path, outcome: LabOutcome, scratch: Path) -> LabOutcome:  # noqa: ARG002 -- as Sweep has it
        return outcome


@dataclass
class SlurmCluster:
    """Implements the batch's Elsewhere, for one batch. Times are in seconds."""

    path: Path  # OUT/instructor/slurm
    order: ArrayOrder  # without labs, bench and slices yet
    command: Sequence[str]  # of a task
    root: Path
    front: Mapping[str, str]  # what this machine would judge with; nodes are asked again when it changes
    slice_size: int = _SLICE
    slurm: SlurmCommands = field(default_factory=SlurmCommands)
    pause: float = 5.0  # between two looks at the queue
    grace: float = 30.0  # for answers of tasks that have ended: shared file systems show new files late
    patience: float = 1800.0  # for a Slurm that does not answer
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    speed_message: str = ""  # of the nodes, when they are known
    refusals: dict[str, str] = field(default_factory=dict)  # by node, why it judges nothing
    _plan: JudgingPlan = field(init=False)
    _progress: Progress = field(init=False)
    _faults: dict[str, None] = field(default_factory=dict)  # that concern no job
    _excluded: frozenset[str] = frozenset()  # from the array that runs
    _shunned: set[str] = field(default_factory=set)  # nodes where a task was lost: others are tried first
    _good: bool = False  # a node has judged
    _tries: Counter[str] = field(default_factory=Counter)  # by key, those held against it

    @property
    def name(self) -> str:
        """What all arrays of this OUT are called: so a later command finds those of one that was killed."""
        return f"tilelab-{_digest(str(os.getuid()), str(self.path.resolve()))}"

    def bench(self, setup: JudgingSetup, labs: Sequence[Lab], progress: Progress) -> JudgingSetup:
        """`setup` as nodes have it. Where they were not asked yet, one of them is. Raises RemediableError."""
        ids, options = tuple(lab.id for lab in labs), self.order.options.model_dump_json()
        fronts = (f"{lab} {self.front[lab]}" for lab in ids)
        path = self.path / f"bench-{_digest(*self.order.slurm_options, options, *fronts)}.json"
        if (known := read_kept(path, Bench)) is None:
            progress.note("asking a node of the cluster what it judges with")
            self._plan, self._progress = JudgingPlan((), labs, setup, JobStore(self.path.parent / "jobs")), progress
            try:
                known = self._ask(self.order.model_copy(update={"labs": ids, "slices": (Slice(),)}))
            except BaseException:
                self.slurm.cancel(self.name)
                raise
            self._forget_benches()
            write_atomically(path, known.model_dump_json() + "\n")
        self.speed_message = known.speed_message
        environment = known.environment.model_copy(update={"date": setup.environment.date})
        sweep = _SweepThere() if self.order.options.sweep and environment.backend == "cuda" else None
        return replace(setup, environment=environment, fingerprints=known.fingerprints, sweep=sweep)

    def judge(self, plan: JudgingPlan, progress: Progress) -> tuple[str, Sequence[str], Sequence[str]]:
        """Unless it stopped, every job has an outcome, which `plan` was told with what broke on our side."""
        if not plan.jobs:
            return "", (), ()
        self._plan, self._progress = plan, progress
        self._good, self.refusals = False, {}  # a node that only said what it judges with has judged nothing
        prints = {lab.id: plan.setup.fingerprints[lab.id] for lab, _ in (plan.files[key] for key in plan.jobs)}
        bench = Bench(fingerprints=prints, environment=plan.setup.environment)
        try:
            stopped = self._judge(self.order.model_copy(update={"labs": tuple(sorted(prints)), "bench": bench}))
        finally:
            self.slurm.cancel(self.name)  # what they have judged is kept
        if stopped:
            self._forget_benches()
        elif not self.refusals and not any(broke(plan.files[key][0], plan.outcomes[key]) for key in plan.jobs):
            with suppress(OSError):
                remove_folder(self.path / "arrays")
        notices = [f"{node} of the cluster judged nothing: {why}" for node, why in sorted(self.refusals.items())]
        return stopped, [*self._faults], notices

    def _ask(self, order: ArrayOrder) -> Bench:
        why = ""
        for _ in range(MOST_TRIES):
            array = self._submitted(order)
            if array is None or not self._ended(array):
                raise MachineError(self._refused_words())
            answer = array.answer(0)
            if answer is not None and answer.bench is not None and not answer.refused:
                return answer.bench
            why = answer.refused if answer is not None else array.last_words(0)
        raise MachineError(f"{MOST_TRIES} tasks ended without saying what nodes judge with: the last, {why}")

    def _judge(self, order: ArrayOrder) -> str:
        """Until nothing is left to be done; then empty. Else why no node can judge: what has no outcome then was not judged."""
        plan, array = self._plan, self._adopted()
        while left := {key: plan.files[key][0].id for key in plan.jobs if key not in plan.outcomes}:
            slices = tuple(cut(left, self._tries, self.slice_size))
            array = array or self._submitted(order.model_copy(update={"slices": slices}))
            if array is None or not self._ended(array):
                return self._refused_words()
            for number, one in enumerate(array.order().slices):
                self._settle(one, array.answer(number), array.last_words(number))
            array = None
        return ""

    def _adopted(self) -> ArrayFolder | None:
        """The array of an earlier command that still runs, if it is about files of this class. Others are cancelled."""
        if all(task.state in ENDED for task in self._patiently(lambda: self.slurm.queue(self.name))):
            return None
        with suppress(OSError, ValueError):
            array = ArrayFolder(max((self.path / "arrays").iterdir()))
            order = array.order()
            keys = {key for one in order.slices for key in one.keys}
            same = (order.options, order.slurm_options) == (self.order.options, self.order.slurm_options)
            if same and keys and keys <= self._plan.files.keys():
                return array
        self.slurm.cancel(self.name)
        return None

    def _submitted(self, order: ArrayOrder) -> ArrayFolder | None:
        """An array of as many slices as Slurm takes. None: no node is left for it."""
        most = _MOST_TASKS
        array = ArrayFolder(self.path / "arrays" / f"{time.time_ns():020}")
        for key in (key for one in order.slices[:most] for key in one.keys):
            write_atomically(array.source(key), self._plan.files[key][1].read_bytes())
        while True:
            part = order.model_copy(update={"slices": order.slices[:most]})
            write_atomically(array.path / "order.json", part.model_dump_json(by_alias=True) + "\n")
            self._excluded = frozenset({*self.refusals, *self._shunned})
            exclude = [f"--exclude={','.join(sorted(self._excluded))}"] if self._excluded else []
            options = [*order.slurm_options, *exclude, f"--chdir={self.root}"]
            words, tasks = shlex.join([*self.command, str(array.path.absolute())]), len(part.slices)
            try:
                self._patiently(partial(self.slurm.submit, words, array.log, tasks, self.name, options))
            except RefusedError:
                if self._shunned:
                    self._shunned.clear()  # perhaps there is no other node
                elif tasks > 1:
                    most = tasks // 2
                elif any(task.state == "COMPLETING" for task in self._patiently(lambda: self.slurm.queue(self.name))):
                    self.sleep(self.pause)  # tasks of the array before still count against a limit
                elif self.refusals:
                    return None
                else:
                    raise
            else:
                return array

    def _ended(self, array: ArrayFolder) -> bool:
        """Waits until all tasks have answered or none is left. False: no node can judge."""
        tasks, gone = len(array.order().slices), math.inf
        while (answered := array.answered()) < tasks and self.clock() - gone < self.grace:
            queue = self._patiently(lambda: self.slurm.queue(self.name))
            self._shunned.update(task.node for task in queue if task.state in DIED and task.node)
            counts = Counter(
                f"{one.state.lower()} ({one.node or one.reason})" for one in queue if one.state not in ENDED
            )
            gone = math.inf if counts else min(gone, self.clock())
            states = ", ".join(f"{number} {words}" for words, number in counts.most_common(3))
            unused = f"; not used: {', '.join(sorted(self.refusals))}" if self.refusals else ""
            self._progress.note(
                f"{answered} of {tasks} tasks have ended; {states or 'none is left in the queue'}{unused}"
            )
            self.sleep(self.pause)
            self._take_kept()
        self._take_kept()
        for answer in filter(None, map(array.answer, range(tasks))):
            self._good = self._good or not answer.refused
            if answer.refused:
                self.refusals[answer.node] = answer.refused
        return self._good or len(self.refusals) < _MOST_REFUSALS

    def _patiently(self, ask: Callable[[], _Answer]) -> _Answer:
        """Raises MachineError when Slurm has not answered for too long."""
        began = self.clock()
        while True:
            try:
                return ask()
            except SilentError as error:
                if self.clock() - began > self.patience:
                    raise MachineError(
                        f"{error}. That has been so for {round(self.patience / 60)} minutes. What was judged is kept: run the same "
                        "command again when Slurm answers."
                    ) from error
                self._progress.note(str(error))
                self.sleep(self.pause)

    def _take_kept(self) -> None:
        """What tasks have put into the job store."""
        for key in self._plan.jobs.keys() & self._plan.store.keys() - self._plan.outcomes.keys():
            if self._plan.look_up(key):
                self._progress.step()

    def _settle(self, one: Slice, answer: TaskAnswer | None, why: str) -> None:
        """Takes what an ended task has left. `why`: of one without an answer."""
        plan, told = self._plan, dict[str, str]()
        left = [key for key in one.keys if key not in plan.outcomes]
        if answer is None:
            counts = len(left) == len(one.keys)  # else nothing shows that they are to blame
        elif answer.refused:
            # A node that was excluded and is given work all the same would be so for ever.
            counts, why = answer.node in self._excluded, f"{answer.node} refused again: {answer.refused}"
        else:
            counts, why = True, f"a task on {answer.node} ended without an outcome"
            told = {key: words for key, _, words in (fault.partition(": ") for fault in answer.faults)}
            self._faults |= dict.fromkeys(fault for fault in answer.faults if fault.partition(": ")[0] not in one.keys)
        for key in left:
            lab, outcome = plan.files[key][0], answer.outcomes.get(key) if answer else None
            self._tries[key] += counts
            last = self._tries[key] >= MOST_TRIES
            if answer is not None and outcome is not None and (last or not broke(lab, outcome)):
                plan.take(key, outcome, f"on {answer.node}: {told[key]}" if key in told else "")
            elif last:
                message = f"{MOST_TRIES} tasks of the cluster ended without judging it: the last, {why}"
                plan.take(key, unjudged(lab.id, Verdict.INTERNAL_ERROR, message), f"{lab.id}: {message}")
            else:
                continue
            self._progress.step()

    def _refused_words(self) -> str:
        node, why = next(iter(self.refusals.items()))
        others = f" (and {len(self.refusals) - 1} more)" if len(self.refusals) > 1 else ""
        return f"no node of the cluster can judge: {node}{others}: {why}"

    def _forget_benches(self) -> None:
        for path in self.path.glob("bench-*.json"):
            path.unlink(missing_ok=True)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def slurm_cluster(
    options: SlurmOptions, judging: JudgingOptions, setup: JudgingSetup, out: Path, root: Path
) -> SlurmCluster:
    """`setup`: as this machine would judge."""
    order = ArrayOrder(options=judging, slurm_options=options.of_sbatch(judging.workers))
    command = (sys.executable, str(Path(sys.executable).with_name("tilelab")), "judge-slice")
    path, size = out / "instructor" / "slurm", options.slurm_slice or _SLICE
    return SlurmCluster(path, order, command, root.resolve(), setup.fingerprints, size)
