"""`tilelab run` after its options are parsed: reads the program, builds and runs it, prints what was found. Returns the exit status.

What the program prints stays on standard output, alone. What was found goes to standard error, after the program's end.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from grader.cli.launches.check_command import definition, print_json
from grader.cli.student_commands import RunOptions
from grader.engines.toolset import Toolset
from grader.model.course_root import course_root
from grader.model.result import Outlook
from grader.model.verdicts import Verdict
from grader.pages.launches.trace_tables import as_text, verdict_parts
from grader.pages.launches.traffic_tables import climb_parts, model_parts, traffic_parts
from grader.pages.screens.check_screen import ProgramPage
from grader.run.kernels.kernel_source import CheckError
from grader.run.launches.lab_launch import (
    ModelledLaunch,
    asked_source,
    build_runner,
    model_launch,
    predicted_outlook,
    profile_runner,
)
from grader.run.programs.program_findings import ProgramReport
from grader.run.programs.program_kernels import ProgramRecipe
from grader.run.programs.program_run import ProgramRequest, run_whole
from grader.run.programs.program_source import read_program
from grader.run.scoring.metrics import ProfileReport, derived, metrics_of
from grader.run.scoring.predicted_time import gpu_named

_FOUND, _CANNOT = 1, 2
_CLEAR = "\r\x1b[K"


def run_file(options: RunOptions, arguments: Sequence[str]) -> int:
    """Returns the program's own exit status if nothing was found; 1 if something was found or the program did not end by itself; 2 if
    it could not be built, or launched a kernel that could not.
    """
    definitions = [definition(one) for one in options.definitions]
    for folder in options.readable:
        if not folder.is_dir():
            raise CheckError(f"--read {folder}: there is no such folder")
    source = read_program(options.file, options.others, options.folders)
    toolset = Toolset.open(course_root(Path.cwd()), allow_no_sandbox=True)
    readable = [folder.resolve() for folder in options.readable]
    request = ProgramRequest(arguments, Path.cwd(), options.seconds, readable=readable, keeps_output=options.as_json)
    with tempfile.TemporaryDirectory(prefix="tilelab-") as scratch:
        report = run_whole(toolset, ProgramRecipe(source, definitions), request, Path(scratch), _progress())
    if options.as_json:
        print_json(report)
    else:
        sys.stdout.flush()
        console = Console(file=sys.stderr, highlight=False, color_system=None if os.environ.get("NO_COLOR") else "auto")
        console.print(ProgramPage(report, source.texts_in_order()), soft_wrap=False)
    return _status(report)


def _status(report: ProgramReport) -> int:
    if report.ended in {"not-built", "refused"}:
        return _CANNOT
    return (report.status or 0) if report.is_clean else _FOUND


def _progress() -> Callable[[str], None]:
    """One line that is overwritten, where a person watches."""
    if not sys.stderr.isatty():
        return lambda _: None

    def show(text: str) -> None:
        sys.stderr.write(f"{_CLEAR}{f'tilelab: {text} …' if text else ''}")
        sys.stderr.flush()

    return show


# `tilelab profile` after its options are parsed: finds the lab, counts, prints. Returns the exit status.

_NOT_PASSED = 1


def profile_kernel(
    file: Path | None, lab_id: str | None, kernel: str | None, *, shape: str | None, gpu: str | None, as_json: bool
) -> int:
    """Returns 0 if the launch is right and clean, else 1. The output then says what is wrong, beside the counts."""
    device = gpu_named(gpu) if gpu else None
    lab, _, source = asked_source(file, lab_id, kernel)
    toolset = Toolset.open(course_root(Path.cwd()), allow_no_sandbox=True)
    with tempfile.TemporaryDirectory(prefix="tilelab-") as scratch:
        runner_file = build_runner(toolset, lab, source, Path(scratch))

        def profile(shape: str | None) -> ProfileReport:
            return profile_runner(toolset, lab, source, shape, runner_file)

        report = profile(shape)
        model = model_launch(report, device, profile) if device else None
        found = predicted_outlook(lab, report, profile)
    launch = report.launch
    if as_json:
        shown = json.dumps(as_plain(report, model, found), indent=1, ensure_ascii=False)
    else:
        modelled = [*(model_parts(model) if model else []), *(climb_parts(found) if found else [])]
        parts = [*traffic_parts(lab.id, launch), *modelled, *verdict_parts(launch)]
        shown = as_text(parts)
    sys.stdout.write(shown + "\n")
    return 0 if launch.verdict is Verdict.PASS else _NOT_PASSED


def as_plain(
    report: ProfileReport, model: ModelledLaunch | None = None, found: Outlook | None = None
) -> dict[str, Any]:
    """For `--json`: counts are whole numbers, ratios are not."""
    traffic = report.launch.traffic
    plain: dict[str, Any] = {
        "shape": report.shape,
        "metrics": metrics_of(traffic),
        "lines": [
            {"line": one.line, "source": one.source, "metrics": {**one.metrics, **derived(one.metrics)}}
            for one in (traffic.lines if traffic else ())
        ],
        "findings": [finding.model_dump(mode="json") for finding in report.launch.findings],
    }
    if model is not None:
        plain["modelled"] = {
            "gpu": model.model.gpu.name,
            "shape": model.shape,
            "binding": model.model.binding.name,
            "seconds": {term.name: term.seconds for term in model.model.terms},
            "flops": model.model.flops,
        }
    if found is not None:
        plain["predicted"] = found.model_dump(mode="json")
    return plain
