"""Runs a student's host code under the lab's judge with one of its launches traced: as host code made it, with its grid, its arguments and
what it had left in memory. It grades nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from operator import ge
from typing import Any

from pydantic import ValidationError

from grader.engines.toolset import Toolset
from grader.model.labs import Lab
from grader.model.result import Finding, Launch
from grader.model.verdicts import Verdict, worst
from grader.run.launches.lab_launch import LaunchRefusedError, watch_public_launch
from grader.run.launches.trace_phases import Trace, TraceReport
from grader.run.launches.tracing import Traced, TraceRequest
from grader.run.program_judging import ProgramReader, StartedProgram, as_finding, record_of
from grader.run.programs.host_facts import RunFacts
from grader.run.programs.program_findings import kernel_findings
from grader.run.programs.run_record import RunRecord, TracedLaunchRecord

# Which launches a run of a student's host code made, which of them have findings, and which one a person means. Pure.

Index3 = tuple[int, int, int]
_MOST_LISTED = 12


@dataclass(frozen=True)
class RunLaunch:
    """A launch as host code asked for it. Equal ones in a row of a loop are one, with the number of the first."""

    number: int  # counts the run's launches from 1
    kernel: str  # as the file names it
    grid: Index3
    block: Index3
    shared_bytes: int
    line: int | None  # of the call in host code
    count: int = 1
    status: str = "completed"
    has_finding: bool = False
    findings: tuple[str, ...] = ()  # what was found: "race in line 22"

    @property
    def began(self) -> bool:
        return self.status != "launch-error"


@dataclass(frozen=True)
class SurveyedRun:
    """A whole run, before one of its launches is traced."""

    launch: Launch  # as the report tells it: all findings, also those of host code
    launches: tuple[RunLaunch, ...]
    is_reversed: bool = False  # every launch ran its blocks and threads in reverse order: only then something is found
    total: int = 0  # launches

    def first_to_see(self) -> RunLaunch | None:
        """The first that has a finding; else the last that began where the result is wrong, and otherwise the first. None: none began."""
        began = [one for one in self.launches if one.began]
        found = next((one for one in began if one.has_finding), None)
        if found is not None or not began:
            return found
        return began[-1] if self.launch.verdict is Verdict.WRONG_ANSWER else began[0]

    def named(self, wanted: str) -> RunLaunch:
        """`wanted`: a number, or a kernel's name: then its first launch with a finding, else its first. Raises LaunchRefusedError."""
        if wanted.isascii() and wanted.isdecimal():
            number = int(wanted) if len(wanted) < 10 else 0  # noqa: PLR2004 -- digits of a number of launches
            earlier = [one for one in self.launches if one.number <= number]
            if not earlier or number > self.total:
                raise LaunchRefusedError(self._refusal(wanted))
            alike = RunLaunch(
                number, "", (0, 0, 0), (0, 0, 0), 0, None
            )  # as an earlier one, or behind those that are kept
            return next((one for one in earlier if one.number == number), alike)
        of_kernel = [one for one in self.launches if wanted in {one.kernel, one.kernel.split("<")[0].split("::")[-1]}]
        if not of_kernel:
            raise LaunchRefusedError(self._refusal(wanted))
        return next((one for one in of_kernel if one.has_finding), of_kernel[0])

    def _refusal(self, wanted: str) -> str:
        listed = ", ".join(f"{one.number} ({one.kernel})" for one in self.launches[:_MOST_LISTED])
        more = ", …" if len(self.launches) > _MOST_LISTED else ""
        return f"--launch {wanted}: this run makes {self.total} launches: {listed}{more}. Write a number or a kernel's name."


def launches_of(facts: RunFacts) -> tuple[RunLaunch, ...]:
    """In the order in which they were made."""
    found: dict[int, list[str]] = {}
    for one in facts.record.findings:
        if one.severity == "error":
            found.setdefault(one.number, []).append(f"{one.kind} in line {one.line}" if one.line else one.kind)
    listed = []
    for launch in facts.record.launches:
        place = facts.places.get(launch.at)
        ended_badly = launch.status in {"timeout", "crash"}
        said = tuple(dict.fromkeys(found.get(launch.number, [])))
        listed.append(
            RunLaunch(
                launch.number,
                facts.kernels.get(launch.kernel, launch.kernel),
                launch.grid,
                launch.block,
                launch.shared,
                place.line if place else None,
                launch.count,
                launch.status,
                has_finding=bool(said) or ended_badly,
                findings=said or ((launch.status,) if ended_badly or launch.status == "launch-error" else ()),
            )
        )
    return tuple(sorted(listed, key=lambda one: one.number))


def errors_of(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    return tuple(one for one in findings if one.severity == "error")


_SECONDS = 60.0  # of one run


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
        """One run without a trace. Raises LaunchRefusedError where no test has the shape, RuntimeError where something of ours failed."""
        entry, record, reader = self._run({})
        if record is None:
            raise RuntimeError(f"the judge of {self.lab.id} ran nothing")
        launches = launches_of(reader.facts(record))
        total = sum(one.count for one in launches)
        return SurveyedRun(reader.launch(entry), launches, record.reversed, total)

    def trace(self, run: SurveyedRun, launch: RunLaunch, request: TraceRequest) -> Traced:
        """One more run, with this launch traced. `request.reversed`: that launch alone in the opposite order of the surveyed one. Raises
        LaunchRefusedError, and what survey() raises.
        """
        asked = {
            "launch": launch.number,
            "whole_reversed": run.is_reversed,
            **request.asked(is_reversed=request.reversed != run.is_reversed),
        }
        _, record, reader = self._run(asked)
        traced = record.traced if record is not None else None
        if record is None or traced is None:
            raise LaunchRefusedError(f"launch {launch.number} did not run, so there is nothing to step through")
        facts = reader.facts(_of_one_launch(record, traced))
        trace = _trace(traced, facts)
        if trace is None and any(map(ge, request.block, traced.grid)):
            extent = " x ".join(map(str, traced.grid))
            raise LaunchRefusedError(
                f"block {request.block} is outside the grid: launch {launch.number} has {extent} blocks in x, y and z"
            )
        report = TraceReport(factors=(), inputs=(), launch=_launch(run, traced, facts), trace=trace)
        return Traced(self.lab.id, self.lab.public.file, request, report)

    def _run(self, asked: Mapping[str, Any]) -> tuple[dict[str, Any], RunRecord | None, ProgramReader]:
        whole = {"shape": self.shape, "usual": self.lab.public.traced_shape, "inputs": self.inputs, **asked}
        said = watch_public_launch(
            self.toolset, self.lab, self.program.file, whole, seconds=self.seconds, option="--program"
        )
        try:
            entry = json.loads(said)["launch"]
            record = record_of(entry)
            reader = ProgramReader.over(self.toolset, self.lab, self.program.built, self.text, [{"launches": [entry]}])
        except (ValueError, KeyError, TypeError) as error:
            raise RuntimeError(f"a run of {self.lab.id} was watched, but its report cannot be read: {error}") from error
        return entry, record, reader


def _of_one_launch(record: RunRecord, traced: TracedLaunchRecord) -> RunRecord:
    """The record as if the run had made that launch alone."""
    return record.model_copy(update={"findings": traced.findings, "launches": (traced,)})


def _trace(traced: TracedLaunchRecord, facts: RunFacts) -> Trace | None:
    """With the names that the file has for memory to which no parameter points."""
    if traced.trace is None:
        return None
    try:
        trace = Trace.model_validate(traced.trace)
    except ValidationError as error:
        raise RuntimeError(f"a launch was traced, but its trace cannot be read: {error}") from error
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
