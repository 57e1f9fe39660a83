"""Times one lab of one submission: the baseline, the submission, the model solution and the baseline again, in the same run; with them
what the lab's tiers are shares of (`contest.py`).

Only right kernels are timed. A run on a noisy machine is repeated. If the machine stays noisy, speed is not graded.
"""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grader.engines.gpu_toolchain import cublas_of
from grader.engines.toolset import Toolset
from grader.model.labs import Lab, LabError, load_lab
from grader.model.outcome import Contest, LabOutcome, SizeOutcome, SpeedOutcome
from grader.run.speed.contest import (
    LIBRARY,
    Built,
    Contestant,
    ContestError,
    LibraryContestant,
    build,
    contestant_of,
    failed_yardstick,
    library_share,
    run_contest,
    thresholds,
    yardsticks,
)
from grader.run.speed.paired_times import ALL_ROUNDS, FIRST_ROUNDS, Speed, is_unsteady, needs_more, noise_trouble
from grader.run.speed.speed_score import control_trouble, speed_in

TRIES = 3


def time_lab(toolset: Toolset, lab: Lab, source: Path, outcome: LabOutcome, scratch: Path) -> SpeedOutcome | None:
    """None where the lab is not timed, or this machine cannot time it."""
    performance = lab.public.performance
    if performance is None or not toolset.gpu.runs:
        return None
    kernels, speed = contestants_of(toolset, lab, source, outcome), SpeedOutcome()
    for yardstick in yardsticks(toolset, lab):
        try:
            speed = _speed(toolset, lab, [*kernels[:-1], *yardstick, kernels[-1]], scratch)
        except ContestError as error:
            speed = SpeedOutcome(trouble=str(error))
            continue
        if not failed_yardstick(speed.names, speed.contests):
            break
    return speed


def _speed(
    toolset: Toolset, lab: Lab, contestants: Sequence[Contestant | LibraryContestant], scratch: Path
) -> SpeedOutcome:
    with tempfile.TemporaryDirectory(prefix="contest-", dir=scratch) as name:
        built = build(toolset, contestants, Path(name))
        if lab.private_dir is None and (trouble := _own_baseline_trouble(toolset, lab, built)):
            return SpeedOutcome(trouble=trouble)
        speed = _measure(toolset, lab, built, tuple(one.name for one in contestants))
        return replace(speed, silent="student" in built.silent)


def contestants_of(toolset: Toolset, lab: Lab, source: Path, outcome: LabOutcome) -> list[Contestant]:
    """The contestants in the order of launching. `outcome`: what is known about the submission so far.

    A handout has no model solutions. There the baseline is the student's own kernel of the baseline's lab. Raises LabError.
    """
    assert lab.public.performance is not None
    base = load_lab(toolset.root, lab.public.performance.baseline)
    baseline = (base.private_dir or base.public_dir) / base.public.file
    if not baseline.is_file():
        raise LabError(f"{baseline} is missing: {lab.id} is timed against it.")
    ours = base.private_dir is not None
    limit = outcome.gpu.register_limit if outcome.gpu else None
    student = contestant_of(lab, source, "student", limit, silent=_prints(lab, outcome))
    contestants = [contestant_of(base, baseline, "baseline", trusted=ours), student]
    if lab.private_dir is not None:
        contestants.append(contestant_of(lab, lab.private_dir / lab.public.file, "model", trusted=True))
    return [*contestants, contestant_of(base, baseline, "control", trusted=ours)]


def _prints(lab: Lab, outcome: LabOutcome) -> bool:
    """Whether it prints where a student may know of it: that it was timed without its words is said beside the times."""
    told = {spec.name for spec in lab.cases if spec.feedback == "full"}
    cases = (*outcome.cases, *(outcome.gpu.cases if outcome.gpu else ()))
    return any(launch.printed for case in cases if case.name in told for launch in case.launches)


def _own_baseline_trouble(toolset: Toolset, lab: Lab, built: Built) -> str:
    """Why the student's own baseline cannot be used: it has to be right. Empty: it can."""
    assert lab.public.performance is not None
    contest = run_contest(toolset, built, problem_of(lab), lab.public.performance.shape, rounds=1, kept=0, warm_up_ms=0)
    right = contest.status == "completed" and not contest.faults
    own = lab.public.performance.baseline
    return (
        ""
        if right or contest.contestant != 0
        else f"your speed is compared with your own kernel of {own}, and that kernel is not correct yet"
    )


def _measure(toolset: Toolset, lab: Lab, built: Built, names: tuple[str, ...]) -> SpeedOutcome:
    assert lab.public.performance is not None
    shape, kept = lab.public.performance.shape, names.index("student")
    device = toolset.gpu.device
    peak = device.peak if device else None
    outcome = SpeedOutcome()
    for number in range(1, TRIES + 1):
        contests: tuple[Contest, ...] = (
            run_contest(toolset, built, problem_of(lab), shape, rounds=FIRST_ROUNDS, kept=kept),
        )
        speed = speed_in(names, contests)
        if speed is not None and _is_undecided(lab, speed, names, contests):
            more = run_contest(
                toolset,
                built,
                problem_of(lab),
                shape,
                rounds=ALL_ROUNDS - FIRST_ROUNDS,
                kept=kept,
            )
            contests = (*contests, more)
            speed = speed_in(names, contests)
        outcome = SpeedOutcome(
            names,
            contests,
            noise_trouble(speed) if speed else "",
            peak_flops=peak.flops if peak else 0,
            peak_bytes=peak.bytes if peak else 0,
            tries=number,
        )
        if not outcome.trouble and not (speed and (is_unsteady(speed) or speed.spike)):
            break
    return outcome


def _is_undecided(lab: Lab, speed: Speed, names: tuple[str, ...], contests: tuple[Contest, ...]) -> bool:
    share = library_share(lab, names, contests)
    by_library = share is not None and needs_more(speed, thresholds(lab, LIBRARY), share)
    return by_library or needs_more(speed, thresholds(lab, "model"))


def problem_of(lab: Lab) -> str:
    """The name under which the problem registers itself: that of its header."""
    return Path(lab.public.problem).stem


# Times a right kernel at the sizes of its lab's sweep, against the same kernels as at the graded size.
#
# It is only for a picture: no verdict and no points depend on it, and it is made only on request.

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


def swept(
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


def _least_noisy_contest(
    toolset: Toolset, built: Built, names: tuple[str, ...], problem: str, shape: str, kept: int
) -> Contest:
    for _ in range(_TRIES):
        contest = run_contest(toolset, built, problem, shape, rounds=FIRST_ROUNDS, kept=kept)
        if contest.status != "completed" or contest.faults or not control_trouble(names, contest):
            break
    return contest
