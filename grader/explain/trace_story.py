"""The story of a traced launch: the block as it ran, with a remark at each step of which the launch's findings speak. Pure.

Stories that compare runs, or ask questions, are made elsewhere from the same runs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from grader.explain.page_block import page_arrays, page_places
from grader.explain.story import (
    LANES,
    Index3,
    Mark,
    PageStepKind,
    Story,
    StoryElement,
    StoryRun,
    Tone,
    WarpStep,
    has_thread,
    offset_of,
    thread_number,
)
from grader.explain.warp_steps import run_of_trace
from grader.model.result import Finding, Launch, Site
from grader.model.verdicts import Verdict
from grader.run.launches.trace_phases import ACCESSES, CHANGES, Step, StepKind, Trace, TracedArray, left_out
from grader.run.launches.tracing import TracedLaunch

# Where a subscript past the end of its dimension leads. The executor stops the thread before the access, so that the trace has none; but
# the thread's access before it, in the same line, tells the other subscripts. Pure.

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


_MOST_MARKS = 60
_MOST_THREADS = 1024
AS_IT_RAN = (
    "One warp after the other between two barriers. A GPU may run them in any other order; only barriers order them."
)


def story_of(traced: TracedLaunch, source: Sequence[str], *, beside_report: bool = False) -> Story | None:
    """None where the block did not run. `beside_report`: the page is about what went wrong there."""
    launch, trace = traced.report.launch, traced.report.trace
    if trace is None or launch.block is None or launch.grid is None or not trace.steps:
        return None
    if math.prod(launch.block) > _MOST_THREADS:  # no GPU has such a block, whatever was reported
        return None
    file = traced.file
    trace = with_overruns(trace, launch.findings, launch.block)
    run = run_of_trace(trace, launch.block, file, title="As it ran", schedule=AS_IT_RAN)
    run = replace(
        run,
        marks=tuple(marks_of(run, launch.findings, launch.block, traced.request.block))[:_MOST_MARKS],
        ending=_ending(trace, launch),
    )
    at = ", ".join(map(str, traced.request.block[: 3 if launch.grid[2] > 1 else 2]))
    return Story(
        title=f"{traced.name}: block ({at})",
        summary=f"{_summary(launch, beside_report=beside_report)} {left_out(trace, launch) if trace.full else ''}".strip(),
        file=file,
        source=tuple(source),
        grid=launch.grid,
        block=launch.block,
        at=traced.request.block,
        shape=launch.shape,
        inputs=launch.inputs,
        runs=(run,),
        tone=tone_of(launch),
        start=_start(run, launch),
    )


def _start(run: StoryRun, launch: Launch) -> int:
    """Where the first mistake is remarked; where it is not, the first remark of any."""
    first = next((said_of(one) for one in launch.findings if one.severity == "error"), "")
    bad = [mark for mark in run.marks if mark.tone == "bad"]
    return min((mark.step for mark in bad if mark.text == first), default=min((mark.step for mark in bad), default=0))


def tone_of(launch: Launch) -> Tone:
    return "good" if launch.verdict is Verdict.PASS else "bad"


def marks_of(run: StoryRun, findings: Sequence[Finding], block: Index3, at: Index3) -> Iterator[Mark]:
    """For each finding in this block: its accesses, where the run has them, else the last step of its thread."""
    for finding in findings:
        for site in (finding, finding.other):
            if site is not None and site.thread is not None and site.block in {at, None}:
                thread = thread_number(site.thread, block)
                step = _step_of(run, site, thread, finding)
                if step is not None:
                    yield Mark(
                        step=step,
                        text=said_of(finding),
                        tone="note" if finding.severity == "note" else "bad",
                        threads=(thread,),
                        elements=tuple(_touched(run.steps[step], thread)),
                    )


def said_of(finding: Finding) -> str:
    return f"{finding.called}: {finding.message}"


def _step_of(run: StoryRun, site: Site, thread: int, finding: Finding) -> int | None:
    """The first step of this thread in this line: of the element that the finding names, else of its array, else any."""
    own = [number for number, step in enumerate(run.steps) if has_thread(step, thread)]
    on_line = [
        number
        for number in own
        if run.places[run.steps[number].place].line == site.line
        and (
            site.access not in {"read", "write", "atomic"}
            or run.steps[number].kind in {PageStepKind.OUTSIDE, PageStepKind[site.access.upper()]}
        )
    ]
    of_array = [number for number in on_line if run.arrays[run.steps[number].array].name == finding.array]
    exact = [number for number in of_array if _touches(run, run.steps[number], thread, finding.element or "")]
    if site.access in {"barrier", "skip", "return"}:
        return _standing(run, own, site.line)
    outside = [number for number in on_line if run.steps[number].kind is PageStepKind.OUTSIDE]
    if finding.kind is Verdict.OUT_OF_BOUNDS:  # what is not recorded ends its thread
        return next(iter(exact or outside or on_line[-1:] or own[-1:]), None)
    return next(iter(exact or of_array or on_line or own[-1:]), None)


def _standing(run: StoryRun, own: Sequence[int], line: int | None) -> int | None:
    """Where the thread waits in this line or has left by it; else where it stands at all; else the line's barrier."""
    stands = [number for number in own if run.steps[number].kind in {PageStepKind.WAIT, PageStepKind.LEAVE}]
    here = [number for number in stands if run.places[run.steps[number].place].line == line]
    barriers = [
        number
        for number, step in enumerate(run.steps)
        if step.kind is PageStepKind.BARRIER and run.places[step.place].line == line
    ]
    return next(iter(here or stands or barriers or own[-1:]), None)


