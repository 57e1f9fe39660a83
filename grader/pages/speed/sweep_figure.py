"""A size sweep as a picture: each kernel's rate and its speedup over naive, by size on a logarithmic axis, with intervals and the
roofline. A table has the same numbers. Pure.

Sizes such as 255, 256 and 257 would overlap. They are drawn a little apart, in their order, and the page says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from grader.model import visible_text
from grader.model.labs import StandInSpec
from grader.model.outcome import LIBRARY, STAND_IN
from grader.model.result import SweepPoint, SweepTime
from grader.pages.page_section import Shown
from grader.pages.speed.chart import Axis, decades, nudged, spread
from grader.run.speed.speed_run import LabTiers, Measurement, TierPlace

_NAMES = {"baseline": "naive", "student": "your kernel", "model": "model", "cublas": "cuBLAS"}


def called(name: str) -> str:
    return _NAMES.get(name) or visible_text.line(name, 24)


_WIDTH, _LEFT, _RIGHT = 470.0, 52.0, 118.0
_RATES_HEIGHT, _BETWEEN, _TOP, _BOTTOM = 230.0, 46.0, 24.0, 44.0
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


_Rate = Callable[[SweepTime], float]


def sweep_figure(points: Sequence[SweepPoint]) -> Shown | None:
    """None where nothing was measured."""
    placed = sorted((one for one in points if one.sizes), key=_size)  # a size that was not measured is a gap
    if not any(one.kernels for one in placed):
        return None
    names = list(dict.fromkeys(["baseline", *(kernel.name for one in placed for kernel in one.kernels)]))
    axis = Axis.over([_size(one) for one in placed], 0, _WIDTH)
    xs = spread([axis.at(_size(one)) for one in placed], _APART, 0, _WIDTH)
    arithmetic = any(kernel.gflops for one in placed for kernel in one.kernels)
    unit, rate = ("GFLOP/s", attrgetter("gflops")) if arithmetic else ("GB/s", attrgetter("gbytes"))
    panels = [_panel(placed, xs, names, _rates(unit, rate), [_roof(one, rate) for one in placed])]
    if len(names) > 1:
        panels.append(_panel(placed, xs, names, _RATIOS, ()))
    height = panels[-1].top + panels[-1].height
    last = [one for one in placed if one.kernels][-1]
    ratios = [f"{called(one.name)} {one.speedup.middle:.2f} times naive" for one in last.kernels if one.speedup]
    told = f"{', '.join(map(called, names))} over {len(placed)} sizes; at {last.shape}"
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
        rows=[(one, [_cells(one, name, rate) for name in names]) for one in points],
        alternative=visible_text.line(f"{told}: {', '.join(ratios)}. The table below has all numbers.", 400),
    )


def _cells(point: SweepPoint, name: str, rate: _Rate) -> tuple[str, str, str]:
    """One kernel at one size, for the table: milliseconds, rate, and the speedup with its interval. Empty where it was not measured."""
    kernel = next((one for one in point.kernels if one.name == name), None)
    if kernel is None:
        return "", "", ""
    ratio = kernel.speedup
    speedup = f"{ratio.middle:.2f}× ({ratio.low:.2f} to {ratio.high:.2f})" if ratio else ""  # noqa: RUF001 -- the sign for times
    return f"{kernel.milliseconds:.4f}", f"{rate(kernel):,.0f}", speedup


def _size(point: SweepPoint) -> float:
    """One number for a shape: N for a square one, else the geometric mean of its sizes."""
    return math.exp(math.fsum(math.log(max(one, 1)) for one in point.sizes) / len(point.sizes))


@dataclass(frozen=True)
class _Quantity:
    """What a panel shows of each kernel."""

    title: str
    top: float
    height: float
    interval: Callable[[SweepTime], tuple[float, ...]]  # low, middle, high; empty: not drawn
    as_text: Callable[[float], str]
    shown: tuple[float, ...] = ()  # values that are on the axis in any case


def _rates(unit: str, rate: _Rate) -> _Quantity:
    def interval(kernel: SweepTime) -> tuple[float, ...]:
        work = rate(kernel) * kernel.milliseconds
        return work / kernel.high_ms, rate(kernel), work / kernel.low_ms

    return _Quantity(unit, 0, _RATES_HEIGHT, interval, f"{{:,.0f}} {unit}".format)


def _ratio(kernel: SweepTime) -> tuple[float, ...]:
    found = kernel.speedup
    return (found.low, found.middle, found.high) if found and kernel.name != "baseline" else ()


_RATIOS = _Quantity(
    "times as fast as naive", _RATES_HEIGHT + _BETWEEN, 130.0, _ratio, "{:.2f} times as fast as naive".format, (1.0,)
)


def _roof(point: SweepPoint, rate: _Rate) -> float:
    """The roofline at this size, in the panel's unit. 0: not known."""
    if not (point.floor_ms and point.kernels):
        return 0
    kernel = point.kernels[0]
    return rate(kernel) * kernel.milliseconds / point.floor_ms


