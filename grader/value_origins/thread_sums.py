"""Which products belong to one of the sums that a thread has, where it computes several elements of a product of matrices. The values of a
register are not recorded: what it stores in the end tells which of the possible sums it is. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.single_launch.trace_steps import CHANGES, Trace
from grader.value_origins.product_reads import Group, Product, agrees

Element = tuple[int, int]
_DEEPEST = 1024  # products of a sum that is followed
_MOST_SUMS = 256  # of a thread
_MOST_WORK = 2_000_000  # additions to look for the part of a sum that was stored


@dataclass(frozen=True)
class ThreadSum:
    products: tuple[Product, ...]
    kept: tuple[Product, ...] | None  # of which the stored value is the sum; None: of none of its beginnings and ends


def stored_elements(trace: Trace, thread: int, output: str) -> list[Element]:
    """Of the result, that the thread stores, in the order of its stores."""
    found: dict[Element, None] = {}
    for step in trace.steps:
        if step[0] in CHANGES and step[1] == thread and trace.arrays[step[3]].name == output:
            index = trace.arrays[step[3]].index(step[4], step[5])
            if len(index) == 2:  # noqa: PLR2004 -- rows and columns
                found[index[0], index[1]] = None
    return list(found)


def sum_in(
    groups: Sequence[Group], element: Element, elements: Sequence[Element], stored: float, depth: int
) -> ThreadSum | None:
    """The sum for `element` among those that the groups allow: one whose whole value is stored, then one of which a part is; of several,
    one with the most products of this element. None where the groups show no sums.
    """
    sums = list(_sums(groups, element, elements))
    if not sums:
        return None
    wanted = {((element[0], k), (k, element[1])) for k in range(depth)}

    def belonging(products: Sequence[Product]) -> int:
        return sum(one.indices in wanted for one in products)

    whole = [one for one in sums if math.isfinite(stored) and agrees(stored, one)]
    if whole:
        best = max(whole, key=belonging)
        return ThreadSum(best, best)
    likely = sorted(sums, key=belonging, reverse=True)[: max(1, _MOST_WORK // max(map(len, sums)) ** 2)]
    parts = [(one, kept) for one in likely if (kept := _kept(stored, one)) is not None]
    if parts:
        products, kept = max(parts, key=lambda part: (belonging(part[1]), len(part[1])))
        return ThreadSum(products, kept)
    return ThreadSum(max(sums, key=belonging), None)


def _sums(groups: Sequence[Group], element: Element, elements: Sequence[Element]) -> Iterator[tuple[Product, ...]]:
    shapes = {one.shape for one in groups}
    if len(shapes) != 1 or len(elements) > _MOST_SUMS:
        return
    ((rows, columns),) = shapes
    if rows * columns > 1:
        if rows * columns <= _MOST_SUMS:
            for row in range(rows):
                for column in range(columns):
                    yield tuple(one.product(row, column) for one in groups)
        return
    products = tuple(one.product(0, 0) for one in groups)
    count, at = len(elements), elements.index(element) if element in elements else 0
    yield products
    if count > 1 and len(products) % count == 0:
        size = len(products) // count
        yield products[at * size : (at + 1) * size]  # one sum after the other
        for start in range(count):  # in turns
            yield products[start::count]


def _kept(stored: float, products: tuple[Product, ...]) -> tuple[Product, ...] | None:
    """All of them, or those since some moment, or those up to one: of whichever the stored value is the sum."""
    if not math.isfinite(stored) or len(products) > _DEEPEST:
        return None
    ends = [
        products,
        *(products[at:] for at in range(1, len(products))),
        *(products[:at] for at in range(1, len(products))),
    ]
    return next((one for one in ends if agrees(stored, one)), None)
