"""Runs a student's host code under the lab's judge with one of its launches traced: as host code made it, with its grid, its arguments and
what it had left in memory. It grades nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from grader.judging.program_judging import StartedProgram
from grader.judging.program_launches import ProgramReader, as_finding, record_of
from grader.machine.toolset import Toolset
from grader.model.errors import RemediableError
from grader.model.labs import Lab
from grader.model.result import Launch
from grader.model.verdicts import Verdict, worst
from grader.programs.mistakes.run_record import LaunchRecord, RunRecord, TracedLaunchRecord
from grader.programs.program_findings import RunFacts, kernel_findings
from grader.single_launch.public_launch import watch_public_launch
from grader.single_launch.trace_steps import Trace, TraceReport
from grader.single_launch.tracing import Traced, TraceRequest
from grader.traced_runs.run_launches import RunLaunch, SurveyedRun, errors_of, launches_of

_SECONDS = 60.0  # of one run
_IN_ORDER, _REVERSED = "in order", "reversed"


class UntracedLaunchError(RemediableError):
    """The run did not come to that launch, or the launch has no such block."""


@dataclass(frozen=True)
class RunTracer:
    """`shape` and `inputs`: of a public test; empty: the lab's usual one, and any."""

    toolset: Toolset
    lab: Lab
    text: str  # the submission's
    program: StartedProgram
    shape: str = ""
    inputs: str = ""
    seconds: float = _SECONDS

    def survey(self) -> SurveyedRun:
        """One run without a trace. Raises NoSuchLaunchError where no test has the shape, RuntimeError where something of ours failed."""
        entry, record, reader = self._run({})
        if record is None:
            message = f"the judge of {self.lab.id} ran nothing"
            raise RuntimeError(message)
        launches = launches_of(reader.facts(record))
        total = sum(one.count for one in launches)
        return SurveyedRun(reader.launch(entry), launches, record.reversed, total)

    def trace(self, run: SurveyedRun, launch: RunLaunch, request: TraceRequest) -> Traced:
        """One more run, with this launch traced. `request.reversed`: that launch alone in the opposite order of the surveyed one. Raises
        UntracedLaunchError, and what survey() raises.
        """
        asked = {
            "launch": str(launch.number),
            "block": ",".join(map(str, request.block)),
            "order": _REVERSED if request.reversed != run.is_reversed else _IN_ORDER,
            **({"whole": _REVERSED} if run.is_reversed else {}),
            **request.of_blocks,
        }
        _, record, reader = self._run(asked)
        traced = record.traced if record is not None else None
        if record is None or traced is None:
            message = f"launch {launch.number} did not run, so there is nothing to step through"
            raise UntracedLaunchError(message)
        facts = reader.facts(_of_one_launch(record, traced))
        trace = _trace(traced, facts)
        if trace is None and any(at >= extent for at, extent in zip(request.block, traced.grid, strict=True)):
            extent = " x ".join(map(str, traced.grid))
            message = (
                f"block {request.block} is outside the grid: launch {launch.number} has {extent} blocks in x, y and z"
            )
            raise UntracedLaunchError(message)
        report = TraceReport(factors=(), inputs=(), launch=_launch(run, traced, facts), trace=trace)
        return Traced(self.lab, request, report, None)

    def _run(self, asked: Mapping[str, str]) -> tuple[dict[str, Any], RunRecord | None, ProgramReader]:
        whole = {"shape": self.shape, "usual": self.lab.public.traced_shape, "inputs": self.inputs, **asked}
        said = watch_public_launch(
            self.toolset, self.lab, self.program.file, whole, seconds=self.seconds, option="--program"
        )
        try:
            entry = json.loads(said)["launch"]
            record = record_of(entry)
            reader = ProgramReader.over(self.toolset, self.lab, self.program.built, self.text, [{"launches": [entry]}])
        except (ValueError, KeyError, TypeError) as error:
            message = f"a run of {self.lab.id} was watched, but its report cannot be read: {error}"
            raise RuntimeError(message) from error
        return entry, record, reader


def _of_one_launch(record: RunRecord, traced: TracedLaunchRecord) -> RunRecord:
    """The record as if the run had made that launch alone."""
    made = LaunchRecord(
        kernel=traced.kernel,
        at=traced.at,
        grid=traced.grid,
        block=traced.block,
        shared=traced.shared,
        status=traced.status,
        detail=traced.detail,
        number=traced.number,
    )
    return record.model_copy(update={"findings": traced.findings, "launches": (made,)})


def _trace(traced: TracedLaunchRecord, facts: RunFacts) -> Trace | None:
    """With the names that the file has for memory to which no parameter points."""
    if traced.trace is None:
        return None
    try:
        trace = Trace.model_validate(traced.trace)
    except ValidationError as error:
        message = f"a launch was traced, but its trace cannot be read: {error}"
        raise RuntimeError(message) from error
    arrays = tuple(one.model_copy(update={"name": facts.names.told(one.name)}) for one in trace.arrays)
    return trace.model_copy(update={"arrays": arrays})


def _launch(run: SurveyedRun, traced: TracedLaunchRecord, facts: RunFacts) -> Launch:
    """The one launch. A wrong result is told of the launch that is shown for it: the last one, where none has a finding."""
    whole = run.launch
    findings = tuple(as_finding(one) for one in kernel_findings(facts))
    errors = errors_of(findings)
    tells_the_result = (
        not errors and whole.verdict is Verdict.WRONG_ANSWER and not any(one.has_finding for one in run.launches)
    )
    kernel = re.sub(r"\(.*", "", facts.kernels.get(traced.kernel, traced.kernel))
    number = f"launch {traced.number} of {run.total}: " if run.total > 1 else ""
    columns, rows = (
        (traced.block[0], traced.block[1]) if tells_the_result and traced.block[0] and traced.block[1] else (1, 1)
    )
    wrong = whole.mismatch.model_copy(update={"tile_columns": columns, "tile_rows": rows}) if whole.mismatch else None
    return Launch(
        shape=f"{whole.shape}, {number}{kernel}",
        inputs=whole.inputs,
        verdict=worst([one.kind for one in errors]) if errors else whole.verdict if tells_the_result else Verdict.PASS,
        message=errors[0].message if errors else whole.message if tells_the_result else "",
        grid=traced.grid,
        block=traced.block,
        shared_bytes=traced.shared,
        findings=findings,
        mismatch=wrong if tells_the_result else None,
    )
