"""A roofline plot on logarithmic axes: the speed that the GPU's load/store units allow for the kernel's work per pass, the speed that its
arithmetic allows, and the kernel. It is modelled, and labelled so; beside it is what was measured. Pure.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from grader.model.result import Timing, Traffic
from grader.reports.text import visible
from grader.traffic.metrics import passes
from grader.traffic.modelled_time import Model

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


def roof_figure(traffic: Traffic, model: Model, timing: Timing | None = None) -> RoofFigure:
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
            f"TFLOP/s on one {gpu.name}. The limit is: {model.binding.name}. {visible.line(measured, 200)}".rstrip()
        ),
    )
