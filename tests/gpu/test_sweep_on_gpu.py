"""The size sweep on this machine's GPU: it measures every size, a kernel is as fast as itself, and cuBLAS takes part where it exists."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from grader.engines.toolset import Toolset
from grader.model.labs import lab_ids, load_lab
from grader.model.outcome import JudgedCase, LabOutcome
from grader.model.verdicts import Verdict
from grader.run.scoring.lab_score import score_lab
from grader.run.speed.contest import library_of
from grader.run.speed.speed_run import lacks_sweep, sweep_lab, time_lab

ROOT = Path(__file__).resolve().parents[2]
Measured = Callable[[str], None]
SAME = 1.03  # on an H200, two medians of the same source differed by at most 1.2 %
TIMED = [lab for lab in (load_lab(ROOT, one) for one in lab_ids(ROOT)) if lab.public.performance]
LAB = TIMED[1]  # the first lab where a kernel can be faster than naive


def test_a_model_solution_is_swept_as_a_students_kernel(on_gpu: Toolset, tmp_path: Path, measured: Measured) -> None:
    assert LAB.private_dir is not None
    assert LAB.public.performance is not None
    source = LAB.private_dir / LAB.public.file
    cases = LAB.public.case + (LAB.private.case if LAB.private else ())
    right = LabOutcome(LAB.id, cases=tuple(JudgedCase(case.name, True, Verdict.PASS) for case in cases))
    timed = LabOutcome(LAB.id, cases=right.cases, speed=time_lab(on_gpu, LAB, source, right, tmp_path))
    assert lacks_sweep(LAB, timed), score_lab(LAB, timed).performance
    began = time.monotonic()
    outcome = sweep_lab(on_gpu, LAB, source, timed, tmp_path)
    seconds = time.monotonic() - began
    timing = score_lab(LAB, outcome).timing
    assert timing is not None
    assert len(timing.sweep) == len(LAB.public.performance.sweep)
    for point in timing.sweep:
        kernels = {one.name: one for one in point.kernels}
        rates = ", ".join(f"{name} {one.gflops:,.0f}" for name, one in kernels.items())
        measured(f"{point.shape}: GFLOP/s {rates}{f' ({point.trouble})' if point.trouble else ''}")
        assert {"baseline", "student", "model"} <= kernels.keys(), point.trouble
        assert ("cublas" in kernels) == bool(library_of(on_gpu, LAB, "cublas"))
        student, model = kernels["student"], kernels["model"]
        if not point.trouble:  # both are the same source
            assert student.low_ms <= SAME * model.high_ms
            assert model.low_ms <= SAME * student.high_ms
        assert point.floor_ms <= min(one.low_ms for one in point.kernels)
    measured(f"{len(timing.sweep)} sizes in {seconds:.1f} s")
