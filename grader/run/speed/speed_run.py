"""Times one lab of one submission: the baseline, the submission, the model solution and the baseline again, in the same run; with them
what the lab's tiers are shares of (`contest.py`).

Only right kernels are timed. A run on a noisy machine is repeated. If the machine stays noisy, speed is not graded.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from grader.engines.backend import Peak
from grader.engines.toolset import Toolset
from grader.model.labs import Lab, LabError, load_lab
from grader.model.outcome import LIBRARY, STAND_IN, Contest, LabOutcome, SizeOutcome, SpeedOutcome
from grader.model.result import Ratio, SweepPoint, Timing
from grader.run.program_judging import StartedProgram
from grader.run.speed.contest import (
    Built,
    Contestant,
    ContestError,
    LibraryContestant,
    build,
    library_of,
    references,
    run_contest,
    thresholds,
)
from grader.run.speed.speed_score import (
    ALL_ROUNDS,
    FIRST_ROUNDS,
    control_trouble,
    is_unsteady,
    launch_rate,
    library_share,
    merged,
    needs_more,
    noise_trouble,
    performance_points,
    speed_in,
    sweep_points,
    timing_of,
)

TRIES = 3


def time_lab(
    toolset: Toolset,
    lab: Lab,
    source: Path,
    outcome: LabOutcome,
    scratch: Path,
    program: StartedProgram | None = None,
) -> SpeedOutcome | None:
    """None where the lab is not timed, or this machine cannot time it. `program`: a launcher's, where it is built already."""
    performance = lab.public.performance
    if performance is None or not toolset.gpu.runs:
        return None
    if performance.baseline.endswith(".cu") and lab.private_dir is None:
        return SpeedOutcome(trouble="the course keeps the kernel that it is compared with")
    kernels, speed = contestants_of(lab, source, outcome, program), SpeedOutcome()
    for reference in references(toolset, lab):
        try:
            speed = _speed(toolset, lab, [*kernels[:-1], *reference, kernels[-1]], scratch)
        except ContestError as error:
            speed = SpeedOutcome(trouble=str(error))
            continue
        ended_by = {speed.names[one.contestant] for one in speed.contests if one.status != "completed"}
        if not ended_by & {LIBRARY, STAND_IN}:  # its own launch costs the student nothing
            break
    return speed


def _speed(
    toolset: Toolset, lab: Lab, contestants: Sequence[Contestant | LibraryContestant], scratch: Path
) -> SpeedOutcome:
    with tempfile.TemporaryDirectory(prefix="contest-", dir=scratch) as name:
        built = build(toolset, contestants, Path(name))
        if lab.private_dir is None and (trouble := _own_baseline_trouble(toolset, lab, built)):
            return SpeedOutcome(trouble=trouble)
        return replace(_measure(toolset, lab, built), silent="student" in built.silent)


def contestants_of(
    lab: Lab, source: Path, outcome: LabOutcome, program: StartedProgram | None = None
) -> list[Contestant]:
    """In the order of launching. `outcome`: what is known so far. A handout has no model solutions: there the baseline is the
    student's own kernel of the baseline's lab. Raises LabError.
    """
    baseline, control = _baselines(lab)
    limit = outcome.gpu.register_limit if outcome.gpu else None
    # Whether it prints where a student may know of it: that it was timed without its words is said beside the times.
    told = {spec.name for spec in lab.cases if spec.feedback == "full"}
    cases = (one for one in (*outcome.cases, *(outcome.gpu.cases if outcome.gpu else ())) if one.name in told)
    prints = any(launch.printed for case in cases for launch in case.launches)
    lambdas = outcome.gpu.lambdas if outcome.gpu else None
    student = Contestant(lab, source, "student", limit, lambdas=lambdas, silent=prints, program=program)
    contestants = [baseline, student]
    if lab.private_dir is not None:
        contestants.append(Contestant(lab, lab.private_dir / lab.public.file, "model", trusted=True))
    return [*contestants, control]


def _baselines(lab: Lab) -> list[Contestant]:
    """The kernel that the lab's are timed against, twice. Raises LabError."""
    assert lab.public.performance is not None
    name = lab.public.performance.baseline
    base = lab if name.endswith(".cu") else load_lab(lab.public_dir.parents[1], name)
    source = (base.private_dir or base.public_dir) / (name if base is lab else base.public.file)
    if not source.is_file():
        raise LabError(f"{source} is missing: {lab.id} is timed against it.")
    ours = base.private_dir is not None
    return [Contestant(base, source, name, trusted=ours) for name in ("baseline", "control")]