def _panel(
    points: Sequence[SweepPoint],
    xs: Sequence[float],
    names: Sequence[str],
    quantity: _Quantity,
    roofs: Sequence[float],
) -> Shown:
    values = [value for one in points for kernel in one.kernels for value in quantity.interval(kernel)]
    axis = Axis.over([*quantity.shown, *values, *filter(None, roofs)], quantity.height, 0, margin=1.12)
    roof = [(x, axis.at(value)) for x, value in zip(xs, roofs, strict=False) if value]
    runs = {name: list(_runs(points, xs, name, quantity, axis)) for name in names}
    drawn = {name: found for name, found in runs.items() if found}
    labels = nudged([found[-1][-1].y for found in drawn.values()], _LABELS_APART)
    return Shown(
        title=quantity.title,
        top=quantity.top,
        height=quantity.height,
        rows=decades(axis),
        roof=_line(roof),
        roof_end=roof[-1][1] if roof else 0,
        series=[
            Shown(
                look=(look := _look(name, names)),
                name=called(name),
                shape=_MARKS[look],
                runs=[_line([(one.x, one.y) for one in run]) for run in found],
                bands=[
                    _line([(one.x, one.high) for one in run] + [(one.x, one.low) for one in run[::-1]]) for run in found
                ],
                marks=[one for run in found for one in run],
                end=found[-1][-1].y,
                label=label,
            )
            for (name, found), label in zip(drawn.items(), labels, strict=True)
        ],
    )


def _line(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in points)


def _runs(
    points: Sequence[SweepPoint], xs: Sequence[float], name: str, quantity: _Quantity, axis: Axis
) -> Iterator[list[Shown]]:
    """The marks of one kernel, in runs of sizes without a gap."""
    run: list[Shown] = []
    for point, x in zip(points, xs, strict=True):
        kernel = next((one for one in point.kernels if one.name == name), None)
        interval = quantity.interval(kernel) if kernel else ()
        if interval:
            low, middle, high = map(quantity.as_text, interval)
            text = f"{called(name)}, {visible_text.line(point.shape, 80)}: {middle} ({low} to {high})"
            low_y, y, high_y = map(axis.at, interval)
            run.append(Shown(x=x, y=y, low=low_y, high=high_y, title=text))
        elif run:
            yield run
            run = []
    if run:
        yield run


def _look(name: str, names: Sequence[str]) -> str:
    if name in _FIXED:
        return name
    others = [one for one in names if one not in _FIXED]
    return f"other-{others.index(name) % _OTHERS}"


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


# What `tilelab calibrate` measured, as a Markdown table, which can go into a course's page and is readable on a terminal. Pure.

_HEAD = (
    "| lab | kernel | shape | naive ms | GFLOP/s | kernel ms | GFLOP/s | speedup over naive | naive against itself |"
)


