"""Sectors and passes of one request, by the rules of kit/executor/observers/request_counter.hpp."""

from __future__ import annotations

from grader.explain.story import WarpCost
from grader.explain.warp_steps import global_cost, shared_cost


def test_neighbouring_floats_of_a_warp_lie_in_four_sectors() -> None:
    assert global_cost([4 * lane for lane in range(32)], 4) == WarpCost(4, 4)


def test_a_float_of_each_row_needs_a_sector_for_each_lane() -> None:
    assert global_cost([256 * lane for lane in range(32)], 4) == WarpCost(32, 4)


def test_a_row_that_begins_inside_a_sector_needs_one_more() -> None:
    assert global_cost([16 + 4 * lane for lane in range(32)], 4) == WarpCost(5, 4)


def test_one_element_for_all_lanes_is_one_sector_and_one_pass() -> None:
    assert global_cost([64] * 32, 4) == WarpCost(1, 1)
    assert shared_cost(dict.fromkeys(range(32), 64), 4, reads=True) == WarpCost(1, 1)


def test_a_column_of_a_tile_32_wide_takes_a_pass_for_each_lane_and_padding_takes_one() -> None:
    assert shared_cost({lane: 128 * lane for lane in range(32)}, 4, reads=True) == WarpCost(32, 1)
    assert shared_cost({lane: 132 * lane for lane in range(32)}, 4, reads=True) == WarpCost(1, 1)


def test_a_column_of_a_tile_16_wide_is_a_conflict_of_two() -> None:
    assert shared_cost({lane: 64 * (lane % 16) for lane in range(32)}, 4, reads=True) == WarpCost(8, 1)


def test_accesses_of_16_bytes_are_served_by_quarters_of_a_warp() -> None:
    assert shared_cost({lane: 16 * lane for lane in range(32)}, 16, reads=False) == WarpCost(4, 4)


def test_loads_of_8_bytes_by_pairs_of_lanes_are_served_at_once() -> None:
    pairs = {lane: 8 * (lane // 2) for lane in range(32)}
    assert shared_cost(pairs, 8, reads=True) == WarpCost(1, 1)
    assert shared_cost(pairs, 8, reads=False) == WarpCost(2, 2)
