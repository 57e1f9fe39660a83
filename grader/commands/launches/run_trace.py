"""`tilelab trace` for a lab whose host code is the student's: runs it on a public test's numbers, says which launches it makes, and traces
one of them as host code made it. It grades nothing.
"""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.commands.frame.drawn_run import with_its_mistake
from grader.judging.program_judging import build_submission, started_program
from grader.machine.toolset import Toolset
from grader.model.labs import Lab
from grader.model.verdicts import Verdict
from grader.reports.launches.trace_tables import Heading, Part, Sentence, Table
from grader.reports.text import visible
from grader.single_launch.lab_launch import LaunchRefusedError
from grader.single_launch.tracing import Run, Traced, TraceRequest, with_steps
from grader.traced_runs.run_launches import RunLaunch, SurveyedRun
from grader.traced_runs.run_tracer import RunTracer

_MOST_LISTED = 20
_REFUSALS = 3


class NoLaunchError(LaunchRefusedError):
    """The run launched no kernel that began. The text says what was found instead."""


@dataclass(frozen=True)
class TracedRun:
    run: SurveyedRun
    followed: RunLaunch
    traced: Traced
    again: Run  # makes the run again, with that launch traced


@dataclass(frozen=True)
class RunTraces:
    """`launch`: a number or a kernel's name; none: the first with a finding. `scratch`: a folder of the caller, for builds and runs."""

    toolset: Toolset
    lab: Lab
    scratch: Path
    launch: str | None = None

    def build(self, source: bytes) -> Run:
        """As a `Build`: of a changed file, in which the same launch is meant. A run with another mistake is not right."""
        tracer = self._tracer(source, TraceRequest())

        def run(request: TraceRequest) -> Traced:
            asked = dataclasses.replace(tracer, shape=request.shape or "", inputs=request.inputs or "")
            survey = asked.survey()
            traced = asked.trace(survey, self._followed(survey), request)
            launch = traced.report.launch
            if launch.verdict is not Verdict.PASS or survey.launch.verdict is Verdict.PASS:
                return traced
            whole = launch.model_copy(update={"verdict": survey.launch.verdict})
            return dataclasses.replace(traced, report=traced.report.model_copy(update={"launch": whole}))

        return run

    def trace(self, source: bytes, request: TraceRequest, *, finds_block: bool) -> TracedRun:
        """`finds_block`: the block of the first mistake is followed, whichever that is. Raises LaunchRefusedError and its like."""
        tracer = self._tracer(source, request)
        survey = tracer.survey()
        followed = self._followed(survey)

        def again(asked: TraceRequest) -> Traced:
            return tracer.trace(survey, followed, asked)

        traced = with_its_mistake(again, request) if finds_block else again(request)
        return TracedRun(survey, followed, with_steps(traced), again)

    def _followed(self, survey: SurveyedRun) -> RunLaunch:
        followed = survey.named(self.launch) if self.launch else survey.first_to_see()
        if followed is None:
            said = "\n".join(_of_host(survey)) or survey.launch.message
            message = (
                f"In this run, the host code of {self.lab.public.file} launches no kernel that begins.\n{said}".strip()
            )
            raise NoLaunchError(message)
        if not followed.began:
            message = f"launch {followed.number} ({followed.kernel}) did not begin, so there is nothing to step through"
            raise LaunchRefusedError(message)
        return followed

    def _tracer(self, source: bytes, request: TraceRequest) -> RunTracer:
        text = source.decode("utf-8", "replace")
        folder = Path(tempfile.mkdtemp(dir=self.scratch))
        work = folder / "work"
        work.mkdir()
        built = build_submission(self.toolset, self.lab, text, work)
        if built.refusals:
            said = (
                f"{self.lab.public.file}{f':{one.line}' if one.line > 0 else ''}: {one.verdict.value}: {one.message} {one.advice}".strip()
                for one in built.refusals[:_REFUSALS]
            )
            raise LaunchRefusedError("\n".join(said))
        started = started_program(self.toolset, self.lab, built, folder)
        return RunTracer(self.toolset, self.lab, text, started, request.shape or "", request.inputs or "")


def run_parts(found: TracedRun) -> Iterator[Part]:
    """Which launches there were, which one is followed, and what host code did wrong."""
    run = found.run
    many = f"{run.total} launches" if run.total > 1 else "one launch"
    yield Heading(f"The run: {many}")
    yield Table(
        ("launch", "kernel", "blocks", "threads of each", "line", "found"),
        tuple(_row(one, found.followed) for one in run.launches[:_MOST_LISTED]),
        frozenset({0, 4}),
    )
    if len(run.launches) > _MOST_LISTED:
        yield Sentence(f"{len(run.launches) - _MOST_LISTED} more are not listed.")
    if run.total > 1:
        yield Sentence(
            f"Launch {found.followed.number} is followed (»). For another: --launch with a number or a kernel's name, as in "
            f'OPTIONS="--launch {run.total}".'
        )
    for said in _of_host(run):
        yield Sentence(said)
    if run.launch.verdict is Verdict.PASS and not found.traced.request.shape:
        yield Sentence("With these sizes the run is right. SHAPE=... traces it with those of another public test.")


def _row(one: RunLaunch, followed: RunLaunch) -> tuple[str, ...]:
    times = f" ({one.count} times)" if one.count > 1 else ""
    return (
        f"{'» ' if one.number == followed.number else ''}{one.number}{times}",
        visible.line(one.kernel, 60),
        " x ".join(map(str, one.grid)),
        " x ".join(map(str, one.block)),
        str(one.line or ""),
        visible.line(", ".join(one.findings), 80),
    )


def _of_host(run: SurveyedRun) -> Iterator[str]:
    """What is wrong in host code: findings without a thread."""
    for one in run.launch.findings:
        if one.severity == "error" and one.thread is None and one.message:
            where = f"Line {one.line}: " if one.line else ""
            yield visible.line(f"{where}{one.called}: {one.message}", 1000)
