"""`tilelab check`: one launch of any kernel under every detector of the CPU executor. Grades nothing.

The file is treated as hostile: compiler and runner are confined. The checker is a judge that knows no right answer; it limits and checks
what the runner reports.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import ConfigDict, Field

from grader.engines.cpu_build import CpuBuild
from grader.engines.toolset import Toolset
from grader.model.outcome import located
from grader.model.result import Finding, Launch, Model
from grader.model.verdicts import Verdict
from grader.run.failure_causes import compiler_warnings, note_of
from grader.run.judge_call import JUDGE_SECONDS, run_reporter
from grader.run.kernels.argument_text import ArgumentError, WantedArgument, named_functions, parse_argument
from grader.run.kernels.kernel_arguments import match_arguments, signature
from grader.run.kernels.kernel_build import BuiltKernel, build_kernel
from grader.run.kernels.kernel_source import KernelSource
from grader.run.kernels.parameter_types import Parameter, read_parameters
from grader.run.launches.lab_launch import read_report, write_runner
from grader.run.launches.launch_proposal import ProposedLaunch, proposed_launch
from grader.run.launches.trace_phases import Trace
from grader.source.kernel_causes import never_set
from grader.source.student_code import StudentCode

# Notes on local variables of a checked file to which something is added, and which nothing sets. A run does not show them: they have
# some value.
#
# A variable is named where text and compiler agree: no statement of the text sets it, and the compiler warns of it. It is a note and no
# error, because the launch may never come there.

_WARNED = re.compile(r"'(\w+)' (?:is|may be) (?:used )?uninitialized")


def unset_locals(toolset: Toolset, built: Path, folder: Path) -> Iterator[Finding]:
    """`built`: the text as it was built; `folder`: where its headers lie. The compiler is asked only where the text has such a variable."""
    code = StudentCode(built.read_text(encoding="utf-8", errors="replace"))
    likely = list(never_set(code))
    if not likely:
        return
    warnings = compiler_warnings(toolset, built.name, code, folder)
    warned = {name for one in warnings for name in _WARNED.findall(one.text)}
    for said in likely:
        if code.token(said.place) in warned:
            yield note_of(said, Verdict.UNINITIALIZED_READ, built.name, code)


EVENT_BUDGET = 1_000_000_000
CLOCK_MS = 100_000
_RECORDED_EVENTS = 20_000_000
# Phrases of findings that fit labs only, and what they become here.
_PHRASES = {"the launch function asks": "the launch asks", "(shared_bytes)": "(--shared)"}
Extent3 = tuple[int, int, int]


@dataclass(frozen=True)
class CheckRequest:
    """`file`: the path as the user wrote it, for messages."""

    file: str
    kernel: str
    grid: Extent3
    block: Extent3
    shared_bytes: int
    arguments: Sequence[WantedArgument]
    seed: int = 1
    definitions: Sequence[str] = ()  # macros
    is_proposed: bool = False  # whether the file's own launch may take the place of grid, block and arguments
    options: Sequence[str] = ()  # others that a proposed command line has to repeat
    early_return_is_error: bool = False
    event_budget: int = EVENT_BUDGET
    clock_ms: int = CLOCK_MS
    cooperative: bool = False  # the blocks run together and may wait at the grid's barrier


# Of a request, in the format that kit/launch/launch_description.cpp reads.
_DESCRIBED = (
    *("grid", "block", "shared_bytes", "cooperative", "seed"),
    *("event_budget", "clock_ms", "early_return_is_error"),
)


class Checked(Launch):
    """The launch, with its counts under Nsight Compute's names."""

    metrics: dict[str, int] = Field(default_factory=dict)
    left_out: tuple[str, ...] = ()  # what was left out of the file: descriptions
    arguments: tuple[str, ...] = ()  # as --arg takes them
    own_line: int = 0  # of the file's own launch, where that was run
    trace: Trace | None = None  # of the block that was followed, where one was


@dataclass(frozen=True)
class Refused:
    """There was no launch: the file cannot be built for the CPU executor."""

    built: BuiltKernel
    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> Verdict:
        return self.findings[0].kind


def check_kernel(toolset: Toolset, source: KernelSource, request: CheckRequest, scratch: Path) -> Checked | Refused:
    """`scratch` is an empty folder of the caller. Raises ArgumentError where the arguments do not fit the kernel."""
    functions = list(dict.fromkeys(name for one in request.arguments for name in named_functions(one)))
    _in_the_file(functions, source)
    work = scratch / "work"
    built = build_kernel(toolset, source, request.kernel, work, definitions=request.definitions, functions=functions)
    if built.build.runner is None or built.build.image is None:
        return Refused(built, refusals_of(source, built.build))
    checked = check_built(toolset, built.build, request, scratch, source)
    sources = {name: text.split("\n") for name, text in source.texts.items()}
    found = []
    for one in checked.findings:
        message = one.message
        for in_labs, here in _PHRASES.items():
            message = message.replace(in_labs, here)
        found.append(one.model_copy(update={"message": message}))
    findings = (*found, *unset_locals(toolset, scratch / source.name, work))
    return located(checked.model_copy(update={"left_out": tuple(built.left_out), "findings": findings}), sources)


