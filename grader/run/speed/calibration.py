"""Measures the course's own kernels on this machine's GPU: naive, each model solution, and each faster kernel beside it.

This is for instructors: a course publishes these numbers, and looks at them before it sets tiers. Nobody is graded.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grader.engines.backend import Peak
from grader.engines.gpu_toolchain import cublas_of
from grader.engines.toolset import Toolset
from grader.model.labs import Lab, load_lab
from grader.model.outcome import LabOutcome, SizeOutcome
from grader.model.result import SweepPoint, Timing
from grader.run.speed.contest import (
    LIBRARY,
    STAND_IN,
    Contestant,
    LibraryContestant,
    build,
    contestant_of,
)
from grader.run.speed.paired_times import Interval, noise_trouble
from grader.run.speed.speed_run import problem_of, swept, time_lab
from grader.run.speed.speed_score import merged, performance_points, speed_in, sweep_points, timing_of

_NAMES = ("baseline", "student", "control")
_DRAWN_AS = {"model solution": "model", "cuBLAS": "cublas"}


@dataclass(frozen=True)
class Measurement:
    """One kernel at one shape, beside naive. Without `control`, `trouble` says why there are no times."""

    lab_id: str
    kernel: str  # "model solution", the file of a faster kernel, or "cuBLAS"
    point: SweepPoint
    control: Interval | None = None
    trouble: str = ""


def calibrate(toolset: Toolset, labs: Sequence[Lab], *, sweep: bool) -> Iterator[Measurement]:
    """Measures every timed lab, at its shape or over its sweep. Raises ContestError."""
    for lab in labs:
        yield from _of_lab(toolset, lab, sweep=sweep)


def _of_lab(toolset: Toolset, lab: Lab, *, sweep: bool) -> Iterator[Measurement]:
    performance = lab.public.performance
    if performance is None or lab.private_dir is None:
        return
    base = load_lab(toolset.root, performance.baseline)
    assert base.private_dir is not None
    naive = base.private_dir / base.public.file
    measured: list[tuple[str, Contestant | LibraryContestant]] = [
        (name, contestant_of(lab, source, "student", trusted=True)) for name, source in kernels_of(lab)
    ]
    if performance.library and (library := cublas_of(toolset.gpu.toolchain)):
        measured.append(("cuBLAS", LibraryContestant("student", library, performance.library)))
    for name, contestant in measured:
        contestants = [
            contestant_of(base, naive, "baseline", trusted=True),
            contestant,
            contestant_of(base, naive, "control", trusted=True),
        ]
        with tempfile.TemporaryDirectory(prefix="tilelab-") as folder:
            yield from _measured(toolset, lab, name, contestants, Path(folder), sweep=sweep)


def kernels_of(lab: Lab) -> list[tuple[str, Path]]:
    """The model solution and the faster kernels beside it. The faster ones do not affect tiers."""
    assert lab.private_dir is not None
    faster = sorted((lab.private_dir / "faster").glob("*.cu"))
    return [("model solution", lab.private_dir / lab.public.file), *((one.stem, one) for one in faster)]


def _measured(
    toolset: Toolset,
    lab: Lab,
    name: str,
    contestants: Sequence[Contestant | LibraryContestant],
    folder: Path,
    *,
    sweep: bool,
) -> Iterator[Measurement]:
    assert lab.public.performance is not None
    built = build(toolset, contestants, folder)
    peak = toolset.gpu.device.peak if toolset.gpu.device else None
    shapes = lab.public.performance.sweep if sweep else (lab.public.performance.shape,)
    for size in swept(toolset, built, _NAMES, problem_of(lab), shapes, kept=1):
        contest, point, why = size.contest, _point(name, size, peak), size.trouble
        speed = speed_in(_NAMES, [contest]) if contest else None
        if contest is not None and speed is None:
            why = contest.faults[0].fault if contest.faults else contest.detail
        noise = noise_trouble(speed) if speed else why
        yield Measurement(lab.id, name, point, speed.control if speed else None, noise)


def _point(name: str, size: SizeOutcome, peak: Peak | None) -> SweepPoint:
    """`name`: the kernel's name in the measurement."""
    names = ("baseline", _DRAWN_AS.get(name, name), "control")
    (point,) = sweep_points([replace(size, names=names)], peak)
    ours = point.trouble and (point.kernels or size.contest is None)  # where a kernel failed, the text names it already
    return point.model_copy(update={"trouble": f"{name}: {point.trouble}"}) if ours else point


def swept_labs(found: Sequence[Measurement]) -> dict[str, tuple[SweepPoint, ...]]:
    """The points of each lab, with all its kernels."""
    points: dict[str, list[SweepPoint]] = {}
    for one in found:
        points.setdefault(one.lab_id, []).append(one.point)
    return {lab_id: merged(each) for lab_id, each in points.items()}


# Which tiers the course's own kernels reach on this machine's GPU: each is timed as a grading times a submission, and scored.
#
# Nothing is kept for gradings: each times the library, or the kernel that stands in for it, anew. An instructor compares.


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
    yardstick: str  # "library", "stand-in"; empty: neither could be timed, so these tiers cannot be reached here
    places: tuple[TierPlace, ...]


def calibrate_tiers(toolset: Toolset, labs: Sequence[Lab], tell: Callable[[str], None]) -> list[LabTiers]:
    """Of the labs with tiers. `tell` hears which kernel is timed next."""
    return [
        _tiers_of_lab(toolset, lab, tell) for lab in labs if lab.private and lab.private.tier and lab.public.performance
    ]


def climbing_kernels(lab: Lab) -> list[tuple[str, Path]]:
    """The model solution, the faster kernels, and those in the folder of the kernel that stands in for the library."""
    stand_in = lab.private.stand_in if lab.private else None
    beside = lab.private_dir / stand_in.file if lab.private_dir and stand_in else None
    rungs = sorted(beside.parent.glob("*.cu")) if beside else []
    known = kernels_of(lab)
    return [*known, *((one.stem, one) for one in rungs if one not in {path for _, path in known})]


def _tiers_of_lab(toolset: Toolset, lab: Lab, tell: Callable[[str], None]) -> LabTiers:
    places, yardstick = [], ""
    for name, source in climbing_kernels(lab):
        tell(f"{lab.id}: {name}")
        with tempfile.TemporaryDirectory(prefix="tilelab-") as folder:
            speed = time_lab(toolset, lab, source, LabOutcome(lab.id), Path(folder))
        names = speed.names if speed else ()
        yardstick = yardstick or next((one for one in (LIBRARY, STAND_IN) if one in names), "")
        timing = timing_of(lab, LabOutcome(lab.id, speed=speed), correct=True) or Timing(words="not timed")
        places.append(TierPlace(name, timing, performance_points(lab, timing) if timing.speedup else None))
    return LabTiers(lab, yardstick, tuple(places))
