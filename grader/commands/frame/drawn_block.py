"""The page beside a report that steps through a block in which something is wrong: made after a submission was judged, by one more launch.

Only a public case whose feedback is full is drawn, with the public inputs of its test. Nothing here changes a verdict, and a page that
cannot be made is left out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from grader.block_races.block_race import block_race_of
from grader.block_races.block_race_runs import told_block_race
from grader.machine.toolset import Toolset
from grader.model.labs import Lab
from grader.model.outcomes.outcome import JudgedCase
from grader.model.result import Finding, Launch, StepLink, StepPage
from grader.model.verdicts import Verdict
from grader.reports.pages import trace_page
from grader.single_launch.lab_launch import read_report
from grader.single_launch.public_launch import watch_public_launch
from grader.single_launch.trace_steps import TraceReport
from grader.single_launch.tracing import Traced, TraceRequest
from grader.step_page.named_places import thread_number
from grader.step_page.packed_page import packed_page
from grader.step_page.race_story import race_of, race_story
from grader.step_page.story import Index3, Story
from grader.step_page.trace_story import said_of, story_of
from grader.stories.mistake_stories import asking, better_block, block_of_mistake, mistake_stories

_SECONDS = 30  # of the launch that is drawn
_SIDE = 16  # a launch with smaller sizes shows little
_MOST_BYTES = 1_000_000
# A launch that never began has no block, and one that does not end would be waited for again.
_UNDRAWN = frozenset({Verdict.PASS, Verdict.LAUNCH_ERROR, Verdict.TIMEOUT, Verdict.NEEDS_GPU, Verdict.INTERNAL_ERROR})


def drawn_block(
    toolset: Toolset, lab: Lab, text: str, runner: Path, cases: Sequence[JudgedCase]
) -> tuple[StepPage, ...]:
    """A `Draw`: a page for a lab, of a launch that failed in a public case with full feedback, and a second one where threads race."""
    shown = {case.name for case in lab.public.case if case.feedback == "full"}
    launch = _worth_seeing([one for case in cases if case.name in shown for one in case.launches])
    if launch is None:
        return ()
    try:
        traced = _traced(toolset, lab, runner, launch, block_of_mistake(launch))
        if (better := better_block(traced)) is not None:
            traced = _traced(toolset, lab, runner, launch, better)
        lines = text.split("\n")
        story = story_of(traced, lines, beside_report=True)
        race = _race(toolset, lab, text, runner, traced)
        between = told_block_race(traced, lambda request: _run(toolset, lab, runner, launch, request), lines)
        return (*_pages(lab, launch, story, race, between), *_story_pages(lab, traced, lines))
    except Exception:  # noqa: BLE001 -- whatever it is, what was judged stands without the page
        return ()


def _pages(
    lab: Lab, launch: Launch, story: Story | None, race: Story | None, between: Story | None
) -> Iterator[StepPage]:
    if story is not None:
        yield from _page(f"trace-{lab.id}.html", story, tuple(_links(story, launch)))
    if race is not None:
        yield from _page(f"race-{lab.id}.html", asking(race, lab), tuple(_race_links(race_of(launch))))
    if between is not None and (found := block_race_of(launch)) is not None:
        yield from _page(f"blocks-{lab.id}.html", asking(between, lab), tuple(_race_links(found.finding)))


def _story_pages(lab: Lab, traced: Traced, lines: Sequence[str]) -> Iterator[StepPage]:
    for told in mistake_stories(traced, lines):
        kind, line = (told.finding.kind, told.finding.line) if told.finding else (Verdict.WRONG_ANSWER, None)
        link = StepLink(kind=kind, line=line, fragment=f"#step={told.story.start + 1}", shows="story")
        yield from _page(f"{told.kind}-{lab.id}.html", asking(told.story, lab), (link,))


def _page(name: str, story: Story, links: tuple[StepLink, ...]) -> tuple[StepPage, ...]:
    page = trace_page(story)
    return (packed_page(name, page, links),) if len(page.encode()) <= _MOST_BYTES else ()


def _race(toolset: Toolset, lab: Lab, text: str, runner: Path, traced: Traced) -> Story | None:
    """Both orders of the race that the launch has, if one is in the block that was followed. A missing barrier is not looked for: each try
    would be a build.
    """
    launch = traced.report.launch
    finding = race_of(launch)
    if finding is None or finding.block != traced.request.block:
        return None
    backward = _traced(toolset, lab, runner, launch, traced.request.block, reverse=True)
    return race_story(traced, backward, None, text.split("\n"))


def _race_links(finding: Finding | None) -> Iterator[StepLink]:
    if finding is not None:
        yield StepLink(kind=finding.kind, line=finding.line, fragment="#step=1", shows="orders")


def _worth_seeing(launches: Sequence[Launch]) -> Launch | None:
    """Of those that fail like the first failure: the smallest that is no tiny one, in which blocks and warps have something to do."""
    failed = [one for one in launches if one.verdict not in _UNDRAWN and one.grid and one.block]
    alike = [one for one in failed if _mistake(one) == _mistake(failed[0])]
    large = [one for one in alike if math.prod(_sizes(one)) >= _SIDE ** len(_sizes(one))]
    if large:
        return min(large, key=lambda one: math.prod(_sizes(one)))
    return max(alike, key=lambda one: math.prod(_sizes(one)), default=None)


def _mistake(launch: Launch) -> tuple[Verdict, Verdict | None, int | None]:
    first = next((one for one in launch.findings if one.severity == "error"), None)
    return launch.verdict, first.kind if first else None, first.line if first else None


def _sizes(launch: Launch) -> list[int]:
    return [int(one) for one in re.findall(r"=(\d{1,9})", launch.shape)]


def _run(toolset: Toolset, lab: Lab, runner: Path, launch: Launch, request: TraceRequest) -> Traced:
    return _traced(toolset, lab, runner, launch, request.block, reverse=request.reversed, request=request)


def _traced(  # noqa: PLR0913 -- what is run, and which part of it is shown
    toolset: Toolset,
    lab: Lab,
    runner: Path,
    launch: Launch,
    block: Index3,
    *,
    reverse: bool = False,
    request: TraceRequest | None = None,
) -> Traced:
    """`request`: what else is asked of blocks."""
    asked = {
        "shape": "x".join(map(str, _sizes(launch))) or launch.shape,
        "usual": "",
        "inputs": launch.inputs,
        "block": ",".join(map(str, block)),
        "order": "reversed" if reverse else "in order",
        **(request.of_blocks if request is not None else {}),
    }
    report = read_report(watch_public_launch(toolset, lab, runner, asked, seconds=_SECONDS), TraceReport)
    # What was found then is what the report tells.
    told = report.launch.model_copy(update={"findings": launch.findings, "verdict": launch.verdict})
    made = replace(request or TraceRequest(), shape=asked["shape"], inputs=launch.inputs, block=block, reversed=reverse)
    return Traced(lab, made, report.model_copy(update={"launch": told}), None)


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
