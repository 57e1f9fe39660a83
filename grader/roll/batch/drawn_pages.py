"""The pages that tell of a traced launch with a mistake, as files beside a report, with their links: the block as it ran, both orders of a
race, and the mistake's own stories.
"""

from __future__ import annotations

import dataclasses
import math
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from grader.engines.toolset import Toolset
from grader.explain.mistake_stories import asking, better_block, block_of_mistake, mistake_stories, said_of, story_of
from grader.explain.race_story import race_of, told_race
from grader.explain.story import Story, ToldStory, packed_page, thread_number
from grader.model.labs import Lab
from grader.model.outcome import JudgedCase
from grader.model.result import Launch, StepLink, StepPage
from grader.model.verdicts import Verdict
from grader.pages.pages import trace_page
from grader.run.launches.lab_launch import BuiltLaunch, LaunchRefusedError, Run, RunTracer, Traced, TraceRequest
from grader.run.launches.trace_phases import TraceReport
from grader.run.program_judging import StartedProgram
from grader.system.own_files import MOST_LAUNCHES, beside_report, is_foreign, open_page, write_atomically

_MOST_BYTES = 1_000_000


def drawn_pages(lab: Lab, traced: Traced, run: Run, lines: Sequence[str], *, number: int = 1) -> Iterator[StepPage]:
    """`run`: makes the traced launch again. `number`: of this launch among those of the lab that have pages."""
    launch = traced.report.launch

    def page(kind: str, story: Story | None, links: Iterator[StepLink]) -> Iterator[StepPage]:
        text = trace_page(story) if story is not None else ""
        if 0 < len(text.encode()) <= _MOST_BYTES:
            yield packed_page(beside_report(kind, lab.id, number), text, tuple(links), launch.shape)

    story = story_of(traced, lines, beside_report=True)
    if story is not None:
        yield from page("trace", story, _links(story, launch))
    for kind, between in (("race", False), ("blocks", True)):
        race = race_of(launch, between=between)
        # A missing barrier is not looked for: each try would be a build.
        if race is not None and (between or race.finding.block == traced.request.block):
            both = told_race(traced, run, lines, between=between)
            link = StepLink(kind=race.finding.kind, line=race.finding.line, fragment="#step=1", shows="orders")
            yield from page(kind, asking(both, lab) if both is not None else None, iter((link,)))
    for told in mistake_stories(traced, lines):
        kind, line = (told.finding.kind, told.finding.line) if told.finding else (Verdict.WRONG_ANSWER, None)
        link = StepLink(kind=kind, line=line, fragment=f"#step={told.story.start + 1}", shows="story")
        yield from page(told.kind, asking(told.story, lab), iter((link,)))


def _links(story: Story, launch: Launch) -> Iterator[StepLink]:
    """To the step of each finding that the page shows, and to the beginning for a wrong element."""
    run = story.runs[0]
    for finding in launch.findings:
        if finding.thread is None:
            continue
        (x, y, z), said = finding.thread, said_of(finding)
        thread = thread_number(finding.thread, story.block)
        mark = next((mark for mark in run.marks if mark.text == said and thread in mark.threads), None)
        if mark is not None:
            fragment = f"#step={mark.step + 1}&thread={x},{y}" + (f",{z}" if story.block[2] > 1 else "")
            yield StepLink(kind=finding.kind, line=finding.line, fragment=fragment)
    if launch.mismatch is not None:
        yield StepLink(kind=Verdict.WRONG_ANSWER, fragment="#step=1")


# The pages beside a report of a submission whose host code is the student's own: the run that failed is made again, and those of its
# launches that have findings are traced, as host code made them. What was judged stays as it is.

_SECONDS = 30.0


FindingKey = tuple[Verdict, int | None]


def places_of(launch: Launch) -> set[FindingKey]:
    """What kernels did wrong, and in which lines: a page can show it."""
    return {(one.kind, one.line) for one in launch.findings if one.severity == "error" and one.thread is not None}


def drawn_run(started: StartedProgram, runs: Sequence[tuple[str, Launch]]) -> Iterator[StepPage]:
    """`runs`: those that failed, each with its shape as the judge is asked for it. The first is drawn, and of the others what shows a
    finding that no page has yet. Raises whatever fails.
    """
    number, told = 0, set[FindingKey]()
    for shape, launch in runs:
        if number and places_of(launch) <= told:
            continue
        tracer, request = RunTracer(started, _SECONDS), TraceRequest(shape=shape, inputs=launch.inputs)
        run = tracer.survey(request)
        # Those with a finding; where none has one, the one that is shown for a wrong result.
        found = [one for one in run.launches if one.has_finding and one.began][:MOST_LAUNCHES]
        for one in found or filter(None, [run.first_to_see()]):
            again = partial(tracer.trace, run, one)
            traced = with_its_mistake(again, request)
            shown = places_of(traced.report.launch)
            if traced.report.launch.verdict is Verdict.PASS or (number and shown <= told):
                continue
            number += 1
            told |= shown
            yield from drawn_pages(started.lab, traced, again, tracer.files[traced.file].split("\n"), number=number)
            if number == MOST_LAUNCHES:
                return


def with_its_mistake(again: Run, request: TraceRequest) -> Traced:
    """The launch with the block of its first mistake followed: which one that is, is known when it has run."""
    traced = again(request)
    block = block_of_mistake(traced.report.launch)
    return traced if block == request.block else again(dataclasses.replace(request, block=block))


# The page beside a report that steps through a block in which something is wrong: made after a submission was judged, by one more launch.
#
# Only a public case whose feedback is full is drawn, with the public inputs of its test. Nothing here changes a verdict, and a page that
# cannot be made is left out.

