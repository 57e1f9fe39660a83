"""Where things lie in a size sweep's picture: logarithmic axes, their ticks, and what is moved so that it can be told apart. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

# Up to how many powers of ten which multiples of them are marked.
_STEPS: tuple[tuple[float, tuple[float, ...]], ...] = (
    (0.7, (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)),
    (3.5, (1.0, 2.0, 5.0)),
    (math.inf, (1.0,)),
)


@dataclass(frozen=True)
class Tick:
    at: float
    label: str


@dataclass(frozen=True)
class Axis:
    """Logarithmic: `least` lies at `start`, `most` at `end`."""

    least: float
    most: float
    start: float
    end: float

    @classmethod
    def over(cls, values: Sequence[float], start: float, end: float, *, air: float = 1.0) -> Axis:
        """Over all of `values`, positive numbers; `air` is a factor beyond either end. A single value lies in the middle."""
        least, most = min(values) / air, max(values) * air
        return cls(least / 2, most * 2, start, end) if most / least < 1 + 1e-9 else cls(least, most, start, end)

    def at(self, value: float) -> float:
        share = math.log(value / self.least) / math.log(self.most / self.least)
        return round(self.start + share * (self.end - self.start), 2)


def decades(axis: Axis) -> tuple[Tick, ...]:
    """Round numbers within the axis: 1, 2 and 5 of each power of ten, fewer where they would crowd, more where hardly one fits."""
    wide = math.log10(axis.most / axis.least)
    steps = next(steps for most, steps in _STEPS if wide <= most)
    powers = range(math.floor(math.log10(axis.least)), math.ceil(math.log10(axis.most)) + 1)
    values = (step * 10.0**power for power in powers for step in steps)
    return tuple(Tick(axis.at(one), _label(one)) for one in values if axis.least <= one <= axis.most)


def _label(value: float) -> str:
    return f"{value:,.10g}"


def spread(places: Sequence[float], apart: float, start: float, end: float) -> list[float]:
    """`places`, in order, moved as little as it takes so that neighbours are `apart` and all lie between the ends."""
    if len(places) > 1:
        apart = min(apart, (end - start) / (len(places) - 1))
    # Bunches that touch are joined and laid around their middle: each place asks for its own minus its rank in the bunch.
    bunches: list[list[float]] = []
    for place in places:
        bunches.append([place])
        while len(bunches) > 1 and _start(bunches[-1], apart) < _start(bunches[-2], apart) + apart * len(bunches[-2]):
            last = bunches.pop()
            bunches[-1] += last
    moved = [_start(bunch, apart) + apart * i for bunch in bunches for i in range(len(bunch))]
    for i, place in enumerate(moved):  # the ends hold
        moved[i] = max(place, start + apart * i)
    for i in range(len(moved)):
        moved[-1 - i] = min(moved[-1 - i], end - apart * i)
    return [round(one, 2) for one in moved]


def _start(bunch: Sequence[float], apart: float) -> float:
    return sum(place - apart * i for i, place in enumerate(bunch)) / len(bunch)


def nudged(places: Sequence[float], apart: float) -> list[float]:
    """As `spread`, for places in any order and without ends."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    laid = spread([places[i] for i in order], apart, -math.inf, math.inf)
    found = [0.0] * len(places)
    for i, place in zip(order, laid, strict=True):
        found[i] = place
    return found