def _own_baseline_trouble(toolset: Toolset, lab: Lab, built: Built) -> str:
    """Why the student's own baseline cannot be used: it has to be right. Empty: it can."""
    assert lab.public.performance is not None
    contest = run_contest(toolset, built, problem_of(lab), lab.public.performance.shape, rounds=1, kept=0, warm_up_ms=0)
    right = contest.status == "completed" and not contest.faults
    if right or contest.contestant != 0:
        return ""
    own = lab.public.performance.baseline
    return f"your speed is compared with your own kernel of {own}, and that kernel is not correct yet"


def _measure(toolset: Toolset, lab: Lab, built: Built) -> SpeedOutcome:
    assert lab.public.performance is not None
    timed = partial(run_contest, toolset, built, problem_of(lab), lab.public.performance.shape, kept=built.kept)
    peak = _peak(toolset)
    outcome = SpeedOutcome()
    for number in range(1, TRIES + 1):
        contests: tuple[Contest, ...] = (timed(rounds=FIRST_ROUNDS),)
        speed = speed_in(built.names, contests)
        share = library_share(lab, built.names, contests) if speed else None
        by_library = speed and share and needs_more(speed, thresholds(lab, LIBRARY), share)
        by_time = speed and needs_more(speed, thresholds(lab, "time"), launch_rate(built.names, contests))
        if speed and (by_library or by_time or needs_more(speed, thresholds(lab, "model"))):
            contests = (*contests, timed(rounds=ALL_ROUNDS - FIRST_ROUNDS))
            speed = speed_in(built.names, contests)
        outcome = SpeedOutcome(
            built.names,
            contests,
            noise_trouble(speed) if speed else "",
            peak_flops=peak.flops if peak else 0,
            peak_bytes=peak.bytes if peak else 0,
            tries=number,
        )
        if not outcome.trouble and not (speed and (is_unsteady(speed) or speed.spike)):
            break
    return outcome


def _peak(toolset: Toolset) -> Peak | None:
    return toolset.gpu.device.peak if toolset.gpu.device else None


def problem_of(lab: Lab) -> str:
    """The name under which the problem registers itself: that of its header."""
    return lab.public.problem_name


# Times a right kernel at the sizes of its lab's sweep: only for a picture, on request. No verdict and no points depend on it.

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
    kernels = contestants_of(lab, source, outcome)
    sizes: tuple[SizeOutcome, ...] = ()
    # A library that cannot be used costs its own line alone.
    for libraries in dict.fromkeys((library_of(toolset, lab, "cublas"), ())):
        sizes = _sizes_with(toolset, lab, (*kernels[:-1], *libraries, kernels[-1]), scratch)
        if any(one.contest for one in sizes):
            break
    return replace(outcome, speed=replace(outcome.speed, sweep=sizes))


def _sizes_with(
    toolset: Toolset, lab: Lab, contestants: Sequence[Contestant | LibraryContestant], scratch: Path
) -> tuple[SizeOutcome, ...]:
    assert lab.public.performance is not None
    shapes = lab.public.performance.sweep
    try:
        with tempfile.TemporaryDirectory(prefix="sweep-", dir=scratch) as name:
            return tuple(swept(toolset, build(toolset, contestants, Path(name)), problem_of(lab), shapes))
    except ContestError as error:
        names = tuple(one.name for one in contestants)
        return tuple(SizeOutcome(shape, names, trouble=str(error), ours=True) for shape in shapes)


def swept(toolset: Toolset, built: Built, problem: str, shapes: Sequence[str]) -> Iterator[SizeOutcome]:
    """Measures size by size. After a size at which a kernel does not end, the rest is left out: each would take as long."""
    hung = ""
    for shape in shapes:
        if hung:
            yield SizeOutcome(shape, built.names, trouble=f"not measured, because a kernel did not end at {hung}")
            continue
        try:
            for _ in range(_TRIES):
                contest = run_contest(toolset, built, problem, shape, rounds=FIRST_ROUNDS, kept=built.kept)
                if contest.status != "completed" or contest.faults or not control_trouble(built.names, contest):
                    break
        except ContestError as error:
            yield SizeOutcome(shape, built.names, trouble=str(error), ours=True)
            continue
        hung = shape if contest.status == "timeout" else ""
        yield SizeOutcome(shape, built.names, contest)


# The course's own kernels on this machine's GPU, for instructors: a course publishes these numbers, and looks at them before it sets tiers.

_DRAWN_AS = {"model solution": "model"}


@dataclass(frozen=True)
class Measurement:
    """One kernel at one shape, beside naive. Without `control`, `trouble` says why there are no times."""

    lab_id: str
    kernel: str  # "model solution", the file of a faster kernel, or "cuBLAS"
    point: SweepPoint
    control: Ratio | None = None
    trouble: str = ""


Tell = Callable[[str, int, int], None]  # what is done, how many steps of it are done, and of how many


