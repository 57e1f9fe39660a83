"""Places by intervals. Pure.

An entry's rank is 1 and the number of entries whose interval lies wholly above its own. So entries whose intervals overlap never
push each other down, and a long chain of overlaps does not make the last as good as the first: a shared rank says "not shown to be
slower than anybody in front of this place".

An interval says how well one grading knows a speed. Another grading of the same file may differ by more than that, so no interval
counts as narrower than gradings repeat.
"""

from __future__ import annotations

from collections.abc import Sequence

from grader.model.result import Ratio
from grader.speed.paired_times import WIDEST

# Ten gradings of one file differed by 0.3 to 0.5 % of its speed (tests/gpu). Speeds of two files that differ by less are not told apart.
REPEATS = 0.005


def ranks(speeds: Sequence[Ratio]) -> list[int]:
    """The rank of each, in their order."""
    counted = [counted_as(one) for one in speeds]
    return [1 + sum(other.low > one.high for other in counted) for one in counted]


def counted_as(speed: Ratio) -> Ratio:
    """A kernel that takes now more, now less time has a wide interval. That must not lift it into a shared place at the top: it counts
    as slow as it may be.
    """
    if (speed.high - speed.low) / 2 <= WIDEST * speed.middle:
        least = REPEATS / 2 * speed.middle
        return Ratio(
            low=min(speed.low, speed.middle - least), middle=speed.middle, high=max(speed.high, speed.middle + least)
        )
    return Ratio(low=speed.low, middle=speed.low, high=speed.low)
