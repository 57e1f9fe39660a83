"""`tilelab profile` after its options are parsed: finds the lab, counts, prints. Returns the exit status."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from grader.machine.toolset import Toolset
from grader.model.course_root import course_root, lab_at, load_labs, matching_lab
from grader.model.labs import load_lab
from grader.model.result import Outlook
from grader.model.verdicts import Verdict
from grader.reports.launches.climb_parts import climb_parts
from grader.reports.launches.launch_verdict import verdict_parts
from grader.reports.launches.model_table import model_parts
from grader.reports.launches.trace_pages import as_text
from grader.reports.launches.traffic_tables import traffic_parts
from grader.single_launch.lab_launch import build_runner, lab_of_kernel, read_source, recognise
from grader.single_launch.profiling import ModelledLaunch, model_launch, predicted_outlook, profile_runner
from grader.traffic.gpu_figures import gpu_named
from grader.traffic.metrics import derived
from grader.traffic.profile import ProfileReport, metrics_of

_NOT_PASSED = 1


def profile_kernel(  # noqa: PLR0913 - one for each of the command's options
    file: Path | None, lab_id: str | None, kernel: str | None, *, shape: str | None, gpu: str | None, as_json: bool
) -> int:
    """Returns 0 if the launch is right and clean, else 1. The output then says what is wrong, beside the counts."""
    device = gpu_named(gpu) if gpu else None
    root = course_root(Path.cwd())
    lab_id = matching_lab(root, lab_id) if lab_id else None
    if file is None:
        lab = load_lab(root, lab_id or lab_at(root, Path.cwd()))
        file = lab.public_dir / lab.public.file
    source = read_source(file)
    if lab_id:
        lab = load_lab(root, lab_id)
    elif kernel:
        lab = lab_of_kernel(load_labs(root, []), kernel)
    else:
        lab = recognise(load_labs(root, []), file, source.decode("utf-8", "replace"), root)
    toolset = Toolset.open(root, allow_no_sandbox=True)
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
