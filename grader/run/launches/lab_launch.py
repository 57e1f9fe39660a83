"""`tilelab trace` and `tilelab profile`: builds one file of a lab as the grader builds submissions, lets the lab's judge run it on one
shape, and reads what was watched: the steps of one block, or the counts.

The file is treated as hostile: compiler and runner are confined, and what the runner reports is limited twice.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from operator import ge
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import ValidationError

from grader.engines.entry_points import EntrySignatures, name_of
from grader.engines.refusal import Refusal
from grader.engines.toolset import Toolset
from grader.model.course_root import course_root, lab_at, load_labs, matching_lab
from grader.model.errors import RemediableError
from grader.model.labs import Lab, LabError, lab_ids, load_lab
from grader.model.outcome import located
from grader.model.result import Launch, Outlook
from grader.model.verdicts import Verdict, worst
from grader.run.judge_call import JUDGE_SECONDS, described_cases, read_report, run_reporter, runner_argv, write_runner
from grader.run.kernels.kernel_source import read_source
from grader.run.launches.trace_phases import BlockTrace, Index3, Trace, TraceReport, block_trace, left_out
from grader.run.program_judging import ProgramReader, StartedProgram, as_finding, record_of
from grader.run.programs.program_findings import kernel_findings
from grader.run.programs.run_record import LaunchRecord, RunFacts, RunRecord, TracedLaunchRecord
from grader.run.scoring.metrics import ProfileReport
from grader.run.scoring.outlook import outlook
from grader.run.scoring.predicted_time import (
    Gpu,
    ModelledTime,
    cuts_sums,
    extrapolated,
    facts_of,
    large_scale,
    modelled,
    shapes_to_count,
)

_REFUSALS = 3
_MAX_SOURCE_BYTES = 1 << 20

Watched = TypeVar("Watched", ProfileReport, TraceReport)


class LaunchRefusedError(RemediableError):
    """There is nothing to run. The text says why."""


def recognise(labs: Sequence[Lab], source: Path, text: str, root: Path) -> Lab:
    """The lab of a file, found by the file's name, else by the kernel in it, else by its folder. Raises LaunchRefusedError."""
    if named := [lab for lab in labs if lab.public.file == source.name]:
        return named[0]
    kernels = {lab.id: name_of(lab.public.kernel) for lab in labs if not lab.public.starts_itself}
    found = [lab for lab in labs if lab.id in kernels and re.search(rf"\b{re.escape(kernels[lab.id])}\b", text)]
    if len(found) == 1:
        return found[0]
    try:
        here = lab_at(root, source.parent)
    except LabError:
        which = "several labs' kernels" if found else "no lab's kernel"
        first = next(iter(kernels), labs[0].id)
        message = f"{source} holds {which} ({', '.join(kernels.values())}). Say which lab it is for: --lab {first}"
        raise LaunchRefusedError(message) from None
    return next(lab for lab in labs if lab.id == here)


def asked_source(file: Path | None, lab_id: str | None, kernel: str | None = None) -> tuple[Lab, Path, bytes]:
    """Of a command that names a file, a lab, a kernel, or stands in a lab's folder. Raises LaunchRefusedError and LabError."""
    root = course_root(Path.cwd())
    lab_id = matching_lab(lab_ids(root), lab_id) if lab_id else None
    if file is None:
        lab = load_lab(root, lab_id or lab_at(root, Path.cwd()))
        file = lab.public_dir / lab.public.file
        source = read_source(file, _MAX_SOURCE_BYTES)
        return (lab_of_kernel(load_labs(root, []), kernel) if kernel and not lab_id else lab), file, source
    source = read_source(file, _MAX_SOURCE_BYTES)
    if lab_id:
        return load_lab(root, lab_id), file, source
    labs = load_labs(root, [])
    lab = lab_of_kernel(labs, kernel) if kernel else recognise(labs, file, source.decode("utf-8", "replace"), root)
    return lab, file, source


