"""What an array's tasks have found, for the batch: from the job store, from answers, and of jobs that were lost."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from grader.batch.job_store import JobStore
from grader.batch.judging_setup import JudgingSetup
from grader.judging.lab_verdict import broke
from grader.model.labs import Lab
from grader.model.outcomes.outcome import LabOutcome, unjudged
from grader.model.verdicts import Verdict
from grader.slurm.array_contract import Lost
from grader.slurm.slices import MOST_TRIES
from grader.slurm.task_answer import Bench, TaskAnswer


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

    def lost(self, lost: Lost) -> None:
        self.failed = True
        for key in lost.keys:
            lab = self.jobs[key][0].id
            message = f"{MOST_TRIES} tasks of the cluster ended without judging it: the last, {lost.why}"
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

    def lost(self, lost: Lost) -> None:
        self.why = f"{MOST_TRIES} tasks ended without saying what nodes judge with: the last, {lost.why}"
