"""`tilelab trace`: runs a file, records one block of a launch step by step, and interprets the steps."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from operator import ge
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from grader.engines.toolset import Toolset
from grader.model.labs import Lab
from grader.model.result import Launch
from grader.model.verdicts import Verdict, worst
from grader.run.launches.lab_launch import BuiltLaunch, LaunchRefusedError, build_launch, watch_public_launch
from grader.run.launches.trace_phases import BlockTrace, Index3, Trace, TraceReport, block_trace, left_out
from grader.run.program_judging import ProgramReader, StartedProgram, as_finding, record_of
from grader.run.programs.program_findings import kernel_findings
from grader.run.programs.run_record import LaunchRecord, RunFacts, RunRecord, TracedLaunchRecord


@dataclass(frozen=True)
class TraceRequest:
    shape: str | None = None  # None: the lab's, or a small one
    inputs: str | None = None  # None: the first of the problem's
    block: Index3 = (0, 0, 0)
    reversed: bool = False  # blocks and threads run in the opposite order
    beside: Index3 | None = None  # a second block that is recorded: its threads count from BESIDE_FROM
    held: tuple[int, int] | None = None  # a thread of `block` waits before this write until other blocks have ended

    def asked(self, *, is_reversed: bool | None = None) -> dict[str, Any]:
        """What the tracer, or a judge that watches, is asked of blocks and threads: `watched` of kit/judge/report/watched_launch.hpp."""
        held = dict(zip(("thread", "write"), self.held, strict=True)) if self.held else None
        trace = {"block": self.block, "beside": self.beside, "held": held}
        return {
            "trace": {name: one for name, one in trace.items() if one is not None},
            "reversed": self.reversed if is_reversed is None else is_reversed,
        }

    def chosen(self, lab: Lab) -> dict[str, str]:
        """Which launch of the lab."""
        return {"shape": self.shape or "", "usual": lab.public.traced_shape, "inputs": self.inputs or ""}


@dataclass(frozen=True)
class Traced:
    """A traced launch, of a lab or of any kernel. `steps` is None where they were not interpreted, or where the block did not run; then
    `report.launch` says why.
    """

    name: str  # the lab's id; of another kernel, what its pages are called
    file: str  # as it is shown
    request: TraceRequest  # with the block that was followed
    report: TraceReport
    steps: BlockTrace | None = None


# Makes a launch of a file that is built. Raises LaunchRefusedError where it cannot be traced.
Run = Callable[[TraceRequest], Traced]
# Builds a file, for any number of runs. Raises LaunchRefusedError where it does not build.
Build = Callable[[bytes], Run]


def launch_builder(toolset: Toolset, lab: Lab, scratch: Path) -> Build:
    """`scratch`: a folder of the caller, in which each file is built in a folder of its own."""

    def build(source: bytes) -> Run:
        return built_launch(toolset, lab, source, Path(tempfile.mkdtemp(dir=scratch)))

    return build


def built_launch(toolset: Toolset, lab: Lab, source: bytes, scratch: Path) -> Run:
    """`scratch`: an empty folder of the caller, that stays as long as the launch is run."""
    return partial(_trace, build_launch(toolset, lab, source, scratch))


def _trace(built: BuiltLaunch, request: TraceRequest) -> Traced:
    lab, report = built.lab, built.watch({**request.chosen(built.lab), **request.asked()}, TraceReport)
    launch = report.launch
    if report.trace is None and launch.grid and launch.verdict is not Verdict.LAUNCH_ERROR:
        _refuse_outside(request.block, launch.grid, "the launch")
    return with_steps(Traced(lab.id, lab.public.file, request, report))


def _refuse_outside(block: Index3, grid: Index3, launch: str) -> None:
    if any(map(ge, block, grid)):
        extent = " x ".join(map(str, grid))
        raise LaunchRefusedError(f"block {block} is outside the grid: {launch} has {extent} blocks in x, y and z")


def with_steps(traced: Traced) -> Traced:
    """With the steps interpreted, where one block was recorded."""
    trace, block = traced.report.trace, traced.report.launch.block
    if trace is None or block is None or traced.request.beside is not None:
        return traced
    missing = left_out(trace, traced.report.launch)
    return replace(traced, steps=block_trace(trace, traced.report.factors, block, traced.file, missing))


# A student's host code under the lab's judge with one of its launches traced: as host code made it, with its grid, its arguments and what
# it had left in memory. It grades nothing.


# Which launches a run of a student's host code made, which of them have findings, and which one a person means. Pure.

_MOST_LISTED = 12


class RunLaunch(LaunchRecord):
    """A launch as host code asked for it, with the kernel's name in the file. Equal ones in a row of a loop are one."""

    line: int | None = None  # of the call in host code
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

    @property
    def total(self) -> int:
        return sum(one.count for one in self.launches)

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
            # Others are as an earlier one, or behind those that are kept.
            return next((one for one in earlier if one.number == number), RunLaunch(number=number, kernel=""))
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
        told = {
            "kernel": facts.kernels.get(launch.kernel, launch.kernel),
            "line": place.line if place else None,
            "has_finding": bool(said) or ended_badly,
            "findings": said or ((launch.status,) if ended_badly or launch.status == "launch-error" else ()),
        }
        listed.append(RunLaunch(**dict(launch) | told))
    return tuple(sorted(listed, key=lambda one: one.number))


