"""How long a launch probably takes on a GPU, predicted from what the executor counted. Pure. It is no measurement, and labelled so.

Each part of a multiprocessor has its term, for the multiprocessor with the most blocks (a GPU is done when its last one is):

- arithmetic: products by the lanes for them (Williams, Waterman and Patterson, "Roofline", 2009);
- instructions: all that the four schedulers have to issue, one each in a clock (Ding and Williams, "Instruction Roofline", 2019);
- shared memory and L1: passes of the load/store unit, one in a clock (the same);
- device memory: every operand once (Roofline);
- waiting: for each phase between barriers, the way of a tile from global memory into shared memory, if nothing is computed
  meanwhile, and a barrier. What other blocks on the same multiprocessor compute hides it (Volkov, "Understanding Latency Hiding on
  GPUs", 2016), so it takes occupancy, and more blocks than multiprocessors.

The parts work at the same time, but two that are nearly full disturb each other: the sum is that of the third powers. What cannot be
hidden is added. The exponent, the waits, how much is hidden and the instructions around an access were fitted to the eleven kernels of
the course's ladder on an H200, and to no others. Left out: L2, what nvcc merges, hoists or adds, conflicts of register banks, clocks
below boost.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from grader.engines.occupancy import occupancy
from grader.model.errors import RemediableError
from grader.model.result import GpuKernel, Launch, Traffic
from grader.run.scoring.metrics import LOAD, MULTIPLY_ADD, SECTORS_PER_PASS, STORE, l1_bytes, passes

# The GPUs that the performance model knows, read from gpus.toml in this folder. The figures are the vendor's; none was measured.


class Gpu(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    name: str
    capability: int  # 90 for 9.0
    multiprocessors: int = Field(gt=0)
    fp32_lanes: int = Field(gt=0)  # per multiprocessor
    clock_ghz: float = Field(gt=0)
    memory_gbytes: float = Field(gt=0)  # per second
    l2_bytes: int | None = Field(default=None, gt=0)  # per clock
    source: str


@cache
def gpus() -> dict[str, Gpu]:
    table = tomllib.loads(Path(__file__).with_name("gpus.toml").read_text(encoding="utf-8"))
    return {key: Gpu.model_validate(values) for key, values in table.items()}


def gpu_named(key: str) -> Gpu:
    """Raises RemediableError, which names the GPUs there are."""
    for known, gpu in gpus().items():
        if known.casefold() == key.replace(" ", "").casefold():
            return gpu
    raise RemediableError(f"no figures are known for a GPU {key!r}; there are some for {', '.join(gpus())}")


# What the executor counted of a launch, for each block and each step along the sums: the facts that a prediction of its speed starts from.
# Pure. What is not counted, registers and shared memory, is nvcc's where nvcc is there, and estimated elsewhere.

LANES = 32
_FLOAT = 4  # bytes
# Registers of a thread: sums, operands and addresses. Through the rungs of the course's ladder (31 to 255 for 1 to 128 sums).
_REGISTERS, _REGISTERS_OF_A_SUM, _MOST_REGISTERS = 28, 1.5, 255


@dataclass(frozen=True)
class Facts:
    """Counts are those of one block. `steps`: of the sums' length, as in the counted launch."""

    blocks: int
    threads: int
    elements: int  # of the result that one thread computes
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
    reads, writes = counts.get(LOAD.instructions, 0), counts.get(STORE.instructions, 0)
    passes = counts.get(LOAD.wavefronts, 0) + counts.get(STORE.wavefronts, 0)
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
        steps=steps,
        shared_reads=reads * each,
        shared_writes=writes * each,
        shared_passes=passes * each,
        conflicts=(counts.get(LOAD.conflicts, 0) + counts.get(STORE.conflicts, 0)) / passes if passes else 0.0,
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


def cuts_sums(launch: Launch) -> bool:
    """Whether its blocks stored more elements than the result has: parts of sums, which others add up."""
    *sides, _ = [int(one) for one in re.findall(r"\d+", launch.shape)] or [0]
    return bool(sides) and launch.counters.get("global_store_bytes", 0) > _FLOAT * math.prod(sides)


def estimated_registers(elements: int) -> int:
    return min(_MOST_REGISTERS, round(_REGISTERS + _REGISTERS_OF_A_SUM * elements))


