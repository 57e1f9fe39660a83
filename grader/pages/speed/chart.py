"""What the charts of pages consist of: logarithmic axes with their ticks, shifts that keep neighbours apart, and rooflines. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from grader.pages.page_section import Shown

# The ticks, by the powers of ten on the axis: up to this many powers, these multiples of each.
_STEPS: tuple[tuple[float, tuple[float, ...]], ...] = (
    (0.7, (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)),
    (3.5, (1.0, 2.0, 5.0)),
    (math.inf, (1.0,)),
)


@dataclass(frozen=True)
class Axis:
    """A logarithmic axis: `least` is at `start`, `most` at `end`. What lies outside is drawn at the edge."""

    least: float
    most: float
    start: float
    end: float
    digits: int = 2  # of a position

    @classmethod
    def over(cls, values: Sequence[float], start: float, end: float, *, margin: float = 1.0) -> Axis:
        """An axis that contains all `values`, which are positive. `margin` is a factor beyond both ends. One value is in the middle."""
        least, most = min(values) / margin, max(values) * margin
        return cls(least / 2, most * 2, start, end) if most / least < 1 + 1e-9 else cls(least, most, start, end)

    def at(self, value: float) -> float:
        share = math.log(min(max(value, self.least), self.most) / self.least) / math.log(self.most / self.least)
        return round(self.start + share * (self.end - self.start), self.digits)

    def ticks(self, values: Iterable[float], label: Callable[[float], str] = "{:g}".format) -> list[Shown]:
        """Only those that are on the axis."""
        return [Shown(at=self.at(one), label=label(one)) for one in values if self.least <= one <= self.most]


def decades(axis: Axis) -> list[Shown]:
    """Round numbers on the axis: 1, 2 and 5 of each power of ten. Fewer on a long axis, more on a short one."""
    wide = math.log10(axis.most / axis.least)
    steps = next(steps for most, steps in _STEPS if wide <= most)
    powers = range(math.floor(math.log10(axis.least)), math.ceil(math.log10(axis.most)) + 1)
    return axis.ticks((step * 10.0**power for power in powers for step in steps), "{:,.10g}".format)


def roofline(
    x: Axis,
    y: Axis,
    corners: Iterable[tuple[float, float]],
    columns: list[Shown],
    rows: list[Shown],
    margins: tuple[float, float, float, float],
) -> Shown:
    """Work for a pass to the right, speed upwards. `corners`: of the roofs. `margins`: left, above, right, below."""
    left, above, right, below = margins
    return Shown(
        view_box=f"{-left} {-above} {x.end + left + right} {y.start + below + above}",
        width=x.end,
        height=y.start,
        slope=" ".join(f"{x.at(work)},{y.at(speed)}" for work, speed in corners),
        columns=columns,
        rows=rows,
    )


def spread(places: Sequence[float], apart: float, start: float, end: float) -> list[float]:
    """`places`, in order, moved by the least amount so that neighbours are `apart`, and all are between the ends."""
    if len(places) > 1:
        apart = min(apart, (end - start) / (len(places) - 1))
    # Clusters that touch are joined, and centred on the mean of (place - rank in the cluster * apart).
    clusters: list[list[float]] = []
    for place in places:
        clusters.append([place])
        while len(clusters) > 1 and _start(clusters[-1], apart) < _start(clusters[-2], apart) + apart * len(
            clusters[-2]
        ):
            last = clusters.pop()
            clusters[-1] += last
    moved = [_start(cluster, apart) + apart * i for cluster in clusters for i in range(len(cluster))]
    for i, place in enumerate(moved):  # nothing moves past the ends
        moved[i] = max(place, start + apart * i)
    for i in range(len(moved)):
        moved[-1 - i] = min(moved[-1 - i], end - apart * i)
    return [round(one, 2) for one in moved]


def _start(cluster: Sequence[float], apart: float) -> float:
    return sum(place - apart * i for i, place in enumerate(cluster)) / len(cluster)


def nudged(places: Sequence[float], apart: float) -> list[float]:
    """Like `spread`, for places in any order and without ends."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    laid = spread([places[i] for i in order], apart, -math.inf, math.inf)
    found = [0.0] * len(places)
    for i, place in zip(order, laid, strict=True):
        found[i] = place
    return found
