"""Runs slices as tasks of Slurm until each of their jobs has an outcome, or has been tried often enough.

Theory of operation. A task judges its slice into the job store and leaves an answer. So of a job nothing needs to be known but three
things: is its outcome in the store, has its task answered, does the queue still have its task. A task without an answer that the queue
has ended or forgotten is lost, and what it left unjudged is submitted again in smaller slices. This covers `scancel`, time limits, memory
limits and nodes that die alike. A try is held against a job only where nothing of its slice was judged; after `MOST_TRIES` of them the
job is our failure, and it alone. A node that refuses (its controls fail, or it judges with other tools) is excluded from then on, and no
try is held against anybody. All of this is in one thread, and clock and sleep are the caller's.
"""

from __future__ import annotations

import dataclasses
import hashlib
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.model.errors import MachineError
from grader.model.labs import Lab
from grader.model.outcome import LabOutcome, unjudged
from grader.model.verdicts import Verdict
from grader.plugins.slurm import SlurmOptions
from grader.plugins.slurm.shared_folder import (
    MOST_TRIES,
    ArrayFolder,
    ArrayOrder,
    Bench,
    SharedFolder,
    Slice,
    SliceJob,
    Submitted,
    TaskAnswer,
    again,
    cut,
)
from grader.plugins.slurm.slurm_commands import (
    QueueLostError,
    RefusedError,
    SlurmCommands,
    Submission,
    TaskId,
    TaskState,
    Waiting,
    state_of,
)
from grader.roll.batch.job_store import JobStore
from grader.roll.batch.judging_jobs import JudgingOptions, JudgingPlan, JudgingSetup, Progress
from grader.run.lab_verdict import broke
from grader.run.speed.speed_run import lacks_sweep

_MOST_TASKS = 1000  # in one array; Slurm's usual limit is 1001
_FROM_OUTSIDE = frozenset({"CANCELLED", "PREEMPTED"})  # no file of the slice did that
_MOST_REFUSALS = 3  # nodes that refuse while none has judged anything: then it is not the nodes


