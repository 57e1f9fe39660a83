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
from dataclasses import dataclass

from grader.engines.gpu.occupancy import occupancy
from grader.traffic.gpu_figures import Gpu
from grader.traffic.launch_facts import Facts

ARITHMETIC, INSTRUCTIONS, SHARED, GLOBAL, MEMORY, WAITING = (
    "arithmetic", "instructions", "shared memory", "loads from global memory", "device memory", "waiting",
)  # fmt: skip
_SCHEDULERS = 4  # of a multiprocessor, since compute capability 7.0
_EXPONENT = 3
_TRIP, _BARRIER, _LOAD = (
    1300,
    130,
    40,
)  # clocks: a tile's way, a barrier and what is at a phase's ends, a load that L1 answers
_HIDES = 0.85  # of the time in which another block computes
_AROUND_SHARED, _AROUND_GLOBAL = 0.3, 1.0  # instructions for addresses and limits, for each access
_FLOAT = 4  # bytes


@dataclass(frozen=True)
class PredictedTerm:
    name: str
    seconds: float


@dataclass(frozen=True)
class Prediction:
    gpu: Gpu
    terms: tuple[PredictedTerm, ...]  # the longest first
    seconds: float
    flops: float  # per second
    passes: float  # FLOP for each pass of the load/store unit
    blocks: int  # at the predicted size
    resident: int  # blocks that a multiprocessor holds, at most
    idle: float  # the part of the multiprocessors' time for which there are too few blocks

    @property
    def binding(self) -> PredictedTerm:
        return self.terms[0]

    def seconds_of(self, name: str) -> float:
        return next(term.seconds for term in self.terms if term.name == name)


def predicted(facts: Facts, gpu: Gpu, outputs: int, steps: int) -> Prediction | None:
    """At a size with `outputs` elements of the result, each a sum of `steps` products. None where no block fits a multiprocessor."""
    held = occupancy(gpu.capability, threads=facts.threads, registers=facts.registers, shared_bytes=facts.shared_bytes)
    if held is None or not held.blocks:
        return None
    blocks = math.ceil(outputs / facts.piece) * facts.slices
    length = steps / facts.slices
    most = math.ceil(blocks / gpu.multiprocessors)  # blocks of the multiprocessor that is last
    resident = min(held.blocks, most)
    instructions = facts.shared_reads + facts.shared_writes - facts.copies + facts.load_requests
    around = (
        _AROUND_SHARED * (facts.shared_reads + facts.shared_writes - facts.copies)
        + _AROUND_GLOBAL * facts.load_requests
    )
    of_block = {
        ARITHMETIC: length * facts.piece / gpu.fp32_lanes,
        INSTRUCTIONS: length * (facts.products + instructions + around) / _SCHEDULERS,
        SHARED: length * facts.shared_passes,
        GLOBAL: length * facts.load_passes + facts.store_passes,
    }
    # Shared memory and L1 are one unit.
    busy = _together(of_block[ARITHMETIC], of_block[INSTRUCTIONS], of_block[SHARED] + of_block[GLOBAL])
    wait = (
        length * facts.phases * (_BARRIER + (0 if facts.is_overlapped else _TRIP)) if facts.phases else length * _LOAD
    )
    waiting = most / resident * max(0.0, wait - _HIDES * (resident - 1) * busy)
    clock = gpu.clock_ghz * 1e9
    least = _FLOAT * (outputs + 2 * math.sqrt(outputs) * steps) / (gpu.memory_gbytes * 1e9)
    seconds = max(least, (most * busy + waiting) / clock)
    terms = [PredictedTerm(name, most * clocks / clock) for name, clocks in of_block.items()]
    terms += [PredictedTerm(WAITING, waiting / clock), PredictedTerm(MEMORY, least)]
    work = 2 * outputs * steps
    return Prediction(
        gpu=gpu,
        terms=tuple(sorted(terms, key=lambda term: -term.seconds)),
        seconds=seconds,
        flops=work / seconds,
        passes=work / (blocks * (of_block[SHARED] + of_block[GLOBAL])),
        blocks=blocks,
        resident=held.blocks,
        idle=1 - blocks / (most * gpu.multiprocessors),
    )


def _together(*clocks: float) -> float:
    return float(sum(one**_EXPONENT for one in clocks) ** (1 / _EXPONENT))