def conditions(*, device: str, toolkit: str, date: str) -> str:
    how = "Medians of 31 rounds with new inputs and a flushed L2 in each; 95 % intervals."
    return f"{date}, {device}, {toolkit}. {how}"


def calibration_table(found: Sequence[Measurement], conditions: str, pictures: Mapping[str, str] | None = None) -> str:
    """`pictures`: for each lab, the name of a file beside the page."""
    lines = [conditions, "", _HEAD, "|---|---|---|---|---|---|---|---|---|", *map(row, found)]
    lines += [f"\n![{lab_id} over sizes]({name})" for lab_id, name in (pictures or {}).items()]
    return "\n".join(lines) + "\n"


def row(one: Measurement) -> str:
    cells = [one.lab_id, one.kernel, one.point.shape]
    if one.control is None:
        return "| " + " | ".join([*cells, "", "", "", "", f"not measured: {one.trouble}", ""]) + " |"
    for kernel in one.point.kernels:
        cells += [f"{kernel.milliseconds:.4f}", f"{kernel.gflops:,.0f}" if kernel.gflops else "-"]
    cells += [str(one.point.kernels[-1].speedup or ""), f"{one.control}{' **noisy**' if one.trouble else ''}"]
    return "| " + " | ".join(cells) + " |"


# Which tiers a course's kernels reach on this machine, as Markdown, and what their shares are shares of here. Pure.

_DIFFERS = 0.05  # of the share in the lab's file: more is told


def tier_calibration_table(found: Sequence[LabTiers]) -> str:
    return "\n".join(line for one in found for line in _of_lab(one))


def _of_lab(found: LabTiers) -> Iterator[str]:
    lab = found.lab
    assert lab.private is not None
    yield f"Tiers of {lab.id} on this machine, of {lab.private.performance_points:g} points for full marks:"
    yield ""
    yield "| kernel | shape | share of the model's speed | share of cuBLAS's speed | points |"
    yield "|---|---|--:|--:|--:|"
    yield from map(_row, found.places)
    yield ""
    if any(tier.of == LIBRARY for tier in lab.private.tier):
        yield _reference(found, lab.private.stand_in)
        yield ""


def _row(place: TierPlace) -> str:
    if place.points is None:
        return f"| {place.kernel} | | | not measured: {place.timing.words} | |"
    shares = f"{place.timing.share or ''} | {place.timing.library_share or ''}"
    return f"| {place.kernel} | {place.timing.shape} | {shares} | {place.points:g} |"


def _reference(found: LabTiers, stand_in: StandInSpec | None) -> str:
    """What a grading on this machine takes as cuBLAS's speed."""
    if found.reference == STAND_IN and stand_in:
        return (
            f"cuBLAS cannot be timed here. A grading times {stand_in.file} in its place, and takes it to have {stand_in.share:g} of "
            f"cuBLAS's speed, as on an {stand_in.measured_on}. On another GPU that is a guess: install libcublas of the CUDA toolkit."
        )
    if found.reference != LIBRARY:
        why = "Neither cuBLAS nor a kernel that stands in for it can be timed here"
        return f"{why}: tiers of its speed cannot be reached."
    said = "A grading on this machine times cuBLAS in the same rounds."
    here = next((one for one in found.places if stand_in and stand_in.file.endswith(f"{one.kernel}.cu")), None)
    here_share = here.timing.library_share if here else None
    if stand_in is None or here_share is None:
        return said
    said += f" Without cuBLAS it would time {stand_in.file}, which has {here_share} of cuBLAS's speed here."
    if abs(here_share.middle / stand_in.share - 1) > _DIFFERS:
        said += (
            f" grading.toml says {stand_in.share:g}, measured on an {stand_in.measured_on}: if you grade on machines like this one"
            f" without cuBLAS, write `share = {here_share.middle:.3f}` there."
        )
    return said
