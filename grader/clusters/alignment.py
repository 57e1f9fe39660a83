"""Which statement of the model solution plays the part of a statement of a submission. Pure.

Statements are compared by their shapes and kept in order. What is left over is then looked for elsewhere in the solution, because some
write the same things in another order. What resembles nothing there has no counterpart: it is better to say so than to guess.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from grader.clusters.statements import Statement

_ENOUGH = 0.55  # of 1: two statements that have less in common are not the same part
_ELSEWHERE = 0.75  # where the order does not speak for it
Shape = tuple[str, ...]


def counterparts(mine: Sequence[Statement], solution: Sequence[Statement]) -> Mapping[int, int]:
    """By number of a statement of `mine`, the number of the solution's."""
    found = dict(_in_order(mine, solution))
    for at, one in enumerate(mine):
        if at not in found and not one.is_barrier:
            likes = [_likeness(one.shape, other.shape) for other in solution]
            best = max(likes, default=0.0)
            if best >= _ELSEWHERE and likes.count(best) == 1:
                found[at] = likes.index(best)
    return found


def _in_order(mine: Sequence[Statement], solution: Sequence[Statement]) -> list[tuple[int, int]]:
    """The pairs with the largest sum of likenesses among all that cross no other."""
    columns = len(solution)
    gains = [[_gain(one.shape, other.shape) for other in solution] for one in mine]
    best = [[0.0] * (columns + 1) for _ in range(len(mine) + 1)]
    for row in range(len(mine) - 1, -1, -1):
        here, below, gain = best[row], best[row + 1], gains[row]
        for column in range(columns - 1, -1, -1):
            skipped = max(below[column], here[column + 1])
            paired = gain[column] + below[column + 1]
            here[column] = paired if gain[column] > 0 and paired > skipped else skipped
    pairs, row, column = [], 0, 0
    while row < len(mine) and column < columns:
        if best[row][column] == best[row + 1][column]:
            row += 1
        elif best[row][column] == best[row][column + 1]:
            column += 1
        else:
            pairs.append((row, column))
            row, column = row + 1, column + 1
    return pairs


def _gain(one: Shape, other: Shape) -> float:
    return max(0.0, _likeness(one, other) - _ENOUGH + 0.01)


@lru_cache(maxsize=1 << 17)
def _likeness(one: Shape, other: Shape) -> float:
    """Dice's coefficient of their tokens and pairs of neighbours: 1 for equal shapes, 0 for no token in common."""
    if one == other:
        return 1.0
    mine, theirs = _grams(one), _grams(other)
    common = sum(min(count, theirs[gram]) for gram, count in mine.items() if gram in theirs)
    return 2 * common / (sum(mine.values()) + sum(theirs.values()))


@lru_cache(maxsize=1 << 14)
def _grams(shape: Shape) -> Counter[tuple[str, ...]]:
    shape = shape[:200]
    return Counter([*((one,) for one in shape), *zip(("", *shape), (*shape, ""), strict=True)])
