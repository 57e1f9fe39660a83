"""The figures of the transpose lab: a column in memory, a tile on its way, and the banks that a column of it meets."""

# ruff: noqa: INP001 -- a script's piece, in no package
from __future__ import annotations

from collections.abc import Callable

from canvas import ALARM, EDGE, INK, PALE, SOFT, A, B, C, Canvas

_Words = Callable[[int, int], str]  # asked with row and column
_Fill = Callable[[int, int], str]


def strided_store() -> str:
    canvas = Canvas(
        900, 470, "Eight threads read neighbours of one row of in, and write a column of out, whose elements lie apart."
    )
    side, top = 30, 84
    canvas.text(24, 34, "A row that is read is a column that is written", size=17, bold=True)
    canvas.text(60, top - 12, "in, M × N", bold=True, fill=EDGE[A])
    canvas.cells(60, top, 8, 8, side, lambda row, _: A if row == 2 else PALE[A], words=_lane(across=True))
    canvas.text(390, top - 12, "out, N × M", bold=True, fill=EDGE[C])
    canvas.cells(390, top, 8, 8, side, lambda _, column: C if column == 2 else PALE[C], words=_lane(across=False))
    canvas.line(60 + 8 * side + 8, top + 2.5 * side, 382, top + 2.5 * side, tip=True)
    canvas.paragraph(
        660, top + 22, "Numbers are threads of\none warp (8 of its 32).\n\nEach carries one element\nfrom in to out."
    )
    for number, (words, wanted, colour) in enumerate((
        ("in", range(16, 24), A), ("out", range(2, 64, 8), C),
    )):  # fmt: skip
        y = 372 + number * 48
        canvas.text(24, y + 17, words, bold=True, fill=EDGE[colour])
        for place in range(64):
            canvas.box(60 + place * 12.6, y, 12.6, 24, colour if place in wanted else PALE[colour], SOFT, weight=0.5)
        for sector in range(9):
            canvas.line(60 + sector * 100.8, y - 4, 60 + sector * 100.8, y + 28, INK)
    canvas.text(
        60, 360, "The same in memory, eight elements between two bars: one sector of 32 bytes", size=13, fill=SOFT
    )
    return canvas.svg()


def _lane(*, across: bool) -> _Words:
    return lambda row, column: str(column if across else row) if (row if across else column) == 2 else ""


def turned_tile() -> str:
    canvas = Canvas(
        960,
        424,
        "A tile of in is read row by row, turned in shared memory, and written row by row to its place in out.",
    )
    side, small, top = 44, 30, 96
    canvas.text(24, 34, "Block (2,1): both global sides go row by row", size=17, bold=True)
    canvas.text(36, top - 12, "in: 3 × 4 tiles", bold=True, fill=EDGE[A])
    canvas.cells(36, top, 3, 4, side, lambda row, column: A if (row, column) == (1, 2) else PALE[A])
    canvas.text(330, top - 12, "its tile in shared memory", bold=True, fill=EDGE[B])
    canvas.cells(
        340, top, 4, 4, small, lambda row, _: B if row == 1 else PALE[B], words=lambda r, c: str(c) if r == 1 else ""
    )
    canvas.text(340, top + 4 * small + 22, "1  store: a row", size=13)
    canvas.text(340, top + 4 * small + 42, "__syncthreads()", size=13, bold=True)
    low = top + 4 * small + 58
    canvas.cells(
        340, low, 4, 4, small, lambda _, column: B if column == 1 else PALE[B],
        words=lambda r, c: str(r) if c == 1 else "",
    )  # fmt: skip
    canvas.text(340 + 4 * small + 10, low + 2 * small + 5, "2  read: a column", size=13)
    canvas.line(36 + 3 * side + 4, top + 1.4 * side, 334, top + 1.5 * small, tip=True)
    canvas.text(700, top - 12, "out: 4 × 3 tiles", bold=True, fill=EDGE[C])
    canvas.cells(700, top, 4, 3, side, lambda row, column: C if (row, column) == (2, 1) else PALE[C])
    canvas.line(340 + 4 * small + 4, low + 1.2 * small, 700 + side - 4, top + 2.6 * side, tip=True)
    canvas.paragraph(
        36,
        top + 3 * side + 40,
        "Column 2 and row 1 of tiles\nbecome row 2 and column 1.\nNumbers are threads, x of\nthose with y = 1.",
    )
    return canvas.svg()


def column_of_banks() -> str:
    canvas = Canvas(
        920, 470, "In rows of 8 a column lies in a single bank; in rows of 9 its elements lie in 8 different banks."
    )
    side, top = 30, 112
    canvas.text(24, 34, "Which bank holds an element (drawn with 8 banks for the real 32)", size=17, bold=True)
    canvas.text(60, top - 34, "Rows of 8", bold=True)
    canvas.text(60, top - 14, "column 3: all in bank 3, one after the other", size=13, fill=ALARM)
    canvas.cells(60, top, 8, 8, side, _marked(8), words=lambda r, c: str((8 * r + c) % 8))
    canvas.box(60 + 3 * side, top, side, 8 * side, "none", ALARM, weight=3)
    left = 420
    canvas.text(left, top - 34, "Rows of 9: one column of padding", bold=True)
    canvas.text(left, top - 14, "column 3: eight banks, all at once", size=13, fill=EDGE[C])
    canvas.cells(left, top, 8, 9, side, _marked(9), words=lambda r, c: str((9 * r + c) % 8))
    canvas.box(left + 3 * side, top, side, 8 * side, "none", EDGE[C], weight=3)
    canvas.text(left + 8 * side + 4, top + 8 * side + 20, "never used", size=13, fill=SOFT)
    canvas.paragraph(
        60,
        top + 8 * side + 52,
        "Storing a row is fine in both: neighbours lie in neighbouring banks.\n"
        "A thread finds element (row, column) at row · width + column, in bank (row · width + column) mod 8.",
    )
    canvas.paragraph(720, top + 20, "Numbers are banks.\n\nFramed: what the\nthreads of a warp read\nin step 2.")
    return canvas.svg()


def _marked(width: int) -> _Fill:
    """The framed column in full colour, the padding as paper."""
    return lambda _, column: "#ffffff" if column == width - 1 == 8 else B if column == 3 else PALE[B]
