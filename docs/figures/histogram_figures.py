"""The figures of the histogram lab: threads that meet in a bin, and blocks that count in bins of their own."""

# ruff: noqa: INP001 -- a script's piece, in no package
from __future__ import annotations

from collections.abc import Callable, Sequence

from canvas import ALARM, EDGE, INK, PALE, SOFT, A, B, C, Canvas

_VALUES = (2, 0, 2, 5, 1, 2, 0, 9)
_BINS = 6


def meeting_in_a_bin() -> str:
    canvas = Canvas(
        900,
        346,
        "Eight threads each have a value. Three of them go to bin 2, two to bin 0, and the value 9 goes to no bin.",
    )
    side, left, top = 66, 60, 88
    canvas.text(24, 34, "Which bin a thread goes to depends on its value, not on its number", size=17, bold=True)
    for thread, value in enumerate(_VALUES):
        inside = value < _BINS
        x = left + thread * side
        canvas.text(x + side / 2, top - 10, f"thread {thread}", anchor="middle", size=12, fill=SOFT)
        canvas.box(x + 6, top, side - 12, 36, A if inside else "#ffffff", INK if inside else ALARM)
        canvas.text(x + side / 2, top + 24, str(value), anchor="middle", size=16)
        if inside:
            canvas.line(x + side / 2, top + 38, left + value * side + side / 2, top + 150, EDGE[A], tip=True)
    canvas.text(left + 7 * side + 2, top + 58, "outside:", size=13, fill=ALARM)
    canvas.text(left + 7 * side + 2, top + 76, "counted nowhere", size=13, fill=ALARM)
    for number in range(_BINS):
        x, count = left + number * side, _VALUES.count(number)
        canvas.box(x + 6, top + 154, side - 12, 40, B if count else PALE[B])
        canvas.text(x + side / 2, top + 180, str(count), anchor="middle", size=16)
        canvas.text(x + side / 2, top + 214, f"bin {number}", anchor="middle", size=12, fill=SOFT)
    canvas.text(left + _BINS * side + 12, top + 180, "bins, after all have counted", size=14)
    canvas.text(left, top + 240, "Where several arrows end, each addition has to see the one before it.", size=14)
    return canvas.svg()


def _words_of(counts: Sequence[int]) -> Callable[[int, int], str]:
    return lambda _, column: str(counts[column])


def private_bins() -> str:
    canvas = Canvas(
        900,
        400,
        "Each of three blocks counts in bins of its own in shared memory, and adds them to the bins in global memory.",
    )
    canvas.text(24, 34, "Three blocks, each with bins of its own", size=17, bold=True)
    own = ((3, 1, 4, 0), (2, 2, 0, 1), (5, 0, 1, 2))
    side = 44
    for block, counts in enumerate(own):
        x = 60 + block * 270
        canvas.box(x - 14, 62, 4 * side + 28, 122, PALE[A], EDGE[A], radius=8)
        canvas.text(x, 84, f"block {block}, in shared memory", size=13)
        canvas.text(x, 110, "1: clear, 2: count", size=13, bold=True)
        canvas.cells(x, 124, 1, 4, side, lambda _, __: B, words=_words_of(counts), size=16)
        for place in range(4):
            canvas.line(
                x + (place + 0.5) * side, 124 + side + 2, 330 + (place + 0.5) * side, 296, EDGE[B], tip=True, weight=1.1
            )
    total = [sum(column) for column in zip(*own, strict=True)]
    canvas.cells(330, 300, 1, 4, side, lambda _, __: C, words=_words_of(total), size=16)
    canvas.text(330, 366, "bins, in global memory", size=13, fill=SOFT)
    canvas.paragraph(60, 300, "3: add. One atomicAdd for\neach bin of a block, not\nfor each value", size=14)
    canvas.paragraph(
        560, 300, "Between 1 and 2, and between\n2 and 3, all threads of the\nblock have to wait.", size=14
    )
    return canvas.svg()
