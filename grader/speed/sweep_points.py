"""Turns the times of a size sweep into what a result says about each size. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.machine.peak_rates import Peak
from grader.model.outcomes.outcome import Contest, SizeOutcome
from grader.model.result import Ratio, SweepPoint, SweepTime
from grader.speed.interval import Interval, ratio_interval
from grader.speed.paired_times import CONTROL_HIGH, CONTROL_LOW
from grader.speed.roofline import Work

_SIZE = re.compile(r"\d+")
_CALLED = {
    "baseline": "naive", "control": "naive", "student": "your kernel", "model": "the model solution", "cublas": "cuBLAS",
}  # fmt: skip


def sweep_points(sizes: Sequence[SizeOutcome], peak: Peak | None = None) -> tuple[SweepPoint, ...]:
    """One point for each size, in the same order. `peak`: that of the device; None: not known."""
    return tuple(_point(one, peak) for one in sizes)


def merged(points: Sequence[SweepPoint]) -> tuple[SweepPoint, ...]:
    """Merges points of the same size, whose kernels were timed against naive in separate runs. Naive's times are the first's."""
    found: dict[tuple[int, ...], SweepPoint] = {}
    for one in points:
        known = found.get(one.sizes)
        if known is None:
            found[one.sizes] = one
            continue
        new = (kernel for kernel in one.kernels if kernel.name not in {each.name for each in known.kernels})
        found[one.sizes] = known.model_copy(
            update={
                "shape": known.shape if known.kernels else one.shape,
                "kernels": (*known.kernels, *new),
                "floor_ms": known.floor_ms or one.floor_ms,
                "trouble": "; ".join(dict.fromkeys(text for text in (known.trouble, one.trouble) if text)),
            }
        )
    return tuple(found.values())


def control_trouble(names: Sequence[str], contest: Contest) -> str:
    """Why these times cannot be trusted: naive against itself is not 1.00. Empty: they can."""
    if "control" not in names:
        return ""
    control = ratio_interval(_times(contest, names, "baseline"), _times(contest, names, "control"))
    if control.low <= CONTROL_HIGH and control.high >= CONTROL_LOW:
        return ""
    return f"too noisy: naive timed against itself gave {control} and should give 1.00"


def _point(one: SizeOutcome, peak: Peak | None) -> SweepPoint:
    contest = one.contest
    if contest is None:
        return SweepPoint(shape=one.shape, sizes=_sizes(one.shape), trouble=one.trouble, ours=one.ours)
    named = {"shape": contest.shape, "sizes": _sizes(contest.shape)}
    if contest.status != "completed" or contest.faults:
        whose = one.names[contest.contestant] if contest.status != "completed" else _kept_outputs(one.names)
        why = contest.detail if contest.status != "completed" else contest.faults[0].fault
        trouble = f"{_CALLED.get(whose, whose)}: {why}"
        wrong = whose == "student" and not contest.slow
        return SweepPoint(**named, trouble=trouble, wrong=wrong, ours=whose != "student")
    kernels = tuple(_time(name, one.names, contest) for name in one.names if name != "control")
    known = peak is not None and peak.flops > 0 and peak.bytes > 0
    floor = Work(contest.flops, contest.bytes).floor_seconds(peak) if known and peak else 0
    return SweepPoint(**named, kernels=kernels, floor_ms=1e3 * floor, trouble=control_trouble(one.names, contest))


def _kept_outputs(names: Sequence[str]) -> str:
    """The contestant whose outputs are checked: the student's kernel, or the one that the course measures."""
    others = [name for name in names if name not in {"baseline", "control"}]
    return "student" if "student" in others else next(iter(others), "baseline")


def _time(name: str, names: Sequence[str], contest: Contest) -> SweepTime:
    times = _times(contest, names, name)
    middle = ratio_interval(times, (1.0,) * len(times))  # the median's interval, in nanoseconds
    return SweepTime(
        name=name,
        milliseconds=middle.middle / 1e6,
        low_ms=middle.low / 1e6,
        high_ms=middle.high / 1e6,
        gflops=contest.flops / middle.middle,
        gbytes=contest.bytes / middle.middle,
        speedup=_ratio(ratio_interval(_times(contest, names, "baseline"), times)) if name != "baseline" else None,
    )


def _times(contest: Contest, names: Sequence[str], name: str) -> tuple[float, ...]:
    return contest.nanoseconds[names.index(name)]


def _ratio(interval: Interval) -> Ratio:
    return Ratio(low=interval.low, middle=interval.middle, high=interval.high)


def _sizes(shape: str) -> tuple[int, ...]:
    """The sizes in `M=255 N=33 K=7` or `255x33x7`."""
    return tuple(int(number) for number in _SIZE.findall(shape)[:8])
