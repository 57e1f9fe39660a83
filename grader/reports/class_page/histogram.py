"""How many students have how many points, as bars. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from grader.reports.text.number_format import counted, points

WIDTH, HEIGHT = 420.0, 120.0  # the drawing's own units
_MOST_BINS = 10
_STEPS = (1.0, 2.0, 2.5, 5.0)  # times powers of ten: round ends of bins
_GAP = 4.0
_ROOM = 50  # letters below all bars together


@dataclass(frozen=True)
class Bar:
    x: float
    y: float
    width: float
    height: float
    middle: float
    count: int
    label: str  # "20" to "30", with a dash
    title: str  # "from 20 to under 30 points: 12 students"


@dataclass(frozen=True)
class Histogram:
    bars: tuple[Bar, ...]
    alternative: str

    @property
    def roomy(self) -> bool:
        """Whether larger letters have room below the bars."""
        return all(len(bar.label) * len(self.bars) <= _ROOM for bar in self.bars)


def histogram(totals: Sequence[float], maximum: float) -> Histogram:
    """At most ten equal bins up to `maximum`. The last one holds full marks and, with extra credit, more than that."""
    step, bins = _bins(maximum)
    counts = [0] * bins
    for total in totals:
        counts[min(bins - 1, max(0, math.floor(total / step + 1e-9)))] += 1
    slot, top = WIDTH / bins, max([1, *counts])
    bars = tuple(
        Bar(
            x=round(at * slot + _GAP / 2, 2),
            y=round(HEIGHT - HEIGHT * count / top, 2),
            width=round(slot - _GAP, 2),
            height=round(HEIGHT * count / top, 2),
            middle=round((at + 0.5) * slot, 2),
            count=count,
            label=_label(at, step, last=at == bins - 1),
            title=f"{_range(at, step, last=at == bins - 1)}: {counted(count, 'student')}",
        )
        for at, count in enumerate(counts)
    )
    return Histogram(bars, "; ".join(bar.title for bar in bars if bar.count) or "nobody handed in anything")


def _bins(maximum: float) -> tuple[float, int]:
    """The width and the number of bins: the narrowest width with at most ten bins, where the last bin holds full marks."""
    if not (math.isfinite(maximum) and maximum > 0):
        return 1.0, 1
    power = 10.0 ** (math.floor(math.log10(maximum)) - 1)
    steps = (scale * each for scale in (power, 10 * power) for each in _STEPS)
    step = next(step for step in steps if maximum / step <= _MOST_BINS)
    return step, math.ceil(maximum / step - 1e-9)


def _label(at: int, step: float, *, last: bool) -> str:
    return f"{points(at * step)}+" if last else f"{points(at * step)}\N{EN DASH}{points((at + 1) * step)}"


def _range(at: int, step: float, *, last: bool) -> str:
    if last:
        return f"{points(at * step)} points and more"
    return f"from {points(at * step)} to under {points((at + 1) * step)} points"
