"""Labs whose host code launches kernels, timed on this machine's GPU: right, slow, wrong and hostile files get what their first lines say.

`points`: for speed. `honest`: as many as the model solution, and not a faster time: what the file tries gains nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.engines.toolset import Toolset
from grader.model.labs import Lab, load_lab
from grader.model.result import LabResult
from grader.model.verdicts import Verdict
from grader.run.lab_judging import LabJudge
from grader.run.scoring.lab_score import score_lab, with_measured_speed
from grader.run.speed.speed_run import calibrate, calibrate_tiers
from grader.source.student_code import normalise

ROOT = Path(__file__).resolve().parents[2]
LABS = [load_lab(ROOT / "tests" / "other_courses", name) for name in ("leetgpu-matmul", "given-gemm")]
FILES = sorted(Path(__file__).parent.glob("launchers/*/*.cu"))
SEED = 20_240_917
SAME = 1.05
Measured = Callable[[str], None]


def graded(toolset: Toolset, lab: Lab, source: Path, scratch: Path) -> LabResult:
    handed_in = scratch / lab.public.file
    text = source.read_text(encoding="utf-8")
    for shared in source.parent.glob("*.cuh"):
        text = text.replace(f'#include "{shared.name}"\n', shared.read_text(encoding="utf-8"))
    handed_in.write_bytes(normalise(text.encode())[0])
    outcome = LabJudge(toolset, SEED, public_only=False)(lab, handed_in, scratch)
    return with_measured_speed(lab, score_lab(lab, outcome))


def told(result: LabResult) -> str:
    times = [f"{one.name} {one.milliseconds:.3f} ms" for one in (result.timing.contestants if result.timing else ())]
    return (
        f"{result.verdict.value}, {result.performance_points:g} of {result.performance_max:g}: {result.performance}"
        f" [{', '.join(times)}] {[one.message for one in result.findings][:2]} {result.gpu_trouble}"
    )


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.id)
def test_a_model_solution_that_host_code_launches_is_timed(
    lab: Lab, on_gpu: Toolset, tmp_path: Path, measured: Measured
) -> None:
    assert lab.private_dir is not None
    result = graded(on_gpu, lab, lab.private_dir / lab.public.file, tmp_path)
    measured(told(result))
    assert result.verdict is Verdict.PASS
    assert result.timing is not None
    assert result.timing.speedup is not None
    assert result.timing.share is not None
    assert 1 / SAME < result.timing.share.middle < SAME
    if "H200" in result.timing.device or lab.id == "given-gemm":
        assert result.performance_points == result.performance_max


@pytest.mark.parametrize("file", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_file_whose_host_code_launches_gets_what_its_first_line_says(
    file: Path, on_gpu: Toolset, tmp_path: Path, measured: Measured
) -> None:
    lab = next(one for one in LABS if one.id == file.parent.name)
    demanded = re.match(r"// verdict: ([\w-]+)(?: points: (\w+))?", file.read_text(encoding="utf-8"))
    assert demanded is not None
    result = graded(on_gpu, lab, file, tmp_path)
    measured(told(result))
    assert result.verdict.value == demanded[1]
    if demanded[1] != "pass" or demanded[2] == "none":
        assert result.performance_points == 0
    if demanded[2] == "less":
        assert result.performance_points < result.performance_max
    if demanded[2] in {"honest", "any"}:
        assert result.timing is not None
        assert result.timing.share is not None
    if demanded[2] == "honest":
        assert result.timing is not None
        assert result.timing.share is not None
        assert result.timing.share.middle < SAME


def test_calibrate_measures_what_host_code_launches(on_gpu: Toolset, measured: Measured) -> None:
    for one in calibrate(on_gpu, LABS, sweep=False, tell=lambda *_: None):
        measured(f"{one.lab_id} {one.kernel}: {one.point} {one.trouble}")
        assert one.trouble == ""
        assert one.control is not None
    for tiers in calibrate_tiers(on_gpu, LABS, lambda *_: None):
        measured(f"{tiers.lab.id}: {[(one.kernel, one.points) for one in tiers.places]}")
