"""A roofline plot with a kernel beside the course's kernels of the same lab: the speed that a GPU's load/store units and its arithmetic
allow, on logarithmic axes. Pure. What is predicted is drawn hollow, what was measured is filled.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from grader.model.result import Outlook, Rung
from grader.reports.speed_figures.roofline_figure import Mark
from grader.traffic.gpu_figures import gpu_named

_WIDTH, _HEIGHT = 440, 240
_LEFT, _TOP, _BOTTOM, _RIGHT = 44, 20, 34, 20
_LEAST, _MOST = 8.0, 2048.0  # FLOP per pass
_BELOW = 60.0  # the axis of speed begins at the arithmetic roof divided by this
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
    corners = [(_LEAST, rate * _LEAST), (top / rate, top), (_MOST, top)]
    speeds = [one * 10.0**power for power in range(9, 15) for one in (1, 2, 5)]
    return ClimbFigure(
        view_box=f"{-_LEFT} {-_TOP} {_WIDTH + _LEFT + _RIGHT} {_HEIGHT + _BOTTOM + _TOP}",
        width=_WIDTH,
        height=_HEIGHT,
        slope=" ".join(f"{_x(flop)},{_y(flops, top)}" for flop, flops in corners),
        points=(*rungs, *own),
        labels=tuple(_labels(rungs)),
        columns=tuple(Mark(_x(2.0**power), f"{2**power}") for power in range(3, 12, 2)),
        rows=tuple(Mark(_y(one, top), f"{one / 1e12:g}") for one in speeds if top / _BELOW <= one <= 2 * top),
    )


def _x(flop: float) -> float:
    return round(_WIDTH * math.log(min(max(flop, _LEAST), _MOST) / _LEAST) / math.log(_MOST / _LEAST), 1)


def _y(flops: float, top: float) -> float:
    bottom = top / _BELOW
    share = math.log(min(max(flops, bottom), 2 * top) / bottom) / math.log(2 * top / bottom)
    return round(_HEIGHT * (1 - share), 1)


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
