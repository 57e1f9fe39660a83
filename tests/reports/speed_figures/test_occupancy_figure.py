"""The picture of occupancy: what blocks take of a multiprocessor, and what leaves no room for another one."""

from __future__ import annotations

import pytest

from grader.engines.occupancy import _LIMITS, occupancy, resources
from grader.model.result import GpuKernel
from grader.pages.page_section import Shown
from grader.pages.speed.speed_figure import occupancy_figure

KERNEL = GpuKernel(
    compiler="nvcc 13.0", architecture="sm_90", registers=40, static_shared_bytes=2048, stack_bytes=0, spill_store_bytes=0,
    spill_load_bytes=0, block_threads=256,
)  # fmt: skip


def drawn(**changes: object) -> Shown:
    figure = occupancy_figure(KERNEL.model_copy(update=changes))
    assert figure is not None
    return figure


def test_each_resource_says_how_much_is_in_use_and_for_how_many_blocks_there_is_room() -> None:
    figure = drawn()
    assert figure.blocks == "6 blocks at once"
    assert [(row.name, row.used, row.room) for row in figure.rows] == [
        ("Warps", "48 of 64 warps", "room for 8 blocks"),
        ("Blocks", "6 of 32 blocks", "room for 32 blocks"),
        ("Registers", "61,440 of 65,536 registers", "room for 6 blocks: this is the limit"),
        ("Shared memory", "18,432 of 233,472 bytes of shared memory", "room for 76 blocks"),
    ]


@pytest.mark.parametrize(
    ("changes", "limit"),
    [
        ({"registers": 32}, ["Warps", "Registers"]),
        ({"registers": 16, "block_threads": 32}, ["Blocks"]),
        ({"static_shared_bytes": 40_000}, ["Shared memory"]),
        ({"dynamic_shared_bytes": 100_000}, ["Shared memory"]),
    ],
)
def test_what_leaves_no_room_for_another_block_is_marked(changes: dict[str, int], limit: list[str]) -> None:
    rows = drawn(**changes).rows
    assert [row.name for row in rows if row.limits] == limit
    assert all(row.width >= 0 and row.width + row.next_width <= 100.1 for row in rows)


@pytest.mark.parametrize("changes", [{"architecture": "sm_1"}, {"architecture": "?"}, {"block_threads": 0}])
def test_nothing_is_drawn_where_it_is_not_known(changes: dict[str, object]) -> None:
    assert occupancy_figure(KERNEL.model_copy(update=changes)) is None


def test_a_block_that_does_not_fit_is_not_drawn() -> None:
    assert occupancy_figure(KERNEL.model_copy(update={"dynamic_shared_bytes": 300_000})) is None


def test_the_picture_and_the_number_of_warps_follow_from_the_same_limits() -> None:
    for capability in _LIMITS:
        for threads, registers, shared in ((32, 255, 0), (256, 40, 2048), (1024, 64, 49_152)):
            found = occupancy(capability, threads=threads, registers=registers, shared_bytes=shared)
            parts = resources(capability, threads=threads, registers=registers, shared_bytes=shared)
            assert found is not None
            assert found.blocks == min(one.blocks for one in parts)
            assert all(found.blocks * one.of_block <= one.available for one in parts)
