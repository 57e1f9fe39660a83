"""A size sweep as a picture: each kernel's rate and its speedup over naive, by size on a logarithmic axis, with intervals and the
roofline. A table has the same numbers. Pure.

Sizes such as 255, 256 and 257 would overlap. They are drawn a little apart, in their order, and the page says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from grader.model import visible_text
from grader.model.result import SweepPoint, SweepTime
from grader.pages.page_section import Shown

# Positions in a size sweep's picture: logarithmic axes, their ticks, and shifts that keep neighbours apart. Pure.

# The ticks, by the powers of ten on the axis: up to this many powers, these multiples of each.
_STEPS: tuple[tuple[float, tuple[float, ...]], ...] = (
    (0.7, (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)),
    (3.5, (1.0, 2.0, 5.0)),
    (math.inf, (1.0,)),
)


@dataclass(frozen=True)
class Axis:
    """A logarithmic axis: `least` is at `start`, `most` at `end`."""

    least: float
    most: float
    start: float
    end: float

    @classmethod
    def over(cls, values: Sequence[float], start: float, end: float, *, margin: float = 1.0) -> Axis:
        """An axis that contains all `values`, which are positive. `margin` is a factor beyond both ends. One value is in the middle."""
        least, most = min(values) / margin, max(values) * margin
        return cls(least / 2, most * 2, start, end) if most / least < 1 + 1e-9 else cls(least, most, start, end)

    def at(self, value: float) -> float:
        share = math.log(value / self.least) / math.log(self.most / self.least)
        return round(self.start + share * (self.end - self.start), 2)


def decades(axis: Axis) -> list[Shown]:
    """Round numbers on the axis: 1, 2 and 5 of each power of ten. Fewer on a long axis, more on a short one."""
    wide = math.log10(axis.most / axis.least)
    steps = next(steps for most, steps in _STEPS if wide <= most)
    powers = range(math.floor(math.log10(axis.least)), math.ceil(math.log10(axis.most)) + 1)
    values = (step * 10.0**power for power in powers for step in steps)
    return [Shown(at=axis.at(one), label=f"{one:,.10g}") for one in values if axis.least <= one <= axis.most]


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


_NAMES = {"baseline": "naive", "student": "your kernel", "model": "model", "cublas": "cuBLAS"}


def called(name: str) -> str:
    return _NAMES.get(name) or visible_text.line(name, 24)


_WIDTH, _LEFT, _RIGHT = 470.0, 52.0, 118.0
_RATES, _RATIOS, _BETWEEN, _TOP, _BOTTOM = 230.0, 130.0, 46.0, 24.0, 44.0
_SCALE = 1.2
_APART = 9.0  # the least distance between neighbouring sizes, in points
_LABELS_APART = 15.0
_FIXED = ("baseline", "student", "model", "cublas")
_OTHERS = 4  # how many looks there are for kernels with other names
# A mark for each look, centred on (0, 0). Kernels can be told apart without colours.
_MARKS = {
    "baseline": "M-3,-3H3V3H-3Z", "student": "M-3.6,0A3.6,3.6 0 1 1 3.6,0A3.6,3.6 0 1 1 -3.6,0Z", "model": "M0,-4.4L4,3H-4Z",
    "cublas": "M0,-4.6L4.6,0L0,4.6L-4.6,0Z", "other-0": "M-4,-3H4L0,4.4Z", "other-1": "M-4,-1H4V1H-4Z",
    "other-2": "M-1,-4H1V4H-1Z", "other-3": "M-3.4,-3.4L3.4,3.4M-3.4,3.4L3.4,-3.4",
}  # fmt: skip


def sweep_figure(points: Sequence[SweepPoint]) -> Shown | None:
    """None where nothing was measured."""
    placed = sorted((one for one in points if one.sizes), key=_size)  # a size that was not measured is a gap
    if not any(one.kernels for one in placed):
        return None
    names = _names(placed)
    axis = Axis.over([_size(one) for one in placed], 0, _WIDTH)
    xs = spread([axis.at(_size(one)) for one in placed], _APART, 0, _WIDTH)
    arithmetic = any(kernel.gflops for one in placed for kernel in one.kernels)
    panels = [_rates(placed, xs, names, arithmetic=arithmetic)]
    if len(names) > 1:
        panels.append(_ratios(placed, xs, names[1:], panels[0].height + _BETWEEN))
    height = panels[-1].top + panels[-1].height
    return Shown(
        view_box=f"{-_LEFT:g} {-_TOP:g} {_WIDTH + _LEFT + _RIGHT:g} {height + _TOP + _BOTTOM:g}",
        pixels=round(_SCALE * (_WIDTH + _LEFT + _RIGHT)),
        width=_WIDTH,
        height=height,
        panels=panels,
        columns=list(_columns(placed, xs)),
        sizes=xs,
        axis=_axis_title(placed),
        troubles=[f"{one.shape}: {one.trouble}" for one in points if one.trouble],
        kernels=[called(name) for name in names],
        rows=[(one, [_cells(one, name, arithmetic=arithmetic) for name in names]) for one in points],
        alternative=_alternative(placed, names),
    )


def _cells(point: SweepPoint, name: str, *, arithmetic: bool) -> tuple[str, str, str]:
    """One kernel at one size, for the table: milliseconds, rate, and the speedup with its interval. Empty where it was not measured."""
    kernel = next((one for one in point.kernels if one.name == name), None)
    if kernel is None:
        return "", "", ""
    ratio = kernel.speedup
    speedup = f"{ratio.middle:.2f}× ({ratio.low:.2f} to {ratio.high:.2f})" if ratio else ""  # noqa: RUF001 -- the sign for times
    return f"{kernel.milliseconds:.4f}", f"{_rate(kernel, arithmetic=arithmetic):,.0f}", speedup


def _names(points: Sequence[SweepPoint]) -> list[str]:
    """The kernels' names: naive first, then in the order of the measurement."""
    return list(dict.fromkeys(["baseline", *(kernel.name for one in points for kernel in one.kernels)]))


