"""Which stories a launch has: of the first mistake of each kind in the block that was followed, and of a wrong element. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from grader.model.labs import Lab
from grader.model.result import Finding, Launch
from grader.model.verdicts import Verdict
from grader.single_launch.tracing import TracedLaunch
from grader.step_page.story import Index3, Story
from grader.stories.barrier_story import barrier_story
from grader.stories.outside_story import outside_story
from grader.stories.sum_story import sum_story
from grader.stories.told_story import StoryKind, ToldStory
from grader.stories.unset_story import unset_story

_KINDS: dict[Verdict, StoryKind] = {
    Verdict.BARRIER_DIVERGENCE: "barrier",
    Verdict.UNINITIALIZED_READ: "unset",
    Verdict.OUT_OF_BOUNDS: "outside",
}


_MOST_THREADS = 1024


def mistake_stories(traced: TracedLaunch, source: Sequence[str]) -> Iterator[ToldStory]:
    """`source`: the lines of the file. A race has a story of its own: race_story.py needs two runs."""
    if traced.report.launch.block is None or math.prod(traced.report.launch.block) > _MOST_THREADS:
        return  # no GPU has such a block, whatever was reported
    told: set[StoryKind] = set()
    for finding in traced.report.launch.findings:
        kind = _KINDS.get(finding.kind)
        if kind is None or kind in told or finding.severity != "error" or finding.block != traced.request.block:
            continue
        story = _story(kind, traced, finding, source)
        if story is not None:
            told.add(kind)
            yield ToldStory(kind, finding, story)
    if traced.report.launch.verdict is Verdict.WRONG_ANSWER and (story := sum_story(traced, source)) is not None:
        yield ToldStory("sum", None, story)


def asking(story: Story, lab: Lab) -> Story:
    """With its questions, unless the course has turned them off for this lab."""
    return story if lab.public.step_questions else replace(story, questions=())


def _story(kind: StoryKind, traced: TracedLaunch, finding: Finding, source: Sequence[str]) -> Story | None:
    if kind == "barrier":
        return barrier_story(traced, finding, source)
    if kind == "unset":
        return unset_story(traced, finding, source)
    return outside_story(traced, finding, source)


def block_of_mistake(launch: Launch) -> Index3:
    """The block of the first mistake that has one; else that of the first wrong element, as blocks are laid out in most kernels."""
    for finding in launch.findings:
        if finding.severity == "error" and finding.block is not None:
            return finding.block
    if launch.mismatch is not None and launch.mismatch.first and launch.grid is not None:
        wrong = launch.mismatch.first[0]
        x, y = wrong.column // launch.mismatch.tile_columns, wrong.row // launch.mismatch.tile_rows
        if x < launch.grid[0] and y < launch.grid[1]:
            return x, y, 0
    return 0, 0, 0
