"""The figures of the convolution lab: a mask over the pixels around one of them, and a tile with its halo."""

# ruff: noqa: INP001 -- a script's piece, in no package
from __future__ import annotations

from canvas import ALARM, EDGE, INK, PALE, SOFT, A, B, C, Canvas, hatched

_REACH = 2


def mask_over_pixels() -> str:
    canvas = Canvas(
        900,
        420,
        "A mask of five by five weights lies over the pixels around one of them. At the picture's corner most of it hangs outside.",
    )
    canvas.text(24, 34, "An element of `out` needs the 25 pixels around it", size=17, bold=True)
    side, left, top, rows, columns = 28, 100, 108, 9, 15
    middle_row, middle_column = 5, 9

    def fill(row: int, column: int) -> str:
        if (row, column) in {(middle_row, middle_column), (0, 0)}:
            return C
        near = abs(row - middle_row) <= _REACH and abs(column - middle_column) <= _REACH
        corner = row <= _REACH and column <= _REACH
        return A if near or corner else PALE[A]

    canvas.cells(left, top, rows, columns, side, fill)
    span = 2 * _REACH + 1
    for row, column in ((middle_row, middle_column), (0, 0)):
        canvas.box(
            left + (column - _REACH) * side, top + (row - _REACH) * side, span * side, span * side, "none", EDGE[B],
            weight=3,
        )  # fmt: skip
    hatched(canvas, left - 2 * side, top - 2 * side, 5 * side, 2 * side)
    hatched(canvas, left - 2 * side, top, 2 * side, 3 * side)
    canvas.text(left + 5.4 * side, top - side, "outside the picture: these pixels count as 0", size=13, fill=ALARM)
    canvas.text(left, top + rows * side + 26, "image, height rows of width pixels", size=13, fill=SOFT)
    canvas.paragraph(
        580,
        150,
        "The mask's middle lies on the pixel (y, x).\nEach weight meets the pixel below it:\n"
        "mask[0][0] meets image[y - 2][x - 2],\nmask[4][4] meets image[y + 2][x + 2].\n\n"
        "The frames of neighbours overlap:\na pixel is needed 25 times.",
        size=14,
    )
    return canvas.svg()


def tile_and_halo() -> str:
    canvas = Canvas(
        900,
        424,
        "A tile of eight by eight elements, and a halo of two pixels around it, which the block has to load as well.",
    )
    canvas.text(24, 34, "A tile of 8 by 8 elements needs 12 by 12 pixels", size=17, bold=True)
    side, left, top, tile = 27, 60, 70, 8
    covered = tile + 2 * _REACH

    def fill(row: int, column: int) -> str:
        inside = all(_REACH <= at < _REACH + tile for at in (row, column))
        return A if inside else B

    canvas.cells(left, top, covered, covered, side, fill)
    canvas.box(left + _REACH * side, top + _REACH * side, tile * side, tile * side, "none", EDGE[A], weight=3)
    canvas.legend(
        440,
        84,
        [(A, "the tile: a thread computes one of these elements"), (B, "the halo: pixels of other blocks' tiles")],
    )
    canvas.paragraph(
        440,
        162,
        "64 threads have 144 pixels to load,\nso most of them load several.\n\n"
        "The place (y, x) in shared memory holds\nthe pixel (top + y - 2, left + x - 2),\nor 0 where that is outside.\n\n"
        "The element (y, x) of the tile reads\nthe places (y, x) to (y + 4, x + 4).",
        size=14,
    )
    canvas.line(left + covered * side + 6, top, left + covered * side + 6, top + _REACH * side, INK, weight=1.2)
    canvas.text(left + covered * side + 12, top + _REACH * side / 2 + 5, "2", size=13)
    return canvas.svg()
