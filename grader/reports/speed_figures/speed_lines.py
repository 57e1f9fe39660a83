"""How fast a kernel is, for a terminal: the times of naive and of the kernel, the speedup with its interval, and some elements that it
computed in the timed launches. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from grader.model.result import ContestantTimes, LabResult, SampledElement, Timing
from grader.model.verdicts import Verdict
from grader.reports.speed_figures.gpu_facts import gpu_facts, gpu_line
from grader.reports.text import visible
from grader.reports.text.number_format import element

_NAMES = {"baseline": "naive", "student": "yours", "model": "model", "library": "cuBLAS"}
_ELEMENTS = 5


def speed_lines(lab: LabResult) -> Iterator[RenderableType]:
    """Nothing where the lab was not timed."""
    timing = lab.timing
    if timing is None or not timing.contestants:
        return
    yield Text()
    yield Text.assemble(("Speed", "bold"), f"  {visible.line(timing.shape, 80)} on {visible.line(timing.device, 80)}")
    for kernel in timing.contestants:
        if kernel.name in _NAMES:
            yield Text(f"  {_NAMES[kernel.name]:<6}{rate(kernel)}")
    yield Text(f"  {visible.line(timing.words, 300)}", style="green" if timing.speedup else "yellow")
    yield from _elements(timing)


def kernel_lines(lab: LabResult) -> Iterator[RenderableType]:
    """What nvcc says about a kernel that passes. Nothing where there is no nvcc."""
    facts = gpu_facts(lab) if lab.verdict is Verdict.PASS else None
    if facts is None:
        return
    yield Text()
    yield Text.assemble(("On a GPU", "bold"), f"  {gpu_line(lab)} ({facts.compiled})")
    for note in facts.notes:
        yield Text(f"  {note.replace('`', '')}", style="yellow")


def rate(kernel: ContestantTimes) -> str:
    """`0.4123 ms   5,209 GFLOP/s`. A problem without arithmetic has GB/s instead."""
    speed = f"{kernel.gflops:,.0f} GFLOP/s" if kernel.gflops else f"{kernel.gbytes:,.0f} GB/s"
    return f"{kernel.milliseconds:>9.4f} ms {speed:>16}"


def _elements(timing: Timing) -> Iterator[Text]:
    if not timing.elements:
        return
    yield Text(f"  {'element':<16}{'expected':>14}{'yours':>14}{'relative error':>17}", style="dim")
    for one in timing.elements[:_ELEMENTS]:
        yield Text("  " + _row(one))


def _row(one: SampledElement) -> str:
    error = "?" if one.relative_error is None else f"{one.relative_error:.1e}"
    return f"{f'[{one.row}][{one.column}]':<16}{element(one.expected):>14}{element(one.actual):>14}{error:>17}"