def _size(point: SweepPoint) -> float:
    """One number for a shape: N for a square one, else the geometric mean of its sizes."""
    return math.exp(math.fsum(math.log(max(one, 1)) for one in point.sizes) / len(point.sizes))


def _rate(kernel: SweepTime, *, arithmetic: bool) -> float:
    return kernel.gflops if arithmetic else kernel.gbytes


def _rates(points: Sequence[SweepPoint], xs: Sequence[float], names: Sequence[str], *, arithmetic: bool) -> Shown:
    def triple(kernel: SweepTime) -> tuple[float, float, float]:
        middle = _rate(kernel, arithmetic=arithmetic)
        work = middle * kernel.milliseconds
        return work / kernel.high_ms, middle, work / kernel.low_ms

    unit = "GFLOP/s" if arithmetic else "GB/s"
    roofs = [_roof(one, arithmetic=arithmetic) for one in points]
    values = [value for one in points for kernel in one.kernels for value in triple(kernel)] + [r for r in roofs if r]
    axis = Axis.over(values, _RATES, 0, margin=1.12)
    series = _series(points, xs, names, axis, triple, lambda value: f"{value:,.0f} {unit}")
    roof = [(x, axis.at(value)) for x, value in zip(xs, roofs, strict=True) if value]
    return Shown(
        title=unit,
        top=0,
        height=_RATES,
        rows=decades(axis),
        series=series,
        roof=" ".join(f"{x:g},{y:g}" for x, y in roof),
        roof_end=roof[-1][1] if roof else 0,
    )


def _roof(point: SweepPoint, *, arithmetic: bool) -> float:
    """The roofline at this size, in the panel's unit. 0: not known."""
    if not (point.floor_ms and point.kernels):
        return 0
    kernel = point.kernels[0]
    return _rate(kernel, arithmetic=arithmetic) * kernel.milliseconds / point.floor_ms


