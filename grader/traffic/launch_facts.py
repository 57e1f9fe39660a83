"""What the executor counted of a launch, for each block and each step along the sums: the facts that a prediction of its speed starts from.
Pure. What is not counted, registers and shared memory, is nvcc's where nvcc is there, and estimated elsewhere.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace

from grader.model.result import GpuKernel, Launch
from grader.traffic.metrics import LOAD, SECTORS_PER_PASS, STORE, shared_names
from grader.traffic.profile import MULTIPLY_ADD

LANES = 32
_FLOAT = 4  # bytes
# Registers of a thread: sums, operands and addresses. Through the rungs of the course's ladder (31 to 255 for 1 to 128 sums).
_REGISTERS, _REGISTERS_OF_A_SUM, _MOST_REGISTERS = 28, 1.5, 255
_PER_STEP = (
    "shared_reads", "shared_writes", "shared_passes", "load_requests", "load_passes", "copies", "phases",
)  # fmt: skip


@dataclass(frozen=True)
class Facts:
    """Counts are those of one block. `steps`: of the sums' length, as in the counted launch."""

    blocks: int
    threads: int
    elements: int  # of the result that one thread computes
    outputs: int  # elements of the result
    steps: int
    shared_reads: float  # instructions of warps, for each step
    shared_writes: float
    shared_passes: float
    conflicts: float  # the part of the passes that bank conflicts cost
    load_requests: float
    load_passes: float
    copies: float  # requests of asynchronous copies, counted among both kinds of instructions
    store_passes: float  # of global memory, not for each step: once
    phases: float  # from barrier to barrier, with reads of shared memory, for each step
    is_overlapped: bool  # whether most phases also fetch what a later one uses
    loaded_bytes: float  # by a lane with one load from global memory, on average
    read_bytes: float  # the same for shared memory
    slices: int  # blocks that share the sums of a piece of the result, in the counted launch
    registers: int
    shared_bytes: int  # of a block
    is_compiled: bool  # registers and shared memory are nvcc's
    cuts_sums: bool = False  # another launch, with longer sums, had several blocks for a piece

    @property
    def warps(self) -> int:
        return math.ceil(self.threads / LANES)

    @property
    def piece(self) -> int:
        """Elements of the result that a block computes."""
        return self.threads * self.elements

    @property
    def products(self) -> int:
        """Instructions of a block's warps that are products, for each step."""
        return math.ceil(self.piece / LANES)


def facts_of(launch: Launch, kernel: GpuKernel | None = None) -> Facts | None:
    """None for a launch whose traffic was not counted to its end, or whose work is no sums of products."""
    traffic, counters = launch.traffic, launch.counters
    outputs, elements = counters.get("output_elements", 0), counters.get("most_elements_of_a_thread", 0)
    if traffic is None or not traffic.complete or not (launch.grid and launch.block and outputs and elements):
        return None
    if traffic.work_unit != MULTIPLY_ADD or not traffic.work or traffic.work % outputs:
        return None
    steps = traffic.work // outputs
    blocks, threads = math.prod(launch.grid), math.prod(launch.block)
    slices = 1
    if counters.get("global_store_bytes", 0) > _FLOAT * outputs:  # sums that are only a part of an element
        slices = max(1, round(blocks * threads * elements / outputs))
    each = slices / (blocks * steps)
    counts = traffic.metrics
    read, written = shared_names("ld"), shared_names("st")
    reads, writes = counts.get(read.instructions, 0), counts.get(written.instructions, 0)
    passes = counts.get(read.wavefronts, 0) + counts.get(written.wavefronts, 0)
    loads, sectors = counts.get(LOAD.requests, 0), counts.get(LOAD.sectors, 0)
    phases = counters.get("reading_phases", 0) / math.ceil(threads / LANES)
    overlapped = 2 * counters.get("overlapped_phases", 0) >= max(1, counters.get("reading_phases", 0))
    shared = launch.shared_bytes
    if kernel is not None:
        shared += kernel.static_shared_bytes
    elif phases:
        tile = counters.get("shared_store_bytes", 0) / phases
        shared = max(shared, round((2 if overlapped else 1) * tile))
    return Facts(
        blocks=blocks,
        threads=threads,
        elements=elements,
        outputs=outputs,
        steps=steps,
        shared_reads=reads * each,
        shared_writes=writes * each,
        shared_passes=passes * each,
        conflicts=(counts.get(read.conflicts, 0) + counts.get(written.conflicts, 0)) / passes if passes else 0.0,
        load_requests=loads * each,
        load_passes=max(loads, sectors / SECTORS_PER_PASS) * each,
        copies=counters.get("copying_requests", 0) * each,
        store_passes=max(counts.get(STORE.requests, 0), counts.get(STORE.sectors, 0) / SECTORS_PER_PASS) / blocks,
        phases=phases * each,
        is_overlapped=overlapped,
        loaded_bytes=counters.get("global_load_bytes", 0) / (loads * LANES) if loads else 0.0,
        read_bytes=counters.get("shared_load_bytes", 0) / (reads * LANES) if reads else 0.0,
        slices=slices,
        registers=kernel.registers if kernel else estimated_registers(elements),
        shared_bytes=shared,
        is_compiled=kernel is not None,
    )


def steady(short: Facts, long: Facts) -> Facts:
    """Of two launches of different length along the sums: what each further step costs, without what happens once in a block."""
    extra = long.steps - short.steps
    if extra <= 0 or (short.blocks, short.threads) != (long.blocks, long.threads):
        return long
    rates = {
        name: max(0.0, (getattr(long, name) * long.steps - getattr(short, name) * short.steps) / extra)
        for name in _PER_STEP
    }
    return replace(long, **rates)


def cuts_sums(launch: Launch) -> bool:
    """Whether its blocks stored more elements than the result has: parts of sums, which others add up."""
    *sides, _ = [int(one) for one in re.findall(r"\d+", launch.shape)] or [0]
    return bool(sides) and launch.counters.get("global_store_bytes", 0) > _FLOAT * math.prod(sides)


def estimated_registers(elements: int) -> int:
    return min(_MOST_REGISTERS, round(_REGISTERS + _REGISTERS_OF_A_SUM * elements))
