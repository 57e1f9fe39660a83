"""Places by intervals: ties, chains of overlaps, and kernels whose times vary."""

from __future__ import annotations

import random

from grader.model.result import Ratio
from grader.plugins.leaderboard.board import ranks


def speed(low: float, high: float) -> Ratio:
    return Ratio(low=low, middle=(low + high) / 2, high=high)


def test_kernels_whose_intervals_overlap_share_a_rank() -> None:
    assert ranks([speed(2.00, 2.04), speed(1.50, 1.52), speed(2.03, 2.06), speed(1.0, 1.0)]) == [1, 3, 1, 4]
    assert ranks([speed(1, 1), speed(1, 1)]) == [1, 1]
    assert ranks([]) == []


def test_the_last_of_a_chain_of_overlaps_is_not_as_good_as_the_first() -> None:
    assert ranks([speed(2.00, 2.04), speed(1.98, 2.01), speed(1.96, 1.99)]) == [1, 1, 2]


def test_a_kernel_whose_times_vary_does_not_get_into_a_place_at_the_top() -> None:
    assert ranks([speed(2.00, 2.04), speed(1.0, 3.5), speed(1.50, 1.51)]) == [1, 3, 2]


def test_kernels_that_differ_by_less_than_gradings_repeat_share_a_rank() -> None:
    assert ranks([speed(1.4945, 1.4950), speed(1.4905, 1.4910)]) == [1, 1]
    assert ranks([speed(1.4945, 1.4950), speed(1.4855, 1.4860)]) == [1, 2]


def test_no_rank_depends_on_the_order() -> None:
    draw = random.Random(5)
    speeds = [speed(low, low * 1.02) for low in (draw.uniform(1, 2) for _ in range(60))]
    found = dict(zip([one.low for one in speeds], ranks(speeds), strict=True))
    shuffled = draw.sample(speeds, len(speeds))
    assert ranks(shuffled) == [found[one.low] for one in shuffled]
    assert min(found.values()) == 1
