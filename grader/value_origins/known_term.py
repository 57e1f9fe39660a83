"""A number of a run, and which elements of the inputs were added up to it. Pure.

Registers are not recorded. What a thread stores or gives away is held against the sums of what it has read before; where two different
sums fit, or none, nothing is known.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

Origin = tuple[str, int]  # an input, and the flat index of its element
_EXACT = float(1 << 24)  # whole numbers below are exact in fp32


@dataclass(frozen=True, eq=False)
class Term:
    """`parts`: what was added up in the step `at` of the trace; none for an element of an input, or a plain number."""

    value: float
    counts: Counter[Origin]  # how often each element is in it; elements that are 0 are left out: nobody can tell
    size: float  # of all that was added, without signs
    at: int
    parts: tuple[Term, ...] = field(default=(), repr=False)


def plain(value: float, at: int) -> Term:
    return Term(value, Counter(), abs(value), at)


def element(value: float, origin: Origin, at: int) -> Term:
    return Term(value, Counter({origin: 1} if value else {}), abs(value), at)


def total(terms: Sequence[Term], at: int) -> Term:
    counts: Counter[Origin] = Counter()
    for one in terms:
        counts.update(one.counts)
    return Term(math.fsum(one.value for one in terms), counts, math.fsum(one.size for one in terms), at, tuple(terms))


def explained(
    value: float,
    terms: Sequence[Term | None],
    at: int,
    before: Term | None = None,
    *,
    older: Sequence[Term | None] = (),
) -> Term | None:
    """Of which of the thread's terms, in the order in which it got them, `value` is the sum. `before`: what it was added to. `older`: what
    the thread had before it stored or gave something, of which a register may have kept one.
    """
    if not math.isfinite(value):
        return None
    sums = list(_matching(value, terms, before))
    sums = sums or [found for one in older for found in _matching(value, [one], before) if found]
    found: list[Term] = []
    for chosen in sums:
        one = total((*((before,) if before is not None else ()), *chosen), at)
        if found and found[0].counts != one.counts:
            return None
        found.append(one)
    if not found and before is None and not any(one is None or one.counts for one in (*terms, *older)):
        return plain(value, at)  # a number of the kernel's own
    return found[0] if found else None


def _matching(value: float, terms: Sequence[Term | None], before: Term | None) -> Iterator[tuple[Term, ...]]:
    known = [one if one is not None else plain(math.nan, 0) for one in terms]
    sums = list(accumulate((one.value for one in known), initial=0.0))
    back = list(accumulate((one.value for one in reversed(known)), initial=0.0))
    sizes = list(accumulate((one.size for one in known), initial=0.0))
    base = before.value if before is not None else 0.0
    extra = before.size if before is not None else 0.0
    end = len(known)
    whole = (
        value.is_integer()
        and base.is_integer()
        and all(one.value.is_integer() for one in known if one.value == one.value)
    )
    ranges = dict.fromkeys(
        [
            *((start, end, back[end - start]) for start in range(end)),
            *((0, stop, sums[stop]) for stop in range(end - 1, 0, -1)),
            *((one, one + 1, known[one].value) for one in range(end)),
            (0, 0, 0.0),
        ]
    )
    for start, stop, found in ranges:
        if math.isnan(found):
            continue
        size = (
            extra + max(0.0, sizes[stop] - sizes[start])
            if not math.isnan(sizes[stop])
            else extra + _size(known[start:stop])
        )
        bound = 0.0 if whole and size < _EXACT else 4 * math.sqrt(stop - start + 1) * 2**-24 * size
        if abs(value - base - found) <= bound:
            yield tuple(known[start:stop])


def _size(terms: Sequence[Term]) -> float:
    return math.fsum(one.size for one in terms)