_DRAWN_BLOCK_SECONDS = 30  # of the launch that is drawn
_SIDE = 16  # a launch with smaller sizes shows little
# A launch that never began has no block, and one that does not end would be waited for again.
_UNDRAWN = frozenset({Verdict.PASS, Verdict.LAUNCH_ERROR, Verdict.TIMEOUT, Verdict.NEEDS_GPU, Verdict.INTERNAL_ERROR})


def drawn_block(
    toolset: Toolset, lab: Lab, text: str, started: Path | StartedProgram, cases: Sequence[JudgedCase]
) -> tuple[StepPage, ...]:
    """A `Draw`: pages for a lab, of a launch that failed in a public case with full feedback."""
    shown = {case.name for case in lab.public.case if case.feedback == "full"}
    launches = [one for case in cases if case.name in shown for one in case.launches]
    launch = _worth_seeing(launches)
    if launch is None:
        return ()
    pages: list[StepPage] = []
    try:
        if isinstance(started, StartedProgram):
            others = (one for one in launches if one is not launch and _may_be_drawn(one))
            runs = [launch, *sorted(others, key=_volume)]
            pages.extend(drawn_run(started, [(_shape(one), one) for one in runs]))
        else:
            built = BuiltLaunch(toolset, lab, started, text.split("\n"), _DRAWN_BLOCK_SECONDS)
            run = partial(_traced, built, launch)
            traced = run(TraceRequest(_shape(launch), launch.inputs, block_of_mistake(launch)))
            if (better := better_block(traced)) is not None:
                traced = run(replace(traced.request, block=better))
            pages.extend(drawn_pages(lab, traced, run, built.lines))
    except Exception:  # noqa: BLE001, S110 -- whatever it is, what was judged stands without the page
        pass
    return tuple(pages)


def _worth_seeing(launches: Sequence[Launch]) -> Launch | None:
    """Of those that fail like the first failure: the smallest that is no tiny one, in which blocks and warps have something to do."""
    failed = [one for one in launches if _may_be_drawn(one)]
    alike = [one for one in failed if _mistake(one) == _mistake(failed[0])]
    large = [one for one in alike if _volume(one) >= _SIDE ** len(_sizes(one))]
    return min(large, key=_volume) if large else max(alike, key=_volume, default=None)


def _may_be_drawn(launch: Launch) -> bool:
    """Of a program's run, one that shows something that a kernel did wrong, and not host code alone."""
    known = bool(launch.grid and launch.block) or launch.mismatch is not None or bool(places_of(launch))
    return launch.verdict not in _UNDRAWN and known


def _mistake(launch: Launch) -> tuple[Verdict, Verdict | None, int | None]:
    first = next((one for one in launch.findings if one.severity == "error"), None)
    return launch.verdict, first.kind if first else None, first.line if first else None


def _sizes(launch: Launch) -> list[int]:
    return [int(one) for one in re.findall(r"=(\d{1,9})", launch.shape)]


def _volume(launch: Launch) -> int:
    return math.prod(_sizes(launch))


def _shape(launch: Launch) -> str:
    return "x".join(map(str, _sizes(launch))) or launch.shape


def _traced(built: BuiltLaunch, launch: Launch, request: TraceRequest) -> Traced:
    """`launch`, once more. `request`: which block of it is followed, and how blocks run."""
    lab = built.lab
    report = built.watch({**request.chosen(lab), **request.asked()}, TraceReport, of_tests=True)
    # What was found then is what the report tells.
    told = report.launch.model_copy(update={"findings": launch.findings, "verdict": launch.verdict})
    return Traced(lab.id, lab.public.file, request, report.model_copy(update={"launch": told}))


# Writes the page that steps through a block, and the pages of its mistakes beside it. Other files are never replaced or taken away.

_STORIES = {  # beside the page: the end of its name, and what it is
    "race": "both orders of the race",
    "blocks": "two blocks that race, in both orders",
    "barrier": "who waits where",
    "lanes": "who reads from whom",
    "unset": "who should have written it",
    "outside": "where the address lies",
    "sum": "the sum in a wrong element",
    "copy": "where a wrong element comes from",
    "untouched": "what no thread reads or writes",
}


def write_stories(page: Path, races: Mapping[str, Story | None], told: Sequence[ToldStory], *, asks: bool) -> None:
    """`page`: the page that they stand beside. `races`: "race" within a block, "blocks" between two. `asks`: with their questions."""
    stories: dict[str, Story | None] = {**races, **{one.kind: one.story for one in told}}
    for kind, words in _STORIES.items():
        story, file = stories.get(kind), page.with_name(f"{page.stem}-{kind}{page.suffix}")
        # Such a name was not asked for: a file is replaced, or taken away, only where an earlier run has made it.
        if not is_foreign(file):
            shown = story if story is None or asks else replace(story, questions=())
            write_page(shown, file, words, show=False)
        elif story is not None:
            sys.stderr.write(
                f"{words}: not written, because {file} is no page of Tilelab's; name another file with --page\n"
            )


def write_page(story: Story | None, file: Path, words: str, *, show: bool) -> None:
    """Writes nothing where there is no story, and takes away what an earlier one left there."""
    try:
        if story is None:
            file.unlink(missing_ok=True)
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, trace_page(story))
    except OSError as error:
        raise LaunchRefusedError(
            f"{file} cannot be written ({error.strerror}); name another file with --page"
        ) from error
    sys.stdout.flush()
    sys.stderr.write(f"{words}: {file}\n")
    if show and sys.stdout.isatty() and not open_page(file, os.environ):
        sys.stderr.write("No browser could be started: open that file in a browser yourself.\n")
