"""Of a product that a sum lacks: what the thread multiplied in its place, which is in shared memory and was never loaded. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.single_launch.trace_steps import CHANGES, StepKind, Trace
from grader.single_launch.tracing import TracedLaunch
from grader.source_conditions.conditional_load import load_reason
from grader.source_conditions.guard_reason import GuardReason, Place
from grader.step_page.story import Mark, Question, StoryElement
from grader.stories.expected_access import thread_index
from grader.stories.told_story import asked, element_name, line_of, thread_name
from grader.value_origins.product_sum import ProductSum, writer_before

_MOST = 64  # that are looked at


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
    brought: str  # what that thread had read of the wanted element: "3.25"; empty: it had not read it
    reason: GuardReason | None

    @property
    def words(self) -> str:
        there = f"For k = {self.k} it multiplies {self.name}, and {self.wanted} is not there"
        if self.brought:
            return (
                f"{there}: thread {self.thread} has read {self.brought} and put {self.value} there in line {self.line}."
            )
        said = f"{there}: thread {self.thread} has put {self.value} there in line {self.line}."
        return f"{said} {self.reason.words}" if self.reason is not None else said


def unloaded_factor(traced: TracedLaunch, source: Sequence[str], found: ProductSum) -> UnloadedFactor | None:
    trace, launch = traced.report.trace, traced.report.launch
    if trace is None or launch.block is None:
        return None
    for operand in found.unloaded[:_MOST]:
        step = trace.steps[operand.at]
        write = writer_before(trace, operand.at)
        if trace.arrays[step[3]].space != "shared" or write is None or trace.steps[write][6] != step[6]:
            continue
        brought = _brought(trace, write, operand.factor)
        is_first = operand.factor == found.names[0]
        k = found.k_beside(operand)
        if k is None and brought is not None:
            k = brought[0][-1] if is_first else brought[0][0]
        if k is None or found.times[k : k + 1] != [0]:
            continue
        index = (found.row, k) if is_first else (k, found.column)
        own = brought is not None and brought[0] == index
        if found.k_beside(operand) is None and not own:
            continue
        value = f"{brought[1]:.6g}" if brought is not None and own else ""
        return UnloadedFactor(
            k,
            element_name(trace, step),
            f"{operand.factor}[{index[0]}][{index[1]}]",
            f"{operand.value:.6g}",
            operand.at,
            write,
            thread_name(trace.steps[write][1], launch.block),
            line_of(trace, trace.steps[write], traced.file),
            value,
            None if value else _reason(traced, trace, source, write, found),
        )
    return None


def _brought(trace: Trace, write: int, factor: str) -> tuple[tuple[int, ...], float] | None:
    """The last element of the factor that the writer had read before it wrote, between the same barriers; and its value."""
    _, thread, interval, *_ = trace.steps[write]
    for at in range(write - 1, -1, -1):
        step = trace.steps[at]
        if step[2] != interval:
            return None
        if step[1] == thread and step[0] == StepKind.READ and trace.arrays[step[3]].name == factor:
            array = trace.arrays[step[3]]
            return array.index(step[4], step[5]), array.value(step[6], step[5])
    return None


def _reason(
    traced: TracedLaunch, trace: Trace, source: Sequence[str], write: int, found: ProductSum
) -> GuardReason | None:
    launch, loader = traced.report.launch, _loader(trace, write, found)
    if loader is None or launch.block is None or launch.grid is None:
        return None
    sizes = {name: int(value) for name, value in re.findall(r"\b([A-Za-z]\w{0,30})=(\d{1,9})\b", launch.shape)}
    missing, other = (
        Place(thread_index(trace.steps[at][1], launch.block), traced.request.block, launch.block, launch.grid, sizes)
        for at in (write, loader)
    )
    line, load_line = (line_of(trace, trace.steps[at], traced.file) for at in (write, loader))
    return load_reason(source, line, load_line, missing, other)


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


def unloaded_marks(trace: Trace, chosen: Sequence[int], unloaded: UnloadedFactor | None) -> Iterator[Mark]:
    if unloaded is None:
        return
    write, read = trace.steps[unloaded.write], trace.steps[unloaded.read]
    element = (StoryElement(read[3], read[4]),)
    text = f"Thread {unloaded.thread} puts {unloaded.value} in {unloaded.name}, and {unloaded.wanted} belongs there."
    if unloaded.reason is not None:
        text += f" {unloaded.reason.words}"
    yield Mark(chosen.index(unloaded.write), text, "bad", (write[1],), element)
    text = f"{unloaded.name} holds {unloaded.value}, and not {unloaded.wanted}."
    yield Mark(chosen.index(unloaded.read), text, "bad", (read[1],), element)


def unloaded_question(chosen: Sequence[int], unloaded: UnloadedFactor | None, name: str) -> Iterator[Question]:
    if unloaded is None:
        return
    ask = asked(
        chosen.index(unloaded.read),
        f"What does thread {name} find in {unloaded.name} for k = {unloaded.k}?",
        f"{unloaded.value}, which thread {unloaded.thread} has put there",
        (unloaded.wanted, "nothing that anybody wrote", "what was there before the last barrier"),
        unloaded.words,
    )
    if ask is not None and chosen.index(unloaded.read) > 0:
        yield ask
