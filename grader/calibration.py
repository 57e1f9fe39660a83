"""What this machine's GPU makes of the course's own kernels: naive, each model solution, each faster one beside it, over sizes.

For instructors: the numbers that a course publishes, and the ones to look at before tiers are set. Grades nobody.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.contest import hold
from grader.engines.gpu_toolchain import cublas_of
from grader.entrants import Entrant, LibraryEntrant, build, entrant_of
from grader.labs import Lab, load_lab
from grader.speed_run import problem_of
from grader.speed_score import speed_in
from grader.timing.interval import Interval
from grader.timing.speed import FIRST_ROUNDS, noise_trouble
from grader.workshop import Workshop

_NAMES = ("baseline", "student", "control")
_TRIES = 3


@dataclass(frozen=True)
class Measurement:
    """One kernel at one shape. Without `speedup`, `trouble` says why."""

    lab_id: str
    kernel: str  # "model solution", a faster one's file, or "cuBLAS"
    shape: str  # "M=1024 N=1024 K=1024"
    speedup: Interval | None = None
    control: Interval | None = None
    baseline_ms: float = 0
    milliseconds: float = 0
    flops: float = 0
    bytes: float = 0
    sm_mhz: int = 0
    trouble: str = ""

    @property
    def gflops(self) -> float:
        return self.flops / self.milliseconds / 1e6 if self.milliseconds else 0

    @property
    def baseline_gflops(self) -> float:
        return self.flops / self.baseline_ms / 1e6 if self.baseline_ms else 0


def calibrate(
    workshop: Workshop, labs: Sequence[Lab], *, sweep: bool, tell: Callable[[Measurement], None]
) -> list[Measurement]:
    """Of every lab that is timed, at its shape or over those of its sweep. `tell` hears of each as it comes. Raises ContestError."""
    found: list[Measurement] = []
    for lab in labs:
        for measurement in _of_lab(workshop, lab, sweep=sweep):
            tell(measurement)
            found.append(measurement)
    return found


def _of_lab(workshop: Workshop, lab: Lab, *, sweep: bool) -> Iterator[Measurement]:
    performance = lab.public.performance
    if performance is None or lab.private_dir is None:
        return
    base = load_lab(workshop.root, performance.baseline)
    assert base.private_dir is not None
    naive = base.private_dir / base.public.file
    rivals: list[tuple[str, Entrant | LibraryEntrant]] = [
        (name, entrant_of(lab, source, "student", trusted=True)) for name, source in kernels_of(lab)
    ]
    if performance.library and (library := cublas_of(workshop.gpu.toolchain)):
        rivals.append(("cuBLAS", LibraryEntrant("student", library, performance.library)))
    for name, rival in rivals:
        entrants = [
            entrant_of(base, naive, "baseline", trusted=True),
            rival,
            entrant_of(base, naive, "control", trusted=True),
        ]
        with tempfile.TemporaryDirectory(prefix="tilelab-") as folder:
            yield from _measured(workshop, lab, name, entrants, Path(folder), sweep=sweep)


def kernels_of(lab: Lab) -> list[tuple[str, Path]]:
    """The model solution and the faster ones beside it, which move no tier."""
    assert lab.private_dir is not None
    faster = sorted((lab.private_dir / "faster").glob("*.cu"))
    return [("model solution", lab.private_dir / lab.public.file), *((one.stem, one) for one in faster)]


def _measured(  # noqa: PLR0913 -- what is measured, and where
    workshop: Workshop, lab: Lab, name: str, entrants: Sequence[Entrant | LibraryEntrant], folder: Path, *, sweep: bool
) -> Iterator[Measurement]:
    assert lab.public.performance is not None
    built = build(workshop, entrants, folder)
    shapes = lab.public.performance.sweep if sweep else (lab.public.performance.shape,)
    for shape in shapes:
        for _ in range(_TRIES):
            contest = hold(workshop, built, problem_of(lab), shape, rounds=FIRST_ROUNDS, kept=1)
            speed = speed_in(_NAMES, [contest])
            if speed is None or not noise_trouble(speed):
                break
        if speed is None:
            why = contest.faults[0].fault if contest.faults else contest.detail
            yield Measurement(lab.id, name, contest.shape, trouble=why)
            continue
        middle = [sorted(times)[len(times) // 2] / 1e6 for times in contest.nanoseconds]
        yield Measurement(
            lab.id, name, contest.shape, speed.speedup, speed.control, middle[0], middle[1], contest.flops,
            contest.bytes, contest.after.sm_mhz, noise_trouble(speed),
        )  # fmt: skip