def calibrate(toolset: Toolset, labs: Sequence[Lab], *, sweep: bool, tell: Tell) -> Iterator[Measurement]:
    """Measures every timed lab, at its shape or over its sweep. Raises ContestError."""
    plans = []
    for lab in labs:
        performance = lab.public.performance
        if performance is None or lab.private_dir is None:
            continue
        measured: list[tuple[str, Contestant | LibraryContestant]] = [
            (name, Contestant(lab, source, _DRAWN_AS.get(name, name), trusted=True)) for name, source in kernels_of(lab)
        ]
        measured += [("cuBLAS", library) for library in library_of(toolset, lab, "cublas")]
        shapes = performance.sweep if sweep else (performance.shape,)
        plans += [(lab, name, kernel, shapes) for name, kernel in measured]
    done, total = 0, sum(len(shapes) for *_, shapes in plans)
    for lab, name, kernel, shapes in plans:
        baseline, control = _baselines(lab)
        with tempfile.TemporaryDirectory(prefix="tilelab-") as folder:
            tell("measured", done, total)
            built = build(toolset, [baseline, kernel, control], Path(folder))
            for size in swept(toolset, built, problem_of(lab), shapes):
                done += 1
                tell("measured", done, total)
                yield _measurement(lab.id, name, size, _peak(toolset))


def kernels_of(lab: Lab) -> list[tuple[str, Path]]:
    """The model solution and the faster kernels beside it. The faster ones do not affect tiers."""
    assert lab.private_dir is not None
    faster = sorted((lab.private_dir / "faster").glob("*.cu"))
    return [("model solution", lab.private_dir / lab.public.file), *((one.stem, one) for one in faster)]


def _measurement(lab_id: str, name: str, size: SizeOutcome, peak: Peak | None) -> Measurement:
    contest, why = size.contest, size.trouble
    speed = speed_in(size.names, [contest]) if contest else None
    if contest is not None and speed is None:
        why = contest.faults[0].fault if contest.faults else contest.detail
    (point,) = sweep_points([size], peak)
    if point.trouble and (point.kernels or contest is None):  # where a kernel failed, the text names it already
        point = point.model_copy(update={"trouble": f"{name}: {point.trouble}"})
    return Measurement(lab_id, name, point, speed.control if speed else None, noise_trouble(speed) if speed else why)


def swept_labs(found: Sequence[Measurement]) -> dict[str, tuple[SweepPoint, ...]]:
    """The points of each lab, with all its kernels."""
    points: dict[str, list[SweepPoint]] = {}
    for one in found:
        points.setdefault(one.lab_id, []).append(one.point)
    return {lab_id: merged(each) for lab_id, each in points.items()}


# Which tiers they reach: each is timed as a grading times a submission, and scored. Nothing is kept for gradings; an instructor compares.


@dataclass(frozen=True)
class TierPlace:
    """Where one kernel stands. Without `points`, it was not measured."""

    kernel: str
    timing: Timing
    points: float | None = None


@dataclass(frozen=True)
class LabTiers:
    """The kernels of a lab, and what its tiers beyond the model solution are shares of on this machine."""

    lab: Lab
    reference: str  # "library", "stand-in"; empty: neither could be timed, so these tiers cannot be reached here
    places: tuple[TierPlace, ...]


def calibrate_tiers(toolset: Toolset, labs: Sequence[Lab], tell: Tell) -> list[LabTiers]:
    """Of the labs with tiers."""
    climbing = [lab for lab in labs if lab.private and lab.private.tier and lab.public.performance]
    total = sum(len(climbing_kernels(lab)) for lab in climbing)
    steps = iter(range(total))
    return [_tiers_of_lab(toolset, lab, lambda: tell("timed as a submission", next(steps), total)) for lab in climbing]


def climbing_kernels(lab: Lab) -> list[tuple[str, Path]]:
    """The model solution, the faster kernels, and those in the folder of the kernel that stands in for the library."""
    stand_in = lab.private.stand_in if lab.private else None
    beside = lab.private_dir / stand_in.file if lab.private_dir and stand_in else None
    rungs = sorted(beside.parent.glob("*.cu")) if beside else []
    known = kernels_of(lab)
    return [*known, *((one.stem, one) for one in rungs if one not in {path for _, path in known})]


def _tiers_of_lab(toolset: Toolset, lab: Lab, tell: Callable[[], None]) -> LabTiers:
    places, reference = [], ""
    for name, source in climbing_kernels(lab):
        tell()
        with tempfile.TemporaryDirectory(prefix="tilelab-") as folder:
            speed = time_lab(toolset, lab, source, LabOutcome(lab.id), Path(folder))
        names = speed.names if speed else ()
        reference = reference or next((one for one in (LIBRARY, STAND_IN) if one in names), "")
        timing = timing_of(lab, LabOutcome(lab.id, speed=speed), correct=True) or Timing(words="not timed")
        places.append(TierPlace(name, timing, performance_points(lab, timing) if timing.speedup else None))
    return LabTiers(lab, reference, tuple(places))
