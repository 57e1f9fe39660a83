"""A roofline plot on logarithmic axes: the speed that the GPU's load/store units allow for the kernel's work per pass, the speed that its
arithmetic allows, and the kernel. It is modelled, and labelled so; beside it is what was measured. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from grader.model import visible_text
from grader.model.result import Outlook, Rung, Timing, Traffic
from grader.run.scoring.metrics import passes
from grader.run.scoring.predicted_time import ModelledTime, gpu_named

_WIDTH, _HEIGHT = 420, 200
_LEFT, _TOP, _BOTTOM = 44, 20, 34
_LEAST, _MOST = 4.0, 4096.0  # FLOP per pass: where the axis begins and ends
_BELOW = 500.0  # the axis of speed begins at the arithmetic roof divided by this


@dataclass(frozen=True)
class Mark:
    at: float
    label: str


@dataclass(frozen=True)
class RoofFigure:
    view_box: str
    width: int
    height: int
    slope: str  # points of the two roofs as one line
    x: float  # of the kernel
    y: float
    measured_y: float | None  # None: not measured
    columns: tuple[Mark, ...]
    rows: tuple[Mark, ...]
    gpu: str
    caption: str


def roof_figure(traffic: Traffic, model: ModelledTime, timing: Timing | None = None) -> RoofFigure:
    """`model` is the model of this traffic, and has arithmetic. `timing`: of the same kernel on this GPU, perhaps at another size."""
    gpu = model.gpu
    rate = gpu.multiprocessors * gpu.clock_ghz * 1e9  # passes per second
    top = 2 * rate * gpu.fp32_lanes
    bottom = top / _BELOW
    intensity = 2 * traffic.work / passes(traffic.metrics)

    def x(flop: float) -> float:
        return round(_WIDTH * math.log(min(max(flop, _LEAST), _MOST) / _LEAST) / math.log(_MOST / _LEAST), 1)

    def y(flops: float) -> float:
        share = math.log(min(max(flops, bottom), 2 * top) / bottom) / math.log(2 * top / bottom)
        return round(_HEIGHT * (1 - share), 1)

    own = next((one.gflops for one in timing.contestants if one.name == "student"), 0.0) if timing else 0.0
    measured = f"Measured at {timing.shape} on {timing.device}: {own / 1e3:.1f} TFLOP/s." if timing and own else ""
    corners = [(_LEAST, rate * _LEAST), (top / rate, top), (_MOST, top)]
    speeds = [10.0**power for power in range(9, 16) if bottom <= 10.0**power <= 2 * top]
    return RoofFigure(
        view_box=f"{-_LEFT} {-_TOP} {_WIDTH + _LEFT + 16} {_HEIGHT + _BOTTOM + _TOP}",
        width=_WIDTH,
        height=_HEIGHT,
        slope=" ".join(f"{x(flop)},{y(flops)}" for flop, flops in corners),
        x=x(intensity),
        y=y(model.flops),
        measured_y=y(own * 1e9) if own else None,
        columns=tuple(Mark(x(flop), f"{flop:g}") for flop in (4.0, 16.0, 64.0, 256.0, 1024.0, 4096.0)),
        rows=tuple(Mark(y(speed), f"{speed / 1e12:g}") for speed in speeds),
        gpu=gpu.name,
        caption=(
            f"Modelled, not measured: {intensity:.3g} FLOP per pass of the load/store units, at most {model.flops / 1e12:.1f} "
            f"TFLOP/s on one {gpu.name}. The limit is: {model.binding.name}. {visible_text.line(measured, 200)}".rstrip()
        ),
    )


# A roofline plot with a kernel beside the course's kernels of the same lab: the speed that a GPU's load/store units and its arithmetic
# allow, on logarithmic axes. Pure. What is predicted is drawn hollow, what was measured is filled.

_CLIMB_WIDTH, _CLIMB_HEIGHT = 440, 240
_CLIMB_LEFT, _CLIMB_TOP, _CLIMB_BOTTOM, _RIGHT = 44, 20, 34, 20
_CLIMB_LEAST, _CLIMB_MOST = 8.0, 2048.0  # FLOP per pass
_CLIMB_BELOW = 60.0  # the axis of speed begins at the arithmetic roof divided by this
_NEAR = 13.0  # points closer than this share a label


@dataclass(frozen=True)
class Point:
    x: float
    y: float
    kind: str  # "rung", "predicted" or "measured"


@dataclass(frozen=True)
class PointLabel:
    x: float
    y: float
    text: str


@dataclass(frozen=True)
class ClimbFigure:
    view_box: str
    width: int
    height: int
    slope: str  # points of the two roofs as one line
    points: tuple[Point, ...]
    labels: tuple[PointLabel, ...]
    columns: tuple[Mark, ...]
    rows: tuple[Mark, ...]


def climb_figure(outlook: Outlook, measured_gflops: float = 0) -> ClimbFigure:
    """`measured_gflops`: of this kernel, at any size; 0: not measured."""
    gpu = gpu_named(outlook.gpu)
    rate = gpu.multiprocessors * gpu.clock_ghz * 1e9  # passes per second
    top = 2 * rate * gpu.fp32_lanes
    rungs = [Point(_x(one.passes), _y(one.gflops * 1e9, top), "rung") for one in outlook.rungs]
    own = [Point(_x(outlook.passes), _y(outlook.gflops * 1e9, top), "predicted")]
    if measured_gflops:
        own.append(Point(_x(outlook.passes), _y(measured_gflops * 1e9, top), "measured"))
    corners = [(_CLIMB_LEAST, rate * _CLIMB_LEAST), (top / rate, top), (_CLIMB_MOST, top)]
    speeds = [one * 10.0**power for power in range(9, 15) for one in (1, 2, 5)]
    return ClimbFigure(
        view_box=f"{-_CLIMB_LEFT} {-_CLIMB_TOP} {_CLIMB_WIDTH + _CLIMB_LEFT + _RIGHT} "
        f"{_CLIMB_HEIGHT + _CLIMB_BOTTOM + _CLIMB_TOP}",
        width=_CLIMB_WIDTH,
        height=_CLIMB_HEIGHT,
        slope=" ".join(f"{_x(flop)},{_y(flops, top)}" for flop, flops in corners),
        points=(*rungs, *own),
        labels=tuple(_labels(rungs)),
        columns=tuple(Mark(_x(2.0**power), f"{2**power}") for power in range(3, 12, 2)),
        rows=tuple(Mark(_y(one, top), f"{one / 1e12:g}") for one in speeds if top / _CLIMB_BELOW <= one <= 2 * top),
    )


def _x(flop: float) -> float:
    return round(
        _CLIMB_WIDTH
        * math.log(min(max(flop, _CLIMB_LEAST), _CLIMB_MOST) / _CLIMB_LEAST)
        / math.log(_CLIMB_MOST / _CLIMB_LEAST),
        1,
    )


def _y(flops: float, top: float) -> float:
    bottom = top / _CLIMB_BELOW
    share = math.log(min(max(flops, bottom), 2 * top) / bottom) / math.log(2 * top / bottom)
    return round(_CLIMB_HEIGHT * (1 - share), 1)


def _labels(rungs: Sequence[Point]) -> list[PointLabel]:
    """The numbers of the steps. Neighbours that lie close together have one label."""
    labels: list[PointLabel] = []
    first = 0
    for place in range(1, len(rungs) + 1):
        last = rungs[place - 1]
        if place < len(rungs) and math.dist((last.x, last.y), (rungs[place].x, rungs[place].y)) < _NEAR:
            continue
        text = f"{first + 1}" if first == place - 1 else f"{first + 1}–{place}"  # noqa: RUF001 - an en dash, as between page numbers
        labels.append(PointLabel(last.x - 7, last.y - 5, text))
        first = place
    return labels


def numbered(rungs: Sequence[Rung]) -> list[tuple[int, str, str]]:
    """Number, title and speed of each step, for a list."""
    return [(number, one.title, f"{one.gflops / 1e3:.1f}") for number, one in enumerate(rungs, 1)]
