"""Where a kernel stands on its lab's climb: predicted speed, what binds it, and the next step, at the climb's size and at the size that
is timed. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from grader.model.labs import PublicSpec, StepSpec
from grader.model.result import NextStep, Outlook, OutlookTerm, Rung
from grader.run.scoring.predicted_time import (
    GLOBAL,
    LANES,
    Facts,
    Gpu,
    Prediction,
    estimated_registers,
    gpu_named,
    predicted,
)

# Which step of a lab's climb would help a kernel next: the first one that it does not have and from which the model expects a gain. Pure.
#
# A step says what a kernel is like after it. Here the facts of a kernel are changed accordingly, and the model predicts both.

LEAST_GAIN = 0.03  # of the time; the model is not exact enough for less
_FEW = 0.05  # a kernel with a smaller part of its passes lost to conflicts has none
_ABOUT = 1.1
_FLOAT = 4  # bytes
_IDLE = 0.3  # from this part of the multiprocessors' time on, slices are worth their sums


def reads_for_a_product(facts: Facts) -> float:
    """Operands that a thread reads for each product: from shared memory, or from global memory if it uses no shared memory."""
    shared = facts.shared_reads * facts.read_bytes / _FLOAT
    read = shared or facts.load_requests * facts.loaded_bytes / _FLOAT
    return read / facts.products


def next_step(
    facts: Facts, steps: Sequence[StepSpec], gpu: Gpu, outputs: int, length: int
) -> tuple[StepSpec, float] | None:
    """The gain: the predicted speed divided by that before. `outputs` sums of `length` products. None: nothing is expected of any step."""
    now = predicted(facts, gpu, outputs, length)
    if now is None:
        return None
    for step in steps:
        if has(facts, step):
            continue
        after = _predicted_after(facts, step, now, outputs, length)
        gain = now.seconds / after if after else 0.0
        # What misses L1 is not modelled: tiles are the first step wherever loads from global memory bind.
        if gain > 1 + LEAST_GAIN or (step.tile is not None and now.binding.name == GLOBAL):
            return step, gain
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


def outlook(lab: PublicSpec, facts: Facts, counted: str) -> Outlook | None:
    """`counted`: the shape that the facts are of. None where the lab has no climb, or no block of the kernel fits its GPU."""
    climb = lab.climb
    if climb is None:
        return None
    gpu = gpu_named(climb.gpu)
    found = predicted(facts, gpu, *_extent(climb.shape))
    if found is None:
        return None
    sizes = dict.fromkeys([climb.shape, *([lab.performance.shape] if lab.performance else [])])
    steps: list[NextStep] = []
    for shape in sizes:
        advised = next_step(facts, climb.step, gpu, *_extent(shape))
        if advised and advised[0].title not in {one.title for one in steps}:
            step, gain = advised
            steps.append(NextStep(shape=shape, title=step.title, section=step.section, gain=round(gain, 3)))
    return Outlook(
        shape=climb.shape,
        counted=counted,
        gpu=climb.gpu,
        gflops=round(found.flops / 1e9, 1),
        passes=round(found.passes, 3),
        terms=tuple(OutlookTerm(name=one.name, milliseconds=round(1e3 * one.seconds, 6)) for one in found.terms),
        registers=facts.registers,
        compiled=facts.is_compiled,
        steps=tuple(steps),
        rungs=tuple(
            Rung(title=one.title, passes=one.passes, gflops=one.gflops)
            for one in climb.step
            if one.passes is not None and one.gflops is not None
        ),
    )


def _extent(shape: str) -> tuple[int, int]:
    """Elements of the result, and products for each. The last size of a shape is the length of the sums."""
    *sides, length = map(int, shape.split("x"))
    return math.prod(sides), length
