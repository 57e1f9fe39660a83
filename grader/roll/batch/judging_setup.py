"""What a class is judged with: a judge, and what may look beside it. Each part is told here by what it does, and runs nothing."""

from __future__ import annotations

import math
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from grader.model.errors import RemediableError
from grader.model.labs import Lab
from grader.model.outcome import LabOutcome
from grader.model.result import Environment, Model
from grader.roll.batch.job_store import Check

if TYPE_CHECKING:
    from grader.roll.batch.judging_jobs import JudgingPlan

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
