"""A roofline plot on logarithmic axes: the speed that the GPU's load/store units allow for the kernel's work per pass, the speed that its
arithmetic allows, and the kernel. It is modelled, and labelled so; beside it is what was measured. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from grader.model import visible_text
from grader.model.result import Outlook, Timing, Traffic
from grader.pages.page_section import Shown
from grader.pages.speed.chart import Axis, roofline
from grader.run.scoring.metrics import passes
from grader.run.scoring.predicted_time import Gpu, ModelledTime, gpu_named


def _roofs(gpu: Gpu, x: Axis, height: float, below: float, steps: Sequence[int], right: float) -> tuple[Axis, Shown]:
    """The axis of speed, which begins at the arithmetic roof divided by `below`, and the roofs. `steps`: the ticks of a power of ten."""
    rate = gpu.multiprocessors * gpu.clock_ghz * 1e9  # passes per second
    top = 2 * rate * gpu.fp32_lanes
    y = Axis(top / below, 2 * top, height, 0, 1)
    corners = [(x.least, rate * x.least), (top / rate, top), (x.most, top)]
    rows = y.ticks((step * 10.0**power for power in range(9, 16) for step in steps), lambda one: f"{one / 1e12:g}")
    return y, roofline(x, y, corners, x.ticks(x.least * 4.0**power for power in range(6)), rows, (44, 20, right, 34))


def roof_figure(traffic: Traffic, model: ModelledTime, timing: Timing | None = None) -> Shown:
    """`model` is the model of this traffic, and has arithmetic. `timing`: of the same kernel on this GPU, perhaps at another size."""
    gpu = model.gpu
    intensity = 2 * traffic.work / passes(traffic.metrics)
    own = next((one.gflops for one in timing.contestants if one.name == "student"), 0.0) if timing else 0.0
    measured = f"Measured at {timing.shape} on {timing.device}: {own / 1e3:.1f} TFLOP/s." if timing and own else ""
    x = Axis(4.0, 4096.0, 0, 420, 1)
    y, roofs = _roofs(gpu, x, 200, 500, (1,), 16)
    return Shown(
        **vars(roofs),
        x=x.at(intensity),
        y=y.at(model.flops),
        measured_y=y.at(own * 1e9) if own else None,
        gpu=gpu.name,
        caption=(
            f"Modelled, not measured: {intensity:.3g} FLOP per pass of the load/store units, at most {model.flops / 1e12:.1f} "
            f"TFLOP/s on one {gpu.name}. The limit is: {model.binding.name}. {visible_text.line(measured, 200)}".rstrip()
        ),
    )


# A roofline plot with a kernel beside the course's kernels of the same lab: the speed that a GPU's load/store units and its arithmetic
# allow, on logarithmic axes. Pure. What is predicted is drawn hollow, what was measured is filled.

_NEAR = 13.0  # points closer than this share a label


def climb_figure(outlook: Outlook, measured_gflops: float = 0) -> Shown:
    """`measured_gflops`: of this kernel, at any size; 0: not measured."""
    x = Axis(8.0, 2048.0, 0, 440, 1)
    y, roofs = _roofs(gpu_named(outlook.gpu), x, 240, 60, (1, 2, 5), 20)
    rungs = [Shown(x=x.at(one.passes), y=y.at(one.gflops * 1e9), kind="rung") for one in outlook.rungs]
    own = [Shown(x=x.at(outlook.passes), y=y.at(outlook.gflops * 1e9), kind="predicted")]
    if measured_gflops:
        own.append(Shown(x=x.at(outlook.passes), y=y.at(measured_gflops * 1e9), kind="measured"))
    return Shown(**vars(roofs), points=[*rungs, *own], labels=_labels(rungs))


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
