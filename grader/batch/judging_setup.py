"""What a class is judged with: a judge, and what may look beside it. Each part is told here by what it does, and runs nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from grader.batch.held_outcomes import Check
from grader.batch.job_store import JobStore
from grader.batch.line_search import LineSearch
from grader.model.labs import Lab
from grader.model.outcomes.outcome import LabOutcome
from grader.model.result import Environment


class Judge(Protocol):
    """Builds `source` for `lab` and runs all its cases, in a scratch folder of its own."""

    def __call__(self, lab: Lab, source: Path, scratch: Path, /) -> LabOutcome: ...


class Sweep(Protocol):
    """Adds a size sweep to an outcome that has none. Scoring ignores it."""

    def lacks(self, lab: Lab, outcome: LabOutcome, /) -> bool: ...
    def add(self, lab: Lab, source: Path, outcome: LabOutcome, scratch: Path, /) -> LabOutcome: ...


class Progress(Protocol):
    """Told how far judging has come, and any other work that takes time."""

    def doing(self, what: str, done: int, total: int) -> None: ...
    def begin(self, jobs: int, reused: int) -> None: ...
    def step(self) -> None: ...
    def note(self, text: str) -> None: ...
    def end(self) -> None: ...


class Explore(Protocol):
    """Finds out more of a class that has wrong submissions of `wrong`, the lab with most of them first. It is called once, in another
    thread, after judging and beside the last look at controls: whether this machine can be believed is not known yet.
    """

    def __call__(self, wrong: Sequence[Lab], judging_seconds: float, /) -> None: ...


@dataclass(frozen=True)
class JudgedThere:
    """What there is to say of judging on other machines, besides outcomes."""

    stopped: str = ""  # why grading stopped, and what to do
    faults: tuple[str, ...] = ()  # what broke on our side, and concerns no job
    notices: tuple[str, ...] = ()  # for the instructor


class Elsewhere(Protocol):
    """Judges on other machines, which are held against controls there."""

    def bench(self, setup: JudgingSetup, labs: Sequence[Lab], progress: Progress, /) -> JudgingSetup:
        """`setup` as those machines have it."""

    def judge(
        self,
        jobs: Mapping[str, tuple[Lab, Path]],
        setup: JudgingSetup,
        store: JobStore,
        take: Callable[[str, LabOutcome, str], None],
        progress: Progress,
        /,
    ) -> JudgedThere:
        """Judges every job into `store`, and tells `take` each outcome once, with what broke on our side."""


@dataclass(frozen=True)
class JudgingSetup:
    """What judging is done with."""

    judge: Judge
    environment: Environment
    fingerprints: Mapping[str, str]  # by lab: of kit, judge, grader, toolchain, sandbox, limits and device
    seed: int
    sweep: Sweep | None = None  # none: not requested, or no GPU to make it on
    controls: Check | None = None  # none: this machine is not checked
    lines: LineSearch | None = None  # none: nobody looks for the lines of wrong results
    elsewhere: Elsewhere | None = None  # none: this machine judges
