"""The story of a traced launch: the block as it ran, with a remark at each step of which the launch's findings speak. Pure.

Stories that compare runs, or ask questions, are made elsewhere from the same runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from grader.explain.recording import Recording, framed
from grader.explain.story import (
    LANES,
    MOST_THREADS,
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
from grader.run.launches.trace_phases import ACCESSES, Step, StepKind, Trace, TracedArray, left_out
from grader.run.launches.tracing import Traced

# Where a subscript past the end of its dimension leads. The executor stops the thread before the access, so that the trace has none; but
# the thread's access before it, in the same line, tells the other subscripts. Pure.

_SAID = re.compile(r"uses subscript (-?\d{1,9}) of (\w+), but this dimension has only the subscripts 0 to (\d{1,9})")


def with_overruns(recording: Recording) -> Recording:
    """With a step for each access that a subscript past its dimension would have been, of the threads that the findings name."""
    steps = list(recording.steps)
    for finding in recording.launch.findings:
        said = _SAID.search(finding.message) if finding.kind is Verdict.OUT_OF_BOUNDS else None
        if said is not None and finding.thread is not None:
            thread = thread_number(finding.thread, recording.block)
            _add(recording.trace, steps, finding.line, thread, said[2], int(said[1]), int(said[3]) + 1)
    return replace(recording, trace=recording.trace.model_copy(update={"steps": tuple(steps)}))


def _add(
    trace: Trace, steps: list[Step], line: int | None, thread: int, array: str, subscript: int, extent: int
) -> None:
    own = [number for number, step in enumerate(steps) if step[1] == thread and step[0] != StepKind.BARRIER]
    stop = next((number for number in reversed(own) if steps[number][0] == StepKind.STOP), None)
    before = [
        steps[number]
        for number in own
        if stop is not None
        and number < stop
        and steps[number][0] in ACCESSES
        and trace.arrays[steps[number][3]].name == array
        and trace.places[steps[number][7]].line == line
    ]
    if stop is None or not before:
        return
    _, _, _, number, offset, size, _, place, slot, _ = last = before[-1]
    there = _moved(trace.arrays[number], last, subscript, extent)
    if there is not None and offset != there:
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
AS_IT_RAN = (
    "One warp after the other between two barriers. A GPU may run them in any other order; only barriers order them."
)


def story_of(traced: Traced, source: Sequence[str], *, beside_report: bool = False) -> Story | None:
    """None where the block did not run. `beside_report`: the page is about what went wrong there."""
    recording = Recording.of(traced, source)
    if recording is None or not recording.steps or recording.threads > MOST_THREADS:
        return None
    launch, block, at = recording.launch, recording.block, recording.at
    trace = with_overruns(recording).trace
    run = run_of_trace(trace, block, recording.file, title="As it ran", schedule=AS_IT_RAN)
    marks = islice(marks_of(run, launch.findings, block, at), _MOST_MARKS)
    run = replace(run, marks=tuple(marks), ending=_ending(trace, launch))
    summary = f"{_summary(launch, beside_report=beside_report)} {left_out(trace, launch) if trace.full else ''}".strip()
    title = f"block ({', '.join(map(str, at[: 3 if recording.grid[2] > 1 else 2]))})"
    story = framed(recording, run, title=title, summary=summary, start=_start(run, launch))
    return replace(story, tone=tone_of(launch)) if story is not None else None


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
