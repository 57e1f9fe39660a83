"""The page beside a report that steps through a block in which something is wrong: made after a submission was judged, by one more launch.

Only a public case whose feedback is full is drawn, with the public inputs of its test. Nothing here changes a verdict, and a page that
cannot be made is left out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from grader.commands.frame.drawn_pages import drawn_pages
from grader.commands.frame.drawn_run import drawn_run, has_traceable_mistake
from grader.judging.program_judging import StartedProgram
from grader.machine.toolset import Toolset
from grader.model.labs import Lab
from grader.model.outcomes.outcome import JudgedCase
from grader.model.result import Launch, StepPage
from grader.model.verdicts import Verdict
from grader.single_launch.lab_launch import read_report
from grader.single_launch.public_launch import watch_public_launch
from grader.single_launch.trace_steps import TraceReport
from grader.single_launch.tracing import Traced, TraceRequest
from grader.stories.mistake_stories import better_block, block_of_mistake

_SECONDS = 30  # of the launch that is drawn
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
            runs = [launch, *sorted(others, key=lambda one: math.prod(_sizes(one)))]
            pages.extend(drawn_run(toolset, lab, text, started, [(_shape(one), one) for one in runs]))
        else:
            run = partial(_traced, toolset, lab, started, launch)
            traced = run(TraceRequest(_shape(launch), launch.inputs, block_of_mistake(launch)))
            if (better := better_block(traced)) is not None:
                traced = run(replace(traced.request, block=better))
            pages.extend(drawn_pages(lab, traced, run, text.split("\n")))
    except Exception:  # noqa: BLE001, S110 -- whatever it is, what was judged stands without the page
        pass
    return tuple(pages)


def _worth_seeing(launches: Sequence[Launch]) -> Launch | None:
    """Of those that fail like the first failure: the smallest that is no tiny one, in which blocks and warps have something to do."""
    failed = [one for one in launches if _may_be_drawn(one)]
    alike = [one for one in failed if _mistake(one) == _mistake(failed[0])]
    large = [one for one in alike if math.prod(_sizes(one)) >= _SIDE ** len(_sizes(one))]
    if large:
        return min(large, key=lambda one: math.prod(_sizes(one)))
    return max(alike, key=lambda one: math.prod(_sizes(one)), default=None)


def _may_be_drawn(launch: Launch) -> bool:
    return launch.verdict not in _UNDRAWN and bool((launch.grid and launch.block) or has_traceable_mistake(launch))


def _mistake(launch: Launch) -> tuple[Verdict, Verdict | None, int | None]:
    first = next((one for one in launch.findings if one.severity == "error"), None)
    return launch.verdict, first.kind if first else None, first.line if first else None


def _sizes(launch: Launch) -> list[int]:
    return [int(one) for one in re.findall(r"=(\d{1,9})", launch.shape)]


def _shape(launch: Launch) -> str:
    return "x".join(map(str, _sizes(launch))) or launch.shape


def _traced(toolset: Toolset, lab: Lab, runner: Path, launch: Launch, request: TraceRequest) -> Traced:
    """`launch`, once more. `request`: which block of it is followed, and how blocks run."""
    asked = {
        "shape": request.shape or "",
        "usual": "",
        "inputs": launch.inputs,
        "block": ",".join(map(str, request.block)),
        "order": "reversed" if request.reversed else "in order",
        **request.of_blocks,
    }
    report = read_report(watch_public_launch(toolset, lab, runner, asked, seconds=_SECONDS), TraceReport)
    # What was found then is what the report tells.
    told = report.launch.model_copy(update={"findings": launch.findings, "verdict": launch.verdict})
    return Traced(lab, request, report.model_copy(update={"launch": told}), None)
