"""The figures of lab 02's worked example. A and B follow from the write-up's formula, C is what a real run printed into the write-up.

The sums of the one must be the other, or nothing is drawn; `make check` proves that the tables are what the run prints.
"""

# ruff: noqa: INP001 -- a script's piece, in no package
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from canvas import EDGE, INK, PALE, A, B, C, Canvas

WRITE_UP = Path(__file__).resolve().parents[2] / "assignments" / "02-tiled" / "README.md"
_TILE, _SIDE = 4, 31
Rows = list[list[str]]


def _numbers() -> tuple[Rows, Rows, Rows]:
    """A and B by the write-up's formula, and the tile of C that its passage holds."""
    a = [[str(4 * i + j % 4 + 1 + 16 * (j // 4)) for j in range(8)] for i in range(8)]
    passage = WRITE_UP.read_text(encoding="utf-8").split("<!-- made by: .venv/bin/python docs/trace_example.py -->")[1]
    stored = passage.split("<!-- made: end -->")[0].split("```")[1].split("\n")[2:]
    return a, [list(column) for column in zip(*a, strict=True)], [line.split() for line in stored if line]


def worked_tiles() -> str:
    """Both matrices with the tiles of each phase, and the tile of C that comes of them."""
    a, b, c = _numbers()
    canvas = Canvas(
        900, 690, "The worked example: A and B with the tiles that block (0,0) loads in each phase, and its tile of C."
    )
    canvas.text(24, 34, "Block (0,0): two tiles of A, two tiles of B, one tile of C", size=17, bold=True)
    left, top, right, low = 60, 90, 420, 400
    _matrix(canvas, "A", a, left, low, lambda row, _: A if row < _TILE else PALE[A])
    _matrix(canvas, "B", b, right, top, lambda _, column: B if column < _TILE else PALE[B])
    side = 64
    canvas.text(right - 24, low + 14, "C", size=18, bold=True, fill=EDGE[C])
    canvas.cells(right, low, _TILE, _TILE, side, lambda *_: C, words=lambda row, column: c[row][column], size=15)
    for phase in range(2):
        at, size = phase * _TILE * _SIDE, _TILE * _SIDE
        canvas.box(left + at, low, size, size, "none", INK, weight=3)
        canvas.box(right, top + at, size, size, "none", INK, weight=3)
        canvas.text(left + at + size / 2, low - 10, f"phase {phase}", anchor="middle")
        canvas.text(right - 12, top + at + size / 2 + 5, f"phase {phase}", anchor="end")
    canvas.paragraph(
        right + 8 * _SIDE + 24,
        top + 20,
        "Rows count downwards,\ncolumns to the right.\n\nThe frames are tiles\nthat the block loads,\none of each matrix\nin a phase.",
    )
    return canvas.svg()


def worked_phases() -> str:
    """What lies in shared memory in each phase, and the sum of one thread."""
    a, b, c = _numbers()
    starts = range(0, 2 * _TILE, _TILE)
    phases = [
        ([row[at : at + _TILE] for row in a[:_TILE]], [row[:_TILE] for row in b[at : at + _TILE]]) for at in starts
    ]
    canvas = Canvas(
        900, 470, "The worked example: As and Bs in both phases, and how thread (1,0) comes to its sum in each."
    )
    canvas.text(24, 34, "Shared memory in each phase, and the sum of thread (1,0)", size=17, bold=True)
    total = 0
    for phase, (tile_a, tile_b) in enumerate(phases):
        top = 90 + phase * 185
        canvas.text(24, top + 70, f"phase {phase}", bold=True)
        _matrix(canvas, "As", tile_a, 130, top, lambda row, _: A if row == 0 else PALE[A])
        _matrix(canvas, "Bs", tile_b, 320, top, lambda _, column: B if column == 1 else PALE[B])
        pairs = [(int(tile_a[0][k]), int(tile_b[k][1])) for k in range(_TILE)]
        added = sum(one * other for one, other in pairs)
        total += added
        canvas.text(490, top + 50, " + ".join(f"{one}·{other}" for one, other in pairs) + f" = {added:,}")
        canvas.text(490, top + 80, f"sum: {total:,}", bold=True)
    if str(total) != c[0][1]:
        message = f"{WRITE_UP}: the tables do not add up to C[0][1] = {c[0][1]}"
        raise ValueError(message)
    canvas.line(540, 366, 540, 398, tip=True)
    canvas.text(490, 420, f"C[0][1] = {total:,}", bold=True, fill=EDGE[C])
    return canvas.svg()


def _matrix(canvas: Canvas, name: str, rows: Rows, x: float, y: float, fill: Callable[[int, int], str]) -> None:
    canvas.text(x - 8, y - 10, name, size=18, bold=True, fill=EDGE[A if name[0] == "A" else B], anchor="end")
    canvas.cells(x, y, len(rows), len(rows[0]), _SIDE, fill, words=lambda r, k: rows[r][k], size=13)
