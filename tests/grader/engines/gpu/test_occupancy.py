"""Occupancy by the rules of NVIDIA's calculator. The expected values were computed by hand from its published limits."""

from __future__ import annotations

import pytest

from grader.engines.occupancy import _LIMITS, occupancy, registers_that_fit


@pytest.mark.parametrize(
    ("capability", "threads", "registers", "shared", "blocks", "warps", "limited_by"),
    [
        (75, 256, 32, 2048, 4, 32, ("warps",)),
        (75, 1024, 64, 0, 1, 32, ("warps", "registers")),
        (80, 256, 32, 2048, 8, 64, ("warps", "registers")),
        (80, 256, 40, 2048, 6, 48, ("registers",)),
        (80, 32, 16, 0, 32, 32, ("blocks",)),
        (80, 256, 32, 48 << 10, 3, 24, ("shared memory",)),
        (86, 1024, 32, 0, 1, 32, ("warps",)),
        (89, 256, 32, 2048, 6, 48, ("warps",)),
        (90, 256, 64, 8192, 4, 32, ("registers",)),
        (90, 256, 32, 48 << 10, 4, 32, ("shared memory",)),
        (100, 1024, 32, 0, 2, 64, ("warps", "registers")),
        (120, 256, 40, 2048, 6, 48, ("warps", "registers")),
        (90, 1, 32, 0, 32, 32, ("blocks",)),  # one thread takes a whole warp
    ],
)
def test_a_multiprocessor_holds_what_the_calculator_says(
    capability: int, threads: int, registers: int, shared: int, blocks: int, warps: int, limited_by: tuple[str, ...]
) -> None:
    found = occupancy(capability, threads=threads, registers=registers, shared_bytes=shared)
    assert found is not None
    assert (found.blocks, found.warps, found.limited_by) == (blocks, warps, limited_by)


@pytest.mark.parametrize("capability", _LIMITS)
def test_more_of_anything_never_raises_occupancy(capability: int) -> None:
    for threads in (32, 96, 256, 512, 1024):
        before = 10**9
        for registers in range(8, 256, 8):
            found = occupancy(capability, threads=threads, registers=registers, shared_bytes=1024)
            assert found is not None
            assert found.warps <= min(before, found.max_warps)
            before = found.warps


def test_a_block_that_cannot_be_launched_has_no_warps() -> None:
    found = occupancy(90, threads=1024, registers=72, shared_bytes=0)
    assert found is not None
    assert (found.blocks, found.limited_by) == (0, ("registers",))


def test_an_unknown_gpu_has_no_occupancy() -> None:
    assert occupancy(999, threads=256, registers=32, shared_bytes=0) is None


@pytest.mark.parametrize(("threads", "most"), [(1024, 64), (768, 80), (512, 128), (576, 96), (256, 255), (32, 255)])
def test_registers_are_bounded_by_the_block(threads: int, most: int) -> None:
    assert registers_that_fit(threads) == most
    found = occupancy(90, threads=threads, registers=most, shared_bytes=0)
    assert found is not None
    assert found.blocks >= 1
