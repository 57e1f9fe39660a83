"""A roofline plot on logarithmic axes: the speed that the GPU's load/store units allow for the kernel's work per pass, the speed that its
arithmetic allows, and the kernel. It is modelled, and labelled so; beside it is what was measured. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from grader.model import visible_text
from grader.model.result import Outlook, Timing, Traffic
from grader.pages.page_section import Shown
from grader.run.scoring.metrics import passes
from grader.run.scoring.predicted_time import ModelledTime, gpu_named


@dataclass(frozen=True)
class Axes:
    """Logarithmic: work for a pass to the right, speed upwards. What lies outside is drawn at the edge."""

    width: float
    height: float
    work: tuple[float, float]  # the least and the most
    speed: tuple[float, float]
    margins: tuple[float, float, float, float] = (44, 20, 16, 34)  # left, above, right, below

    def x(self, work: float) -> float:
        return round(self.width * _share(work, *self.work), 1)

    def y(self, speed: float) -> float:
        return round(self.height * (1 - _share(speed, *self.speed)), 1)

    def roofline(
        self,
        corners: Iterable[tuple[float, float]],
        columns: Iterable[float],
        rows: Iterable[float],
        as_column: Callable[[float], str] = "{:g}".format,
        as_row: Callable[[float], str] = lambda speed: f"{speed / 1e12:g}",
    ) -> Shown:
        """`corners`: of the roofs. Only `columns` and `rows` on the axes are marked."""
        left, above, right, below = self.margins
        return Shown(
            view_box=f"{-left} {-above} {self.width + left + right} {self.height + below + above}",
            width=self.width,
            height=self.height,
            slope=" ".join(f"{self.x(work)},{self.y(speed)}" for work, speed in corners),
            columns=[Shown(at=self.x(one), label=as_column(one)) for one in columns if _within(one, self.work)],
            rows=[Shown(at=self.y(one), label=as_row(one)) for one in rows if _within(one, self.speed)],
        )


def _share(value: float, least: float, most: float) -> float:
    return math.log(min(max(value, least), most) / least) / math.log(most / least)


def _within(value: float, ends: tuple[float, float]) -> bool:
    return ends[0] <= value <= ends[1]


_BELOW = 500.0  # the axis of speed begins at the arithmetic roof divided by this


def roof_figure(traffic: Traffic, model: ModelledTime, timing: Timing | None = None) -> Shown:
    """`model` is the model of this traffic, and has arithmetic. `timing`: of the same kernel on this GPU, perhaps at another size."""
    gpu = model.gpu
    rate = gpu.multiprocessors * gpu.clock_ghz * 1e9  # passes per second
    top = 2 * rate * gpu.fp32_lanes
    intensity = 2 * traffic.work / passes(traffic.metrics)
    own = next((one.gflops for one in timing.contestants if one.name == "student"), 0.0) if timing else 0.0
    measured = f"Measured at {timing.shape} on {timing.device}: {own / 1e3:.1f} TFLOP/s." if timing and own else ""
    axes = Axes(420, 200, (4.0, 4096.0), (top / _BELOW, 2 * top))
    corners = [(4.0, rate * 4.0), (top / rate, top), (4096.0, top)]
    roofline = axes.roofline(corners, [4.0**power for power in range(1, 7)], [10.0**power for power in range(9, 16)])
    return Shown(
        **vars(roofline),
        x=axes.x(intensity),
        y=axes.y(model.flops),
        measured_y=axes.y(own * 1e9) if own else None,
        gpu=gpu.name,
        caption=(
            f"Modelled, not measured: {intensity:.3g} FLOP per pass of the load/store units, at most {model.flops / 1e12:.1f} "
            f"TFLOP/s on one {gpu.name}. The limit is: {model.binding.name}. {visible_text.line(measured, 200)}".rstrip()
        ),
    )


# A roofline plot with a kernel beside the course's kernels of the same lab: the speed that a GPU's load/store units and its arithmetic
# allow, on logarithmic axes. Pure. What is predicted is drawn hollow, what was measured is filled.

_CLIMB_BELOW = 60.0  # the axis of speed begins at the arithmetic roof divided by this
_NEAR = 13.0  # points closer than this share a label


def climb_figure(outlook: Outlook, measured_gflops: float = 0) -> Shown:
    """`measured_gflops`: of this kernel, at any size; 0: not measured."""
    gpu = gpu_named(outlook.gpu)
    rate = gpu.multiprocessors * gpu.clock_ghz * 1e9  # passes per second
    top = 2 * rate * gpu.fp32_lanes
    axes = Axes(440, 240, (8.0, 2048.0), (top / _CLIMB_BELOW, 2 * top), (44, 20, 20, 34))
    rungs = [Shown(x=axes.x(one.passes), y=axes.y(one.gflops * 1e9), kind="rung") for one in outlook.rungs]
    own = [Shown(x=axes.x(outlook.passes), y=axes.y(outlook.gflops * 1e9), kind="predicted")]
    if measured_gflops:
        own.append(Shown(x=axes.x(outlook.passes), y=axes.y(measured_gflops * 1e9), kind="measured"))
    corners = [(8.0, rate * 8.0), (top / rate, top), (2048.0, top)]
    speeds = [one * 10.0**power for power in range(9, 15) for one in (1, 2, 5)]
    roofline = axes.roofline(corners, [2.0**power for power in range(3, 12, 2)], speeds)
    return Shown(**vars(roofline), points=[*rungs, *own], labels=_labels(rungs))


def _labels(rungs: Sequence[Shown]) -> list[Shown]:
    """The numbers of the steps. Neighbours that lie close together have one label."""
    labels: list[Shown] = []
    first = 0
    for place in range(1, len(rungs) + 1):
        last = rungs[place - 1]
        if place < len(rungs) and math.dist((last.x, last.y), (rungs[place].x, rungs[place].y)) < _NEAR:
            continue
        text = f"{first + 1}" if first == place - 1 else f"{first + 1}–{place}"  # noqa: RUF001 - an en dash, as between page numbers
        labels.append(Shown(x=last.x - 7, y=last.y - 5, text=text))
        first = place
    return labels
