"""How fast a kernel was on a GPU: in the rounds that give points, and over sizes."""

from __future__ import annotations

from typing import Literal

from grader.model.result.plain_data import Model


class SampledElement(Model):
    """An element of a timed output, beside what it has to be in fp64."""

    row: int
    column: int
    expected: float
    actual: float | None  # None: not a number
    relative_error: float | None


class Ratio(Model):
    """A median of paired ratios with its 95 % interval."""

    low: float
    middle: float
    high: float


class ContestantTimes(Model):
    """A kernel as it was timed."""

    name: Literal["baseline", "student", "model", "library", "stand-in", "control"]
    milliseconds: float  # median
    gflops: float  # of the problem's arithmetic; 0: the problem has none
    gbytes: float  # of the bytes that the problem must move, in a second
    samples: tuple[float, ...]  # nanoseconds for each round


class SweepTime(Model):
    """A kernel at one size of a sweep: the median of its times, with its 95 % interval."""

    name: str  # "baseline", "student", "model", "cublas"; in sweeps of a course's own kernels, also a faster one's
    milliseconds: float
    low_ms: float
    high_ms: float
    gflops: float  # of the problem's arithmetic; 0: the problem has none
    gbytes: float  # of the bytes that the problem must move, in a second
    speedup: Ratio | None = None  # baseline / this; none: it is the baseline


class SweepPoint(Model):
    """One size of a size sweep. Without `kernels` it was not measured, and `trouble` says why; with them, why not to trust it."""

    shape: str  # "M=1024 N=1024 K=1024"
    sizes: tuple[int, ...]  # the same, as numbers
    kernels: tuple[SweepTime, ...] = ()
    floor_ms: float = 0  # the roofline: no kernel can be faster; 0: unknown
    trouble: str = ""
    wrong: bool = False  # the student's kernel failed here, though it passes every case
    ours: bool = False  # the failure is ours; only the instructor is told the reason


class TimedTier(Model):
    """Points for a share of another kernel's speed in the same rounds."""

    of: Literal["model", "library"]
    share: float
    points: float
    reached: bool


class Timing(Model):
    """How fast the kernel is. Without `speedup` it was not measured, and `words` say why."""

    words: str  # one sentence
    shape: str = ""
    device: str = ""
    rounds: int = 0
    contestants: tuple[ContestantTimes, ...] = ()
    speedup: Ratio | None = None  # baseline / student
    model_speedup: Ratio | None = None  # baseline / model
    share: Ratio | None = None  # model / student
    library_share: Ratio | None = (
        None  # library / student; where a kernel stands in for the library, computed from its time
    )
    control: Ratio | None = None  # baseline / baseline; if it is not near 1.00, the machine is too noisy
    tiers: tuple[TimedTier, ...] = ()  # by rising points
    too_slow: bool = False  # not measured, because it would take too long: no tier
    sm_mhz: tuple[int, int] = (0, 0)  # before and after; 0: unknown
    throttle_reasons: int = 0  # NVML's bit mask, before and after combined
    temperature_c: int = 0
    outputs_checked: int = 0
    elements: tuple[SampledElement, ...] = ()
    relative_error: float | None = None  # of timed outputs, as a root mean square; None: not known
    device_seconds: float = 0  # how long nobody else used the device
    floor_ms: float = 0  # the roofline: no kernel can be faster; 0: unknown
    review: str = ""  # why a person has to look; for the instructor only
    sweep: tuple[SweepPoint, ...] = ()  # over sizes, if requested; it gives no points
