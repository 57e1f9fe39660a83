"""What the charts of pages consist of: logarithmic axes with their ticks, shifts that keep neighbours apart, and rooflines. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from grader.model import visible_text
from grader.model.result import Outlook, Timing, Traffic
from grader.pages.page_section import Shown
from grader.run.scoring.metrics import passes
from grader.run.scoring.predicted_time import Gpu, ModelledTime, gpu_named

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


# A roofline plot: the speed that the GPU's load/store units allow for the kernel's work per pass, the speed that its arithmetic allows, and
# the kernel. It is modelled, and labelled so; beside it is what was measured.


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


def spread(places: Sequence[float], apart: float, start: float, end: float) -> list[float]:
    """`places`, in order, moved by the least amount so that neighbours are `apart`, and all are between the ends."""
    apart = min(apart, (end - start) / max(1, len(places) - 1))
    # Without the distances neighbours may only touch: those that would cross are one cluster, at its mean.
    clusters: list[list[float]] = []
    for rank, place in enumerate(places):
        clusters.append([place - apart * rank])
        while len(clusters) > 1 and fmean(clusters[-1]) < fmean(clusters[-2]):
            clusters[-2:] = [clusters[-2] + clusters[-1]]
    last = end - apart * (len(places) - 1)  # nothing moves past the ends
    laid = (min(max(fmean(cluster), start), last) for cluster in clusters for _ in cluster)
    return [round(one + apart * rank, 2) for rank, one in enumerate(laid)]


def nudged(places: Sequence[float], apart: float) -> list[float]:
    """Like `spread`, for places in any order and without ends."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    laid = spread([places[i] for i in order], apart, -math.inf, math.inf)
    found = [0.0] * len(places)
    for i, place in zip(order, laid, strict=True):
        found[i] = place
    return found
