"""Times a right kernel at the sizes of its lab's sweep, against the same kernels as at the graded size.

It is only for a picture: no verdict and no points depend on it, and it is made only on request.
"""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.engines.gpu.gpu_toolchain import cublas_of
from grader.machine.toolset import Toolset
from grader.model.labs import Lab
from grader.model.outcomes.outcome import Contest, LabOutcome, SizeOutcome
from grader.speed.contest import run_contest
from grader.speed.contestants import Built, Contestant, ContestError, LibraryContestant, build
from grader.speed.paired_times import FIRST_ROUNDS
from grader.speed.speed_run import contestants_of, problem_of
from grader.speed.sweep_points import control_trouble

_TRIES = 2  # how often a size is measured while the machine is too noisy


@dataclass(frozen=True)
class SizeSweep:
    """Adds a sweep to an outcome, for a batch or a student's report."""

    toolset: Toolset

    def lacks(self, lab: Lab, outcome: LabOutcome) -> bool:
        return self.toolset.gpu.runs and lacks_sweep(lab, outcome)

    def add(self, lab: Lab, source: Path, outcome: LabOutcome, scratch: Path) -> LabOutcome:
        return sweep_lab(self.toolset, lab, source, outcome, scratch) if self.lacks(lab, outcome) else outcome


def lacks_sweep(lab: Lab, outcome: LabOutcome) -> bool:
    """Whether the kernel was timed, but not yet at the sizes of the lab's sweep."""
    performance, speed = lab.public.performance, outcome.speed
    if performance is None or speed is None or not speed.contests or speed.trouble:
        return False
    if any(one.status != "completed" or one.faults for one in speed.contests):
        return False
    return tuple(one.shape for one in speed.sweep) != performance.sweep


def sweep_lab(toolset: Toolset, lab: Lab, source: Path, outcome: LabOutcome, scratch: Path) -> LabOutcome:
    """The outcome with its sweep. Where the sweep could not be made, each size says why."""
    assert outcome.speed is not None
    kernels = contestants_of(toolset, lab, source, outcome)
    sizes: tuple[SizeOutcome, ...] = ()
    for libraries in dict.fromkeys(
        (library_of(toolset, lab), ())
    ):  # a library that cannot be used costs its own line alone
        sizes = _sizes_with(toolset, lab, (*kernels[:-1], *libraries, kernels[-1]), scratch)
        if any(one.contest for one in sizes):
            break
    return dataclasses.replace(outcome, speed=dataclasses.replace(outcome.speed, sweep=sizes))


def library_of(toolset: Toolset, lab: Lab) -> tuple[LibraryContestant, ...]:
    """The routine of NVIDIA's library that does the same work. Empty where there is no such routine, or no library here."""
    routine = lab.public.performance.library if lab.public.performance else None
    library = cublas_of(toolset.gpu.toolchain) if routine else None
    return (LibraryContestant("cublas", library, routine),) if routine and library else ()


def _sizes_with(
    toolset: Toolset, lab: Lab, contestants: Sequence[Contestant | LibraryContestant], scratch: Path
) -> tuple[SizeOutcome, ...]:
    assert lab.public.performance is not None
    shapes, names = lab.public.performance.sweep, tuple(one.name for one in contestants)
    try:
        with tempfile.TemporaryDirectory(prefix="sweep-", dir=scratch) as name:
            built = build(toolset, contestants, Path(name))
            return tuple(swept(toolset, built, names, problem_of(lab), shapes, kept=names.index("student")))
    except ContestError as error:
        return tuple(SizeOutcome(shape, names, trouble=str(error), ours=True) for shape in shapes)


def swept(  # noqa: PLR0913 -- what is timed, and at which sizes
    toolset: Toolset, built: Built, names: tuple[str, ...], problem: str, shapes: Sequence[str], *, kept: int
) -> Iterator[SizeOutcome]:
    """Measures size by size. After a size at which a kernel does not end, the rest is left out: each would take as long."""
    hung = ""
    for shape in shapes:
        if hung:
            yield SizeOutcome(shape, names, trouble=f"not measured, because a kernel did not end at {hung}")
            continue
        try:
            contest = _least_noisy_contest(toolset, built, names, problem, shape, kept)
        except ContestError as error:
            yield SizeOutcome(shape, names, trouble=str(error), ours=True)
            continue
        hung = shape if contest.status == "timeout" else ""
        yield SizeOutcome(shape, names, contest)


def _least_noisy_contest(  # noqa: PLR0913, PLR0917 -- as above
    toolset: Toolset, built: Built, names: tuple[str, ...], problem: str, shape: str, kept: int
) -> Contest:
    for _ in range(_TRIES):
        contest = run_contest(toolset, built, problem, shape, rounds=FIRST_ROUNDS, kept=kept)
        if contest.status != "completed" or contest.faults or not control_trouble(names, contest):
            break
    return contest
