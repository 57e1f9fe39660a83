"""The figures of the boundary lab: tiles that stick out, an address past the end of a row, and zeros that add nothing."""

# ruff: noqa: INP001 -- a script's piece, in no package
from __future__ import annotations

from canvas import ALARM, EDGE, INK, PALE, SOFT, A, B, C, Canvas, hatched

_TILE = 16


def _ragged(canvas: Canvas, x: float, y: float, shape: tuple[int, int], name: str, colour: str) -> None:
    """A matrix of `shape` (rows, columns) with the grid of tiles that covers it; the part outside is hatched."""
    unit = 4.6
    rows, columns = shape
    covered = [-(-size // _TILE) * _TILE for size in shape]
    canvas.box(x, y, columns * unit, rows * unit, colour, "none")
    hatched(canvas, x + columns * unit, y, (covered[1] - columns) * unit, covered[0] * unit)
    hatched(canvas, x, y + rows * unit, columns * unit, (covered[0] - rows) * unit)
    for top in range(0, covered[0], _TILE):
        for left in range(0, covered[1], _TILE):
            canvas.box(x + left * unit, y + top * unit, _TILE * unit, _TILE * unit, "none", SOFT)
    canvas.box(x, y, columns * unit, rows * unit, "none", EDGE[colour], weight=2.6)
    canvas.text(x, y - 10, f"{name}  {rows} × {columns}", bold=True, fill=EDGE[colour])


def ragged_tiles() -> str:
    canvas = Canvas(
        820,
        520,
        "Tiles of 16 by 16 over A with 20 rows and 35 columns, B with 35 and 50, C with 20 and 50: the last ones stick out.",
    )
    canvas.text(24, 34, "M = 20, N = 50, K = 35 in tiles of 16: the last tiles stick out", size=17, bold=True)
    _ragged(canvas, 60, 340, (20, 35), "A", A)
    _ragged(canvas, 330, 80, (35, 50), "B", B)
    _ragged(canvas, 330, 340, (20, 50), "C", C)
    canvas.paragraph(
        648,
        96,
        "C needs 4 × 2 blocks:\n"
        "2048 threads for\n"
        "1000 elements.\n"
        "\n"
        "Each block walks\n"
        "3 pairs of tiles; of the\n"
        "last, only 3 columns\n"
        "of A and 3 rows of B\n"
        "exist.",
        gap=22,
    )
    canvas.legend(60, 120, [("url(#hatch)", "outside the matrix"), (A, "inside")])
    return canvas.svg()


def _label(row: int, column: int) -> str:
    return f"{row},{column}"


def wrapped_row() -> str:
    canvas = Canvas(900, 300, "In row-major memory the element after the end of a row is the first of the next row.")
    canvas.text(24, 34, "Past the end of a row lies the next row", size=17, bold=True)
    side = 40
    canvas.text(40, 70, "A, 3 × 6, in tiles of 4", size=13, fill=EDGE[A], bold=True)
    canvas.cells(40, 82, 3, 6, side, lambda row, _: A if row == 0 else PALE[A], words=_label)
    canvas.box(40 + 4 * side, 82, 4 * side, 3 * side, "none", INK, weight=2.6)
    hatched(canvas, 40 + 6 * side, 82, 2 * side, 3 * side)
    canvas.text(40 + 6.5 * side, 82 + 0.5 * side + 5, "?", anchor="middle", bold=True, fill=ALARM, size=18)
    canvas.text(400, 110, "The second tile asks for “row 0, column 6”.")
    canvas.text(400, 134, "There is no such element, but its address exists:")
    canvas.text(400, 158, "it is row 1, column 0. No fault, no message,")
    canvas.text(400, 182, "just a wrong sum.")
    canvas.text(40, 234, "the same in memory", size=13, fill=SOFT)
    for place in range(18):
        canvas.box(40 + place * 44, 244, 44, 34, A if place < 6 else PALE[A], SOFT, weight=0.8)
        canvas.text(62 + place * 44, 266, _label(place // 6, place % 6), size=13, anchor="middle")
    canvas.box(40 + 6 * 44, 244, 44, 34, "none", ALARM, weight=3)
    return canvas.svg()


def zero_fill() -> str:
    canvas = Canvas(
        900, 490, "The last pair of tiles for K = 6: two columns of A and two rows of B exist, zeros fill the rest."
    )
    side, x, y = 44, 60, 280
    canvas.text(24, 34, "The last pair of tiles when K = 6 and TILE = 4", size=17, bold=True)
    exists = 2
    canvas.cells(
        x,
        y,
        4,
        4,
        side,
        lambda _, c: A if c < exists else "#ffffff",
        words=lambda r, c: f"a{r}{c + 4}" if c < exists else "0",
    )
    canvas.cells(
        x + 230,
        y - 4 * side - 24,
        4,
        4,
        side,
        lambda r, _: B if r < exists else "#ffffff",
        words=lambda r, c: f"b{r + 4}{c}" if r < exists else "0",
    )
    canvas.cells(x + 230, y, 4, 4, side, lambda _r, _c: C)
    canvas.text(x + 230, y + 4 * side + 20, "sums of the block's threads", size=13, bold=True, fill=EDGE[C])
    canvas.text(x, y - 10, "tile of A", size=13, bold=True, fill=EDGE[A])
    canvas.text(x + 222, y - 4 * side - 8, "tile of B", size=13, bold=True, fill=EDGE[B], anchor="end")
    canvas.paragraph(
        x + 440,
        y - 110,
        "Every thread adds four products, as always:\n"
        "\n"
        "a · b  +  a · b  +  0 · 0  +  0 · 0\n"
        "\n"
        "The last two change nothing, so the inner\n"
        "loop needs no test. Both tiles need the zeros:\n"
        "0 · NaN is NaN, and what is left over in shared\n"
        "memory may be anything.",
        gap=24,
    )
    return canvas.svg()
