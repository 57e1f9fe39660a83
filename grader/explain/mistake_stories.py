"""Which stories a launch has: the block as it ran, the first mistake of each kind in that block, and a wrong element. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from grader.explain.access_stories import outside_story, unset_story, with_overruns
from grader.explain.addends_story import addends_story
from grader.explain.barrier_story import barrier_story, lane_story
from grader.explain.recording import Recording
from grader.explain.story import (
    LANES,
    MOST_THREADS,
    Index3,
    Mark,
    Story,
    StoryElement,
    StoryKind,
    StoryRun,
    ToldStory,
    Tone,
    WarpStep,
    has_thread,
    offset_of,
    thread_number,
)
from grader.explain.sum_story import sum_story
from grader.explain.untouched_story import untouched_story
from grader.explain.value_stories import copy_story, count_story
from grader.explain.warp_steps import run_of_trace
from grader.model.labs import Lab
from grader.model.result import Finding, Launch, Site
from grader.model.verdicts import Verdict
from grader.run.launches.trace_phases import CHANGES, StepKind, Trace, left_out
from grader.run.launches.tracing import Traced

# Of each kind of finding, the stories that may tell it: the first that can does.
_OF_FINDINGS: dict[Verdict, dict[StoryKind, Callable[[Recording, Finding], Story | None]]] = {
    Verdict.BARRIER_DIVERGENCE: {"lanes": lane_story, "barrier": barrier_story},
    Verdict.UNINITIALIZED_READ: {"lanes": lane_story, "unset": unset_story},
    Verdict.OUT_OF_BOUNDS: {"outside": outside_story},
}
# Where a launch ended by one of these, what is missing in its result says nothing more.
_ENDS = frozenset(
    {Verdict.OUT_OF_BOUNDS, Verdict.CRASH, Verdict.TIMEOUT, Verdict.BARRIER_DIVERGENCE, Verdict.MISALIGNED}
)
# Of a wrong element, the first that can tell something of each kind.
_OF_VALUES: tuple[tuple[StoryKind, Callable[[Recording], Story | None]], ...] = (
    ("sum", sum_story),
    ("sum", addends_story),
    ("sum", count_story),
    ("copy", copy_story),
    ("untouched", untouched_story),
)


def mistake_stories(traced: Traced, source: Sequence[str]) -> Iterator[ToldStory]:
    """`source`: the lines of the file. A race has a story of its own: race_story.py needs two runs."""
    recording = Recording.of(traced, source)
    if recording is None or recording.threads > MOST_THREADS:
        return
    told: set[StoryKind] = set()
    for finding in recording.launch.findings:
        if finding.severity != "error" or finding.block != recording.at:
            continue
        for kind, teller in _OF_FINDINGS.get(finding.kind, {}).items():
            if kind not in told and (story := teller(recording, finding)) is not None:
                told.add(kind)
                yield ToldStory(kind, finding, story)
                break
    ended = any(one.severity == "error" and one.kind in _ENDS for one in recording.launch.findings)
    if recording.launch.verdict is Verdict.WRONG_ANSWER and not ended:
        for kind, of_values in _OF_VALUES:
            if kind not in told and (story := of_values(recording)) is not None:
                told.add(kind)
                yield ToldStory(kind, None, story)


def asking(story: Story, lab: Lab) -> Story:
    """With its questions, unless the course has turned them off for this lab."""
    return story if lab.public.step_questions else replace(story, questions=())


def block_of_mistake(launch: Launch) -> Index3:
    """The block of the first mistake that has one; else that of the first wrong element, as blocks are laid out in most kernels."""
    for finding in launch.findings:
        if finding.severity == "error" and finding.block is not None:
            return finding.block
    if launch.mismatch is not None and launch.mismatch.first and launch.grid is not None:
        wrong = launch.mismatch.first[0]
        x, y = wrong.column // launch.mismatch.tile_columns, wrong.row // launch.mismatch.tile_rows
        return min(x, launch.grid[0] - 1), min(y, launch.grid[1] - 1), 0
    return 0, 0, 0


def better_block(traced: Traced) -> Index3 | None:
    """Where the followed block has nothing to do with the first wrong element: the block that has, as far as this one's own part of the
    result shows how large such parts are. None: there is no better one.
    """
    recording, wrong, at = Recording.of(traced, ()), traced.report.launch.mismatch, traced.request.block
    if recording is None or wrong is None or not wrong.first:
        return None
    if any(one.severity == "error" and one.block is not None for one in recording.launch.findings):
        return None
    flats = (one.flat for one in recording.find(CHANGES, array=wrong.output))
    cells = {divmod(flat, wrong.columns) for flat in flats if flat >= 0}
    goal = wrong.first[0].row, wrong.first[0].column
    if not cells:  # then the first one shows more: by which formula blocks write
        return (0, 0, 0) if at != (0, 0, 0) else None
    if goal in cells:
        return None
    found = list(at)
    for axis, of_block in ((0, 1), (1, 0)):
        low, high = min(cell[axis] for cell in cells), max(cell[axis] for cell in cells)
        if not low <= goal[axis] <= high and low == at[of_block] * (high - low + 1):
            found[of_block] = min(goal[axis] // (high - low + 1), recording.grid[of_block] - 1)
    x, y, z = found
    return (x, y, z) if (x, y, z) != at else None


# The story of a traced launch: the block as it ran, with a remark at each step of which the launch's findings speak. Pure.
#
# Stories that compare runs, or ask questions, are made elsewhere from the same runs.

_MOST_MARKS = 60
AS_IT_RAN = (
    "One warp after the other between two barriers. A GPU may run them in any other order; only barriers order them."
)


def story_of(traced: Traced, source: Sequence[str], *, beside_report: bool = False) -> Story | None:
    """None where the block did not run. `beside_report`: the page is about what went wrong there."""
    recording = Recording.of(traced, source)
    if recording is None or not recording.trace.steps or recording.threads > MOST_THREADS:
        return None
    launch, block, at = recording.launch, recording.block, recording.at
    trace = with_overruns(recording).trace
    run = run_of_trace(trace, block, recording.file, title="As it ran", schedule=AS_IT_RAN)
    marks = islice(marks_of(run, launch.findings, block, at), _MOST_MARKS)
    run = replace(run, marks=tuple(marks), ending=_ending(trace, launch))
    summary = f"{_summary(launch, beside_report=beside_report)} {left_out(trace, launch) if trace.full else ''}".strip()
    title = f"block ({', '.join(map(str, at[: 3 if recording.grid[2] > 1 else 2]))})"
    story = recording.framed(run, title=title, summary=summary, start=_start(run, launch))
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
    line = [number for number, step in enumerate(run.steps) if run.places[step.place].line == site.line]
    if site.access in {"barrier", "skip", "return"}:
        # Where the thread waits in this line or has left by it; else where it stands at all; else the line's barrier.
        stands = [number for number in own if run.steps[number].kind in {StepKind.WAIT, StepKind.LEAVE}]
        barriers = [number for number in line if run.steps[number].kind is StepKind.BARRIER]
        return next(iter(sorted({*stands} & {*line}) or stands or barriers or own[-1:]), None)
    kinds = set(StepKind)
    if site.access in {"read", "write", "atomic"}:
        kinds = {StepKind.OUTSIDE, StepKind[site.access.upper()]}
    on_line = [number for number in line if has_thread(run.steps[number], thread) and run.steps[number].kind in kinds]
    arrays = {number: run.arrays[run.steps[number].array] for number in on_line}
    of_array = [number for number, array in arrays.items() if array.name == finding.array]
    offsets = {number: offset_of(arrays[number], finding.element or "") for number in of_array}
    exact = [
        number
        for number in of_array
        if any(one.offset == offsets[number] for one in _touched(run.steps[number], thread))
    ]
    if finding.kind is Verdict.OUT_OF_BOUNDS:  # what is not recorded ends its thread
        outside = [number for number in on_line if run.steps[number].kind is StepKind.OUTSIDE]
        return next(iter(exact or outside or on_line[-1:] or own[-1:]), None)
    return next(iter(exact or of_array or on_line or own[-1:]), None)


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
