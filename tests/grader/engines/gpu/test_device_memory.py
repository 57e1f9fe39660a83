"""What a program takes of a GPU's memory before it computes anything."""

from __future__ import annotations

from grader.engines.gpu_build import too_much_memory
from grader.model.outcome import KernelResources

GIB = 1 << 30


def resources(stack_bytes: int) -> KernelResources:
    return KernelResources(
        registers=32, static_shared_bytes=0, stack_bytes=stack_bytes, spill_store_bytes=0, spill_load_bytes=0
    )


def test_a_kernel_whose_threads_take_most_of_a_gpu_is_not_run() -> None:
    # 240,000 bytes for each of 1,536 threads on 82 multiprocessors: 28 GiB of a card with 24
    said = too_much_memory(0, resources(240_000), 86, 82, 24 * GIB)
    assert "240,000 bytes of local memory" in said
    assert "28.2 GiB" in said
    assert not too_much_memory(0, resources(1_024), 86, 82, 24 * GIB)
    assert not too_much_memory(0, None, 86, 82, 24 * GIB)


def test_so_is_a_file_with_very_large_variables() -> None:
    assert "__device__ variables take 13.0 GiB" in too_much_memory(13 * GIB, resources(0), 90, 132, 24 * GIB)
    assert not too_much_memory(GIB, resources(0), 90, 132, 24 * GIB)


def test_of_a_gpu_that_is_not_known_the_most_is_assumed() -> None:
    assert too_much_memory(0, resources(90_000), 990, 82, 24 * GIB)
