"""How much of a GPU's memory a program takes whatever it computes: its variables, and the local memory of all threads that the GPU
runs at once, which the driver sets aside for a kernel's first launch.

One submission that takes most of it would leave none for what runs beside it.
"""

from __future__ import annotations

from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from grader.engines.gpu.occupancy import resident_threads
from grader.model.outcomes.gpu_reports import KernelResources

_SHARE = 0.5  # of a GPU's memory that one submission may take in this way


def variable_bytes(cubin: Path) -> int:
    """Of all `__device__` variables in the cubin. 0 where it cannot be read."""
    try:
        with cubin.open("rb") as file:
            sections = ELFFile(file).iter_sections()
            return sum(int(one["sh_size"]) for one in sections if one.name.startswith(".nv.global"))
    except (ELFError, KeyError, ValueError, OSError):
        return 0


def too_much_memory(
    variables: int, resources: KernelResources | None, capability: int, multiprocessors: int, memory_bytes: int
) -> str:
    """Why a GPU does not run the program; empty: it does. `capability`: 90 for 9.0."""
    stack = resources.stack_bytes if resources else 0
    local = stack * resident_threads(capability) * multiprocessors
    if local + variables <= _SHARE * memory_bytes:
        return ""
    share = f"{(local + variables) / (1 << 30):.1f} GiB, more than half of the GPU's memory"
    if local > variables:
        return f"a thread has {stack:,} bytes of local memory; for all threads that the GPU runs at once, these are {share}"
    return f"the file's __device__ variables take {share}"
