"""Which step of a lab's climb would help a kernel next: the first one that it does not have and from which the model expects a gain. Pure.

A step says what a kernel is like after it. Here the facts of a kernel are changed accordingly, and the model predicts both.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from grader.model.performance_spec import StepSpec
from grader.traffic.gpu_figures import Gpu
from grader.traffic.launch_facts import LANES, Facts, estimated_registers
from grader.traffic.predicted_time import GLOBAL, Prediction, predicted

LEAST_GAIN = 0.03  # of the time; the model is not exact enough for less
_FEW = 0.05  # a kernel with a smaller part of its passes lost to conflicts has none
_ABOUT = 1.1
_FLOAT = 4  # bytes
_IDLE = 0.3  # from this part of the multiprocessors' time on, slices are worth their sums


@dataclass(frozen=True)
class Advised:
    step: StepSpec
    number: int  # from 1
    gain: float  # the predicted speed after the step, divided by that before it


def reads_for_a_product(facts: Facts) -> float:
    """Operands that a thread reads for each product: from shared memory, or from global memory if it uses no shared memory."""
    shared = facts.shared_reads * facts.read_bytes / _FLOAT
    read = shared or facts.load_requests * facts.loaded_bytes / _FLOAT
    return read / facts.products


def next_step(facts: Facts, steps: Sequence[StepSpec], gpu: Gpu, outputs: int, length: int) -> Advised | None:
    """At a size with `outputs` elements, each a sum of `length` products. None where the model expects nothing of any step."""
    now = predicted(facts, gpu, outputs, length)
    if now is None:
        return None
    for number, step in enumerate(steps, 1):
        if has(facts, step):
            continue
        after = _predicted_after(facts, step, now, outputs, length)
        gain = now.seconds / after if after else 0.0
        # What misses L1 is not modelled: tiles are the first step wherever loads from global memory bind.
        if gain > 1 + LEAST_GAIN or (step.tile is not None and now.binding.name == GLOBAL):
            return Advised(step, number, gain)
    return None


def has(facts: Facts, step: StepSpec) -> bool:
    """Whether the kernel is already as it would be after the step. A step that changes nothing that is counted is never advised."""
    return all(_there(facts, step))


def _there(facts: Facts, step: StepSpec) -> Iterator[bool]:
    if step.tile is not None:
        yield facts.shared_reads > 0
    if step.reads_for_a_product is not None:
        yield reads_for_a_product(facts) <= _ABOUT * step.reads_for_a_product
    if step.bytes_of_a_load is not None:
        yield facts.loaded_bytes * _ABOUT >= min(step.bytes_of_a_load, 2 * _FLOAT) or facts.copies > 0
    if step.bytes_of_a_read is not None:
        yield facts.read_bytes * _ABOUT >= min(step.bytes_of_a_read, 2 * _FLOAT)
    if step.without_conflicts:
        yield facts.conflicts < _FEW
    if step.overlapped:
        yield facts.is_overlapped
    if step.copied:
        yield facts.copies > 0
    if step.sliced:
        yield facts.slices > 1 or facts.cuts_sums


def _predicted_after(facts: Facts, step: StepSpec, now: Prediction, outputs: int, length: int) -> float | None:
    """Seconds."""
    if step.sliced:
        return now.seconds * (1 - now.idle) if now.idle > _IDLE else None
    after = predicted(changed(facts, step), now.gpu, outputs, length)
    return after.seconds if after else None


def changed(facts: Facts, step: StepSpec) -> Facts:
    """The facts of the kernel after the step."""
    if step.tile is not None and not facts.shared_reads:
        facts = _with_tiles(facts, step.tile)
    if step.elements is not None:
        facts = _with_elements(facts, step)
    if step.without_conflicts:
        facts = replace(facts, shared_passes=facts.shared_passes * (1 - facts.conflicts), conflicts=0.0)
    if step.bytes_of_a_read is not None and facts.read_bytes:
        narrower = min(1.0, facts.read_bytes / step.bytes_of_a_read)
        facts = replace(facts, shared_reads=facts.shared_reads * narrower, read_bytes=facts.read_bytes / narrower)
    if step.bytes_of_a_load is not None and facts.loaded_bytes:
        narrower = min(1.0, facts.loaded_bytes / step.bytes_of_a_load)
        facts = replace(facts, load_requests=facts.load_requests * narrower, loaded_bytes=facts.loaded_bytes / narrower)
    if step.overlapped and not facts.is_overlapped:
        facts = replace(facts, is_overlapped=True, shared_bytes=2 * facts.shared_bytes)
    if step.copied:
        facts = replace(facts, copies=facts.shared_writes)
    return facts


def _with_tiles(facts: Facts, side: int) -> Facts:
    """What was read from global memory comes from shared memory, and each value is loaded once for a block."""
    loads, passes = facts.load_requests / side, facts.load_passes / side
    return replace(
        facts,
        shared_reads=facts.load_requests,
        shared_writes=loads,
        shared_passes=facts.load_requests + loads,
        load_requests=loads,
        load_passes=passes,
        read_bytes=facts.loaded_bytes,
        phases=1 / side,
        shared_bytes=2 * side * side * _FLOAT,
    )


def _with_elements(facts: Facts, step: StepSpec) -> Facts:
    """A thread computes other elements. The loads of a block follow the sides of its piece; passes for each access stay."""
    assert step.elements is not None
    threads = step.threads or facts.threads
    piece = threads * step.elements
    sides = math.sqrt(piece / facts.piece)
    products = math.ceil(piece / LANES)
    wanted = step.reads_for_a_product or reads_for_a_product(facts)
    reads = products * wanted * _FLOAT / max(facts.read_bytes, _FLOAT)
    accesses = facts.shared_reads + facts.shared_writes
    usual = facts.shared_passes / accesses if accesses else 1.0
    writes = facts.shared_writes * sides
    return replace(
        facts,
        threads=threads,
        elements=step.elements,
        shared_reads=reads,
        shared_writes=writes,
        shared_passes=reads * min(usual, step.passes_of_a_read or usual) + writes * usual,
        load_requests=facts.load_requests * sides,
        load_passes=facts.load_passes * sides,
        copies=facts.copies * sides,
        store_passes=facts.store_passes * piece / facts.piece,
        registers=max(facts.registers, estimated_registers(step.elements)),
        shared_bytes=round(facts.shared_bytes * sides),
    )