_RUN_SECONDS = 60.0  # of one run


@dataclass(frozen=True)
class RunTracer:
    """Of a request, `shape` and `inputs` are those of a public test; None: the lab's usual one, and any."""

    program: StartedProgram
    seconds: float = _RUN_SECONDS

    def survey(self, request: TraceRequest) -> SurveyedRun:
        """One run without a trace. Raises LaunchRefusedError where no test has the shape, RuntimeError where something of ours failed."""
        entry, record, reader = self._run(request, {})
        if record is None:
            raise RuntimeError(f"the judge of {self.program.lab.id} ran nothing")
        return SurveyedRun(reader.launch(entry), launches_of(reader.facts(record)), record.reversed)

    def trace(self, run: SurveyedRun, launch: RunLaunch, request: TraceRequest) -> Traced:
        """One more run, with this launch traced. `request.reversed`: that launch alone in the opposite order of the surveyed one. Raises
        LaunchRefusedError, and what survey() raises.
        """
        asked = {
            "launch": launch.number,
            "whole_reversed": run.is_reversed,
            **request.asked(is_reversed=request.reversed != run.is_reversed),
        }
        _, record, reader = self._run(request, asked)
        traced = record.traced if record is not None else None
        if record is None or traced is None:
            raise LaunchRefusedError(f"launch {launch.number} did not run, so there is nothing to step through")
        alone = {"findings": traced.findings, "launches": (traced,)}  # as if the run had made that launch alone
        facts = reader.facts(record.model_copy(update=alone))
        trace = _recorded_trace(traced, facts)
        if trace is None:
            _refuse_outside(request.block, traced.grid, f"launch {launch.number}")
        report = TraceReport(factors=(), inputs=(), launch=_one_launch(run, traced, facts), trace=trace)
        return Traced(self.program.lab.id, self.program.lab.public.file, request, report)

    def _run(
        self, request: TraceRequest, asked: Mapping[str, Any]
    ) -> tuple[dict[str, Any], RunRecord | None, ProgramReader]:
        toolset, lab, file = self.program.toolset, self.program.lab, self.program.file
        said = watch_public_launch(
            toolset, lab, file, {**request.chosen(lab), **asked}, seconds=self.seconds, option="--program"
        )
        try:
            entry = json.loads(said)["launch"]
            record = record_of(entry)
        except (ValueError, KeyError, TypeError) as error:
            raise RuntimeError(f"a run of {lab.id} was watched, but its report cannot be read: {error}") from error
        return entry, record, self.program.reader([{"launches": [entry]}])


def _recorded_trace(traced: TracedLaunchRecord, facts: RunFacts) -> Trace | None:
    """With the names that the file has for memory to which no parameter points."""
    if traced.trace is None:
        return None
    try:
        trace = Trace.model_validate(traced.trace)
    except ValidationError as error:
        raise RuntimeError(f"a launch was traced, but its trace cannot be read: {error}") from error
    arrays = tuple(one.model_copy(update={"name": facts.names.told(one.name)}) for one in trace.arrays)
    return trace.model_copy(update={"arrays": arrays})


def _one_launch(run: SurveyedRun, traced: TracedLaunchRecord, facts: RunFacts) -> Launch:
    """The one launch. A wrong result is told of the launch that is shown for it: the last one, where none has a finding."""
    whole = run.launch
    findings = tuple(as_finding(one) for one in kernel_findings(facts))
    errors = [one for one in findings if one.severity == "error"]
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
