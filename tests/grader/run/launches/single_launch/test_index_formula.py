"""The formula of a subscript, and threads told as boxes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from grader.run.launches.trace_phases import Index3, formula, ranges

BLOCK = [(x, y, z) for z, y, x in product(range(2), range(4), range(8))]


@pytest.mark.parametrize(
    ("subscript", "written"),
    [
        (lambda t: t[0], "x"),
        (lambda t: t[1] + 16, "y + 16"),
        (lambda t: 8 * t[1] + t[0], "8y + x"),
        (lambda t: 32 * t[2] + 8 * t[1] + t[0] - 1, "32z + 8y + x - 1"),
        (lambda t: 7 - t[0], "-x + 7"),
        (lambda t: 0 * t[0] + 5, "5"),
        (lambda t: 0 * t[0], "0"),
    ],
)
def test_the_formula_of_all_threads(subscript: Callable[[Index3], int], written: str) -> None:
    assert formula({thread: subscript(thread) for thread in BLOCK}) == written


@pytest.mark.parametrize(
    "subscript", [lambda t: t[0] // 2, lambda t: t[0] % 3, lambda t: t[0] * t[1], lambda t: t[0] == 7]
)
def test_no_formula_is_told_that_is_wrong_for_one_thread(subscript: Callable[[Index3], int]) -> None:
    assert formula({thread: subscript(thread) for thread in BLOCK}) is None


def test_threads_on_a_diagonal_have_no_formula_of_their_own() -> None:
    assert formula({(i, i, 0): i for i in range(4)}) is None


@pytest.mark.parametrize(
    ("threads", "boxes"),
    [
        (BLOCK, [((0, 0, 0), (7, 3, 0)), ((0, 0, 1), (7, 3, 1))]),
        (
            [(x, y, 0) for x, y in product(range(4), range(4)) if x > 1 or y > 1],
            [((2, 0, 0), (3, 1, 0)), ((0, 2, 0), (3, 3, 0))],
        ),
        ([(0, 0, 0), (2, 0, 0)], [((0, 0, 0), (0, 0, 0)), ((2, 0, 0), (2, 0, 0))]),
        ([(5, 0, 0), (5, 2, 0)], [((5, 0, 0), (5, 0, 0)), ((5, 2, 0), (5, 2, 0))]),
    ],
)
def test_threads_are_told_as_boxes(threads: list[Index3], boxes: list[tuple[Index3, Index3]]) -> None:
    assert ranges(threads) == boxes
    assert sum((hx - x + 1) * (hy - y + 1) for (x, y, _), (hx, hy, _) in ranges(threads)) == len(threads)
