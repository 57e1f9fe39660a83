"""What `tilelab profile` does once its words are parsed: finds the lab, counts, prints. Returns the exit status."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from grader.course import course_root, lab_at, load_labs
from grader.labs import load_lab
from grader.profiling import Profile, profile_file
from grader.reports.launch_verdict import verdict_parts
from grader.reports.trace_pages import as_text
from grader.reports.traffic_tables import traffic_parts
from grader.result import Verdict
from grader.single_launch import lab_of_kernel, read_source, recognise
from grader.traffic.metrics import derived
from grader.traffic.profile import metrics_of
from grader.workshop import Workshop

_NOT_PASSED = 1


def profile_kernel(
    file: Path | None, lab_id: str | None, kernel: str | None, *, shape: str | None, as_json: bool
) -> int:
    """0: the launch is right and clean; 1: it is not, which the output says beside the counts."""
    root = course_root(Path.cwd())
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
    workshop = Workshop.open(root, allow_no_sandbox=True)
    with tempfile.TemporaryDirectory(prefix="tilelab-") as scratch:
        profile = profile_file(workshop, lab, source, shape, Path(scratch))
    launch = profile.report.launch
    if as_json:
        shown = json.dumps(as_plain(profile), indent=1, ensure_ascii=False)
    else:
        shown = as_text([*traffic_parts(profile.lab.id, profile.report, profile.lines), *verdict_parts(launch)])
    sys.stdout.write(shown + "\n")
    return 0 if launch.verdict is Verdict.PASS else _NOT_PASSED


def as_plain(profile: Profile) -> dict[str, Any]:
    """`--json`: counts are whole numbers, ratios are not."""
    return {
        "shape": profile.report.shape,
        "metrics": metrics_of(profile.report),
        "lines": [
            {"line": one.number, "source": one.source, "metrics": {**one.counts, **derived(one.counts)}}
            for one in profile.lines
        ],
        "findings": [finding.model_dump(mode="json") for finding in profile.report.launch.findings],
    }
