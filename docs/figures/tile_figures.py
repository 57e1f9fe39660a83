"""The figures of the tiled lab: phases, what one phase does, and what happens without either barrier."""

# ruff: noqa: INP001 -- a script's piece, in no package
from __future__ import annotations

from canvas import ALARM, EDGE, INK, PALE, SOFT, A, B, C, Canvas

_WHITE = "#ffffff"


def phases() -> str:
    canvas = Canvas(
        820, 560, "A block's tile of C needs a row of tiles of A and a column of tiles of B, one pair per phase."
    )
    side, left, top, right, low = 52, 60, 90, 400, 328
    canvas.text(
        24, 34, "One tile of C: a row of tiles of A, a column of tiles of B, one pair per phase", size=17, bold=True
    )
    canvas.cells(
        left,
        low,
        4,
        4,
        side,
        lambda row, _: A if row == 1 else PALE[A],
        words=lambda r, c: f"{c}" if r == 1 else "",
        size=18,
    )
    canvas.cells(
        right,
        top,
        4,
        4,
        side,
        lambda _, column: B if column == 2 else PALE[B],
        words=lambda r, c: f"{r}" if c == 2 else "",
        size=18,
    )
    canvas.cells(right, low, 4, 4, side, lambda row, column: C if (row, column) == (1, 2) else PALE[C])
    for phase in range(2):
        weight = 3.4 if phase == 0 else 1.2
        canvas.box(left + phase * side, low + side, side, side, "none", INK, weight=weight)
        canvas.box(right + 2 * side, top + phase * side, side, side, "none", INK, weight=weight)
    canvas.box(right + 2 * side, low + side, side, side, "none", INK, weight=3.4)
    canvas.text(left, low - 12, "A", size=18, bold=True, fill=EDGE[A])
    canvas.text(right - 22, top + 16, "B", size=18, bold=True, fill=EDGE[B])
    canvas.text(right + 4 * side + 10, low + 4 * side, "C", size=18, bold=True, fill=EDGE[C])
    canvas.line(left + 4 * side + 6, low + 1.5 * side, right - 6, low + 1.5 * side, tip=True)
    canvas.line(right + 2.5 * side, top + 4 * side + 4, right + 2.5 * side, low - 4, tip=True)
    canvas.text(right + 2.5 * side, low + 1.5 * side + 5, "(2, 1)", size=14, anchor="middle", bold=True)
    canvas.paragraph(
        right + 4 * side + 24,
        top + 20,
        "Each square is a tile.\n"
        "Numbers are phases: in\n"
        "phase 0 block (2,1)\n"
        "loads the two tiles\n"
        "marked 0, in phase 1\n"
        "those marked 1, …",
    )
    canvas.paragraph(
        left,
        top + 60,
        "K / TILE phases in all.\nEach adds TILE products\nto every sum.",
    )
    return canvas.svg()


def one_phase() -> str:
    canvas = Canvas(
        960,
        480,
        "In one phase each thread loads one element of each tile; after the barrier thread (1,2) reads a row and a column.",
    )
    side = 38
    canvas.text(24, 34, "Phase 0 of block (0,0), tiles of 4 × 4", size=17, bold=True)
    canvas.text(24, 66, "1  Load: 16 threads, one element of each tile", bold=True)
    a = lambda row, column: str(4 * row + column + 1)  # noqa: E731 -- the example's first tile
    b = lambda row, column: str(4 * column + row + 1)  # noqa: E731
    _tile(canvas, 40, 104, side, "tile of A", A, a, {(2, 1)})
    _tile(canvas, 40, 294, side, "tile of B", B, b, {(2, 1)})
    canvas.text(210, 190, "Framed: loaded by", size=13, fill=SOFT)
    canvas.text(210, 208, "thread (1,2), that is", size=13, fill=SOFT)
    canvas.text(210, 226, "x = 1, y = 2: row 2,", size=13, fill=SOFT)
    canvas.text(210, 244, "column 1 of each tile.", size=13, fill=SOFT)
    canvas.box(400, 56, 8, 370, INK, INK)
    canvas.text(404, 452, "__syncthreads()", anchor="middle", bold=True)
    canvas.text(450, 66, "2  Compute: thread (1,2) reads 4 + 4", bold=True)
    canvas.cells(470, 252, 4, 4, side, lambda row, _: A if row == 2 else PALE[A], words=a)
    canvas.cells(670, 88, 4, 4, side, lambda _, column: B if column == 1 else PALE[B], words=b)
    canvas.cells(670, 252, 4, 4, side, lambda row, column: C if (row, column) == (2, 1) else PALE[C])
    canvas.box(670 + side, 252 + 2 * side, side, side, "none", INK, weight=2.6)
    canvas.text(670 + 1.5 * side, 252 + 2.5 * side + 5, "278", size=13, anchor="middle", bold=True)
    canvas.line(470 + 4 * side + 4, 252 + 2.5 * side, 666, 252 + 2.5 * side, tip=True)
    canvas.text(470, 428, "9 · 5 + 10 · 6 + 11 · 7 + 12 · 8 = 278, added to its sum in a register", size=14)
    return canvas.svg()