def lab_of_kernel(labs: Sequence[Lab], kernel: str) -> Lab:
    """The lab whose kernel has this name. Raises LaunchRefusedError, which lists the kernels."""
    kernels = {name_of(lab.public.kernel): lab for lab in labs if not lab.public.starts_itself}
    if kernel in kernels:
        return kernels[kernel]
    raise LaunchRefusedError(f"no lab asks for a kernel {kernel!r}; the labs' kernels are: {', '.join(kernels)}")


@dataclass(frozen=True)
class BuiltLaunch:
    """A lab's file that was built, in `runner` how to start it. Its one launch is watched, as often and in as many shapes as one likes."""

    toolset: Toolset
    lab: Lab
    runner: Path
    lines: Sequence[str]
    seconds: float = JUDGE_SECONDS

    def watch(self, asked: Mapping[str, Any], report: type[Watched], *, of_tests: bool = False) -> Watched:
        """Of any size where the problem registers itself, else, or with `of_tests`, of a public test. `asked`: watch_public_launch()."""
        asked = asked if of_tests else {"problem": self.lab.public.problem_name, **asked}
        said = watch_public_launch(self.toolset, self.lab, self.runner, asked, seconds=self.seconds)
        told = read_report(said, report)
        return told.model_copy(update={"launch": located(told.launch, {self.lab.public.file: self.lines})})

    def profile(self, shape: str | None) -> ProfileReport:
        """Counts the launch of one shape. None: the problem's usual one, or the largest of the public tests where it names none."""
        return self.watch({"shape": shape or ""}, ProfileReport)


def build_launch(toolset: Toolset, lab: Lab, source: bytes, scratch: Path) -> BuiltLaunch:
    """In `scratch`, empty, for as long as the launch is watched. Raises LaunchRefusedError where the file does not build."""
    if lab.public.starts_itself:
        raise LaunchRefusedError(several_launches(lab))
    copy, work = scratch / lab.public.file, scratch / "work"
    copy.write_bytes(source)
    work.mkdir()
    entries = EntrySignatures(lab.public.kernel, lab.public.launch)
    built = toolset.cpu_build(copy, work, entries)
    if built.runner is None or built.image is None:
        raise not_built(lab, built.refusals)
    runner, lines = write_runner(runner_argv(toolset, built), scratch), source.decode("utf-8", "replace").split("\n")
    return BuiltLaunch(toolset, lab, runner, lines)


def not_built(lab: Lab, refusals: Sequence[Refusal]) -> LaunchRefusedError:
    return LaunchRefusedError("\n".join(one.told(lab.public.file) for one in refusals[:_REFUSALS]))


def several_launches(lab: Lab) -> str:
    """What to do instead, where host code of the student's launches what it likes."""
    file = f"assignments/{lab.id}/{lab.public.file}"
    run = f"`tilelab run {file}` runs the file's own main() under every detector" if not lab.public.has_operands else ""
    check = f"`tilelab check {file} --kernel NAME` runs one of its kernels and counts its memory traffic"
    advice = "; ".join(filter(None, (run, f"{check}; with --trace it writes a page that steps through it")))
    return f"In {lab.id} your own host code launches the kernels, so there is no one launch to show here. {advice}."


# One launch, traced or profiled. The lab's judge chooses it and watches it instead of judging it.

_NO_SUCH_LAUNCH = 4  # the judge's exit status
_KEY = "00" * 32  # public: inputs are the same each time


def watch_public_launch(
    toolset: Toolset,
    lab: Lab,
    runner_file: Path,
    asked: Mapping[str, Any],
    *,
    seconds: float = JUDGE_SECONDS,
    option: Literal["--runner", "--program"] = "--runner",
) -> bytes:
    """`asked`: what `--watch` of kit/judge/judge_main.cpp takes. `option`: what `runner_file` describes. Raises LaunchRefusedError
    where the tests have no such launch, and RuntimeError where the judge fails.
    """
    judge = toolset.judge_program(lab.judge_name, public_only=True)
    report_file = runner_file.with_name("watched.json")
    cases = described_cases(replace(lab, private=None), 0, runner_file.parent)
    command = [str(judge), "--watch", json.dumps(asked), option, str(runner_file), *cases]
    task, refused = json.dumps({"key": _KEY}).encode(), {_NO_SUCH_LAUNCH: LaunchRefusedError}
    return run_reporter(f"the judge of {lab.id}", command, report_file, seconds, task=task, refused=refused)