ARITHMETIC, INSTRUCTIONS, SHARED, GLOBAL, MEMORY, WAITING = (
    "arithmetic", "instructions", "shared memory", "loads from global memory", "device memory", "waiting",
)  # fmt: skip
_SCHEDULERS = 4  # of a multiprocessor, since compute capability 7.0
_EXPONENT = 3
_TRIP, _BARRIER, _LOAD = 1300, 130, 40  # clocks: a tile's way, a barrier and a phase's ends, a load that L1 answers
_HIDES = 0.85  # of the time in which another block computes
_AROUND_SHARED, _AROUND_GLOBAL = 0.3, 1.0  # instructions for addresses and limits, for each access


@dataclass(frozen=True)
class Term:
    name: str
    seconds: float
    at_most: float | None = None  # the upper bound, where only a range is known


@dataclass(frozen=True)
class _Modelled:
    gpu: Gpu
    terms: tuple[Term, ...]  # the longest first
    flops: float  # per second; 0: the problem has no arithmetic

    @property
    def binding(self) -> Term:
        return self.terms[0]


@dataclass(frozen=True)
class Prediction(_Modelled):
    seconds: float
    passes: float  # FLOP for each pass of the load/store unit
    idle: float  # the part of the multiprocessors' time for which there are too few blocks


def predicted(facts: Facts, gpu: Gpu, outputs: int, steps: int) -> Prediction | None:
    """At a size with `outputs` elements of the result, each a sum of `steps` products. None where no block fits a multiprocessor."""
    held = occupancy(gpu.capability, threads=facts.threads, registers=facts.registers, shared_bytes=facts.shared_bytes)
    if held is None or not held.blocks:
        return None
    blocks = math.ceil(outputs / facts.piece) * facts.slices
    length = steps / facts.slices
    most = math.ceil(blocks / gpu.multiprocessors)  # blocks of the multiprocessor that is last
    resident = min(held.blocks, most)
    accesses, loads = facts.shared_reads + facts.shared_writes - facts.copies, facts.load_requests
    instructions, around = accesses + loads, _AROUND_SHARED * accesses + _AROUND_GLOBAL * loads
    of_block = {
        ARITHMETIC: length * facts.piece / gpu.fp32_lanes,
        INSTRUCTIONS: length * (facts.products + instructions + around) / _SCHEDULERS,
        SHARED: length * facts.shared_passes,
        GLOBAL: length * facts.load_passes + facts.store_passes,
    }
    # Shared memory and L1 are one unit.
    parts = (of_block[ARITHMETIC], of_block[INSTRUCTIONS], of_block[SHARED] + of_block[GLOBAL])
    busy = float(sum(one**_EXPONENT for one in parts) ** (1 / _EXPONENT))
    of_phase = _BARRIER + (0 if facts.is_overlapped else _TRIP)
    wait = length * facts.phases * of_phase if facts.phases else length * _LOAD
    waiting = most / resident * max(0.0, wait - _HIDES * (resident - 1) * busy)
    clock = gpu.clock_ghz * 1e9
    least = _FLOAT * (outputs + 2 * math.sqrt(outputs) * steps) / (gpu.memory_gbytes * 1e9)
    seconds = max(least, (most * busy + waiting) / clock)
    terms = [Term(name, most * clocks / clock) for name, clocks in of_block.items()]
    terms += [Term(WAITING, waiting / clock), Term(MEMORY, least)]
    work = 2 * outputs * steps
    return Prediction(
        gpu=gpu,
        terms=tuple(sorted(terms, key=lambda term: -term.seconds)),
        seconds=seconds,
        flops=work / seconds,
        passes=work / (blocks * (of_block[SHARED] + of_block[GLOBAL])),
        idle=1 - blocks / (most * gpu.multiprocessors),
    )


# The least time that a launch takes on a GPU, modelled from its counted traffic. Pure. It is no measurement, and labelled so.
#
# It follows the Instruction Roofline (Ding and Williams 2019). For each part of the machine it computes the time at the part's peak
# rate, and the longest of these times is the result. The parts are: arithmetic (the problem's own multiply-adds), passes of the
# load/store units, device memory (compulsory bytes), and L2. The traffic of L2 is between the compulsory bytes and all sectors that
# pass L1. The cache L1 is not simulated, so the result uses the lower bound, and the upper bound is shown. The model leaves out other
# instructions, latency, occupancy, launch overhead and merged accesses.


