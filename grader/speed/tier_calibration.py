"""Which tiers the course's own kernels reach on this machine's GPU: each is timed as a grading times a submission, and scored.

Nothing is kept for gradings: each times the library, or the kernel that stands in for it, anew. An instructor compares.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.machine.toolset import Toolset
from grader.model.labs import Lab
from grader.model.outcomes.outcome import LabOutcome
from grader.model.result import Ratio
from grader.speed.calibration import kernels_of
from grader.speed.speed_run import time_lab
from grader.speed.speed_score import performance_points, timing_of
from grader.speed.yardstick import LIBRARY, STAND_IN


@dataclass(frozen=True)
class TierPlace:
    """Where one kernel stands. Without `points`, `trouble` says why."""

    kernel: str
    shape: str = ""
    of_model: Ratio | None = None
    of_library: Ratio | None = None
    points: float | None = None
    trouble: str = ""


@dataclass(frozen=True)
class LabTiers:
    """The kernels of a lab, and what its tiers beyond the model solution are shares of on this machine."""

    lab: Lab
    yardstick: str  # "library", "stand-in"; empty: neither could be timed, so these tiers cannot be reached here
    places: tuple[TierPlace, ...]


def calibrate_tiers(toolset: Toolset, labs: Sequence[Lab], tell: Callable[[str], None]) -> list[LabTiers]:
    """Of the labs with tiers. `tell` hears which kernel is timed next."""
    return [_of_lab(toolset, lab, tell) for lab in labs if lab.private and lab.private.tier and lab.public.performance]


def climbing_kernels(lab: Lab) -> list[tuple[str, Path]]:
    """The model solution, the faster kernels, and those in the folder of the kernel that stands in for the library."""
    stand_in = lab.private.stand_in if lab.private else None
    beside = lab.private_dir / stand_in.file if lab.private_dir and stand_in else None
    rungs = sorted(beside.parent.glob("*.cu")) if beside else []
    known = kernels_of(lab)
    return [*known, *((one.stem, one) for one in rungs if one not in {path for _, path in known})]


def _of_lab(toolset: Toolset, lab: Lab, tell: Callable[[str], None]) -> LabTiers:
    places, yardstick = [], ""
    for name, source in climbing_kernels(lab):
        tell(f"{lab.id}: {name}")
        with tempfile.TemporaryDirectory(prefix="tilelab-") as folder:
            speed = time_lab(toolset, lab, source, LabOutcome(lab.id), Path(folder))
        names = speed.names if speed else ()
        yardstick = yardstick or next((one for one in (LIBRARY, STAND_IN) if one in names), "")
        timing = timing_of(lab, LabOutcome(lab.id, speed=speed), correct=True)
        if timing is None or timing.speedup is None:
            places.append(TierPlace(name, trouble=timing.words if timing else "not timed"))
            continue
        reached = performance_points(lab, timing)
        places.append(TierPlace(name, timing.shape, timing.share, timing.library_share, reached))
    return LabTiers(lab, yardstick, tuple(places))
