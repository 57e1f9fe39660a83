"""`tilelab trace`: runs a file, records one block of a launch step by step, and interprets the steps."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from operator import ge
from pathlib import Path
from typing import Any

from grader.engines.toolset import Toolset
from grader.model.labs import Lab
from grader.model.outcome import located
from grader.model.verdicts import Verdict
from grader.run.judge_call import JUDGE_SECONDS
from grader.run.launches.lab_launch import (
    LaunchRefusedError,
    UnregisteredProblemError,
    build_runner,
    read_report,
    run_tracer,
    watch_public_launch,
)
from grader.run.launches.trace_phases import BlockTrace, Index3, TraceReport, block_trace, left_out

# What a problem may take where neither the user nor the lab says it: the first that it takes.
_SHAPES = ("8x8x8", "8x8", "8")
_INPUTS = ("worked", "integers", "random")


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
    runner_file = build_runner(toolset, lab, source, scratch)
    lines = source.decode("utf-8", "replace").split("\n")
    return partial(_trace, toolset, lab, runner_file, lines)


def _trace(toolset: Toolset, lab: Lab, runner_file: Path, lines: list[str], request: TraceRequest) -> Traced:
    try:
        report = _first_accepted(toolset, lab, request, runner_file)
    except UnregisteredProblemError:
        report = trace_of_public_test(toolset, lab, request, runner_file, JUDGE_SECONDS)
    launch = located(report.launch, {lab.public.file: lines})
    report = report.model_copy(update={"launch": launch})
    grid = launch.grid if launch.verdict is not Verdict.LAUNCH_ERROR else None
    if report.trace is None and grid and any(map(ge, request.block, grid)):
        extent = " x ".join(map(str, grid))
        message = f"block {request.block} is outside the grid: the launch has {extent} blocks in x, y and z"
        raise LaunchRefusedError(message)
    return with_steps(Traced(lab.id, lab.public.file, request, report))


def with_steps(traced: Traced) -> Traced:
    """With the steps interpreted, where one block was recorded."""
    trace, block = traced.report.trace, traced.report.launch.block
    if trace is None or block is None or traced.request.beside is not None:
        return traced
    missing = left_out(trace, traced.report.launch)
    return replace(traced, steps=block_trace(trace, traced.report.factors, block, traced.file, missing))


def _first_accepted(toolset: Toolset, lab: Lab, request: TraceRequest, runner_file: Path) -> TraceReport:
    """The trace with the first shape and inputs that the problem takes. What it says of the last ones is raised."""
    shape = request.shape or lab.public.traced_shape
    choices = list(product([shape] if shape else _SHAPES, [request.inputs] if request.inputs else _INPUTS))
    for number, (shape, inputs) in enumerate(choices, 1):
        asked = {"shape": shape, "inputs": inputs, "watch": json.dumps(request.asked())}
        try:
            return run_tracer(toolset, lab, runner_file, asked, TraceReport)
        except UnregisteredProblemError:
            raise
        except LaunchRefusedError as error:
            # A shape that does not fit the problem does not fit with other inputs either.
            if number == len(choices) or (request.shape and "no inputs" not in str(error)):
                raise
    raise AssertionError


def trace_of_public_test(
    toolset: Toolset, lab: Lab, request: TraceRequest, runner_file: Path, seconds: float
) -> TraceReport:
    """A launch of the lab's public tests: where the problem names no sizes, or where such a launch was judged."""
    asked = {
        "shape": request.shape or "",
        "usual": lab.public.traced_shape,
        "inputs": request.inputs or "",
        **request.asked(),
    }
    return read_report(watch_public_launch(toolset, lab, runner_file, asked, seconds=seconds), TraceReport)