@dataclass
class ArrayRun:
    """Without `bench`, nothing is judged: a task is asked what its node judges with."""

    cluster: SlurmCluster
    plan: JudgingPlan  # is told each outcome once, with what broke on our side
    labs: tuple[str, ...]  # that tasks open
    progress: Progress
    bench: Bench | None = None  # what all nodes have to judge with

    asked: Bench | None = None  # what a node says that it judges with
    faults: dict[str, None] = field(default_factory=dict)  # that concern no job
    failed: bool = False  # some job has no outcome but that we failed
    refusals: dict[str, str] = field(default_factory=dict)  # by node, why it judges nothing
    _done: set[str] = field(default_factory=set)  # keys with an outcome
    _tasks: dict[TaskId, tuple[ArrayFolder, Slice]] = field(default_factory=dict)
    _gone: dict[TaskId, float] = field(default_factory=dict)  # since when a task without an answer is not in the queue
    _unsent: list[Slice] = field(default_factory=list)
    _last_state: dict[TaskId, TaskState] = field(default_factory=dict)
    _shunned: set[str] = field(default_factory=set)  # nodes where a task was lost: others are tried first
    _good: set[str] = field(default_factory=set)  # nodes that have judged
    _sent: bool = False  # an array was taken
    _again: int = 0  # tasks that were lost and submitted again
    _silent_since: float | None = None

    def adopt(self) -> set[str]:
        """Takes over tasks of an earlier command that still run or wait: the keys of jobs that they judge. Others are cancelled."""
        name = self.cluster.folder.name()
        states = self.cluster.slurm.queue(name)
        alive = {task.array for task, state in states.items() if not state.ended}
        folders = {
            one.array: folder for folder in self.cluster.folder.arrays() if (one := self._usable(folder)) is not None
        }
        taken: set[str] = set()
        for array in alive & folders.keys():
            for number, jobs in enumerate(folders[array].order().slices):
                state = state_of(TaskId(array, number), states)
                keys = [job.key for job in jobs if job.key in self.plan.jobs]
                if state is not None and not state.ended and keys and not taken.intersection(keys):
                    self._tasks[TaskId(array, number)] = (folders[array], Slice(tuple(keys)))
                    taken.update(keys)
        kept = {task.array for task in self._tasks}
        if unwanted := sorted(alive - kept):
            self.cluster.slurm.cancel(name, *unwanted)
        return taken

    def _usable(self, folder: ArrayFolder) -> Submitted | None:
        """That an array was submitted, and as it would be now."""
        submitted = folder.submitted()
        try:
            order = folder.order()
        except (OSError, ValueError):
            return None
        ours = self.cluster.options, self.cluster.slurm_options
        same = submitted and (order.options, submitted.slurm_options) == ours
        return submitted if same else None

    def run(self, slices: Sequence[Slice]) -> str:
        """Until nothing is left to be done; then empty. Else why no node can judge: what has no outcome then was not judged."""
        waiting = self.cluster.waiting
        self._unsent += slices
        pause = waiting.shortest
        while self._tasks or self._unsent:
            if stopped := self._send():
                return stopped
            waiting.sleep(pause)
            pause = min(waiting.longest, 1.2 * pause)
            before = len(self._tasks)
            states = self._queue()
            self._look(states)
            if len(self._tasks) < before:
                pause = waiting.shortest
            if not self._good and len(self.refusals) >= _MOST_REFUSALS:
                return self._refused_words()
            self._tell(states or {})
        return ""

    def cancel(self) -> None:
        """All tasks, those of an array among them of which nobody knows whether Slurm took it."""
        if self._sent or self._tasks or self._unsent:
            self.cluster.slurm.cancel(self.cluster.folder.name())

    def _send(self) -> str:
        """Submits what is not submitted yet, as much of it as Slurm takes. Why nothing can be; empty: it can."""
        most = _MOST_TASKS
        while self._unsent:
            part = self._unsent[:most]
            try:
                self._submit(part)
            except RefusedError as error:
                if error.later and self._sent:
                    self._be_patient(str(error))
                    return ""
                if len(part) > 1:
                    most = len(part) // 2
                elif self._shunned:
                    self._shunned.clear()  # there is no other node
                elif self._tasks:
                    self.progress.note(f"{error}: {len(self._unsent)} tasks wait until others have ended")
                    return ""
                elif self.refusals:
                    return self._refused_words()
                else:
                    raise
                continue
            self._sent = True
            self._silent_since = None
            del self._unsent[: len(part)]
        return ""

    def _submit(self, slices: Sequence[Slice]) -> None:
        cluster = self.cluster
        jobs = tuple(tuple(SliceJob(key=key, lab=self._lab_of(key)) for key in one.keys) for one in slices)
        order = ArrayOrder(labs=self.labs, options=cluster.options, slices=jobs, bench=self.bench)
        array = cluster.folder.add_array(order, cluster.command)
        excluded = tuple(sorted({*self.refusals, *self._shunned}))
        name, options = cluster.folder.name(), cluster.slurm_options
        what = Submission(array.script, len(slices), name, cluster.root, array.log, options, excluded)
        number = cluster.slurm.submit(what)
        array.mark_submitted(Submitted(array=number, slurm_options=cluster.slurm_options))
        for at, one in enumerate(slices):
            self._tasks[TaskId(number, at)] = (array, one)

    def _queue(self) -> Mapping[TaskId, TaskState] | None:
        """None: it does not answer now."""
        try:
            states = self.cluster.slurm.queue(self.cluster.folder.name())
        except QueueLostError as error:
            self._be_patient(str(error))
            return None
        self._silent_since = None if not self._unsent else self._silent_since
        self._last_state.update({task: state for task in self._tasks if (state := states.get(task)) is not None})
        return states

    def _be_patient(self, words: str) -> None:
        """Slurm does not answer. Raises MachineError when it has not for too long."""
        now, patience = self.cluster.waiting.clock(), self.cluster.waiting.patience
        self._silent_since = now if self._silent_since is None else self._silent_since
        if now - self._silent_since > patience:
            raise MachineError(
                f"{words}. That has been so for {round(patience / 60)} minutes. What was judged is kept: run the same command "
                "again when Slurm answers."
            )
        self.progress.note(words)

    def _look(self, states: Mapping[TaskId, TaskState] | None) -> None:
        """Takes what tasks have done since the last look."""
        answered = {folder.path: folder.answered() for folder, _ in self._tasks.values()}
        now = self.cluster.waiting.clock()
        self._open([key for _, one in self._tasks.values() for key in one.keys])
        for task, (folder, one) in list(self._tasks.items()):
            answer = folder.answer(task.number) if task.number in answered[folder.path] else None
            if answer is not None:
                self._settle(task, one, answer)
            elif states is not None and ((state := state_of(task, states)) is None or state.ended):
                if now - self._gone.setdefault(task, now) >= self.cluster.waiting.grace:
                    self._lose(task, folder, one)
            else:
                self._gone.pop(task, None)

    def _settle(self, task: TaskId, one: Slice, answer: TaskAnswer) -> None:
        """Takes what a task has answered."""
        del self._tasks[task]
        open_keys = self._open(one.keys)
        if answer.refused:
            known = answer.node in self.refusals
            self.refusals[answer.node] = answer.refused
            # A node that was excluded and is given work all the same would be so for ever.
            self._retry(one, open_keys, f"{answer.node} refused again: {answer.refused}", counts=known)
            return
        self._good.add(answer.node)
        last = one.tries + 1 >= MOST_TRIES
        left = [key for key in open_keys if not self._answered(key, answer, last=last)]
        why = f"task {task} on {answer.node} ended without an outcome"
        self._retry(one, left, why, counts=True)

    def _lose(self, task: TaskId, folder: ArrayFolder, one: Slice) -> None:
        """A task has ended without an answer."""
        del self._tasks[task]
        last = self._last_state.get(task, TaskState(""))
        if last.node and last.state in {"FAILED", "NODE_FAIL", "BOOT_FAIL", "LAUNCH_FAILED"}:
            self._shunned.add(last.node)
        open_keys = self._open(one.keys)
        self._again += bool(open_keys)
        ended = last.state if last.ended else self.cluster.slurm.why(task) or "it is no longer in the queue"
        where = f" on {last.node}" if last.node else ""
        words = folder.last_words(task.number)
        why = f"task {task}{where} ended without an answer ({ended})" + (f"; its log ends: {words}" if words else "")
        # Part of the slice was judged: then nothing shows that the others are to blame.
        counts = len(open_keys) == len(one.keys)
        self._retry(one, open_keys, why, counts=counts, smaller=last.state not in _FROM_OUTSIDE)

    def _open(self, keys: Sequence[str]) -> list[str]:
        """Those that have no outcome by now. What the store holds of the others is taken."""
        store, sweep = self.plan.store, self.plan.setup.sweep
        kept = store.keys() if not self._done.issuperset(keys) else frozenset()
        for key in {*keys} & kept - self._done:
            lab, outcome = self.plan.files[key][0], store.find(key)
            if (
                outcome is not None
                and not broke(lab, outcome)
                and not (sweep is not None and sweep.lacks(lab, outcome))
            ):
                self._take(key, outcome, "")
        return [key for key in keys if key not in self._done]

    def _answered(self, key: str, answer: TaskAnswer, *, last: bool) -> bool:
        """Takes what an answer alone says of a job. False: nothing that counts, and unless it is the `last` try it is tried again."""
        if self.bench is None:
            self.asked = answer.bench
            return answer.bench is not None
        self.faults.update(dict.fromkeys(answer.other_faults))
        lab, outcome = self.plan.files[key][0], answer.outcomes.get(key)
        if outcome is None or (broke(lab, outcome) and not last):
            return False
        fault = answer.faults.get(key, "")
        self.failed = self.failed or broke(lab, outcome)
        self._take(key, outcome, f"on {answer.node}: {fault}" if fault else "")
        return True

    def _take(self, key: str, outcome: LabOutcome, fault: str) -> None:
        self._done.add(key)
        self.plan.take(key, outcome, fault)
        self.progress.step()

    def _retry(self, one: Slice, keys: Sequence[str], why: str, *, counts: bool, smaller: bool = True) -> None:
        if not counts or one.tries + 1 < MOST_TRIES:
            labs = {key: self._lab_of(key) for key in keys}
            self._unsent += again(one, keys, labs, counts=counts, smaller=smaller)
            return
        if keys and self.bench is None:
            raise MachineError(f"{MOST_TRIES} tasks ended without saying what nodes judge with: the last, {why}")
        for key in keys:
            self.failed = True
            lab = self._lab_of(key)
            message = f"{MOST_TRIES} tasks of the cluster ended without judging it: the last, {why}"
            self._take(key, unjudged(lab, Verdict.INTERNAL_ERROR, message), f"{lab}: {message}")

    def _lab_of(self, key: str) -> str:
        """A task that is only asked is about any lab."""
        return self.plan.files[key][0].id if key in self.plan.files else self.labs[0]

    def _refused_words(self) -> str:
        node, why = next(iter(self.refusals.items()))
        others = f" (and {len(self.refusals) - 1} more)" if len(self.refusals) > 1 else ""
        return f"no node of the cluster can judge: {node}{others}: {why}"

    def _tell(self, states: Mapping[TaskId, TaskState]) -> None:
        """One line about the tasks."""
        if self._silent_since is not None or not self._tasks:
            return
        mine = [state for task in self._tasks if (state := state_of(task, states)) is not None]
        nodes = {one.node for one in mine if not one.waits and one.node}
        waiting = Counter(one.reason for one in mine if one.waits)
        parts = []
        if running := sum(not one.waits for one in mine):
            parts.append(f"{_tasks(running)} on {', '.join(sorted(nodes)[:3])}{', …' if len(nodes) > 3 else ''}")  # noqa: PLR2004
        if waiting:
            reasons = ", ".join(reason for reason, _ in waiting.most_common(2))
            parts.append(f"{_tasks(waiting.total())} waiting ({reasons})")
        if self._again:
            parts.append(f"{_tasks(self._again)} lost and submitted again")
        if self.refusals:
            parts.append(f"not used: {', '.join(sorted(self.refusals))}")
        if parts:
            self.progress.note("; ".join(parts))