def _touches(run: StoryRun, step: WarpStep, thread: int, element: str) -> bool:
    offset = offset_of(run.arrays[step.array], element)
    return any(one.offset == offset for one in _touched(step, thread))


def _touched(step: WarpStep, thread: int) -> Iterator[StoryElement]:
    for lane, offset in zip(step.lanes, step.offsets, strict=True):
        if step.array >= 0 and lane == thread % LANES:
            for part in range(step.parts):
                yield StoryElement(step.array, offset + part * step.bytes)


def _summary(launch: Launch, *, beside_report: bool) -> str:
    if launch.verdict is Verdict.PASS:
        return "This launch is right and nothing was found. Step through it to see how the block works."
    first = next((one for one in launch.findings if one.severity == "error"), None)
    if first is not None:
        return f"{first.called}: {first.message}"
    wrong = launch.mismatch
    if wrong is not None:
        where = f": {wrong.summary}" if wrong.summary else ""
        of_report = " The report shows which elements." if beside_report else ""
        count = f"{wrong.wrong + wrong.unwritten:,} of {wrong.rows * wrong.columns:,} elements"
        return f"{count} of {wrong.output} are wrong{where}.{of_report}"
    return f"{launch.verdict.facts.label}: {launch.message}".strip().rstrip(":")


def _ending(trace: Trace, launch: Launch) -> str:
    if trace.complete or launch.verdict is Verdict.PASS:
        return ""
    return left_out(trace, launch) if trace.full else f"The launch ended here: {launch.verdict.facts.label}."


# A part of a recorded trace as a run in which each step is one thread's, in the order in which they happened. Warps are not put together
# here: where two threads race, their own order is what there is to see. Pure.


def run_of_threads(
    trace: Trace, chosen: Sequence[int], file: str, *, title: str, schedule: str, line_of: dict[int, int] | None = None
) -> StoryRun:
    """`chosen`: places in `trace.steps`, rising. `line_of`: lines of the shown source, where the traced one has others."""
    return StoryRun(
        title=title,
        schedule=schedule,
        arrays=tuple(replace(array, base=0) for array in page_arrays(trace, chosen)),
        places=page_places(trace, file, line_of),
        steps=tuple(_step(trace.steps[number]) for number in chosen),
    )


def around(trace: Trace, threads: Collection[int], meets: Sequence[int], most: int) -> list[int]:
    """The steps of `threads`, and the barriers, from `most` of each thread's before the first of `meets` to as many after the last."""
    first, last = min(meets), max(meets)
    intervals = range(trace.steps[first][2], trace.steps[last][2] + 1)
    own = [
        number
        for number, step in enumerate(trace.steps)
        if step[2] in intervals and (step[0] == StepKind.BARRIER or step[1] in threads)
    ]
    chosen: list[int] = []
    for thread in threads:
        of_thread = [
            number for number in own if trace.steps[number][0] != StepKind.BARRIER and trace.steps[number][1] == thread
        ]
        met = [place for place, number in enumerate(of_thread) if number in meets]
        if met:
            chosen += of_thread[max(0, met[0] - most) : met[-1] + most + 1]
    chosen += [number for number in own if trace.steps[number][0] == StepKind.BARRIER and first < number < last]
    return sorted(set(chosen))


def last_store(trace: Trace, thread: int, after: int) -> int | None:
    """Where the thread last writes to global memory."""
    stores = [
        number
        for number in range(after + 1, len(trace.steps))
        if trace.steps[number][1] == thread
        and trace.steps[number][0] in CHANGES
        and trace.arrays[trace.steps[number][3]].space == "global"
    ]
    return stores[-1] if stores else None


def _step(step: Step) -> WarpStep:
    kind, thread, interval, array, offset, size, bits, place, *_ = step
    if kind == StepKind.BARRIER:
        return WarpStep(PageStepKind.BARRIER, -1, interval, place)
    return WarpStep(
        kind=PageStepKind(kind),
        warp=thread // LANES,
        interval=interval,
        place=place,
        array=array if kind in ACCESSES or kind == StepKind.OUTSIDE else -1,
        bytes=size,
        lanes=(thread % LANES,),
        offsets=(offset,),
        bits=(bits if kind in ACCESSES or (kind == StepKind.EXCHANGE and size) else None,),
    )
