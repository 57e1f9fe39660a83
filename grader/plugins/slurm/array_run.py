"""Runs slices as tasks of Slurm until each of their jobs has an outcome, or has been tried often enough.

Theory of operation. A task judges its slice into the job store and leaves an answer. So of a job nothing needs to be known but three
things: is its outcome in the store, has its task answered, does the queue still have its task. A task without an answer that the queue
has ended or forgotten is lost, and what it left unjudged is submitted again in smaller slices. This covers `scancel`, time limits, memory
limits and nodes that die alike. A try is held against a job only where nothing of its slice was judged; after `MOST_TRIES` of them the
job is our failure, and it alone. A node that refuses (its controls fail, or it judges with other tools) is excluded from then on, and no
try is held against anybody. All of this is in one thread, and clock and sleep are the caller's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.model.errors import MachineError
from grader.model.labs import Lab
from grader.model.outcome import LabOutcome, unjudged
from grader.model.verdicts import Verdict
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
)
from grader.plugins.slurm.slurm_commands import (
    Judged,
    QueueLostError,
    RefusedError,
    Slurm,
    Submission,
    TaskId,
    TaskState,
    Waiting,
    state_of,
)
from grader.roll.batch.job_store import JobStore
from grader.roll.batch.judging_setup import JudgingOptions, JudgingSetup
from grader.run.lab_verdict import broke

_MOST_TASKS = 1000  # in one array; Slurm's usual limit is 1001
_FROM_OUTSIDE = frozenset({"CANCELLED", "PREEMPTED"})  # no file of the slice did that
_MOST_REFUSALS = 3  # nodes that refuse while none has judged anything: then it is not the nodes


@dataclass
class ArrayRun:
    slurm: Slurm
    folder: SharedFolder
    options: JudgingOptions
    slurm_options: tuple[str, ...]
    command: Sequence[str]  # judges a slice; the folder of its array comes last
    root: Path  # the course, where tasks start
    labs: tuple[str, ...]  # that tasks open
    waiting: Waiting = field(default_factory=Waiting)
    bench: Bench | None = None  # what all nodes have to judge with
    said: Callable[[str], None] = lambda _text: None

    _judged: Judged = field(init=False)  # who is told what came of jobs
    _lab_of: Mapping[str, str] = field(default_factory=dict)  # by key, of all jobs of this run
    _tasks: dict[TaskId, tuple[ArrayFolder, Slice]] = field(default_factory=dict)
    _gone: dict[TaskId, float] = field(default_factory=dict)  # since when a task without an answer is not in the queue
    _unsent: list[Slice] = field(default_factory=list)
    _last_state: dict[TaskId, TaskState] = field(default_factory=dict)
    _refusals: dict[str, str] = field(default_factory=dict)  # by node, why it judges nothing
    _shunned: set[str] = field(default_factory=set)  # nodes where a task was lost: others are tried first
    _good: set[str] = field(default_factory=set)  # nodes that have judged
    _sent: bool = False  # an array was taken
    _again: int = 0  # tasks that were lost and submitted again
    _silent_since: float | None = None

    @property
    def refusals(self) -> Mapping[str, str]:
        return self._refusals

    def adopt(self, labs: Mapping[str, str]) -> set[str]:
        """Takes over tasks of an earlier command that still run or wait: the keys of `labs` that they judge. Others are cancelled."""
        name = self.folder.name()
        states = self.slurm.queue(name)
        alive = {task.array for task, state in states.items() if not state.ended}
        folders = {one.array: folder for folder in self.folder.arrays() if (one := self._usable(folder)) is not None}
        taken: set[str] = set()
        for array in alive & folders.keys():
            for number, jobs in enumerate(folders[array].order().slices):
                state = state_of(TaskId(array, number), states)
                keys = [job.key for job in jobs if job.key in labs]
                if state is not None and not state.ended and keys and not taken.intersection(keys):
                    self._tasks[TaskId(array, number)] = (folders[array], Slice(tuple(keys)))
                    taken.update(keys)
        kept = {task.array for task in self._tasks}
        if unwanted := sorted(alive - kept):
            self.slurm.cancel(name, *unwanted)
        return taken

    def _usable(self, folder: ArrayFolder) -> Submitted | None:
        """That an array was submitted, and as it would be now."""
        submitted = folder.submitted()
        try:
            order = folder.order()
        except (OSError, ValueError):
            return None
        same = order.options == self.options and submitted and submitted.slurm_options == self.slurm_options
        return submitted if same else None

    def run(self, slices: Sequence[Slice], labs: Mapping[str, str], judged: Judged) -> str:
        """Until nothing is left to be done; then empty. Else why no node can judge: what has no outcome then was not judged."""
        self._lab_of, self._judged = labs, judged
        self._unsent += slices
        pause = self.waiting.shortest
        while self._tasks or self._unsent:
            if stopped := self._send():
                return stopped
            self.waiting.sleep(pause)
            pause = min(self.waiting.longest, 1.2 * pause)
            before = len(self._tasks)
            states = self._queue()
            self._look(states)
            if len(self._tasks) < before:
                pause = self.waiting.shortest
            if stopped := self._nobody_can():
                return stopped
            self._tell(states or {})
        return ""

    def cancel(self) -> None:
        """All tasks, those of an array among them of which nobody knows whether Slurm took it."""
        if self._sent or self._tasks or self._unsent:
            self.slurm.cancel(self.folder.name())

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
                    self.said(f"{error}: {len(self._unsent)} tasks wait until others have ended")
                    return ""
                elif self._refusals:
                    return self._refused_words()
                else:
                    raise
                continue
            self._sent = True
            self._silent_since = None
            del self._unsent[: len(part)]
        return ""

    def _submit(self, slices: Sequence[Slice]) -> None:
        jobs = tuple(tuple(SliceJob(key=key, lab=self._lab_of[key]) for key in one.keys) for one in slices)
        order = ArrayOrder(labs=self.labs, options=self.options, slices=jobs, bench=self.bench)
        array = self.folder.add_array(order, self.command)
        excluded = tuple(sorted({*self._refusals, *self._shunned}))
        name = self.folder.name()
        number = self.slurm.submit(
            Submission(array.script, len(slices), name, self.root, array.log, self.slurm_options, excluded)
        )
        array.mark_submitted(Submitted(array=number, slurm_options=self.slurm_options))
        for at, one in enumerate(slices):
            self._tasks[TaskId(number, at)] = (array, one)

    def _queue(self) -> Mapping[TaskId, TaskState] | None:
        """None: it does not answer now."""
        try:
            states = self.slurm.queue(self.folder.name())
        except QueueLostError as error:
            self._be_patient(str(error))
            return None
        self._silent_since = None if not self._unsent else self._silent_since
        self._last_state.update({task: state for task in self._tasks if (state := states.get(task)) is not None})
        return states

    def _be_patient(self, words: str) -> None:
        """Slurm does not answer. Raises MachineError when it has not for too long."""
        now = self.waiting.clock()
        self._silent_since = now if self._silent_since is None else self._silent_since
        if now - self._silent_since > self.waiting.patience:
            raise MachineError(
                f"{words}. That has been so for {round(self.waiting.patience / 60)} minutes. What was judged is kept: run the same command "
                "again when Slurm answers."
            )
        self.said(words)

    def _look(self, states: Mapping[TaskId, TaskState] | None) -> None:
        """Takes what tasks have done since the last look."""
        answered = {folder.path: folder.answered() for folder, _ in self._tasks.values()}
        now = self.waiting.clock()
        self._judged.stored([key for _, one in self._tasks.values() for key in one.keys])
        for task, (folder, one) in list(self._tasks.items()):
            answer = folder.answer(task.number) if task.number in answered[folder.path] else None
            if answer is not None:
                self._settle(task, one, answer)
            elif states is not None and ((state := state_of(task, states)) is None or state.ended):
                if now - self._gone.setdefault(task, now) >= self.waiting.grace:
                    self._lose(task, folder, one)
            else:
                self._gone.pop(task, None)

    def _settle(self, task: TaskId, one: Slice, answer: TaskAnswer) -> None:
        """Takes what a task has answered."""
        del self._tasks[task]
        open_keys = self._open(one)
        if answer.refused:
            known = answer.node in self._refusals
            self._refusals[answer.node] = answer.refused
            # A node that was excluded and is given work all the same would be so for ever.
            self._retry(one, open_keys, f"{answer.node} refused again: {answer.refused}", counts=known)
            return
        self._good.add(answer.node)
        last = one.tries + 1 >= MOST_TRIES
        left = [key for key in open_keys if not self._judged.answered(key, answer, last=last)]
        why = f"task {task} on {answer.node} ended without an outcome"
        self._retry(one, left, why, counts=True)

    def _lose(self, task: TaskId, folder: ArrayFolder, one: Slice) -> None:
        """A task has ended without an answer."""
        del self._tasks[task]
        last = self._last_state.get(task, TaskState(""))
        if last.node and last.state in {"FAILED", "NODE_FAIL", "BOOT_FAIL", "LAUNCH_FAILED"}:
            self._shunned.add(last.node)
        open_keys = self._open(one)
        self._again += bool(open_keys)
        ended = last.state if last.ended else self.slurm.why(task) or "it is no longer in the queue"
        where = f" on {last.node}" if last.node else ""
        words = folder.last_words(task.number)
        why = f"task {task}{where} ended without an answer ({ended})" + (f"; its log ends: {words}" if words else "")
        # Part of the slice was judged: then nothing shows that the others are to blame.
        counts = len(open_keys) == len(one.keys)
        self._retry(one, open_keys, why, counts=counts, smaller=last.state not in _FROM_OUTSIDE)

    def _open(self, one: Slice) -> list[str]:
        """The keys that have no outcome by now."""
        stored = self._judged.stored(one.keys)
        return [key for key in one.keys if key not in stored]

    def _retry(self, one: Slice, keys: Sequence[str], why: str, *, counts: bool, smaller: bool = True) -> None:
        if not keys:
            return
        if counts and one.tries + 1 >= MOST_TRIES:
            self._judged.lost(keys, why)
        else:
            self._unsent += again(one, keys, self._lab_of, counts=counts, smaller=smaller)

    def _nobody_can(self) -> str:
        """Why grading stops: several nodes refuse, and none has judged anything."""
        return "" if self._good or len(self._refusals) < _MOST_REFUSALS else self._refused_words()

    def _refused_words(self) -> str:
        node, why = next(iter(self._refusals.items()))
        others = f" (and {len(self._refusals) - 1} more)" if len(self._refusals) > 1 else ""
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
        if self._refusals:
            parts.append(f"not used: {', '.join(sorted(self._refusals))}")
        if parts:
            self.said("; ".join(parts))


def _tasks(number: int) -> str:
    return "1 task" if number == 1 else f"{number} tasks"


# What an array's tasks have found, for the batch: from the job store, from answers, and of jobs that were lost.


@dataclass
class ArrayOutcomes:
    """`take` is told each outcome once, with what broke on our side."""

    jobs: Mapping[str, tuple[Lab, Path]]
    setup: JudgingSetup
    store: JobStore
    take: Callable[[str, LabOutcome, str], None]
    faults: dict[str, None] = field(default_factory=dict)  # that concern no job
    failed: bool = False  # some job has no outcome but that we failed
    _done: set[str] = field(default_factory=set)

    def stored(self, keys: Collection[str]) -> Collection[str]:
        kept = self.store.keys() if not self._done.issuperset(keys) else frozenset()
        for key in {*keys} & kept - self._done:
            lab, outcome = self.jobs[key][0], self.store.find(key)
            if outcome is not None and not broke(lab, outcome) and not self._lacks_sweep(lab, outcome):
                self._take(key, outcome, "")
        return self._done.intersection(keys)

    def answered(self, key: str, answer: TaskAnswer, *, last: bool) -> bool:
        self.faults.update(dict.fromkeys(answer.other_faults))
        lab, outcome = self.jobs[key][0], answer.outcomes.get(key)
        if outcome is None or (broke(lab, outcome) and not last):
            return False
        fault = answer.faults.get(key, "")
        self.failed = self.failed or broke(lab, outcome)
        self._take(key, outcome, f"on {answer.node}: {fault}" if fault else "")
        return True

    def lost(self, keys: Sequence[str], why: str) -> None:
        self.failed = True
        for key in keys:
            lab = self.jobs[key][0].id
            message = f"{MOST_TRIES} tasks of the cluster ended without judging it: the last, {why}"
            self._take(key, unjudged(lab, Verdict.INTERNAL_ERROR, message), f"{lab}: {message}")

    def _lacks_sweep(self, lab: Lab, outcome: LabOutcome) -> bool:
        return self.setup.sweep is not None and self.setup.sweep.lacks(lab, outcome)

    def _take(self, key: str, outcome: LabOutcome, fault: str) -> None:
        self._done.add(key)
        self.take(key, outcome, fault)


@dataclass
class AskedBench:
    """What one task says of its node, when nothing is to be judged."""

    bench: Bench | None = None
    why: str = ""  # there is none

    def stored(self, keys: Collection[str]) -> Collection[str]:  # noqa: ARG002 -- as Judged has it
        return ()

    def answered(self, key: str, answer: TaskAnswer, *, last: bool) -> bool:  # noqa: ARG002 -- as Judged has it
        self.bench = answer.bench
        return self.bench is not None

    def lost(self, keys: Sequence[str], why: str) -> None:  # noqa: ARG002 -- as Judged has it
        self.why = f"{MOST_TRIES} tasks ended without saying what nodes judge with: the last, {why}"