def _ratios(points: Sequence[SweepPoint], xs: Sequence[float], names: Sequence[str], top: float) -> Shown:
    def triple(kernel: SweepTime) -> tuple[float, float, float]:
        assert kernel.speedup is not None
        return kernel.speedup.low, kernel.speedup.middle, kernel.speedup.high

    values = [value for one in points for kernel in one.kernels if kernel.speedup for value in triple(kernel)]
    axis = Axis.over([1.0, *values], _RATIOS, 0, margin=1.12)
    as_text = "{:.2f} times as fast as naive".format
    return Shown(
        title="times as fast as naive",
        top=top,
        height=_RATIOS,
        rows=decades(axis),
        series=_series(points, xs, names, axis, triple, as_text),
        roof="",
    )


def _series(
    points: Sequence[SweepPoint],
    xs: Sequence[float],
    names: Sequence[str],
    axis: Axis,
    triple: Callable[[SweepTime], tuple[float, float, float]],
    as_text: Callable[[float], str],
) -> list[Shown]:
    drawn = []
    for name in names:
        runs: list[list[Shown]] = [[]]
        for point, x in zip(points, xs, strict=True):
            kernel = next((one for one in point.kernels if one.name == name), None)
            if kernel is None:
                runs.append([])
                continue
            low, middle, high = triple(kernel)
            text = f"{called(name)}, {visible_text.line(point.shape, 80)}: {as_text(middle)} ({as_text(low)} to {as_text(high)})"
            runs[-1].append(Shown(x=x, y=axis.at(middle), low=axis.at(low), high=axis.at(high), title=text))
        if any(runs):
            drawn.append((name, [run for run in runs if run]))
    ends = [runs[-1][-1].y for _, runs in drawn]
    labels = nudged(ends, _LABELS_APART)
    return [
        Shown(
            look=(look := _look(name, names)),
            name=called(name),
            shape=_MARKS[look],
            runs=[" ".join(f"{one.x:g},{one.y:g}" for one in run) for run in runs],
            bands=[" ".join(_outline(run)) for run in runs],
            marks=[one for run in runs for one in run],
            end=end,
            label=label,
        )
        for (name, runs), end, label in zip(drawn, ends, labels, strict=True)
    ]


def _look(name: str, names: Sequence[str]) -> str:
    if name in _FIXED:
        return name
    others = [one for one in names if one not in _FIXED]
    return f"other-{others.index(name) % _OTHERS}"


def _outline(run: Sequence[Shown]) -> Iterator[str]:
    yield from (f"{one.x:g},{one.high:g}" for one in run)
    yield from (f"{one.x:g},{one.low:g}" for one in reversed(run))


def _columns(points: Sequence[SweepPoint], xs: Sequence[float]) -> Iterator[Shown]:
    """A label for each cluster of neighbouring sizes: its power of two, or its middle where it has none."""
    clusters: list[list[tuple[float, float]]] = []
    for one, x in zip(points, xs, strict=True):
        if not clusters or x - clusters[-1][-1][0] > _APART * 1.5:
            clusters.append([])
        clusters[-1].append((x, _size(one)))
    for cluster in clusters:
        powers = [pair for pair in cluster if math.isclose(math.log2(pair[1]), round(math.log2(pair[1])))]
        x, size = (powers or [cluster[len(cluster) // 2]])[0]
        yield Shown(at=x, label=f"{size:,.0f}")


def _axis_title(points: Sequence[SweepPoint]) -> str:
    letters = [part.partition("=")[0] for part in points[0].shape.split() if "=" in part]
    names = visible_text.line(", ".join(letters), 60)
    if all(len(set(one.sizes)) == 1 for one in points):
        return visible_text.line(" = ".join(letters), 60) if letters else "size"
    return f"geometric mean of {names}" if letters else "size, as a geometric mean"


def _alternative(points: Sequence[SweepPoint], names: Sequence[str]) -> str:
    last = [one for one in points if one.kernels][-1]
    ratios = [f"{called(one.name)} {one.speedup.middle:.2f} times naive" for one in last.kernels if one.speedup]
    which = ", ".join(called(name) for name in names)
    text = f"{which} over {len(points)} sizes; at {last.shape}: {', '.join(ratios)}. The table below has all numbers."
    return visible_text.line(text, 400)
