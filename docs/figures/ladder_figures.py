"""The open lab's ladder as a picture: speed and share of cuBLAS over sizes, from the times that `make ladder` wrote down."""

# ruff: noqa: INP001 -- a script's piece, in no package
from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from math import log2
from pathlib import Path
from typing import Any

from canvas import EDGE, INK, SOFT, A, B, C, Canvas

MEASURED = Path(__file__).resolve().parents[2] / "solutions" / "04-open" / "ladder" / "measured.json"
_LOW, _HIGH, _WIDE = 372, 292, 280  # of a panel: where its axis is, how high and how wide it is
_GAP = 13  # between two labels
_GRID = "#dcd8cc"
_STEPS = ("#c9d8e8", "#b3cbe2", "#9dbddb", "#86add2", "#6f9cc7", "#5a8abb", "#4778ac", "#36669b", "#285588", "#1b4474")

Line = tuple[str, str, list[tuple[int, float]]]  # its label, its colour, and (size, value) of its points


def ladder() -> str:
    measured = json.loads(MEASURED.read_text(encoding="utf-8"))
    canvas = Canvas(
        820,
        430,
        "Speed of the ladder's kernels over matrix sizes, and their share of cuBLAS's speed: " + _ends(measured),
    )
    canvas.text(24, 34, f"The ladder on one {measured['device']}, fp32, M = N = K", size=17, bold=True)
    _panel(canvas, 62, "TFLOP/s", _lines(measured, _tflops), 10)
    _panel(canvas, 448, "share of cuBLAS", _lines(measured, lambda _flops, one: float(one["share"][1])), 0.2)
    canvas.text(
        410, 418, f"{measured['date']}, medians of {measured['rounds']} rounds", size=12, fill=SOFT, anchor="middle"
    )
    return canvas.svg()


def _tflops(flops: float, kernel: Mapping[str, Any]) -> float:
    return flops / float(kernel["ms"][1]) / 1e9


def _ends(measured: Mapping[str, Any]) -> str:
    """What the picture says, in words: the shares at the largest size."""
    last = measured["sizes"][-1]
    said = [f"{_label(one['name'])} {one['share'][1]:.2f}" for one in last["kernels"]]
    return f"at {last['size']} " + ", ".join(said)


def _label(name: str) -> str:
    return {"baseline": "naive", "cublas": "cuBLAS"}.get(name, name.split("_", maxsplit=1)[0])


def _lines(measured: Mapping[str, Any], value: Callable[[float, Mapping[str, Any]], float]) -> list[Line]:
    found: dict[str, list[tuple[int, float]]] = {}
    for row in measured["sizes"]:
        for kernel in row["kernels"]:
            found.setdefault(kernel["name"], []).append((row["size"], value(row["flops"], kernel)))
    rungs = [name for name in found if name[:1].isdigit()]
    colours = {"baseline": SOFT, "model": EDGE[C], "cublas": EDGE[B]} | dict(zip(rungs, _STEPS, strict=False))
    return [(_label(name), colours.get(name, EDGE[A]), points) for name, points in found.items()]


def _panel(canvas: Canvas, left: float, title: str, lines: Sequence[Line], step: float) -> None:
    sizes = [size for size, _ in lines[0][2]]
    most = max(value for _, _, points in lines for _, value in points) * 1.04

    def x(size: int) -> float:
        return left + _WIDE * log2(size / sizes[0]) / log2(sizes[-1] / sizes[0])

    def y(value: float) -> float:
        return _LOW - _HIGH * value / most

    canvas.text(left - 30, 62, title, size=13)
    for number in range(int(most / step) + 1):
        canvas.line(left, y(number * step), left + _WIDE, y(number * step), _GRID, weight=1)
        canvas.text(left - 8, y(number * step) + 4, f"{number * step:g}", size=12, anchor="end")
    for size in sizes:
        if log2(size).is_integer():
            canvas.text(x(size), _LOW + 19, str(size), size=12, anchor="middle")
    for label, colour, points in lines:
        weight = 2.6 if label in {"cuBLAS", "10"} else 1.8
        for (size, value), (after, then) in itertools.pairwise(points):
            canvas.line(x(size), y(value), x(after), y(then), colour, weight=weight, dashed=label == "cuBLAS")
    _labels(canvas, x(sizes[-1]) + 2, [(y(points[-1][1]), label, colour) for label, colour, points in lines])


def _labels(canvas: Canvas, left: float, ends: Sequence[tuple[float, str, str]]) -> None:
    """The name of each line at its end, with a stroke to the line where several would lie on each other."""
    for (at, label, colour), place in zip(sorted(ends), spread([at for at, _, _ in sorted(ends)]), strict=True):
        canvas.line(left, at, left + 12, place, colour, weight=1)
        canvas.text(left + 15, place + 4, label, size=12, fill=INK, bold=label in {"cuBLAS", "10"})


def spread(wanted: Sequence[float]) -> list[float]:
    """Places at least `_GAP` apart, in the same order, near the wanted ones: those that touch are centred as a group."""
    groups: list[list[float]] = []  # of wanted places
    for at in wanted:
        groups.append([at])
        while len(groups) > 1 and _first(groups[-1]) < _first(groups[-2]) + _GAP * len(groups[-2]):
            last = groups.pop()
            groups[-1] += last
    return [_first(group) + _GAP * number for group in groups for number in range(len(group))]


def _first(group: Sequence[float]) -> float:
    return sum(group) / len(group) - _GAP * (len(group) - 1) / 2