def trace_again(toolset: Toolset, scratch: Path, block: Extent3, *, is_endless: bool) -> Trace | None:
    """The same launch once more, with what one of its blocks does step by step; None where it has no such block. `scratch`: where
    check_kernel() has built and launched it. A launch that does not end is recorded for a while.
    """
    description = scratch / "launch.json"
    plain = json.loads(description.read_text(encoding="utf-8"))
    if is_endless:
        plain["event_budget"] = min(plain["event_budget"], _RECORDED_EVENTS)
    description.write_text(json.dumps({**plain, "trace": block}), encoding="utf-8")
    return _run_checker(toolset, scratch).trace


def _in_the_file(functions: Sequence[str], source: KernelSource) -> None:
    """Raises ArgumentError where an argument names a function that no file of the kernel mentions."""
    for name in functions:
        word = re.compile(rf"\b{re.escape(name.rpartition('::')[2])}\b")
        if not any(word.search(text) for text in source.texts.values()):
            raise ArgumentError(
                f"--arg: {source.name} has no function {name!r}: write the name of one of its __device__ functions"
            )


def check_built(
    toolset: Toolset, build: CpuBuild, request: CheckRequest, scratch: Path, source: KernelSource | None = None
) -> Checked:
    """Launches what was built in `scratch / "work"`. Its findings are in the runner's words and without the text of their lines.
    `source`: where launches of its own may be found, if the request names no arguments.
    """
    if build.runner is None or build.image is None:
        raise ValueError("there is no runner to launch")
    image = json.loads(build.image.read_text(encoding="utf-8"))
    parameters = read_parameters(build.runner, image["kernel"])
    if parameters is None:
        raise RuntimeError(f"{build.runner} has no debug information of the function at {image['kernel']:#x}")
    functions: dict[str, int] = image["passed"]
    own_line = 0
    proposal = proposed_launch(source or KernelSource("", {}), request.kernel, parameters)
    if request.is_proposed and not request.arguments and proposal.is_whole:
        arguments_of_file = [parse_argument(one) for one in proposal.arguments]
        grid, block, shared = proposal.grid, proposal.block, proposal.shared_bytes
        request = replace(request, grid=grid, block=block, shared_bytes=shared, arguments=arguments_of_file)
        own_line = proposal.line
    try:
        arguments = match_arguments(request.kernel, parameters, request.arguments)
    except ArgumentError as error:
        raise ProposalError(str(error), request, parameters, proposal) from None
    described = {name: getattr(request, name) for name in _DESCRIBED}
    described["arguments"] = [argument.described(functions) for argument in arguments]
    (scratch / "launch.json").write_text(json.dumps(described), encoding="utf-8")
    write_runner(toolset, build, scratch)
    written = tuple(one.text for one in request.arguments)
    return _run_checker(toolset, scratch).model_copy(update={"arguments": written, "own_line": own_line})


class ProposalError(ArgumentError):
    """The arguments do not fit. The text ends with a command line that does."""

    def __init__(
        self, message: str, request: CheckRequest, parameters: Sequence[Parameter], proposal: ProposedLaunch
    ) -> None:
        self.kernel, self.proposal = request.kernel, proposal
        is_possible = not any(one.trouble for one in parameters)
        line = proposal.command([request.file, "--kernel", request.kernel, *request.options])
        self.command = line if is_possible else ""
        from_file = f", as in line {proposal.line} of the file where its constants say it" if proposal.line else ""
        start = f" A command line to start from{from_file}:\n  {self.command}" if is_possible else ""
        super().__init__(f"{message}\nThe kernel is {signature(request.kernel, parameters)}.{start}")


def refusals_of(source: KernelSource, build: CpuBuild) -> tuple[Finding, ...]:
    lines = source.texts[source.name].split("\n")
    return tuple(one.finding(source.name, lines) for one in build.refusals)


def _run_checker(toolset: Toolset, scratch: Path) -> Checked:
    checker = toolset.part("launch")
    report = scratch / "checked.json"
    command = [
        str(checker), "check", "--launch", str(scratch / "launch.json"), "--runner", str(scratch / "runner.json"),
        "--report", str(report),
    ]  # fmt: skip
    run_reporter("the checker", command, report, JUDGE_SECONDS * 3)
    return read_report(report.read_bytes(), Checked)


# What `tilelab check --json` prints, the same for every end: a launch, a file that cannot be built, an argument that does not fit.
#
# docs/check.schema.json is made from it.


class CheckReport(Model):
    model_config = ConfigDict(extra="forbid", frozen=True)

    verdict: Verdict | None  # null: nothing was built or launched, and `message` says why
    message: str = ""  # how the launch ended, or why there was none
    kernel: str = ""  # the kernel that was checked, with its template arguments; empty: none was found
    metrics: dict[str, int] = Field(default_factory=dict)  # by Nsight Compute's names
    findings: tuple[Finding, ...] = ()
    left_out: tuple[str, ...] = ()  # what was left out of the file before it was built
    proposals: tuple[str, ...] = ()  # command lines that run


def check_schema_text() -> str:
    """The text of docs/check.schema.json."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:tilelab-check:1"}
    schema = CheckReport.model_json_schema(by_alias=True)
    return json.dumps(head | schema | {"title": "tilelab check --json"}, indent=2, ensure_ascii=False) + "\n"
