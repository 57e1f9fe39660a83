"""The figures of the naive lab: a dot product, reads that repeat, and blocks over a matrix."""

# ruff: noqa: INP001 -- a script's piece, in no package
from __future__ import annotations

from canvas import EDGE, INK, PALE, SOFT, A, B, C, Canvas, hatched

_M, _K, _N, _SIDE = 4, 6, 5, 34


def _product(canvas: Canvas, rows: set[int], columns: set[int]) -> None:
    """A left, B above, C where they meet: an element of C lies right of its row of A and below its column of B."""
    left, top, right, low = 60, 74, 330, 320
    canvas.cells(left, low, _M, _K, _SIDE, lambda row, _: A if row in rows else PALE[A])
    canvas.cells(right, top, _K, _N, _SIDE, lambda _, column: B if column in columns else PALE[B])
    canvas.cells(right, low, _M, _N, _SIDE, lambda row, column: C if row in rows and column in columns else PALE[C])
    canvas.text(left, low - 14, "A  (M × K)", size=16, bold=True, fill=EDGE[A])
    canvas.text(right - 14, top + 18, "B  (K × N)", size=16, bold=True, fill=EDGE[B], anchor="end")
    canvas.text(right + _N * _SIDE, low + _M * _SIDE + 24, "C  (M × N)", size=16, bold=True, fill=EDGE[C], anchor="end")
    for row in rows:
        canvas.line(left + _K * _SIDE + 5, low + (row + 0.5) * _SIDE, right - 5, low + (row + 0.5) * _SIDE, tip=True)
    for column in columns:
        middle = right + (column + 0.5) * _SIDE
        canvas.line(middle, top + _K * _SIDE + 4, middle, low - 4, tip=True)


def dot_product() -> str:
    canvas = Canvas(800, 500, "One element of C is the dot product of a row of A and a column of B.")
    _product(canvas, {1}, {3})
    canvas.text(24, 34, "One element of C: a row of A times a column of B", size=17, bold=True)
    canvas.text(46, 320 + 1.62 * _SIDE, "i", bold=True, anchor="middle")
    canvas.text(330 + 3.5 * _SIDE, 66, "j", bold=True, anchor="middle")
    canvas.paragraph(
        540,
        120,
        "C[i][j] =\n  A[i][0] · B[0][j]\n+ A[i][1] · B[1][j]\n+ …\n+ A[i][K−1] · B[K−1][j]",
        gap=24,
        size=15,
    )
    canvas.text(540, 352, "K products in one sum,", size=14)
    canvas.text(540, 374, "and nothing from any", size=14)
    canvas.text(540, 396, "other element of C.", size=14)
    return canvas.svg()


def repeated_reads() -> str:
    canvas = Canvas(
        800, 500, "Two elements in one row of C read the same row of A; two in one column read the same column of B."
    )
    _product(canvas, {1, 2}, {2, 3})
    canvas.text(24, 34, "Four elements of C share two rows and two columns", size=17, bold=True)
    canvas.paragraph(
        532,
        120,
        "Four threads, each by itself:\n"
        "4 × (K + K) = 8 K reads.\n"
        "\n"
        "But only two rows of A and\n"
        "two columns of B are\n"
        "different: 4 K elements.",
        gap=24,
        size=15,
    )
    canvas.paragraph(
        532,
        352,
        "Over all of C, each element\nof A is read N times,\neach element of B M times.",
        gap=22,
    )
    return canvas.svg()


def blocks_over_c() -> str:
    canvas = Canvas(
        1010, 420, "A grid of four by two blocks of 16 by 16 threads covers a matrix C with 20 rows and 50 columns."
    )
    unit, left, top, block = 7.5, 110, 96, 16
    canvas.text(24, 34, "The grid: 4 × 2 blocks over C, which is 20 × 50", size=17, bold=True)
    canvas.box(left, top, 50 * unit, 20 * unit, PALE[C], "none")
    hatched(canvas, left + 50 * unit, top, 14 * unit, 32 * unit)
    hatched(canvas, left, top + 20 * unit, 50 * unit, 12 * unit)
    for by in range(2):
        for bx in range(4):
            x, y, side = left + bx * block * unit, top + by * block * unit, block * unit
            chosen = (bx, by) == (2, 1)
            canvas.box(x, y, side, side, C if chosen else "none", INK, weight=2.6 if chosen else 1.2)
            if chosen:
                hatched(canvas, x, y + 4 * unit, side, side - 4 * unit)
            canvas.box(x + side / 2 - 29, y + side / 2 - 15, 58, 26, "#ffffff", "none", radius=6)
            canvas.text(x + side / 2, y + side / 2 + 4, f"({bx},{by})", anchor="middle", bold=chosen)
    canvas.box(left, top, 50 * unit, 20 * unit, "none", EDGE[C], weight=3)
    canvas.line(left, top - 14, left + 120, top - 14, tip=True)
    canvas.text(left + 128, top - 9, "x: columns", size=13)
    canvas.line(left - 16, top, left - 16, top + 90, tip=True)
    canvas.text(left - 22, top + 50, "y: rows", size=13, anchor="end")
    canvas.text(
        left, top + 32 * unit + 28, "C is outlined in green; hatched: threads without an element.", size=13, fill=SOFT
    )

    x, y, side = 730, 96, 15
    canvas.text(x - 90, 34, "One block: 16 × 16 threads", size=17, bold=True)
    canvas.cells(x, y, 16, 16, side, lambda row, _: C if row < 2 else "#ffffff", stroke="#a9b0b6")
    canvas.box(x, y, 16 * side, 2 * side, "none", INK, weight=2)
    canvas.box(x + 3 * side, y, side, side, INK, INK)
    canvas.line(x, y - 14, x + 100, y - 14, tip=True)
    canvas.text(x + 108, y - 9, "threadIdx.x", size=13)
    canvas.line(x - 14, y, x - 14, y + 90, tip=True)
    canvas.text(x - 22, y + 50, "threadIdx.y", size=13, anchor="end")
    canvas.text(x, y + 16 * side + 24, "Black: thread (3,0). Framed: warp 0,", size=13, fill=SOFT)
    canvas.text(x, y + 16 * side + 42, "the threads with y = 0 and y = 1.", size=13, fill=SOFT)
    return canvas.svg()
