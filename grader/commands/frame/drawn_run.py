"""The pages beside a report of a submission whose host code is the student's own: the run that failed is made again, and those of its
launches that have findings are traced, as host code made them. What was judged stays as it is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from functools import partial

from grader.commands.frame.drawn_pages import drawn_pages
from grader.judging.program_judging import StartedProgram
from grader.machine.own_page import MOST_LAUNCHES
from grader.machine.toolset import Toolset
from grader.model.labs import Lab
from grader.model.result import Launch, StepPage
from grader.model.verdicts import Verdict
from grader.single_launch.tracing import Run, Traced, TraceRequest
from grader.stories.mistake_stories import block_of_mistake
from grader.traced_runs.run_launches import RunLaunch, SurveyedRun
from grader.traced_runs.run_tracer import RunTracer

_SECONDS = 30.0


Place = tuple[Verdict, int | None]


def places_of(launch: Launch) -> set[Place]:
    """What kernels did wrong, and in which lines: a page can show it."""
    return {(one.kind, one.line) for one in launch.findings if one.severity == "error" and one.thread is not None}


def has_traceable_mistake(launch: Launch) -> bool:
    """Whether a run shows something that a kernel did wrong, and not host code alone."""
    return launch.mismatch is not None or bool(places_of(launch))


def drawn_run(
    toolset: Toolset, lab: Lab, text: str, started: StartedProgram, runs: Sequence[tuple[str, Launch]]
) -> Iterator[StepPage]:
    """`runs`: those that failed, each with its shape as the judge is asked for it. The first is drawn, and of the others what shows a
    finding that no page has yet. Raises whatever fails.
    """
    number, told = 0, set[Place]()
    for shape, launch in runs:
        if number and places_of(launch) <= told:
            continue
        tracer = RunTracer(toolset, lab, text, started, shape, launch.inputs, _SECONDS)
        run = tracer.survey()
        for one in _launches_to_see(run):
            again = partial(tracer.trace, run, one)
            traced = with_its_mistake(again, TraceRequest(shape=shape, inputs=launch.inputs))
            shown = places_of(traced.report.launch)
            if traced.report.launch.verdict is Verdict.PASS or (number and shown <= told):
                continue
            number += 1
            told |= shown
            yield from drawn_pages(lab, traced, again, text.split("\n"), number=number)
            if number == MOST_LAUNCHES:
                return


def with_its_mistake(again: Run, request: TraceRequest) -> Traced:
    """The launch with the block of its first mistake followed: which one that is, is known when it has run."""
    traced = again(request)
    block = block_of_mistake(traced.report.launch)
    return traced if block == request.block else again(dataclasses.replace(request, block=block))


def _launches_to_see(run: SurveyedRun) -> Sequence[RunLaunch]:
    """Those with a finding; where none has one, the one that is shown for a wrong result."""
    found = [one for one in run.launches if one.has_finding and one.began][:MOST_LAUNCHES]
    shown = run.first_to_see()
    return found or ([shown] if shown is not None else [])
