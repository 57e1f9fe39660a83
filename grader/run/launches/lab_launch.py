"""The common part of `tilelab trace` and `tilelab profile`: builds one file of a lab as the grader builds submissions, and lets the lab's
judge run it on one shape. The two commands choose what is watched and read the report.

The file is treated as hostile: compiler and runner are confined, and what the runner reports is limited twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import ValidationError

from grader.engines.cpu_build import CpuBuild
from grader.engines.entry_points import EntrySignatures, name_of
from grader.engines.refusal import Refusal
from grader.engines.toolset import Toolset
from grader.model.course_root import course_root, lab_at, load_labs, matching_lab
from grader.model.errors import RemediableError
from grader.model.labs import Lab, LabError, load_lab
from grader.model.outcome import located
from grader.model.result import Model, Outlook
from grader.model.verdicts import Verdict
from grader.run.judge_call import JUDGE_SECONDS, run_reporter, runner_argv
from grader.run.kernels.kernel_source import read_source
from grader.run.launches.trace_phases import TraceReport
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

Report = TypeVar("Report", bound=Model)
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
    """The lab, the file and its text, of a command that names a file, a lab, a kernel, or none of them and stands in a lab's folder. Raises
    LaunchRefusedError and LabError.
    """
    root = course_root(Path.cwd())
    lab_id = matching_lab(root, lab_id) if lab_id else None
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
        """Of any size where the lab's problem registers itself, else, and with `of_tests`, one of the public tests. `asked` and errors: see
        `watch_public_launch`.
        """
        asked = asked if of_tests else {"problem": Path(self.lab.public.problem).stem, **asked}
        told = read_report(
            watch_public_launch(self.toolset, self.lab, self.runner, asked, seconds=self.seconds), report
        )
        return told.model_copy(update={"launch": located(told.launch, {self.lab.public.file: self.lines})})

    def profile(self, shape: str | None) -> ProfileReport:
        """Counts the launch of one shape. None: the problem's usual one, or the largest of the public tests where it names none."""
        return self.watch({"shape": shape or ""}, ProfileReport)


def build_launch(toolset: Toolset, lab: Lab, source: bytes, scratch: Path) -> BuiltLaunch:
    """Builds in `scratch`, an empty folder of the caller, that stays as long as the launch is watched. Raises LaunchRefusedError where the
    file does not build.
    """
    if lab.public.starts_itself:
        raise LaunchRefusedError(several_launches(lab))
    copy, work = scratch / lab.public.file, scratch / "work"
    copy.write_bytes(source)
    work.mkdir()
    entries = EntrySignatures(lab.public.kernel, lab.public.launch)
    built = toolset.cpu_build(copy, work, entries)
    if built.runner is None or built.image is None:
        raise not_built(lab, built.refusals)
    runner, lines = write_runner(toolset, built, scratch), source.decode("utf-8", "replace").split("\n")
    return BuiltLaunch(toolset, lab, runner, lines)


def not_built(lab: Lab, refusals: Sequence[Refusal]) -> LaunchRefusedError:
    return LaunchRefusedError("\n".join(one.told(lab.public.file) for one in refusals[:_REFUSALS]))


def write_runner(toolset: Toolset, built: CpuBuild, scratch: Path) -> Path:
    runner_file = scratch / "runner.json"
    runner_file.write_text(json.dumps({"argv": runner_argv(toolset, built)}), encoding="utf-8")
    return runner_file


def several_launches(lab: Lab) -> str:
    """What to do instead, where host code of the student's launches what it likes."""
    file = f"assignments/{lab.id}/{lab.public.file}"
    run = f"`tilelab run {file}` runs the file's own main() under every detector" if not lab.public.launcher else ""
    check = (
        f"`tilelab check {file} --kernel NAME` runs one of its kernels and counts its memory traffic; with --trace it writes a page that "
        "steps through it"
    )
    return (
        f"In {lab.id} your own host code launches the kernels, so there is no one launch to show here. "
        f"{'; '.join(one for one in (run, check) if one)}."
    )


def read_report(text: bytes, report: type[Report]) -> Report:
    """What a program of ours wrote. Raises RuntimeError where it cannot be read."""
    try:
        return report.model_validate_json(text)
    except ValidationError as error:
        raise RuntimeError(f"the launch was watched, but its report cannot be read: {error}") from error


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
    """The judge's report. `asked`: what `--watch` of kit/judge/judge_main.cpp takes. `option`: what `runner_file` describes.

    Raises LaunchRefusedError where the tests have no such launch, and RuntimeError where the judge fails.
    """
    judge = toolset.judge_program(lab.id, public_only=True)
    report_file = runner_file.with_name("watched.json")
    command = [str(judge), "--watch", json.dumps(asked), option, str(runner_file)]
    task, refused = json.dumps({"key": _KEY}).encode(), {_NO_SUCH_LAUNCH: LaunchRefusedError}
    return run_reporter(f"the judge of {lab.id}", command, report_file, seconds, task=task, refused=refused)


# What the counts of `tilelab profile` mean for other sizes: grader/run/scoring computes it.


def model_launch(report: ProfileReport, gpu: Gpu, profile: Callable[[str], ProfileReport]) -> ModelledTime | None:
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
            return replace(modelled(large, gpu), shape=shape, explanation=explanation)
    explanation = "this small launch itself, because its counts cannot be scaled up exactly"
    return replace(modelled(traffic, gpu), shape=report.shape, explanation=explanation)


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
