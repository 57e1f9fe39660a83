"""The story of a traced launch: the block as it ran, with a remark at each step of which the launch's findings speak. Pure.

Stories that compare runs, or ask questions, are made elsewhere from the same runs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from grader.model.result import Finding, Launch, Site
from grader.model.verdicts import Verdict
from grader.single_launch.trace_steps import Trace, left_out
from grader.single_launch.tracing import TracedLaunch
from grader.step_page.named_places import has_thread, offset_of, thread_number
from grader.step_page.past_a_row import with_overruns
from grader.step_page.story import LANES, Index3, Mark, PageStepKind, Story, StoryElement, StoryRun, Tone, WarpStep
from grader.step_page.warp_steps import run_of_trace

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
