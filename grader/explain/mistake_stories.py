"""Which stories a launch has: of the first mistake of each kind in the block that was followed, and of a wrong element. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from grader.explain.access_stories import outside_story, unset_story
from grader.explain.addends_story import addends_story
from grader.explain.barrier_story import barrier_story, lane_story
from grader.explain.copy_story import copy_story
from grader.explain.count_story import count_story
from grader.explain.recording import Recording
from grader.explain.story import MOST_THREADS, Index3, Story, StoryKind, ToldStory
from grader.explain.sum_story import sum_story
from grader.explain.untouched_story import untouched_story
from grader.model.labs import Lab
from grader.model.result import Finding, Launch
from grader.model.verdicts import Verdict
from grader.run.launches.trace_phases import CHANGES
from grader.run.launches.tracing import Traced

# Of each kind of finding, the stories that may tell it: the first that can does.
_KINDS: dict[Verdict, tuple[StoryKind, ...]] = {
    Verdict.BARRIER_DIVERGENCE: ("lanes", "barrier"),
    Verdict.UNINITIALIZED_READ: ("lanes", "unset"),
    Verdict.OUT_OF_BOUNDS: ("outside",),
}
_TELLERS: dict[StoryKind, Callable[[Recording, Finding], Story | None]] = {
    "barrier": barrier_story,
    "lanes": lane_story,
    "unset": unset_story,
    "outside": outside_story,
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
        for kind in _KINDS.get(finding.kind, ()):
            story = _TELLERS[kind](recording, finding) if kind not in told else None
            if story is not None:
                told.add(kind)
                yield ToldStory(kind, finding, story)
                break
    ended = any(one.severity == "error" and one.kind in _ENDS for one in recording.launch.findings)
    if recording.launch.verdict is Verdict.WRONG_ANSWER and not ended:
        for value, teller in _OF_VALUES:
            if value not in told and (story := teller(recording)) is not None:
                told.add(value)
                yield ToldStory(value, None, story)


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
    trace, launch, at = traced.report.trace, traced.report.launch, traced.request.block
    wrong = launch.mismatch
    if trace is None or wrong is None or not wrong.first or launch.grid is None:
        return None
    if any(one.severity == "error" and one.block is not None for one in launch.findings):
        return None
    cells = {
        divmod(step[4] // step[5], wrong.columns)
        for step in trace.steps
        if step[0] in CHANGES and step[5] and trace.arrays[step[3]].name == wrong.output
    }
    goal = wrong.first[0].row, wrong.first[0].column
    if not cells:  # then the first one shows more: by which formula blocks write
        return (0, 0, 0) if at != (0, 0, 0) else None
    if goal in cells:
        return None
    found = list(at)
    for axis, of_block in ((0, 1), (1, 0)):
        low, high = min(cell[axis] for cell in cells), max(cell[axis] for cell in cells)
        if not low <= goal[axis] <= high and low == at[of_block] * (high - low + 1):
            found[of_block] = min(goal[axis] // (high - low + 1), launch.grid[of_block] - 1)
    x, y, z = found
    return (x, y, z) if (x, y, z) != at else None