def _tile(
    canvas: Canvas, x: float, y: float, side: float, name: str, colour: str, words: object, framed: set[tuple[int, int]]
) -> None:
    assert callable(words)
    canvas.text(x, y - 8, name, size=13, fill=EDGE[colour], bold=True)
    canvas.cells(x, y, 4, 4, side, lambda _row, _column: colour, words=words)
    for row, column in framed:
        canvas.box(x + column * side, y + row * side, side, side, "none", INK, weight=3)


def two_barriers() -> str:
    canvas = Canvas(
        960,
        560,
        "Two warps over time: without either barrier one reads what the other has not loaded, or has overwritten.",
    )
    canvas.text(24, 34, "Two warps of one block over time (left to right)", size=17, bold=True)
    _timeline(canvas, 60, "With both barriers", [
        [("load 0", 130, A), ("", 60, ""), ("compute 0", 150, C), ("", 40, ""), ("load 1", 130, A), ("", 50, ""), ("compute 1", 150, C)],
        [("", 60, ""), ("load 0", 130, A), ("", 40, ""), ("compute 0", 150, C), ("", 50, ""), ("load 1", 130, A), ("compute 1", 150, C)],
    ], [190, 380, 560], None)  # fmt: skip
    _timeline(canvas, 225, "Without the first: warp 0 reads elements of pair 0 that warp 1 has not loaded yet", [
        [("load 0", 130, A), ("compute 0", 150, C), ("", 100, ""), ("load 1", 130, A), ("compute 1", 150, C)],
        [("", 60, ""), ("load 0", 130, A), ("compute 0", 150, C), ("", 40, ""), ("", 60, ""), ("load 1", 130, A), ("compute 1", 150, C)],
    ], [380], (130, 190))  # fmt: skip
    _timeline(canvas, 390, "Without the second: warp 0 overwrites pair 0 while warp 1 still reads it", [
        [("load 0", 130, A), ("", 60, ""), ("compute 0", 120, C), ("load 1", 130, A), ("", 70, ""), ("compute 1", 150, C)],
        [("", 60, ""), ("load 0", 130, A), ("", 30, ""), ("compute 0", 160, C), ("load 1", 130, A), ("compute 1", 150, C)],
    ], [190, 510], (310, 380))  # fmt: skip
    return canvas.svg()


_Lane = list[tuple[str, int, str]]


def _timeline(
    canvas: Canvas, y: float, title: str, lanes: list[_Lane], barriers: list[int], wrong: tuple[int, int] | None
) -> None:
    """Two lanes of pieces (words, width, colour), barriers as bars across both, and a wrong stretch framed."""
    left = 110
    canvas.text(24, y + 12, title, bold=True, fill=ALARM if wrong else INK)
    for number, lane in enumerate(lanes):
        top, x = y + 30 + number * 48, float(left)
        canvas.text(24, top + 22, f"warp {number}", size=13)
        for words, width, colour in lane:
            if words:
                canvas.box(x, top, width, 34, colour if words[-1] == "0" else PALE[colour], EDGE[colour], radius=4)
                canvas.text(x + width / 2, top + 22, words, size=13, anchor="middle")
            x += width
    for position in barriers:
        canvas.box(left + position - 4, y + 22, 8, 98, INK, INK, radius=2)
    if wrong:
        canvas.box(left + wrong[0], y + 24, wrong[1] - wrong[0], 94, "none", ALARM, weight=3, dashed=True)
    else:
        canvas.text(left + 750, y + 66, "black bar:", size=13)
        canvas.text(left + 728, y + 84, "__syncthreads()", size=13)
