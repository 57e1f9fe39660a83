"""`tilelab profile`: the memory traffic of one launch, from the file to its counts. What they mean is grader/traffic's affair."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grader.judge_call import located
from grader.labs import Lab
from grader.single_launch import build_runner, run_tracer
from grader.traffic.profile import CostlyLine, TrafficReport, own_lines
from grader.workshop import Workshop


@dataclass(frozen=True)
class Profile:
    lab: Lab
    report: TrafficReport
    lines: tuple[CostlyLine, ...]


def profile_file(workshop: Workshop, lab: Lab, source: bytes, shape: str | None, scratch: Path) -> Profile:
    """`shape` None: the problem's usual one. `scratch` is an empty folder of the caller's.

    Raises LaunchRefusedError where nothing can be counted as asked.
    """
    return profile_runner(workshop, lab, source, shape, build_runner(workshop, lab, source, scratch))


def profile_runner(workshop: Workshop, lab: Lab, source: bytes, shape: str | None, runner_file: Path) -> Profile:
    """As `profile_file`, of what is built already."""
    report = run_tracer(workshop, lab, runner_file, {"--shape": shape} if shape else {}, TrafficReport)
    text = source.decode("utf-8", "replace").split("\n")
    report = report.model_copy(update={"launch": located(report.launch, {lab.public.file: text})})
    lines = own_lines(report.traffic, lab.public.file, text) if report.traffic else ()
    return Profile(lab, report, lines)
