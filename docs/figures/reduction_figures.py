"""The figures of the reduction lab: a tree of additions in shared memory, and the same steps as shuffles within a warp."""

# ruff: noqa: INP001 -- a script's piece, in no package
from __future__ import annotations

from canvas import EDGE, INK, PALE, SOFT, A, B, C, Canvas

_FIRST = (3, 1, 7, 0, 4, 1, 6, 3)


def _steps() -> list[list[int]]:
    """The eight places before the first step and after each, every half as long as the one before."""
    rows, half = [list(_FIRST)], len(_FIRST) // 2
    while half:
        row = list(rows[-1])
        for place in range(half):
            row[place] += row[place + half]
        rows.append(row)
        half //= 2
    return rows


def sum_tree() -> str:
    canvas = Canvas(
        900, 500, "Eight numbers are added up in three steps: 4 threads add, then 2, then 1, with a barrier after each."
    )
    side, left, top, gap = 52, 60, 78, 108
    canvas.text(24, 34, "A block of eight threads: half as many add in each step", size=17, bold=True)
    rows = _steps()
    for number, row in enumerate(rows):
        y, half = top + number * gap, len(_FIRST) >> number
        live = range(half)
        for place, value in enumerate(row):
            fill = (B if number else A) if place in live else "#ffffff"
            canvas.box(left + place * side, y, side, 36, fill, INK if place in live else SOFT, weight=1)
            canvas.text(
                left + (place + 0.5) * side, y + 24, str(value), anchor="middle", size=16, fill=INK if place in live else SOFT
            )  # fmt: skip
        if number == len(rows) - 1:
            canvas.text(left + 8 * side + 22, y + 24, "place 0 holds the sum: 25", bold=True, fill=EDGE[C])
            break
        for place in range(half // 2):
            x = left + (place + 0.5) * side
            canvas.line(x, y + 38, x, y + gap - 3, EDGE[B], tip=True)
            canvas.line(x + half // 2 * side, y + 38, x + 9, y + gap - 3, EDGE[B], tip=True)
        adding = f"threads 0 to {half // 2 - 1} add" if half > 2 else "thread 0 adds"
        canvas.text(left + 8 * side + 22, y + 52, f"step {number + 1}: {adding} the place", size=14)
        canvas.text(left + 8 * side + 22, y + 72, f"that lies {half // 2} further on", size=14)
        canvas.text(left + 8 * side + 22, y + 98, "__syncthreads()", size=14, bold=True)
    canvas.text(left, top - 12, "shared memory, one number of each thread", size=13, fill=SOFT)
    canvas.text(left, top + 3 * gap + 64, "White: old values that no thread reads any more.", size=13, fill=SOFT)
    return canvas.svg()


def shuffle_down() -> str:
    canvas = Canvas(
        900,
        490,
        "In a shuffle each lane takes the value of the lane 4, 2 and 1 further on; only lane 0 ends with the sum.",
    )
    side, left, top, gap = 62, 60, 92, 96
    canvas.text(24, 34, "The same steps in registers (drawn with 8 lanes for the real 32)", size=17, bold=True)
    for lane in range(8):
        canvas.text(left + (lane + 0.5) * side, top - 10, f"lane {lane}", anchor="middle", size=12, fill=SOFT)
    right = [list(_FIRST)]
    for step in (4, 2, 1):
        row = right[-1]
        right.append([value + (row[lane + step] if lane + step < 8 else value) for lane, value in enumerate(row)])
    for number, row in enumerate(right):
        y = top + number * gap
        useful = 8 >> number
        for lane, value in enumerate(row):
            fill = A if lane < useful else PALE[A]
            canvas.box(left + lane * side, y, side - 8, 34, fill, INK if lane < useful else SOFT, weight=1, radius=5)
            canvas.text(
                left + lane * side + (side - 8) / 2, y + 23, str(value), anchor="middle", size=15,
                fill=INK if lane < useful else SOFT,
            )  # fmt: skip
        if number == 3:
            break
        step = 4 >> number
        for lane in range(8 - step):
            start, end = left + (lane + step) * side + 24, left + lane * side + 32
            canvas.line(start, y + 37, end, y + gap - 3, EDGE[A] if lane < useful // 2 else SOFT, tip=True, weight=1.2)
        canvas.text(left + 8 * side + 16, y + 52, "each lane adds what the lane", size=14)
        canvas.text(left + 8 * side + 16, y + 72, f"{step} further on brings", size=14)
    canvas.paragraph(
        left,
        top + 3 * gap + 62,
        "Dark: sums that are still needed. A lane with none so far on gets its own value back.\n"
        "All lanes take part in each shuffle. In the end only lane 0 holds the sum of all.",
        size=13,
    )
    return canvas.svg()


def lost_update() -> str:
    canvas = Canvas(
        900,
        330,
        "Two blocks read the same old sum and each writes its own new one: one addition is lost; with an atomic none is.",
    )
    canvas.text(24, 34, "Two blocks add 20 and 5 to sum[0], which holds 100", size=17, bold=True)
    plain = (
        ("block 0 reads 100", ""),
        ("block 1 reads 100", ""),
        ("block 0 writes 120", ""),
        ("block 1 writes 105", "20 is lost"),
    )
    atomic = (("block 0: 100 becomes 120", ""), ("block 1: 120 becomes 125", "nothing is lost"))
    for number, (words, colour, columns) in enumerate((
        ("sum[0] += mine", B, plain), ("atomicAdd(sum, mine)", C, atomic),
    )):  # fmt: skip
        y = 70 + number * 128
        canvas.text(24, y + 28, words, bold=True, fill=EDGE[colour])
        width = 640 / len(columns)
        for place, (one, after) in enumerate(columns):
            x = 220 + place * width
            canvas.box(x, y, width - 12, 46, PALE[colour], EDGE[colour], radius=6)
            canvas.text(x + (width - 12) / 2, y + 28, one, anchor="middle", size=13)
            if after:
                canvas.text(x + (width - 12) / 2, y + 68, after, anchor="middle", size=13, bold=True, fill=EDGE[colour])
    canvas.line(220, 302, 852, 302, tip=True)
    canvas.text(220, 292, "time", size=13, fill=SOFT)
    return canvas.svg()
