"""A size sweep as a picture: each kernel's rate and its speedup over naive, by size on a logarithmic axis, with intervals and the
roofline. A table has the same numbers. Pure.

Sizes such as 255, 256 and 257 would overlap. They are drawn a little apart, in their order, and the page says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from grader.model.result import SweepPoint, SweepTime
from grader.reports.speed_figures.sweep_axes import Axis, Tick, decades, nudged, spread
from grader.reports.speed_figures.sweep_table import SweepTable, called, sweep_table
from grader.reports.text import visible

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


@dataclass(frozen=True)
class SweepMark:
    x: float
    y: float
    low: float  # y of the interval's two ends
    high: float
    title: str


@dataclass(frozen=True)
class SweepSeries:
    look: str  # "baseline", "student", "model", "cublas", "other-0"
    name: str
    shape: str  # SVG path of its mark
    runs: tuple[str, ...]  # points of its line; several where sizes in between were not measured
    bands: tuple[str, ...]  # points of the interval's outline, for each run
    marks: tuple[SweepMark, ...]
    end: float  # y of its last mark
    label: float  # y of its name


@dataclass(frozen=True)
class SweepPanel:
    title: str
    top: float
    height: float
    rows: tuple[Tick, ...]
    series: tuple[SweepSeries, ...]
    roof: str  # points; empty: not known
    roof_end: float


@dataclass(frozen=True)
class SweepFigure:
    view_box: str
    pixels: int  # the width of the picture as a file
    width: float
    height: float
    panels: tuple[SweepPanel, ...]
    columns: tuple[Tick, ...]
    sizes: tuple[float, ...]  # x of every size
    axis: str  # the title of the horizontal axis
    troubles: tuple[str, ...]
    table: SweepTable
    alternative: str


def sweep_figure(points: Sequence[SweepPoint]) -> SweepFigure | None:
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
    return SweepFigure(
        view_box=f"{-_LEFT:g} {-_TOP:g} {_WIDTH + _LEFT + _RIGHT:g} {height + _TOP + _BOTTOM:g}",
        pixels=round(_SCALE * (_WIDTH + _LEFT + _RIGHT)),
        width=_WIDTH,
        height=height,
        panels=tuple(panels),
        columns=tuple(_columns(placed, xs)),
        sizes=tuple(xs),
        axis=_axis_title(placed),
        troubles=tuple(visible.line(f"{one.shape}: {one.trouble}", 300) for one in points if one.trouble),
        table=sweep_table(points, names, arithmetic=arithmetic),
        alternative=_alternative(placed, names),
    )


def _names(points: Sequence[SweepPoint]) -> list[str]:
    """The kernels' names: naive first, then in the order of the measurement."""
    return list(dict.fromkeys(["baseline", *(kernel.name for one in points for kernel in one.kernels)]))


def _size(point: SweepPoint) -> float:
    """One number for a shape: N for a square one, else the geometric mean of its sizes."""
    return math.exp(math.fsum(math.log(max(one, 1)) for one in point.sizes) / len(point.sizes))


def _rate(kernel: SweepTime, *, arithmetic: bool) -> float:
    return kernel.gflops if arithmetic else kernel.gbytes


def _rates(points: Sequence[SweepPoint], xs: Sequence[float], names: Sequence[str], *, arithmetic: bool) -> SweepPanel:
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
    return SweepPanel(
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


def _ratios(points: Sequence[SweepPoint], xs: Sequence[float], names: Sequence[str], top: float) -> SweepPanel:
    def triple(kernel: SweepTime) -> tuple[float, float, float]:
        assert kernel.speedup is not None
        return kernel.speedup.low, kernel.speedup.middle, kernel.speedup.high

    values = [value for one in points for kernel in one.kernels if kernel.speedup for value in triple(kernel)]
    axis = Axis.over([1.0, *values], _RATIOS, 0, margin=1.12)
    as_text = "{:.2f} times as fast as naive".format
    return SweepPanel(
        "times as fast as naive", top, _RATIOS, decades(axis), _series(points, xs, names, axis, triple, as_text), "", 0
    )


def _series(  # noqa: PLR0913, PLR0917 -- the data, and the axes to draw it on
    points: Sequence[SweepPoint],
    xs: Sequence[float],
    names: Sequence[str],
    axis: Axis,
    triple: Callable[[SweepTime], tuple[float, float, float]],
    as_text: Callable[[float], str],
) -> tuple[SweepSeries, ...]:
    drawn = []
    for name in names:
        runs: list[list[SweepMark]] = [[]]
        for point, x in zip(points, xs, strict=True):
            kernel = next((one for one in point.kernels if one.name == name), None)
            if kernel is None:
                runs.append([])
                continue
            low, middle, high = triple(kernel)
            text = f"{called(name)}, {visible.line(point.shape, 80)}: {as_text(middle)} ({as_text(low)} to {as_text(high)})"
            runs[-1].append(SweepMark(x, axis.at(middle), axis.at(low), axis.at(high), text))
        if any(runs):
            drawn.append((name, [run for run in runs if run]))
    ends = [runs[-1][-1].y for _, runs in drawn]
    labels = nudged(ends, _LABELS_APART)
    return tuple(
        SweepSeries(
            look=(look := _look(name, names)),
            name=called(name),
            shape=_MARKS[look],
            runs=tuple(" ".join(f"{one.x:g},{one.y:g}" for one in run) for run in runs),
            bands=tuple(" ".join(_outline(run)) for run in runs),
            marks=tuple(one for run in runs for one in run),
            end=end,
            label=label,
        )
        for (name, runs), end, label in zip(drawn, ends, labels, strict=True)
    )


def _look(name: str, names: Sequence[str]) -> str:
    if name in _FIXED:
        return name
    others = [one for one in names if one not in _FIXED]
    return f"other-{others.index(name) % _OTHERS}"


def _outline(run: Sequence[SweepMark]) -> Iterator[str]:
    yield from (f"{one.x:g},{one.high:g}" for one in run)
    yield from (f"{one.x:g},{one.low:g}" for one in reversed(run))


def _columns(points: Sequence[SweepPoint], xs: Sequence[float]) -> Iterator[Tick]:
    """A label for each cluster of neighbouring sizes: its power of two, or its middle where it has none."""
    clusters: list[list[tuple[float, float]]] = []
    for one, x in zip(points, xs, strict=True):
        if not clusters or x - clusters[-1][-1][0] > _APART * 1.5:
            clusters.append([])
        clusters[-1].append((x, _size(one)))
    for cluster in clusters:
        powers = [pair for pair in cluster if math.isclose(math.log2(pair[1]), round(math.log2(pair[1])))]
        x, size = (powers or [cluster[len(cluster) // 2]])[0]
        yield Tick(x, f"{size:,.0f}")


def _axis_title(points: Sequence[SweepPoint]) -> str:
    letters = [part.partition("=")[0] for part in points[0].shape.split() if "=" in part]
    names = visible.line(", ".join(letters), 60)
    if all(len(set(one.sizes)) == 1 for one in points):
        return visible.line(" = ".join(letters), 60) if letters else "size"
    return f"geometric mean of {names}" if letters else "size, as a geometric mean"


def _alternative(points: Sequence[SweepPoint], names: Sequence[str]) -> str:
    last = [one for one in points if one.kernels][-1]
    ratios = [f"{called(one.name)} {one.speedup.middle:.2f} times naive" for one in last.kernels if one.speedup]
    which = ", ".join(called(name) for name in names)
    text = f"{which} over {len(points)} sizes; at {last.shape}: {', '.join(ratios)}. The table below has all numbers."
    return visible.line(text, 400)
