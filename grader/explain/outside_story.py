"""The story of an access out of bounds: where its address lies beside the array or in it, and which threads go there. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from grader.explain.recording import Recording, Telling, asked, told
from grader.explain.story import Question, Story, spans, thread_number
from grader.explain.trace_story import with_overruns
from grader.model.result import Finding
from grader.run.launches.trace_phases import ACCESSES, Step, StepKind, TracedArray

_BEFORE = 10  # steps of the thread
_FEW = 4
_MOST_OTHERS = 40
_TELLING = Telling(
    "The steps of the thread up to the access, then the other threads that go outside in the same line.",
    before=1,
)


def outside_story(recording: Recording, finding: Finding) -> Story | None:
    """None where the access missed no array that the trace knows, as with a wild pointer."""
    if finding.thread is None or finding.line is None:
        return None
    recording = with_overruns(recording)
    thread = thread_number(finding.thread, recording.block)
    outside = recording.find({StepKind.OUTSIDE}, line=finding.line)
    at = next((one for one in outside if recording.steps[one][1] == thread), None)
    if at is None:
        return None
    step, array = recording.steps[at], recording.array(at)
    own = [one for one in recording.of_thread[thread] if one < at]
    if len(own) < _FEW:  # then what others did before is shown too
        own = [one for one in recording.find(ACCESSES) if one < at][-_FEW:]
    others = [one for one in outside if one != at][:_MOST_OTHERS]
    chosen = sorted({*own[-_BEFORE:], at, *(one for one in others if one > at)})
    said, name = where_it_lies(array, step, _known(finding)), f"Thread {recording.thread(at)}"
    expression = _expression(finding, array.name, recording.source)
    return told(
        recording,
        _TELLING,
        chosen,
        title=f"where {expression or array.name} lies",
        summary=f"{name} goes outside in line {finding.line}. {said}",
        marks=[recording.remark(at, f"{name}: {said}")],
        questions=_questions(recording, finding, expression, at, chosen[-1], outside),
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
    return math.prod(array.dimensions) if array.dimensions else None


def _known(finding: Finding) -> int | None:
    """How many elements the array has, as the finding says it: of dynamic shared memory the launch decides."""
    said = re.search(r"\bhas (\d{1,12}) elements\b", finding.message)
    return int(said[1]) if said else None


def _size(array: TracedArray) -> str:
    return " x ".join(map(str, array.dimensions))


def _elements(count: int) -> str:
    return f"{count:,} element{'s' if count > 1 else ''}"


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


def _questions(
    recording: Recording, finding: Finding, expression: str, at: int, end: int, outside: Sequence[int]
) -> Iterator[Question | None]:
    step, array = recording.steps[at], recording.array(at)
    cell, count = step[4] // array.element_bytes, _count(array) or _known(finding)
    if count:
        choices = {
            "before": f"before {_named(array, 0)}, the first element",
            "behind": f"behind {_named(array, count - 1)}, the last element",
            "inside": f"inside {array.name}, at {_named(array, cell % count)}",
        }
        what = f"`{expression}`" if expression else f"the element of {array.name}"
        yield asked(
            at,
            f"Where does {what} lie for thread {recording.thread(at)} in line {finding.line}?",
            choices["before" if cell < 0 else "behind" if cell >= count else "inside"],
            choices.values(),
            where_it_lies(array, step, _known(finding)),
        )
    gone = {recording.steps[one][1] for one in outside}
    inside = recording.find(ACCESSES, array=step[3], line=finding.line)
    stayed = {recording.steps[one][1] for one in inside} - gone
    said = spans(stayed, recording.block) if stayed else ""
    every = recording.threads
    if end > at:
        yield asked(
            end,
            f"Which threads of this block go outside of {array.name} in line {finding.line}?",
            spans(gone, recording.block),
            (said, spans(range(every), recording.block), spans({step[1]}, recording.block)),
            f"{len(gone):,} of {every:,} threads." + (f" {said.capitalize()} stay inside." if stayed else ""),
        )
