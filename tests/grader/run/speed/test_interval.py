"""The interval of a median ratio: compared with simulated bootstraps, under swapping and scaling, and what it refuses."""

from __future__ import annotations

import math
import random
import statistics

import pytest

from grader.run.speed.speed_score import ratio_interval


def noisy(draw: random.Random, count: int, middle: float = 1.0) -> list[float]:
    return [middle * math.exp(draw.gauss(0, 0.03)) for _ in range(count)]


def test_its_middle_is_the_median_of_the_paired_ratios() -> None:
    draw = random.Random(1)
    over, under = noisy(draw, 31, 300.0), noisy(draw, 31, 200.0)
    assert ratio_interval(over, under).middle == pytest.approx(
        statistics.median(one / other for one, other in zip(over, under, strict=True))
    )


@pytest.mark.parametrize("count", [31, 61])
def test_it_agrees_with_a_bootstrap_that_draws(count: int) -> None:
    draw = random.Random(2)
    over, under = noisy(draw, count), noisy(draw, count)
    logs = [math.log(one / other) for one, other in zip(over, under, strict=True)]
    drawn = sorted(statistics.median(draw.choices(logs, k=count)) for _ in range(4000))
    ends = math.exp(drawn[100]), math.exp(drawn[-101])
    found, ordered = ratio_interval(over, under), sorted(logs)
    # Simulated medians are sample values. The computed end of the interval is at most one such value away.
    for exact, simulated in zip((found.low, found.high), ends, strict=True):
        place = ordered.index(math.log(simulated))
        near = ordered[max(place - 1, 0)], ordered[min(place + 1, count - 1)]
        assert near[0] <= math.log(exact) <= near[1]


def test_swapping_the_two_gives_the_reciprocal() -> None:
    draw = random.Random(3)
    over, under = noisy(draw, 31), noisy(draw, 31)
    one, other = ratio_interval(over, under), ratio_interval(under, over)
    assert (one.low, one.middle, one.high) == pytest.approx((1 / other.high, 1 / other.middle, 1 / other.low))


def test_more_confidence_is_a_wider_interval() -> None:
    draw = random.Random(4)
    over, under = noisy(draw, 31), noisy(draw, 31)
    narrow, wide = ratio_interval(over, under, 0.8), ratio_interval(over, under, 0.99)
    assert wide.low < narrow.low <= narrow.middle <= narrow.high < wide.high


def test_one_pair_in_ten_gone_astray_hardly_moves_it() -> None:
    draw = random.Random(5)
    over, under = noisy(draw, 31), noisy(draw, 31)
    before = ratio_interval(over, under)
    after = ratio_interval([100.0, 100.0, 100.0, *over[3:]], under)
    assert after.middle == pytest.approx(before.middle, rel=0.02)
    assert after.high < 1.1 * before.high


def test_a_single_pair_says_no_more_than_itself() -> None:
    found = ratio_interval([3.0], [2.0])
    assert (found.low, found.middle, found.high) == pytest.approx((1.5, 1.5, 1.5))


@pytest.mark.parametrize("over", [[1.0, 2.0], [1.0], [1.0, 0.0, 1.0], [1.0, math.nan, 1.0], [1.0, math.inf, 1.0]])
def test_it_refuses_what_are_no_pairs_of_times(over: list[float]) -> None:
    with pytest.raises(ValueError, match="time"):
        ratio_interval(over, [1.0, 1.0, 1.0])
