"""`tilelab trace`: runs a file, records one block of a launch step by step, and interprets the steps."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grader.judging.judge_call import located
from grader.machine.toolset import Toolset
from grader.model.labs import Lab
from grader.model.verdicts import Verdict
from grader.single_launch.lab_launch import LaunchRefusedError, build_runner, run_tracer
from grader.single_launch.trace_phases import BlockTrace, Index3, block_trace
from grader.single_launch.trace_steps import TraceReport


@dataclass(frozen=True)
class TraceRequest:
    shape: str = "8x8x8"
    inputs: str = "worked"
    block: Index3 = (0, 0, 0)


@dataclass(frozen=True)
class Traced:
    """A traced launch. `steps` is None where the block did not run; then `report.launch` says why."""

    lab: Lab
    request: TraceRequest
    report: TraceReport
    steps: BlockTrace | None


def trace_file(toolset: Toolset, lab: Lab, source: bytes, request: TraceRequest, scratch: Path) -> Traced:
    """`scratch` is an empty folder of the caller. Raises LaunchRefusedError where the launch cannot be traced."""
    runner_file = build_runner(toolset, lab, source, scratch)
    asked = {"--shape": request.shape, "--inputs": request.inputs, "--block": ",".join(map(str, request.block))}
    report = run_tracer(toolset, lab, runner_file, asked, TraceReport)
    lines = source.decode("utf-8", "replace").split("\n")
    launch = located(report.launch, {lab.public.file: lines})
    report = report.model_copy(update={"launch": launch})
    grid = launch.verdict is not Verdict.LAUNCH_ERROR and launch.grid
    if report.trace is None and grid and not _inside(request.block, grid):
        extent = " x ".join(map(str, grid))
        message = f"block {request.block} is outside the grid: the launch has {extent} blocks in x, y and z"
        raise LaunchRefusedError(message)
    if report.trace is None or launch.block is None:
        return Traced(lab, request, report, None)
    return Traced(lab, request, report, block_trace(report.trace, report.factors, launch.block, lab.public.file))


def _inside(block: Index3, grid: Index3) -> bool:
    return all(one < extent for one, extent in zip(block, grid, strict=True))
