"""Which stories a launch has: the block as it ran, the first mistake of each kind in that block, and a wrong element. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from grader.explain.access_stories import outside_story, unset_story, with_overruns
from grader.explain.addends_story import addends_story
from grader.explain.barrier_story import barrier_story, lane_story
from grader.explain.recording import Moment, Recording
from grader.explain.story import (
    MOST_THREADS,
    Index3,
    Mark,
    Story,
    StoryElement,
    StoryKind,
    StoryRun,
    ToldStory,
    Tone,
    thread_number,
)
from grader.explain.sum_story import sum_story
from grader.explain.untouched_story import untouched_story
from grader.explain.value_stories import copy_story, count_story
from grader.model.labs import Lab
from grader.model.result import Finding, Launch, Site
from grader.model.verdicts import Verdict
from grader.model.visible_text import index
from grader.run.launches.lab_launch import Traced
from grader.run.launches.trace_phases import ACCESSES, CHANGES, StepKind, Trace, left_out

# Of each kind of finding, the stories that may tell it: the first that can does.
_OF_FINDINGS: dict[Verdict, dict[StoryKind, Callable[[Recording, Finding], Story | None]]] = {
    Verdict.BARRIER_DIVERGENCE: {"lanes": lane_story, "barrier": barrier_story},
    Verdict.UNINITIALIZED_READ: {"lanes": lane_story, "unset": unset_story},
    Verdict.OUT_OF_BOUNDS: {"outside": outside_story},
}
# Where a launch ended by one of these, what is missing in its result says nothing more.
_ENDS = {Verdict.OUT_OF_BOUNDS, Verdict.CRASH, Verdict.TIMEOUT, Verdict.BARRIER_DIVERGENCE, Verdict.MISALIGNED}
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
_TOUCH = ACCESSES | {StepKind.OUTSIDE}
AS_IT_RAN = (
    "One warp after the other between two barriers. A GPU may run them in any other order; only barriers order them."
)


def story_of(traced: Traced, source: Sequence[str], *, beside_report: bool = False) -> Story | None:
    """None where the block did not run. `beside_report`: the page is about what went wrong there."""
    recording = Recording.of(traced, source)
    if recording is None or not recording.trace.steps or recording.threads > MOST_THREADS:
        return None
    recording = with_overruns(recording)
    launch, at, trace = recording.launch, recording.at, recording.trace
    run, places = recording.together("As it ran", AS_IT_RAN)
    marks = tuple(islice(marks_of(recording, places), _MOST_MARKS))
    run = replace(run, marks=marks, ending=_ending(trace, launch))
    summary = f"{_summary(launch, marks, beside_report=beside_report)} {left_out(trace, launch) if trace.full else ''}".strip()
    title = f"block {index(at)}"
    story = recording.framed(run, title=title, summary=summary, start=_start(run, launch))
    tone: Tone = "good" if launch.verdict is Verdict.PASS else "bad"
    return replace(story, tone=tone) if story is not None else None


def _start(run: StoryRun, launch: Launch) -> int:
    """Where the first mistake is remarked; where it is not, the first remark of any."""
    first = next((said_of(one) for one in launch.findings if one.severity == "error"), "")
    bad = [mark for mark in run.marks if mark.tone == "bad"]
    return min((mark.step for mark in bad if mark.text == first), default=min((mark.step for mark in bad), default=0))


def marks_of(recording: Recording, places: Mapping[int, int]) -> Iterator[Mark]:
    """For each finding in this block: its accesses, where they were recorded, else the last step of its thread. `places`: in the run."""
    for finding in recording.launch.findings:
        for site in (finding, finding.other):
            if site is None or site.thread is None or site.block not in {recording.at, None}:
                continue
            thread = thread_number(site.thread, recording.block)
            own = [one for one in recording.of_thread(thread) if one in places]
            at = _moment_of(recording, own, site, finding)
            if at is not None:
                parts = (one for one in own if places[one] == places[at] and one.kind in _TOUCH)
                tone: Tone = "note" if finding.severity == "note" else "bad"
                yield Mark(
                    places[at], said_of(finding), tone, (thread,), tuple(StoryElement(*one.key) for one in parts)
                )


def said_of(finding: Finding) -> str:
    return f"{finding.called}: {finding.message}"


def _moment_of(recording: Recording, own: Sequence[Moment], site: Site, finding: Finding) -> Moment | None:
    """The first of its thread's `own` steps in this line: of the element that the finding names, else of its array, else any."""
    on_line = [one for one in own if one.line == site.line]
    if site.access in {"barrier", "skip", "return"}:
        # Where the thread waits in this line or has left by it; else where it stands at all; else the line's barrier.
        stands = [one for one in own if one.kind in {StepKind.WAIT, StepKind.LEAVE}]
        barriers = [one for one in recording.find({StepKind.BARRIER}) if one.line == site.line]
        return next(iter([one for one in on_line if one in stands] or stands or barriers or own[-1:]), None)
    if site.access in {"read", "write", "atomic"}:
        on_line = [one for one in on_line if one.kind in {StepKind.OUTSIDE, StepKind[site.access.upper()]}]
    of_array = [one for one in on_line if one.kind in _TOUCH and one.array.name == finding.array]
    exact = [one for one in of_array if one.is_called(finding.element)]
    if finding.kind is Verdict.OUT_OF_BOUNDS:  # what is not recorded ends its thread
        outside = [one for one in on_line if one.kind == StepKind.OUTSIDE]
        return next(iter(exact or outside or on_line[-1:] or own[-1:]), None)
    return next(iter(exact or of_array or on_line or own[-1:]), None)


def _summary(launch: Launch, marks: Sequence[Mark], *, beside_report: bool) -> str:
    """What a mark says in full stands there alone."""
    if launch.verdict is Verdict.PASS:
        return "This launch is right and nothing was found. Step through it to see how the block works."
    first = next((one for one in launch.findings if one.severity == "error"), None)
    if first is not None and said_of(first) in {one.text for one in marks}:
        lines = sorted({one.line for one in (first, first.other) if one is not None and one.line is not None})
        where = f" in line{'s' if len(lines) > 1 else ''} {' and '.join(map(str, lines))}" if lines else ""
        return f"{first.called}{where}. The page begins at the step where it shows."
    if first is not None:
        return said_of(first)
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