def _tasks(number: int) -> str:
    return "1 task" if number == 1 else f"{number} tasks"


# Judging on a cluster, for a batch: what nodes judge with, and the outcomes of jobs that tasks have judged.
#
# Nothing of a submission runs on this machine, and no control: every task judges the controls of its labs on its own node.

_NO_JOB = "0" * 64  # the key of a job that only asks a node what it judges with
SLICE = 32  # jobs of a task: its controls cost about as much as two of them


@dataclass(frozen=True)
class SweepThere:
    """Says which outcomes lack a sweep. Tasks add them."""

    on_gpu: bool

    def lacks(self, lab: Lab, outcome: LabOutcome) -> bool:
        return self.on_gpu and lacks_sweep(lab, outcome)

    def add(self, lab: Lab, source: Path, outcome: LabOutcome, scratch: Path) -> LabOutcome:  # noqa: ARG002 -- as Sweep has it
        return outcome


@dataclass
class SlurmCluster:
    """Implements the batch's Elsewhere: where tasks run, and how they are submitted. `front`: what this machine would judge with; others
    are asked again when it changes.
    """

    folder: SharedFolder
    options: JudgingOptions
    slurm_options: tuple[str, ...]
    command: Sequence[str]  # of a task
    root: Path
    front: Mapping[str, str]
    slice_size: int = SLICE
    speed_message: str = ""  # of the nodes, when they are known
    slurm: SlurmCommands = field(default_factory=SlurmCommands, kw_only=True)
    waiting: Waiting = field(default_factory=Waiting, kw_only=True)

    def bench(self, setup: JudgingSetup, labs: Sequence[Lab], progress: Progress) -> JudgingSetup:
        """`setup` as nodes have it. Where they were not asked yet, one of them is. Raises SlurmError or MachineError."""
        ids = [lab.id for lab in labs]
        known = self.folder.known_bench(self._front_digest(ids), ids)
        if known is None:
            progress.note("asking a node of the cluster what it judges with")
            known = self._ask(setup, ids, progress)
            self.folder.remember_bench(self._front_digest(ids), known)
        self.speed_message = known.speed_message
        environment = known.environment.model_copy(update={"date": setup.environment.date})
        sweep = SweepThere(environment.backend == "cuda") if self.options.sweep else None
        return dataclasses.replace(setup, environment=environment, fingerprints=known.fingerprints, sweep=sweep)

    def judge(self, plan: JudgingPlan, progress: Progress) -> tuple[str, Sequence[str], Sequence[str]]:
        """Unless it stopped, every job has an outcome, which `plan` was told with what broke on our side."""
        jobs = {key: plan.files[key] for key in plan.jobs}
        if not jobs:
            return "", (), ()
        labs = {key: lab.id for key, (lab, _) in jobs.items()}
        fingerprints = {lab: plan.setup.fingerprints[lab] for lab in sorted({*labs.values()})}
        bench = Bench(fingerprints=fingerprints, environment=plan.setup.environment)
        run = ArrayRun(self, plan, tuple(fingerprints), progress, bench)
        self.folder.add_sources({key: path for key, (_, path) in jobs.items()})
        try:
            adopted = run.adopt()
            left = {key: lab for key, lab in labs.items() if key not in adopted}
            stopped = run.run(list(cut(left, self.slice_size)))
        finally:
            run.cancel()  # what they have judged is kept
        if stopped:
            self.folder.forget_bench()
        elif not run.failed and not run.refusals:
            self.folder.tidy()
        notices = [f"{node} of the cluster judged nothing: {why}" for node, why in sorted(run.refusals.items())]
        return stopped, [*run.faults], notices

    def _ask(self, setup: JudgingSetup, labs: Sequence[str], progress: Progress) -> Bench:
        nothing = JudgingPlan((), (), setup, JobStore(self.folder.private / "jobs"))
        run = ArrayRun(self, nothing, tuple(labs), progress)
        try:
            stopped = run.run([Slice((_NO_JOB,))])
        except BaseException:
            run.cancel()
            raise
        if run.asked is None:
            raise MachineError(stopped)
        return run.asked

    def _front_digest(self, labs: Sequence[str]) -> str:
        parts = [*self.slurm_options, self.options.model_dump_json(), *(f"{lab} {self.front[lab]}" for lab in labs)]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def slurm_cluster(
    options: SlurmOptions, judging: JudgingOptions, setup: JudgingSetup, out: Path, root: Path
) -> SlurmCluster:
    """`setup`: as this machine would judge."""
    program = Path(sys.executable).with_name("tilelab")
    return SlurmCluster(
        SharedFolder(out / "instructor"),
        judging,
        options.of_sbatch(judging.workers),
        (sys.executable, str(program), "judge-slice"),
        root.resolve(),
        setup.fingerprints,
        options.slurm_slice or SLICE,
    )
