"""Where a kernel stands on its lab's climb: predicted speed, what binds it, and the next step, at the climb's size and at the size that
is timed. Pure.
"""

from __future__ import annotations

import math

from grader.model.lab_spec import PublicSpec
from grader.model.result import NextStep, Outlook, OutlookTerm, Rung
from grader.traffic.gpu_figures import gpu_named
from grader.traffic.launch_facts import Facts
from grader.traffic.next_step import next_step
from grader.traffic.predicted_time import predicted


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
        if advised and advised.step.title not in {one.title for one in steps}:
            step = advised.step
            steps.append(NextStep(shape=shape, title=step.title, section=step.section, gain=round(advised.gain, 3)))
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
