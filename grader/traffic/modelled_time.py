"""The least time that a launch takes on a GPU, modelled from its counted traffic. Pure. It is no measurement, and labelled so.

It follows the Instruction Roofline (Ding and Williams 2019). For each part of the machine it computes the time at the part's peak
rate, and the longest of these times is the result. The parts are: arithmetic (the problem's own multiply-adds), passes of the
load/store units, device memory (compulsory bytes), and L2. The traffic of L2 is between the compulsory bytes and all sectors that
pass L1. The cache L1 is not simulated, so the result uses the lower bound, and the upper bound is shown. The model leaves out other
instructions, latency, occupancy, launch overhead and merged accesses.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.model.result import Traffic
from grader.traffic.gpu_figures import Gpu
from grader.traffic.metrics import l1_bytes, passes
from grader.traffic.profile import MULTIPLY_ADD


@dataclass(frozen=True)
class Term:
    name: str
    seconds: float
    at_most: float | None = None  # the upper bound, where only a range is known


@dataclass(frozen=True)
class Model:
    gpu: Gpu
    terms: tuple[Term, ...]  # the longest first
    flops: float  # per second; 0: the problem has no arithmetic
    bytes_: float  # compulsory bytes per second

    @property
    def binding(self) -> Term:
        return self.terms[0]


def modelled(traffic: Traffic, gpu: Gpu) -> Model:
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
        message = "a launch without work, accesses and bytes cannot be modelled"
        raise ValueError(message)
    return Model(gpu, tuple(terms), 2 * arithmetic / longest, traffic.compulsory_bytes / longest)