# `tilelab trace`: records one block of a launch step by step, and interprets the steps.


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
    """`steps` is None where they were not interpreted, or the block did not run; then `report.launch` says why."""

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
    """`scratch`: a folder of the caller, in which each file is built in a folder of its own. It stays as long as a launch is run."""

    def build(source: bytes) -> Run:
        return partial(_trace, build_launch(toolset, lab, source, Path(tempfile.mkdtemp(dir=scratch))))

    return build


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
# it had left in memory. Which launches there are, which of them have findings, and which one a person means.

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
        """One more run. `request.reversed`: that launch alone in the opposite order. Raises LaunchRefusedError as well."""
        asked = request.asked(is_reversed=request.reversed != run.is_reversed)
        asked |= {"launch": launch.number, "whole_reversed": run.is_reversed}
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
        return Traced(self.program.lab.id, self._file_of(trace), request, report)

    def _file_of(self, trace: Trace | None) -> str:
        """The file of the submission's that has the most of the kernel's accesses."""
        own = Counter(one.file for one in (trace.places if trace else ()) if one.file in self.files)
        return max(own, key=own.__getitem__, default=self.program.lab.public.file)

    @property
    def files(self) -> dict[str, str]:
        return self.program.lab.files_of(self.program.text)

    def _run(
        self, request: TraceRequest, asked: Mapping[str, Any]
    ) -> tuple[dict[str, Any], RunRecord | None, ProgramReader]:
        toolset, lab, file = self.program.toolset, self.program.lab, self.program.file
        asked = {**request.chosen(lab), **asked}
        said = watch_public_launch(toolset, lab, file, asked, seconds=self.seconds, option="--program")
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
    found_nothing = not errors and not any(one.has_finding for one in run.launches)
    tells_the_result = found_nothing and whole.verdict is Verdict.WRONG_ANSWER
    kernel = re.sub(r"\(.*", "", facts.kernels.get(traced.kernel, traced.kernel))
    number = f"launch {traced.number} of {run.total}: " if run.total > 1 else ""
    columns, rows = traced.block[:2] if all(traced.block[:2]) else (1, 1)
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


# What the counts of `tilelab profile` mean for other sizes: grader/run/scoring computes it.


def model_launch(report: ProfileReport, gpu: Gpu, profile: Callable[[str], ProfileReport]) -> ModelledTime | None:
    """At a size that fills the GPU, where the counts scale exactly. `profile` counts other shapes. None: nothing was counted."""
    traffic = report.launch.traffic
    if traffic is None or not traffic.complete:
        return None
    if report.takes_any_shape and (shapes := shapes_to_count(report.shape)):
        here = next(scale for scale, shape in shapes.items() if shape == report.shape)
        others = {scale: profile(shape).launch.traffic for scale, shape in shapes.items() if scale != here}
        counted = {here: traffic, **{scale: one for scale, one in others.items() if one is not None}}
        factor, shape = large_scale(report.shape)
        if large := extrapolated(counted, len(report.shape.split("x")), factor * here):
            explanation = f"scaled up exactly from the counts at {', '.join(shapes.values())}"
            return replace(modelled(large, gpu), shape=shape, explanation=explanation)
    explanation = "this small launch itself, because its counts cannot be scaled up exactly"
    return replace(modelled(traffic, gpu), shape=report.shape, explanation=explanation)


def predicted_outlook(lab: Lab, report: ProfileReport, profile: Callable[[str], ProfileReport]) -> Outlook | None:
    """`profile` counts another shape: one with long sums, which some kernels cut. None: there is no climb, or the launch is wrong."""
    launch = report.launch
    facts = facts_of(launch) if lab.public.climb and launch.verdict is Verdict.PASS else None
    if facts is None:
        return None
    if report.takes_any_shape:
        sides = len(report.shape.split("x")) - 1
        with suppress(LaunchRefusedError):  # a problem may allow no such shape
            facts = replace(facts, cuts_sums=cuts_sums(profile("x".join([*["32"] * sides, "512"])).launch))
    return outlook(lab.public, facts, launch.shape)
