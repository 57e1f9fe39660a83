"""Outcomes on their way into the job store. One that costs its student nothing is kept at once; any other is held until controls have
passed after it: what a broken machine says of a submission is kept nowhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from grader.batch.job_store import JobStore
from grader.judging.lab_verdict import lab_verdict
from grader.model.labs import Lab
from grader.model.outcome import LabOutcome
from grader.model.verdicts import Verdict

_MOST_HELD = 32  # so many are judged again at most after an interruption


class Check(Protocol):
    """Looks whether this machine still grades as it must: what `Controls` does."""

    def trouble(self, labs: Sequence[Lab]) -> str: ...
    def covers(self, lab: Lab) -> bool: ...


@dataclass
class HeldOutcomes:
    """`check` None: there is nothing to hold this machine against, and everything is kept at once."""

    store: JobStore
    check: Check | None
    faults: list[str] = field(default_factory=list)  # what could not be kept
    _held: dict[str, tuple[Lab, LabOutcome]] = field(default_factory=dict)
    _broken: int = 0
    _next_look: int = 1

    def begin(self, labs: Sequence[Lab]) -> str:
        """Before the first submission. Answers, as `settle` does, why this machine cannot grade."""
        return self._look(labs)

    def take(self, key: str, lab: Lab, outcome: LabOutcome) -> str:
        if self.check is None or _costs_nothing(lab, outcome):
            self._keep(key, outcome)
            return ""
        self._held[key] = (lab, outcome)
        return self.settle() if len(self._held) >= _MOST_HELD else ""

    def broke(self, lab: Lab) -> str:
        """A job of `lab` failed through us. The machine is looked at after the first such job, the second, the fourth and so on."""
        self._broken += 1
        if self._broken < self._next_look:
            return ""
        self._next_look = 2 * self._broken
        return self._look([lab])

    def settle(self) -> str:
        """Keeps what is held if the controls of its labs pass now."""
        labs = {lab.id: lab for lab, _ in self._held.values()}
        if trouble := self._look(list(labs.values())):
            return trouble
        for key, (_, outcome) in self._held.items():
            self._keep(key, outcome)
        self._held.clear()
        return ""

    @property
    def unsettled(self) -> frozenset[str]:
        """Keys of outcomes that no control has passed after."""
        return frozenset(self._held)

    def _look(self, labs: Sequence[Lab]) -> str:
        return self.check.trouble(labs) if self.check is not None and labs else ""

    def _keep(self, key: str, outcome: LabOutcome) -> None:
        """What cannot be kept is graded all the same, and judged again next time."""
        try:
            self.store.keep(key, outcome)
        except OSError as error:
            if not self.faults:
                self.faults.append(f"what was judged cannot be kept for the next run: {error}")


def _costs_nothing(lab: Lab, outcome: LabOutcome) -> bool:
    """Whether every case passed, those of technique among them."""
    found = lab_verdict(lab, outcome)
    return found.verdict is Verdict.PASS and all(case.agreed.passed for case in found.cases)