@dataclass(frozen=True)
class ModelledTime(_Modelled):
    bytes_: float  # compulsory bytes per second
    shape: str = ""  # of the launch that is modelled
    explanation: str = ""  # where its counts come from


def modelled(traffic: Traffic, gpu: Gpu) -> ModelledTime:
    """`traffic` has to contain at least one pass."""
    clocks = gpu.clock_ghz * 1e9
    terms = [
        Term("load/store units", passes(traffic.metrics) / (gpu.multiprocessors * clocks)),
        Term("device memory", traffic.compulsory_bytes / (gpu.memory_gbytes * 1e9)),
    ]
    arithmetic = traffic.work if traffic.work_unit == MULTIPLY_ADD else 0
    if arithmetic:
        terms.append(Term("arithmetic", arithmetic / (gpu.multiprocessors * gpu.fp32_lanes * clocks)))
    if gpu.l2_bytes:
        rate = gpu.l2_bytes * clocks
        terms.append(Term("L2", traffic.compulsory_bytes / rate, l1_bytes(traffic.metrics) / rate))
    terms.sort(key=lambda term: -term.seconds)
    longest = terms[0].seconds
    if not longest:
        raise ValueError("a launch without work, accesses and bytes cannot be modelled")
    return ModelledTime(gpu, tuple(terms), 2 * arithmetic / longest, traffic.compulsory_bytes / longest)


# Computes the counts of a large shape from those of small shapes, where they scale exactly. Pure.
#
# Take a problem of d sizes and multiply each size by s. What happens in its inner loop grows with s^d, and what happens once for each
# element with s^(d-1). Two counted shapes give both parts of every counter. The third counted shape has to agree exactly.

_NEEDED = 3
_LARGE, _COUNTED = 4096, 192  # the longest side of the modelled shape, and of the counted shapes


def shapes_to_count(shape: str) -> dict[int, str] | None:
    """Three shapes by their scale, with `shape` among them. None where they would not be small enough."""
    sides = [int(side) for side in shape.split("x")]
    longest = max(sides)
    if 3 * longest <= _COUNTED:
        return {s: "x".join(str(s * side) for side in sides) for s in (1, 2, 3)}
    if longest <= _COUNTED and all(side % 4 == 0 for side in sides):
        return {s: "x".join(str(s * side // 4) for side in sides) for s in (1, 2, 4)}
    return None


def large_scale(shape: str) -> tuple[int, str]:
    """A factor, and `shape` multiplied by it, which is large enough to fill a GPU."""
    sides = [int(side) for side in shape.split("x")]
    factor = max(1, _LARGE // max(sides))
    return factor, "x".join(str(factor * side) for side in sides)


def extrapolated(counted: Mapping[int, Traffic], sizes: int, factor: int) -> Traffic | None:
    """The traffic at `factor` times a base shape with `sizes` sizes, from that at three other multiples. None where a counter does
    not follow the rule: where tiles do not divide the shape, or the kernel branches on sizes.
    """
    if len(counted) != _NEEDED or not all(one.complete for one in counted.values()):
        return None
    first, second, third = sorted(counted)
    names = {name for one in counted.values() for name in one.metrics}
    metrics: dict[str, int] = {}
    for name in names:  # a·s^d + b·s^(d-1), so each counter divided by s^(d-1) lies on a straight line
        each = {scale: Fraction(one.metrics.get(name, 0), scale ** (sizes - 1)) for scale, one in counted.items()}
        slope = (each[second] - each[first]) / (second - first)
        if each[third] != each[first] + slope * (third - first):
            return None
        found = (each[first] + slope * (factor - first)) * factor ** (sizes - 1)
        if found.denominator != 1 or found < 0:
            return None
        metrics[name] = int(found)
    one = counted[first]
    ratio = Fraction(factor, first)
    work = one.work * ratio**sizes
    return Traffic(
        metrics=metrics,
        complete=True,
        work_unit=one.work_unit,
        work=int(work),
        compulsory_bytes=int(one.compulsory_bytes * ratio**2),  # matrices: every operand has two sides
    )
