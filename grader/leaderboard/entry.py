"""Who of a class has a place on a lab's leaderboard, and who is listed apart and why. Pure.

What the public page may say of a kernel follows from the result as its student sees it: a case that gives no details gives none here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from grader.model.labs import Lab
from grader.model.result import LabResult, Outlook, Ratio, Result, Timing, Traffic
from grader.model.verdicts import Verdict
from grader.scoring.redaction import for_student

_LIBRARY = "cublas"  # as a sweep calls it
# The size of the errors of TF32, half precision and bfloat16 at the sizes that are timed. fp32 has about 1e-6.
_LOWER_PRECISION = (5e-5, 3e-2)
Reason = Literal["lower-precision", "to-be-looked-at", "too-slow", "not-measured", "other-gpu"]


@dataclass(frozen=True)
class Entry:
    """A right kernel that was timed."""

    student: str
    speed: Ratio  # over the baseline
    milliseconds: float
    gflops: float  # 0: the problem has no arithmetic
    gbytes: float
    device: str
    shape: str
    of_library: Ratio | None = None  # library's time / kernel's time; none: no library was timed beside it
    by_stand_in: bool = (
        False  # no library was there, and that share was computed from the time of a kernel of the course
    )
    traffic: Traffic | None = None  # of a public launch on the CPU executor; none: not counted
    outlook: Outlook | None = (
        None  # the same launch, extrapolated to the size of the lab's climb; none: the lab has no climb
    )
    floor_ms: float = 0  # no kernel can be faster; 0: unknown
    relative_error: float | None = None


@dataclass(frozen=True)
class Apart:
    """A kernel that has no rank."""

    student: str
    reason: Reason
    private: str = ""  # for the instructor alone


def listed(lab: Lab, result: Result) -> Entry | Apart | None:
    """None where the kernel is wrong, or there is none."""
    full = result.labs[lab.id]
    seen = for_student(result).labs[lab.id]
    student = result.submission.id
    failed = [case.name for case in seen.cases if case.role == "correctness" and not case.passed]
    if seen.verdict is Verdict.PASS and not failed:
        return _right(student, full, seen)
    if seen.verdict is not Verdict.WRONG_ANSWER or not seen.cases:
        return None
    precise = {case.name for case in lab.cases if case.precision}
    if failed and precise.issuperset(failed):
        return Apart(student, "lower-precision", _error_of_cases(full, failed))
    size = seen.timing.relative_error if seen.timing else None
    if not failed and size is not None and _LOWER_PRECISION[0] <= size <= _LOWER_PRECISION[1]:
        return Apart(student, "lower-precision", f"timed outputs have a relative error of {size:.1e}")
    return None


def on_one_gpu(found: Sequence[Entry | Apart]) -> list[Entry | Apart]:
    """Speeds of different GPUs or shapes cannot be compared: only those of the most frequent pair keep their place."""
    entries = [one for one in found if isinstance(one, Entry)]
    pairs = [(one.device, one.shape) for one in entries]
    usual = max(sorted(set(pairs)), key=pairs.count, default=None)
    return [
        Apart(one.student, "other-gpu", f"timed on {one.device}, {one.shape}")
        if isinstance(one, Entry) and (one.device, one.shape) != usual
        else one
        for one in found
    ]


def _right(student: str, full: LabResult, seen: LabResult) -> Entry | Apart:
    timing, own = seen.timing, _own_times(seen.timing)
    if full.timing is not None and full.timing.review:
        return Apart(student, "to-be-looked-at", full.timing.review)
    if timing is None or timing.speedup is None or own is None:
        words = full.timing.words if full.timing else ""
        return Apart(student, "too-slow" if timing and timing.too_slow else "not-measured", words)
    milliseconds, gflops, gbytes = own
    return Entry(
        student,
        timing.speedup,
        milliseconds,
        gflops,
        gbytes,
        timing.device,
        timing.shape,
        of_library=_of_library(timing),
        by_stand_in=any(one.name == "stand-in" for one in timing.contestants),
        traffic=_counted(seen),
        outlook=seen.outlook,
        floor_ms=timing.floor_ms,
        relative_error=timing.relative_error,
    )


def _own_times(timing: Timing | None) -> tuple[float, float, float] | None:
    contestants = timing.contestants if timing else ()
    return next(((one.milliseconds, one.gflops, one.gbytes) for one in contestants if one.name == "student"), None)


def _of_library(timing: Timing) -> Ratio | None:
    """The share of a library's speed: from the same rounds, else from the sweep's point of the same shape."""
    if timing.library_share is not None:
        return timing.library_share
    for point in timing.sweep:
        times = {one.name: one for one in point.kernels}
        library, own = times.get(_LIBRARY), times.get("student")
        if library is None or own is None or point.trouble or point.shape != timing.shape:
            continue
        if min(own.low_ms, own.milliseconds, own.high_ms) > 0:
            return Ratio(
                low=library.low_ms / own.high_ms,
                middle=library.milliseconds / own.milliseconds,
                high=library.high_ms / own.low_ms,
            )
    return None


def _counted(seen: LabResult) -> Traffic | None:
    launches = [launch for case in seen.cases for launch in case.launches]
    return next((one.traffic for one in reversed(launches) if one.traffic and one.traffic.complete), None)


def _error_of_cases(full: LabResult, names: Sequence[str]) -> str:
    """The size of the first wrong elements' errors."""
    elements = [
        element
        for case in full.cases
        if case.name in names
        for launch in case.launches
        if launch.mismatch
        for element in launch.mismatch.first
    ]
    errors = [
        abs(one.got - one.expected) / abs(one.expected) for one in elements if one.expected and one.got is not None
    ]
    if not errors:
        return f"only {', '.join(names)} fails"
    return f"only {', '.join(names)} fails, with relative errors up to {max(errors):.1e}"
