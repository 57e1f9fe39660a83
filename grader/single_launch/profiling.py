"""`tilelab profile`: counts the memory traffic of one launch. grader/traffic computes what the counts mean."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from grader.machine.toolset import Toolset
from grader.model.labs import Lab
from grader.model.outcomes.located_findings import located
from grader.model.result import Outlook
from grader.model.verdicts import Verdict
from grader.single_launch.lab_launch import LaunchRefusedError, UnregisteredProblemError, read_report, run_tracer
from grader.single_launch.public_launch import watch_public_launch
from grader.traffic.gpu_figures import Gpu
from grader.traffic.launch_facts import cuts_sums, facts_of
from grader.traffic.modelled_time import Model, modelled
from grader.traffic.outlook import outlook
from grader.traffic.profile import ProfileReport
from grader.traffic.scaling import extrapolated, large_scale, shapes_to_count


def profile_runner(toolset: Toolset, lab: Lab, source: bytes, shape: str | None, runner_file: Path) -> ProfileReport:
    """Counts the launch of one shape. `shape` None: the problem's usual shape, or the largest of the public tests where the problem names
    none. `runner_file`: what `build_runner` returns.

    Raises LaunchRefusedError where the launch cannot be counted.
    """
    try:
        report = run_tracer(toolset, lab, runner_file, {"--shape": shape} if shape else {}, ProfileReport)
    except UnregisteredProblemError:
        watched = watch_public_launch(toolset, lab, runner_file, {"shape": shape or ""})
        report = read_report(watched, ProfileReport).model_copy(update={"takes_any_shape": False})
    lines = source.decode("utf-8", "replace").split("\n")
    return report.model_copy(update={"launch": located(report.launch, {lab.public.file: lines})})


@dataclass(frozen=True)
class ModelledLaunch:
    model: Model
    shape: str  # the shape that is modelled
    explanation: str  # where the counts come from


def model_launch(report: ProfileReport, gpu: Gpu, profile: Callable[[str], ProfileReport]) -> ModelledLaunch | None:
    """Models the launch on a GPU, at a size that fills the GPU where the counts scale exactly. `profile` counts other shapes.

    None where nothing was counted.
    """
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
            return ModelledLaunch(modelled(large, gpu), shape, explanation)
    explanation = "this small launch itself, because its counts cannot be scaled up exactly"
    return ModelledLaunch(modelled(traffic, gpu), report.shape, explanation)


def predicted_outlook(lab: Lab, report: ProfileReport, profile: Callable[[str], ProfileReport]) -> Outlook | None:
    """Where the kernel stands on the lab's climb. `profile` counts other shapes: one with long sums, which some kernels cut.

    None where the lab has no climb, or the launch is wrong.
    """
    launch = report.launch
    facts = facts_of(launch) if lab.public.climb and launch.verdict is Verdict.PASS else None
    if facts is None:
        return None
    if report.takes_any_shape:
        sides = len(report.shape.split("x")) - 1
        with suppress(LaunchRefusedError):  # a problem may allow no such shape
            facts = replace(facts, cuts_sums=cuts_sums(profile("x".join([*["32"] * sides, "512"])).launch))
    return outlook(lab.public, facts, launch.shape)
