"""The worked example of lab 02: an 8 by 8 product in 4 by 4 tiles, phase by phase for block (0, 0). Arithmetic, no kernel.

Prints the tables. That lab's write-up holds them as a passage made by this command: `make check` fails when they are not
current, `.venv/bin/tilelab check-course --remake` brings them up to date.
"""

# ruff: noqa: INP001, T201 -- a script, in no package; it prints
from __future__ import annotations

SIDE, TILE = 8, 4

Matrix = list[list[int]]


def matrix_a() -> Matrix:
    """`A[i][j] = 4·i + (j mod 4) + 1 + 16·⌊j/4⌋`: the first tile counts 1 … 16, the one to its right 17 … 32."""
    return [[4 * i + j % 4 + 1 + 16 * (j // 4) for j in range(SIDE)] for i in range(SIDE)]


def matrix_b() -> Matrix:
    return [list(column) for column in zip(*matrix_a(), strict=True)]


def tiles_of(phase: int) -> tuple[Matrix, Matrix]:
    """What block (0, 0) holds in shared memory after the first barrier of `phase`: its tile of A and its tile of B."""
    piece = slice(phase * TILE, (phase + 1) * TILE)
    return [row[piece] for row in matrix_a()[:TILE]], [row[:TILE] for row in matrix_b()[piece]]


def added_in(phase: int) -> Matrix:
    """What each thread adds to its sum in `phase`; thread (x, y) stands in row y and column x."""
    a, b = tiles_of(phase)
    return [[sum(a[y][k] * b[k][x] for k in range(TILE)) for x in range(TILE)] for y in range(TILE)]


def sums_after(phase: int) -> Matrix:
    added = [added_in(earlier) for earlier in range(phase + 1)]
    return [[sum(one[y][x] for one in added) for x in range(TILE)] for y in range(TILE)]


def tables() -> str:
    """The section's text: Markdown, without the markers."""
    phases = SIDE // TILE
    parts = [
        "Both matrices, cut into tiles. Block (0, 0) needs the upper two tiles of A and the left two of B:",
        "",
        _matrices(),
    ]
    for phase in range(phases):
        parts += [
            "",
            f"**Phase {phase}.** In shared memory after the first barrier:",
            "",
            _side_by_side(*tiles_of(phase)),
        ]
        parts += ["", f"The threads with y = 0 and y = 1 in phase {phase}:", "", _threads(phase)]
    parts += [
        "",
        "After the last phase each thread writes its sum. Block (0, 0) of C:",
        "",
        _fenced(_lines(sums_after(phases - 1))),
    ]
    return "\n".join(parts)


def _threads(phase: int) -> str:
    a, b = tiles_of(phase)
    added, sums = added_in(phase), sums_after(phase)
    rows = [
        "| thread (x, y) | loads of A | loads of B | reads after the barrier | adds | sum |",
        "|---|---|---|---|--:|--:|",
    ]
    for y in range(2):
        for x in range(TILE):
            loads = f"A[{y}][{phase * TILE + x}] = {a[y][x]} | B[{phase * TILE + y}][{x}] = {b[y][x]}"
            products = " + ".join(f"{a[y][k]}·{b[k][x]}" for k in range(TILE))
            rows.append(f"| ({x}, {y}) | {loads} | {products} | {added[y][x]} | {sums[y][x]} |")
    return "\n".join(rows)


def _lines(matrix: Matrix) -> list[str]:
    width = max(len(str(value)) for row in matrix for value in row)
    return [" ".join(f"{value:>{width}}" for value in row) for row in matrix]


def _fenced(lines: list[str]) -> str:
    return "\n".join(["```", *lines, "```"])


def _side_by_side(a: Matrix, b: Matrix) -> str:
    left, right = ["tile of A", *_lines(a)], ["tile of B", *_lines(b)]
    width = max(len(line) for line in left)
    return _fenced([f"{one:<{width}}      {other}".rstrip() for one, other in zip(left, right, strict=True)])


def _matrices() -> str:
    """A and B side by side, cut where block (0, 0)'s tiles end: phases 0 and 1 lie on either side of a bar."""
    left = [f"{line[: 3 * TILE - 1]} | {line[3 * TILE :]}" for line in _lines(matrix_a())]
    right = [f"{line[: 3 * TILE - 1]} | {line[3 * TILE :]}" for line in _lines(matrix_b())]
    rows = [f"{one}      {other}" for one, other in zip(left, right, strict=True)]
    bar = "-" * (3 * TILE) + "+" + "-" * (3 * TILE)
    rows.insert(TILE, f"{bar}      {bar}")
    title = f"{'A':<{len(bar)}}      B"
    return _fenced([title, *rows])


if __name__ == "__main__":
    print(tables())
