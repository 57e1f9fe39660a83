"""Outcomes on their way into the job store. Controls run beside the first jobs, and nothing is kept before they pass. Then an outcome
that costs its student nothing is kept at once. Any other is held until controls have passed after it: what a broken machine says of a
submission is kept nowhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Protocol, Self

from grader.batch.job_store import JobStore
from grader.judging.lab_verdict import lab_verdict
from grader.model.labs import Lab
from grader.model.outcomes.outcome import LabOutcome
from grader.model.verdicts import Verdict

# So many wait for a look: an eighth of a large class, because each look costs as much as some files. They and what is taken until the
# look has passed are judged again after an interruption.
_MOST_HELD, _SHARE_HELD = 32, 0.125
_REST = 4.0  # times as long as the last look took, none begins: looks take a fifth of a batch at most


class Check(Protocol):
    """Looks whether this machine still grades as it must: what `Controls` does."""

    def trouble(self, labs: Sequence[Lab]) -> str: ...
    def covers(self, lab: Lab) -> bool: ...
    def stop(self) -> None:
        """Nobody waits for an answer any more. Called from another thread."""


@dataclass
class HeldOutcomes:
    """`check` None: there is nothing to hold this machine against, and everything is kept at once. Looks that take long run in a thread
    of their own; all else is for one thread. To be closed as a context.
    """

    store: JobStore
    check: Check | None
    faults: list[str] = field(default_factory=list)  # what could not be kept
    passed: bool = False  # the first look: before it has, nothing that was judged can be believed
    _held: dict[str, tuple[Lab, LabOutcome]] = field(default_factory=dict)
    _broken: dict[str, Lab] = field(default_factory=dict)  # labs of jobs that broke before the first look had passed
    _taken: int = 0
    _breaks: int = 0
    _next_look: int = 1
    clock: Callable[[], float] = time.monotonic
    _rested: float = 0.0  # when the next look may begin
    # A look beside the judging, and the keys that wait for it.
    _looking: tuple[Future[str], frozenset[str]] | None = None
    _complete: set[str] = field(default_factory=set)  # labs of which no file is left to be judged
    _thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if self.check is not None and kind is not None:
            self.check.stop()
        self._thread.shutdown(cancel_futures=True)

    def begin(self, labs: Sequence[Lab]) -> Future[str]:
        """Starts the first look. Its answer is for `begun`."""
        return self._thread.submit(self._look, labs)

    def begun(self, trouble: str) -> str:
        """Takes the first look's answer, and keeps what waited for it. Answers, as `settle` does, why this machine cannot grade."""
        if trouble:
            return trouble
        self.passed = True
        for key, (lab, outcome) in list(self._held.items()):
            if _costs_nothing(lab, outcome):
                del self._held[key]
                self._keep(key, outcome)
        return self._look(list(self._broken.values())) or self._settle_many()

    def take(self, key: str, lab: Lab, outcome: LabOutcome) -> str:
        self._taken += 1
        if self.check is None or (self.passed and _costs_nothing(lab, outcome)):
            self._keep(key, outcome)
            return ""
        self._held[key] = (lab, outcome)
        return self._settle_many()

    def complete(self, lab: Lab) -> str:
        """Every file of `lab` was taken: it is looked at now, so that little is left for the end. Answers as `take` does."""
        self._complete.add(lab.id)
        return self._settle_many()

    def broke(self, lab: Lab) -> str:
        """A job of `lab` failed through us. The machine is looked at after the first such job, the second, the fourth and so on, and
        once for those that failed before the first look had passed.
        """
        self._breaks += 1
        if not self.passed:
            self._broken[lab.id] = lab
            return ""
        if self._breaks < self._next_look:
            return ""
        self._next_look = 2 * self._breaks
        return self._look([lab])

    def keep(self, key: str, outcome: LabOutcome) -> None:
        """An outcome that was taken, or kept before, and of which more is known now. Raises OSError."""
        if key in self._held:
            self._held[key] = (self._held[key][0], outcome)
        else:
            self.store.keep(key, outcome)

    def last_look(self) -> Future[str]:
        """Starts a look at the labs of all that is held and waits for none. Its answer is for `settled`; nothing may be taken before."""
        waiting = self._looking[1] if self._looking is not None else frozenset[str]()
        return self._thread.submit(self._look, self._labs_of(self._held.keys() - waiting))

    def settled(self, trouble: str) -> str:
        """Keeps what is held if there was no trouble."""
        trouble = self._looked() or trouble
        if not trouble:
            self._keep_held(list(self._held))
        return trouble

    @property
    def unsettled(self) -> frozenset[str]:
        """Keys of outcomes that no control has passed after."""
        return frozenset(self._held)

    def _settle_many(self) -> str:
        """Starts a look beside the judging if much is held, or a lab is complete, and takes the answer of the one before."""
        if self._looking is not None and not self._looking[0].done():
            return ""
        if trouble := self._looked():
            return trouble
        many = len(self._held) >= max(_MOST_HELD, _SHARE_HELD * self._taken) and self.clock() >= self._rested
        keys = frozenset(key for key, (lab, _) in self._held.items() if many or lab.id in self._complete)
        if self.passed and keys:
            self._looking = self._thread.submit(self._look, self._labs_of(keys)), keys
        return ""

    def _looked(self) -> str:
        """Waits for the look beside the judging, if there is one, and keeps what waited for it."""
        if self._looking is None:
            return ""
        (answer, waiting), self._looking = self._looking, None
        trouble = answer.result()
        if not trouble:
            self._keep_held(waiting & self._held.keys())
        return trouble

    def _keep_held(self, keys: Collection[str]) -> None:
        for key in keys:
            self._keep(key, self._held.pop(key)[1])

    def _labs_of(self, keys: Collection[str]) -> list[Lab]:
        """In the order in which they were held."""
        return list({lab.id: lab for key, (lab, _) in self._held.items() if key in keys}.values())

    def _look(self, labs: Sequence[Lab]) -> str:
        if self.check is None or not labs:
            return ""
        began = self.clock()
        trouble = self.check.trouble(labs)
        self._rested = self.clock() + _REST * (self.clock() - began)
        return trouble

    def _keep(self, key: str, outcome: LabOutcome) -> None:
        """What cannot be kept is graded all the same, and judged again next time."""
        try:
            self.store.keep(key, outcome)
        except OSError as error:
            if not self.faults:
                self.faults.append(f"what was judged cannot be kept for the next run: {error}")


def _costs_nothing(lab: Lab, outcome: LabOutcome) -> bool:
    """Whether nothing was lost. What has to be graded with a GPU, or is our own fault, did not go wrong, and is held all the same."""
    found = lab_verdict(lab, outcome)
    return found.verdict is Verdict.PASS and found.every_case_passed
