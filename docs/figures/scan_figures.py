"""The figures of the scan lab: the steps within a block, and three kernels over many blocks."""

# ruff: noqa: INP001 -- a script's piece, in no package
from __future__ import annotations

from collections.abc import Callable, Sequence

from canvas import EDGE, INK, PALE, SOFT, A, B, C, Canvas

_NUMBERS = (3, 1, 7, 0, 4, 1, 6, 3)
_OWN = ((2, 5, 1), (4, 4, 3), (1, 6, 2))


def _steps(numbers: Sequence[int]) -> list[list[int]]:
    rows, step = [list(numbers)], 1
    while step < len(numbers):
        last = rows[-1]
        rows.append([value + (last[at - step] if at >= step else 0) for at, value in enumerate(last)])
        step *= 2
    return rows


def _scanned(numbers: Sequence[int]) -> list[int]:
    return _steps(numbers)[-1]


def _words_of(values: Sequence[int]) -> Callable[[int, int], str]:
    return lambda _, column: str(values[column])


def _fills(changed: int) -> Callable[[int, int], str]:
    return lambda _, column: B if changed and column >= changed else A


def scan_steps() -> str:
    canvas = Canvas(
        900,
        474,
        "Eight numbers become eight prefix sums in three steps. In each step a place adds the place 1, then 2, then 4 to its left.",
    )
    canvas.text(24, 34, "Each place adds the one that lies 1, then 2, then 4 to its left", size=17, bold=True)
    side, left, top, gap = 56, 60, 62, 112
    for number, row in enumerate(_steps(_NUMBERS)):
        y, step = top + number * gap, 1 << number
        changed = step // 2 if number else 0
        canvas.cells(
            left, y, 1, 8, side, _fills(changed),
            words=_words_of(row), size=17,
        )  # fmt: skip
        if number < 3:
            for place in range(8):
                middle = left + (place + 0.5) * side
                canvas.line(middle, y + side + 2, middle, y + gap - 3, SOFT, weight=1)
                if place + step < 8:
                    canvas.line(
                        middle, y + side + 2, middle + step * side - 6, y + gap - 3, EDGE[A], tip=True, weight=1.3
                    )
            canvas.text(560, y + side + 32, f"step {number + 1}: add the place {step} to the left", size=14)
    canvas.paragraph(
        560,
        182,
        "All threads read in a step before any of\nthem writes: a barrier between the two, and\nanother one before the next step.",
        size=14,
    )
    canvas.text(560, 62 + 3 * gap + 34, "place i holds the sum of the places 0 to i", size=14)
    return canvas.svg()


def three_kernels() -> str:
    canvas = Canvas(
        900,
        430,
        "Each of three blocks has the sum of its numbers. The sums are scanned, and each block adds what lies before it.",
    )
    canvas.text(24, 34, "Three blocks of three numbers each", size=17, bold=True)
    side, left, apart = 48, 60, 200
    sums = [sum(own) for own in _OWN]
    scanned = _scanned(sums)
    for block, own in enumerate(_OWN):
        x, before = left + block * apart, scanned[block - 1] if block else 0
        middle = 150 + (block + 0.5) * 64 + left
        canvas.text(x, 66, f"block {block}", size=13, fill=SOFT)
        canvas.cells(x, 74, 1, 3, side, lambda _, __: A, words=_words_of(own), size=16)
        canvas.line(x + 1.5 * side, 74 + side + 2, middle, 180, EDGE[A], tip=True)
        canvas.cells(
            middle - 32,
            184,
            1,
            1,
            64,
            lambda _, __: PALE[B],
            words=_words_of(sums[block:]),
            size=16,
        )
        canvas.cells(middle - 32, 262, 1, 1, 64, lambda _, __: B, words=_words_of(scanned[block:]), size=16)
        result = [before + value for value in _scanned(own)]
        canvas.cells(x, 362, 1, 3, side, lambda _, __: C, words=_words_of(result), size=16)
        if block:
            canvas.line(middle - 64, 328, x + 1.5 * side, 358, EDGE[B], tip=True)
    canvas.paragraph(650, 96, "1: each block has a sum", size=14)
    canvas.paragraph(650, 230, "2: the sums are scanned,\nin the same way", size=14)
    canvas.paragraph(
        650, 350, "3: each block scans its numbers\nand adds the scanned sum of\nthe block before it", size=14
    )
    canvas.line(640, 172, 880, 172, INK, weight=0.8, dashed=True)
    canvas.line(640, 326, 880, 326, INK, weight=0.8, dashed=True)
    return canvas.svg()
