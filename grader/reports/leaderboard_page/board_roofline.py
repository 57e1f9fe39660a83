"""The entries of a leaderboard on one roofline: how much arithmetic each does for a pass of the load/store units, counted by the executor,
and how fast it was measured. Pure. Coordinates are computed here; the template only draws.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.leaderboard.board import Place
from grader.model.result import Rung
from grader.reports.text import visible
from grader.traffic.gpu_figures import Gpu, gpus
from grader.traffic.metrics import passes
from grader.traffic.profile import MULTIPLY_ADD

_WIDTH, _HEIGHT = 420.0, 230.0
_LEFT, _TOP, _BOTTOM, _RIGHT = 56.0, 24.0, 42.0, 22.0
_LETTER, _LINE = 6.6, 11.0  # the size of a character of a label
_RADIUS = 4.0
_FIRST_COLUMNS = (1.0, 4.0, 16.0, 64.0, 256.0, 1024.0, 4096.0)


@dataclass(frozen=True)
class RoofPoint:
    x: float
    y: float
    title: str
    label: str  # the rank; empty: no room for it
    label_x: float
    label_y: float


@dataclass(frozen=True)
class RungPoint:
    x: float
    y: float
    title: str


@dataclass(frozen=True)
class RoofTick:
    at: float
    label: str


@dataclass(frozen=True)
class BoardRoofline:
    view_box: str
    width: float
    height: float
    slope: str  # points of the roofs as one line
    points: tuple[RoofPoint, ...]
    rungs: tuple[RungPoint, ...]  # of the course, where they were measured at this size on such a GPU
    columns: tuple[RoofTick, ...]
    rows: tuple[RoofTick, ...]
    caption: str
    alternative: str


def board_roofline(places: Sequence[Place]) -> BoardRoofline | None:
    """None where the problem has no arithmetic, nothing was counted, or no roof of this GPU is known."""
    extrapolated = any(place.entry.outlook for place in places)
    drawn = [
        (place, intensity)
        for place in places
        if (intensity := _intensity(place, extrapolated=extrapolated)) is not None
    ]
    if not drawn:
        return None
    entry = drawn[0][0].entry
    gpu = _gpu(entry.device)
    roof = _arithmetic_roof(drawn[0][0], gpu)
    if roof is None:
        return None
    steps = _rungs(drawn[0][0], gpu)
    rate = gpu.multiprocessors * gpu.clock_ghz if gpu else 0.0  # 10⁹ passes in a second
    most_x = max(
        1024.0,
        *(2 * intensity for _, intensity in drawn),
        *(1.5 * one.passes for one in steps),
        2 * roof / rate if rate else 0.0,
    )
    least_x = min(4.0, *(intensity / 2 for _, intensity in drawn))
    top = 1.6 * max(roof, *(place.entry.gflops for place, _ in drawn))
    bottom = min(roof / 100, *(place.entry.gflops / 2 for place, _ in drawn))

    def x(intensity: float) -> float:
        return round(_WIDTH * math.log(intensity / least_x) / math.log(most_x / least_x), 1)

    def y(gflops: float) -> float:
        share = math.log(min(max(gflops, bottom), top) / bottom) / math.log(top / bottom)
        return round(_HEIGHT * (1 - share), 1)

    corners = [(least_x, roof), (most_x, roof)]
    if rate:
        start = max(least_x, bottom / rate)
        corners = [(start, rate * start), (roof / rate, roof), (most_x, roof)]
    ends = [(x(one), y(other)) for one, other in corners]
    rungs = tuple(
        RungPoint(x(one.passes), y(one.gflops), visible.line(f"{one.title}: {one.gflops:,.0f} GFLOP/s", 160))
        for one in steps
        if one.passes >= least_x
    )
    points = tuple(_labelled(rungs, [(x(intensity), y(place.entry.gflops), place) for place, intensity in drawn]))
    return BoardRoofline(
        view_box=f"{-_LEFT} {-_TOP} {_LEFT + _WIDTH + _RIGHT} {_TOP + _HEIGHT + _BOTTOM}",
        width=_WIDTH,
        height=_HEIGHT,
        slope=" ".join(f"{one},{other}" for one, other in ends),
        points=points,
        rungs=rungs,
        columns=tuple(RoofTick(x(one), f"{one:,.0f}") for one in _FIRST_COLUMNS if least_x <= one <= most_x),
        rows=tuple(
            RoofTick(y(10.0**power), f"{10.0 ** (power - 3):,g}")
            for power in range(-2, 8)
            if bottom <= 10.0**power <= top
        ),
        caption=_caption(sloped=bool(rate), rungs=bool(rungs), name=gpu.name if gpu else entry.device),
        alternative="; ".join(point.title for point in points),
    )


def _caption(*, sloped: bool, rungs: bool, name: str) -> str:
    sentence = "Up: the measured speed in TFLOP/s. To the right: operations for each pass of the load/store units, counted on the "
    sentence += "CPU executor with a public test. The line is what "
    sentence += "these units and the arithmetic" if sloped else "the arithmetic"
    sentence += f" of one {visible.line(name, 80)} allow. "
    sentence += "A kernel may lie above the slope, as nvcc merges some accesses. " if sloped else ""
    sentence += "The numbers are ranks."
    return sentence + (" Diamonds are the course's kernels after each step of the write-up." if rungs else "")


def _rungs(place: Place, gpu: Gpu | None) -> tuple[Rung, ...]:
    entry = place.entry
    if entry.outlook is None or gpu is None or gpus().get(entry.outlook.gpu) != gpu:
        return ()
    return entry.outlook.rungs if re.findall(r"\d+", entry.shape) == re.findall(r"\d+", entry.outlook.shape) else ()


def _intensity(place: Place, *, extrapolated: bool) -> float | None:
    if extrapolated:
        return place.entry.outlook.passes if place.entry.outlook and place.entry.gflops > 0 else None
    traffic = place.entry.traffic
    if traffic is None or place.entry.gflops <= 0 or traffic.work_unit != MULTIPLY_ADD or not traffic.work:
        return None
    return 2 * traffic.work / counted if (counted := passes(traffic.metrics)) else None


def _gpu(device: str) -> Gpu | None:
    name = device.replace(" ", "").casefold()
    return next((gpu for key, gpu in gpus().items() if key.casefold() in name), None)


def _arithmetic_roof(place: Place, gpu: Gpu | None) -> float | None:
    """GFLOP/s: the device's own description where it was measured, else the vendor's figures."""
    entry = place.entry
    if gpu:
        return 2 * gpu.multiprocessors * gpu.fp32_lanes * gpu.clock_ghz
    return entry.gflops * entry.milliseconds / entry.floor_ms if entry.floor_ms > 0 else None


def _labelled(rungs: Sequence[RungPoint], points: Sequence[tuple[float, float, Place]]) -> Iterator[RoofPoint]:
    """Each with its rank beside it, where that covers neither a point nor another label."""
    centres = [*((one.x, one.y) for one in rungs), *((x, y) for x, y, _ in points)]
    taken = [(x - _RADIUS, y - _RADIUS, x + _RADIUS, y + _RADIUS) for x, y in centres]
    for x, y, place in points:
        text = str(place.rank)
        wide = _LETTER * len(text)
        title = f"{visible.line(place.name, 40)}: rank {place.rank}, {place.entry.gflops:,.0f} GFLOP/s"
        spots = ((x + 7, y), (x - 7 - wide, y), (x - wide / 2, y - 12), (x - wide / 2, y + 12))
        for left, middle in spots:
            box = (left, middle - _LINE / 2, left + wide, middle + _LINE / 2)
            if not any(_overlap(box, other) for other in taken):
                taken.append(box)
                yield RoofPoint(x, y, title, text, round(left, 1), round(middle, 1))
                break
        else:
            yield RoofPoint(x, y, title, "", 0, 0)


def _overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
