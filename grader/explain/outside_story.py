"""The story of an access out of bounds: where its address lies beside the array or in it, and which threads go there. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from grader.explain.story import (
    Index3,
    Mark,
    Question,
    Story,
    StoryElement,
    asked,
    framed,
    line_of,
    spans,
    thread_name,
    thread_number,
)
from grader.explain.trace_story import run_of_threads, with_overruns
from grader.model.result import Finding
from grader.run.launches.trace_phases import ACCESSES, Step, StepKind, Trace, TracedArray
from grader.run.launches.tracing import TracedLaunch

_BEFORE = 10  # steps of the thread
_FEW = 4
_MOST_OTHERS = 40
_SCHEDULE = "The steps of the thread up to the access, then the other threads that go outside in the same line."
_ONE = 1


def outside_story(traced: TracedLaunch, finding: Finding, source: Sequence[str]) -> Story | None:
    """None where the access missed no array that the trace knows, as with a wild pointer."""
    launch, file = traced.report.launch, traced.file
    if traced.report.trace is None or launch.block is None or finding.thread is None:
        return None
    block = launch.block
    trace = with_overruns(traced.report.trace, launch.findings, block)
    thread = thread_number(finding.thread, block)
    outside = [
        at
        for at, step in enumerate(trace.steps)
        if step[0] == StepKind.OUTSIDE and line_of(trace, step, file) == finding.line
    ]
    at = next((one for one in outside if trace.steps[one][1] == thread), None)
    if at is None:
        return None
    step = trace.steps[at]
    own = [one for one, other in enumerate(trace.steps[:at]) if other[1] == thread and other[0] != StepKind.BARRIER]
    others = [one for one in outside if one != at][:_MOST_OTHERS]
    if len(own) < _FEW:  # then what others did before is shown too
        own = [one for one, other in enumerate(trace.steps[:at]) if other[0] in ACCESSES][-_FEW:]
    chosen = sorted({*own[-_BEFORE:], at, *(one for one in others if one > at)})
    run = run_of_threads(trace, chosen, file, title="As it ran", schedule=_SCHEDULE)
    place, said = chosen.index(at), where_it_lies(trace.arrays[step[3]], step, _known(finding))
    name = f"Thread {thread_name(thread, block)}"
    expression = _expression(finding, trace.arrays[step[3]].name, source)
    mark = Mark(place, f"{name}: {said}", "bad", (thread,), (StoryElement(step[3], step[4]),))
    return framed(
        traced,
        source,
        replace(run, marks=(mark,)),
        title=f"where {expression or trace.arrays[step[3]].name} lies",
        summary=f"{name} goes outside in line {finding.line}. {said}",
        questions=list(_questions(trace, step, (place, len(run.steps) - 1), finding, expression, block, file, outside)),
        start=max(0, place - 1),
    )


def where_it_lies(array: TracedArray, step: Step, known: int | None = None) -> str:
    """A sentence or two, with the numbers of elements. `known`: how many there are, where the array's type does not say it."""
    cell, count = step[4] // array.element_bytes, _count(array) or known
    if count is None:
        return f"The address is that of {array.name}[{cell}], which {array.name} does not have."
    if 0 <= cell < count:
        return f"The subscript is too large for its row. The address is that of {_named(array, cell)}, in another row of {array.name}."
    size = f"{array.name} has {_size(array) or count} elements."
    if cell < 0:
        return f"{size} The address lies {_elements(-cell)} before the first one, {_named(array, 0)}."
    row = ""
    if len(array.dimensions) == 2:  # noqa: PLR2004 -- rows and columns
        row = f" Counted on, it would be row {cell // array.dimensions[1]}, column {cell % array.dimensions[1]}."
    return (
        f"{size} The address lies {_elements(cell - count + 1)} behind the last one, {_named(array, count - 1)}.{row}"
    )


def _count(array: TracedArray) -> int | None:
    count = 1
    for one in array.dimensions:
        count *= one
    return count if array.dimensions else None


def _known(finding: Finding) -> int | None:
    """How many elements the array has, as the finding says it: of dynamic shared memory the launch decides."""
    said = re.search(r"\bhas (\d{1,12}) elements\b", finding.message)
    return int(said[1]) if said else None


def _size(array: TracedArray) -> str:
    return " x ".join(map(str, array.dimensions))


def _elements(count: int) -> str:
    return f"{count:,} element{'s' if count > _ONE else ''}"


def _named(array: TracedArray, cell: int) -> str:
    return array.name + "".join(f"[{one}]" for one in array.index(cell * array.element_bytes, array.element_bytes))


def _expression(finding: Finding, array: str, source: Sequence[str]) -> str:
    """As it stands in the line; empty where it is not found."""
    if finding.line is None or not 0 < finding.line <= len(source):
        return ""
    line = source[finding.line - 1]
    if finding.columns is not None:
        return line[slice(*finding.columns)].strip()
    found = re.findall(rf"\b{re.escape(array)}(?:\[[^\[\]]*\])+", line)
    return str(found[0]) if len(found) == 1 else ""


def _questions(  # noqa: PLR0913, PLR0917 -- what is known of the access
    trace: Trace,
    step: Step,
    at: tuple[int, int],
    finding: Finding,
    expression: str,
    block: Index3,
    file: str,
    outside: Sequence[int],
) -> Iterator[Question]:
    array = trace.arrays[step[3]]
    cell, count = step[4] // array.element_bytes, _count(array) or _known(finding)
    if count:
        inside = _named(array, cell % count)
        choices = {
            "before": f"before {_named(array, 0)}, the first element",
            "behind": f"behind {_named(array, count - 1)}, the last element",
            "inside": f"inside {array.name}, at {inside}",
        }
        right = choices["before" if cell < 0 else "behind" if cell >= count else "inside"]
        what = f"`{expression}`" if expression else f"the element of {array.name}"
        ask = asked(
            at[0],
            f"Where does {what} lie for thread {thread_name(step[1], block)} in line {finding.line}?",
            right,
            choices.values(),
            where_it_lies(array, step, _known(finding)),
        )
        if ask is not None:
            yield ask
    gone = {trace.steps[one][1] for one in outside}
    stayed = {
        one[1]
        for one in trace.steps
        if one[0] in ACCESSES and line_of(trace, one, file) == finding.line and one[3] == step[3]
    } - gone
    every = block[0] * block[1] * block[2]
    second = asked(
        at[1],
        f"Which threads of this block go outside of {array.name} in line {finding.line}?",
        spans(gone, block),
        (spans(stayed, block) if stayed else "", spans(range(every), block), spans({step[1]}, block)),
        f"{len(gone):,} of {every:,} threads."
        + (f" {spans(stayed, block).capitalize()} stay inside." if stayed else ""),
    )
    if second is not None and at[1] > at[0]:
        yield second
