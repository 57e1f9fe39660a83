"""Where a subscript past the end of its dimension leads. The executor stops the thread before the access, so that the trace has none; but
the thread's access before it, in the same line, tells the other subscripts. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.model.result import Finding
from grader.model.verdicts import Verdict
from grader.single_launch.trace_steps import ACCESSES, Step, StepKind, Trace, TracedArray
from grader.step_page.named_places import thread_number
from grader.step_page.story import Index3

_SAID = re.compile(r"uses subscript (-?\d{1,9}) of (\w+), but this dimension has only the subscripts 0 to (\d{1,9})")


def with_overruns(trace: Trace, findings: Sequence[Finding], block: Index3) -> Trace:
    """With a step for each access that a subscript past its dimension would have been, of the threads that the findings name."""
    steps = list(trace.steps)
    for finding in findings:
        if finding.kind is Verdict.OUT_OF_BOUNDS and finding.thread is not None and _SAID.search(finding.message):
            _add(trace, steps, finding, thread_number(finding.thread, block))
    return trace.model_copy(update={"steps": tuple(steps)})


def _add(trace: Trace, steps: list[Step], finding: Finding, thread: int) -> None:
    said = _SAID.search(finding.message)
    own = [number for number, step in enumerate(steps) if step[1] == thread and step[0] != StepKind.BARRIER]
    stop = next((number for number in reversed(own) if steps[number][0] == StepKind.STOP), None)
    if said is None or stop is None:
        return
    array, subscript = said[2], int(said[1])
    before = [
        steps[number]
        for number in own
        if number < stop
        and steps[number][0] in ACCESSES
        and trace.arrays[steps[number][3]].name == array
        and trace.places[steps[number][7]].line == finding.line
    ]
    if not before:
        return
    kind, _, _, number, offset, size, _, place, slot, _ = last = before[-1]
    there = _moved(trace.arrays[number], last, subscript, int(said[3]) + 1)
    if there is not None and kind in ACCESSES and offset != there:
        steps.insert(stop, (StepKind.OUTSIDE, thread, steps[stop][2], number, there, size, 0, place, slot, 0))


def _moved(array: TracedArray, step: Step, subscript: int, extent: int) -> int | None:
    """The offset, if this subscript takes the place of the one that is nearest to it in a dimension of this extent."""
    now = array.index(step[4], step[5])
    possible = [at for at, one in enumerate(array.dimensions) if one == extent and at < len(now)]
    if len(now) != len(array.dimensions) or not possible:
        return None
    at = min(possible, key=lambda one: abs(now[one] - subscript))
    cell = 0
    for dimension, (one, size) in enumerate(zip(now, array.dimensions, strict=True)):
        cell = cell * size + (subscript if dimension == at else one)
    return cell * array.element_bytes
