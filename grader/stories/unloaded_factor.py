"""Of a product that a sum lacks: what the thread multiplied in its place, which is in shared memory and was never loaded. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from grader.single_launch.trace_steps import CHANGES, Trace
from grader.single_launch.tracing import TracedLaunch
from grader.stories.conditional_load import load_reason
from grader.stories.expected_access import thread_index
from grader.stories.guard_reason import GuardReason, Place
from grader.stories.told_story import element_name, line_of, thread_name
from grader.value_origins.product_sum import ProductSum, writer_before


@dataclass(frozen=True)
class UnloadedFactor:
    k: int
    name: str  # "As[0][1]"
    wanted: str  # "A[0][1]"
    value: str  # "0"
    read: int  # by their places in the trace
    write: int
    thread: str  # that wrote it
    line: int
    reason: GuardReason | None

    @property
    def words(self) -> str:
        put = f"thread {self.thread} has put {self.value} there in line {self.line}"
        said = f"For k = {self.k} it multiplies {self.name}, and {self.wanted} is not there: {put}."
        return f"{said} {self.reason.words}" if self.reason is not None else said


def unloaded_factor(traced: TracedLaunch, source: Sequence[str], found: ProductSum) -> UnloadedFactor | None:
    trace, launch = traced.report.trace, traced.report.launch
    if trace is None or launch.block is None or launch.grid is None:
        return None
    for k, operand in found.unloaded.items():
        step = trace.steps[operand.at]
        write = writer_before(trace, operand.at)
        if trace.arrays[step[3]].space != "shared" or write is None or trace.steps[write][6] != step[6]:
            continue
        thread, line = trace.steps[write][1], line_of(trace, trace.steps[write], traced.file)
        reason = None
        if (loader := _loader(trace, write, found)) is not None:
            sizes = {name: int(value) for name, value in re.findall(r"\b([A-Za-z]\w{0,30})=(\d{1,9})\b", launch.shape)}
            block, grid = launch.block, launch.grid
            missing, other = (
                Place(thread_index(one, block), traced.request.block, block, grid, sizes)
                for one in (thread, trace.steps[loader][1])
            )
            reason = load_reason(source, line, line_of(trace, trace.steps[loader], traced.file), missing, other)
        first, second, _ = found.names
        wanted = f"{first}[{found.row}][{k}]" if operand.factor == first else f"{second}[{k}][{found.column}]"
        name, by = element_name(trace, step), thread_name(thread, launch.block)
        return UnloadedFactor(k, name, wanted, f"{operand.value:.6g}", operand.at, write, by, line, reason)
    return None


def _loader(trace: Trace, write: int, found: ProductSum) -> int | None:
    """A write of the same array, between the same barriers, of a value that its thread had just read from an input."""
    _, _, interval, array, *_ = trace.steps[write]
    read: dict[int, int] = {}  # the bits that a thread read last from global memory
    for step_at, step in enumerate(trace.steps):
        if step[2] != interval or step[3] < 0:
            continue
        if step[0] in CHANGES:
            if step[3] == array and read.get(step[1]) == step[6]:
                return step_at
        elif trace.arrays[step[3]].name in found.names[:2]:
            read[step[1]] = step[6]
    return None
