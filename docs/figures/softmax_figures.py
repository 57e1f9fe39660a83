"""The figures of the softmax lab: from a row to its softmax, and what passes over memory three kernels or one kernel make."""

# ruff: noqa: INP001 -- a script's piece, in no package
from __future__ import annotations

import math

from canvas import EDGE, PALE, SOFT, A, B, C, Canvas

_ROW = (1.0, 3.0, 0.0, 2.0)


def row_to_softmax() -> str:
    canvas = Canvas(
        900,
        330,
        "A row of four numbers: its maximum is subtracted, exp is taken, and each result is divided by their sum.",
    )
    canvas.text(24, 34, "The softmax of one row", size=17, bold=True)
    most = max(_ROW)
    powers = [math.exp(x - most) for x in _ROW]
    rows = (
        ("x", [f"{x:g}" for x in _ROW], A, "maximum m = 3"),
        ("x - m", [f"{x - most:g}" for x in _ROW], PALE[A], "the largest is 0 now"),
        ("exp(x - m)", [f"{p:.3f}" for p in powers], B, f"sum s = {sum(powers):.3f}, between 1 and 4"),
        ("exp(x - m) / s", [f"{p / sum(powers):.3f}" for p in powers], C, "all of them together are 1"),
    )
    side, left = 92, 170
    for number, (name, words, fill, remark) in enumerate(rows):
        top = 60 + number * 64
        canvas.text(left - 14, top + 27, name, anchor="end", size=15)
        for place, word in enumerate(words):
            canvas.box(left + place * side, top, side - 8, 42, fill)
            canvas.text(left + place * side + (side - 8) / 2, top + 27, word, anchor="middle", size=15)
            if number:
                canvas.line(
                    left + place * side + (side - 8) / 2,
                    top - 20,
                    left + place * side + (side - 8) / 2,
                    top - 2,
                    tip=True,
                )
        canvas.text(left + 4 * side + 10, top + 27, remark, size=14, fill=SOFT)
    return canvas.svg()


def passes_over_rows() -> str:
    canvas = Canvas(
        900,
        352,
        "Three kernels hand maxima and sums on in memory of the GPU. In one kernel a block keeps the maximum and the sum of its row.",
    )
    canvas.text(24, 34, "Three kernels, or one", size=17, bold=True)
    for left, words in ((40, "three kernels"), (500, "one kernel: a block for each row")):
        canvas.text(left, 66, words, size=15, bold=True)
    steps = (
        ("maxima", "reads in, writes m"),
        ("sums", "reads in and m, writes s"),
        ("division", "reads in, m and s, writes out"),
    )
    for number, (name, words) in enumerate(steps):
        top = 84 + number * 84
        canvas.box(40, top, 150, 48, B, EDGE[B], radius=6)
        canvas.text(115, top + 30, name, anchor="middle", size=15)
        canvas.text(206, top + 30, words, size=14)
        if number:
            canvas.line(115, top - 34, 115, top - 2, tip=True)
            canvas.text(128, top - 13, "the next kernel starts when this one is done", size=12, fill=SOFT)
    canvas.box(500, 84, 330, 216, PALE[B], EDGE[B], radius=8)
    for number, words in enumerate(
        ("maximum of the row", "barrier", "sum of exp(x - m)", "barrier", "division, writes out")
    ):
        top = 98 + number * 40
        if words == "barrier":
            canvas.line(520, top + 12, 810, top + 12, SOFT, dashed=True)
            canvas.text(665, top + 7, "all threads of the block wait", anchor="middle", size=12, fill=SOFT)
        else:
            canvas.box(520, top - 6, 290, 34, B)
            canvas.text(665, top + 17, words, anchor="middle", size=14)
    canvas.text(40, 334, "m and s are arrays in the memory of the GPU", size=13, fill=SOFT)
    canvas.text(500, 334, "m and s stay in registers and shared memory", size=13, fill=SOFT)
    return canvas.svg()
