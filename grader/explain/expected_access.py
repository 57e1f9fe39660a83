"""Which thread of a block should have read or written an element that nobody did: by the formula of the block's other accesses. Pure.

Also threads that the block does not have are found: those are where another block would go on.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence, Set  # noqa: PYI025 -- any set
from dataclasses import dataclass

from grader.explain.story import line_of
from grader.run.launches.trace_phases import Index3, Trace, coefficients

_MOST_TIMES = 64  # that a thread does so in one line, of which each has a formula
_MOST_LINES = 8
_FEWEST = 2  # accesses that show a formula
Subscripts = tuple[int, int]


@dataclass(frozen=True)
class ExpectedAccess:
    """Where the formula of one line leads."""

    line: int
    thread: Index3  # may lie past the block's threads
    in_block: bool
    like: int  # the nearest access that follows the formula, by its place in the trace


@dataclass(frozen=True)
class Goal:
    """An element, by the row length of its array."""

    array: int
    flat: int
    columns: int

    def subscripts(self, flat: int) -> Subscripts:
        return flat // self.columns, flat % self.columns


def expected_access(trace: Trace, goal: Goal, kinds: Set[int], block: Index3, file: str) -> ExpectedAccess | None:
    """By the first line whose formula leads to a thread of the block; else by the first that each thread does once and that leads to a
    thread past it.
    """
    accesses = _accesses(trace, goal, kinds, block, file)
    again = {line for line, times in accesses if times}  # where a thread goes on, another block need not
    past = None
    for (line, _), of_threads in sorted(accesses.items())[: _MOST_LINES * _MOST_TIMES]:
        found = _solved(trace, goal, of_threads, block)
        if found is None:
            continue
        inside = all(0 <= one < extent for one, extent in zip(found, block, strict=True))
        if inside and found in of_threads:
            continue  # it did something else there, which is another mistake
        expected = ExpectedAccess(line, found, inside, _nearest(of_threads, found))
        if inside:
            return expected
        if line not in again:
            past = past or expected
    return past


def _accesses(
    trace: Trace, goal: Goal, kinds: Set[int], block: Index3, file: str
) -> dict[tuple[int, int], dict[Index3, int]]:
    """By line, and how often the thread had been there: where in the trace each thread does it."""
    found: dict[tuple[int, int], dict[Index3, int]] = defaultdict(dict)
    times: Counter[tuple[int, int]] = Counter()
    for at, step in enumerate(trace.steps):
        line = line_of(trace, step, file)
        if step[0] not in kinds or step[3] != goal.array or line == 0:
            continue
        key = line, step[1]
        if times[key] < _MOST_TIMES:
            found[line, times[key]][thread_index(step[1], block)] = at
        times[key] += 1
    return found


def _solved(trace: Trace, goal: Goal, of_threads: dict[Index3, int], block: Index3) -> Index3 | None:
    if len(of_threads) < _FEWEST:
        return None
    places = {thread: goal.subscripts(_flat(trace, at)) for thread, at in of_threads.items()}
    formulas = [coefficients({thread: one[axis] for thread, one in places.items()}) for axis in range(2)]
    wanted = goal.subscripts(goal.flat)
    thread: list[int | None] = [None, None, None]
    for formula, value in zip(formulas, wanted, strict=True):
        if formula is None:
            return None
        constant, factors = formula
        moving = [axis for axis in range(3) if factors[axis]]
        if not moving and constant != value:
            return None
        if len(moving) > 1:
            return thread_at(formulas, wanted, block)
        for axis in moving:
            there, rest = divmod(value - constant, factors[axis])
            if rest or thread[axis] not in {None, there}:
                return None
            thread[axis] = there
    x, y, z = (one if one is not None else 0 for one in thread)
    return x, y, z


def thread_at(formulas: Sequence[tuple[int, Index3] | None], wanted: Sequence[int], block: Index3) -> Index3 | None:
    """The block's own thread for which the formulas of all subscripts give these."""
    for number in range(block[0] * block[1] * block[2]):
        thread = thread_index(number, block)
        if all(
            one is not None and one[0] + sum(a * b for a, b in zip(one[1], thread, strict=True)) == value
            for one, value in zip(formulas, wanted, strict=True)
        ):
            return thread
    return None


def _nearest(of_threads: dict[Index3, int], thread: Index3) -> int:
    near = min(of_threads, key=lambda one: (sum(abs(a - b) for a, b in zip(one, thread, strict=True)), one))
    return of_threads[near]


def _flat(trace: Trace, at: int) -> int:
    step = trace.steps[at]
    return step[4] // step[5] if step[5] else 0


def thread_index(thread: int, block: Index3) -> Index3:
    return thread % block[0], thread // block[0] % block[1], thread // block[0] // block[1]


def past_block(expected: ExpectedAccess, at: Index3, block: Index3, grid: Index3) -> str:
    """The thread as one of another block, if blocks go on where the block `at` ends; and whether the grid has that block."""
    there = tuple(a + b // extent for a, b, extent in zip(at, expected.thread, block, strict=True))
    if any(one < 0 for one in there):
        return f"thread ({expected.thread[0]},{expected.thread[1]}), which no block has"
    within = tuple(b % extent for b, extent in zip(expected.thread, block, strict=True))
    thread = f"thread ({within[0]},{within[1]})"
    if any(one < 0 or one >= extent for one, extent in zip(there, grid, strict=True)):
        extent = " x ".join(map(str, grid[: 3 if grid[2] > 1 else 2]))
        return f"{thread} of block {block_name(there)}, which this grid of {extent} blocks does not have"
    return f"{thread} of block {block_name(there)}"


def block_name(block: Sequence[int]) -> str:
    return "(" + ",".join(map(str, block[: 3 if block[2] else 2])) + ")"
