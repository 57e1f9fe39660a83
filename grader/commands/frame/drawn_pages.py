"""The pages that tell of a traced launch with a mistake, as files beside a report, with their links: the block as it ran, both orders of a
race, and the mistake's own stories.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from grader.block_races.block_race import block_race_of
from grader.block_races.block_race_runs import told_block_race
from grader.machine.own_page import beside_report
from grader.model.labs import Lab
from grader.model.result import Finding, Launch, StepLink, StepPage
from grader.model.verdicts import Verdict
from grader.reports.pages import trace_page
from grader.single_launch.tracing import Run, Traced
from grader.step_page.named_places import thread_number
from grader.step_page.packed_page import packed_page
from grader.step_page.race_story import race_of, race_story
from grader.step_page.story import Story
from grader.step_page.trace_story import said_of, story_of
from grader.stories.mistake_stories import asking, mistake_stories

_MOST_BYTES = 1_000_000


def drawn_pages(lab: Lab, traced: Traced, run: Run, lines: Sequence[str], *, number: int = 1) -> Iterator[StepPage]:
    """`run`: makes the traced launch again. `number`: of this launch among those of the lab that have pages."""
    launch = traced.report.launch

    def page(kind: str, story: Story | None, links: Iterator[StepLink]) -> Iterator[StepPage]:
        text = trace_page(story) if story is not None else ""
        if 0 < len(text.encode()) <= _MOST_BYTES:
            yield packed_page(beside_report(kind, lab.id, number), text, tuple(links))

    story = story_of(traced, lines, beside_report=True)
    if story is not None:
        yield from page("trace", story, _links(story, launch))
    if (race := _race(traced, run, lines)) is not None:
        yield from page("race", asking(race, lab), _race_links(race_of(launch)))
    between = told_block_race(traced, run, list(lines))
    if between is not None and (found := block_race_of(launch)) is not None:
        yield from page("blocks", asking(between, lab), _race_links(found.finding))
    for told in mistake_stories(traced, lines):
        kind, line = (told.finding.kind, told.finding.line) if told.finding else (Verdict.WRONG_ANSWER, None)
        link = StepLink(kind=kind, line=line, fragment=f"#step={told.story.start + 1}", shows="story")
        yield from page(told.kind, asking(told.story, lab), iter((link,)))


def _race(traced: Traced, run: Run, lines: Sequence[str]) -> Story | None:
    """Both orders of the race that the launch has, if one is in the block that was followed. A missing barrier is not looked for: each try
    would be a build.
    """
    finding = race_of(traced.report.launch)
    if finding is None or finding.block != traced.request.block:
        return None
    backward = run(dataclasses.replace(traced.request, reversed=True))
    return race_story(traced, backward, None, lines)


def _race_links(finding: Finding | None) -> Iterator[StepLink]:
    if finding is not None:
        yield StepLink(kind=finding.kind, line=finding.line, fragment="#step=1", shows="orders")


def _links(story: Story, launch: Launch) -> Iterator[StepLink]:
    """To the step of each finding that the page shows, and to the beginning for a wrong element."""
    run = story.runs[0]
    for finding in launch.findings:
        if (found := _marked(story, finding)) is not None:
            mark = run.marks[found]
            x, y, z = finding.thread or (0, 0, 0)
            fragment = f"#step={mark.step + 1}&thread={x},{y}" + (f",{z}" if story.block[2] > 1 else "")
            yield StepLink(kind=finding.kind, line=finding.line, fragment=fragment)
    if launch.mismatch is not None:
        yield StepLink(kind=Verdict.WRONG_ANSWER, fragment="#step=1")


def _marked(story: Story, finding: Finding) -> int | None:
    if finding.thread is None:
        return None
    thread = thread_number(finding.thread, story.block)
    said = said_of(finding)
    return next(
        (at for at, mark in enumerate(story.runs[0].marks) if mark.text == said and thread in mark.threads), None
    )
