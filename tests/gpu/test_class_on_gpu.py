"""The bundled class, graded with a GPU as `make grade` does it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from class_expectations import class_expectations

from grader.engines.toolset import Toolset
from grader.model.labs import lab_ids
from grader.model.result import Result

ROOT = Path(__file__).resolve().parents[2]
Measured = Callable[[str], None]
EXPECTED = class_expectations(list(lab_ids(ROOT)))


def test_the_bundled_class_comes_out_as_on_the_cpu(on_gpu: Toolset, tmp_path: Path, measured: Measured) -> None:
    out = tmp_path / "out"
    sandbox = ["--no-sandbox"] if on_gpu.confinement.name == "none" else []
    began = time.monotonic()
    subprocess.run(
        [Path(sys.executable).with_name("tilelab"), "grade", ROOT / "tests" / "class", "--out", out, *sandbox],
        cwd=ROOT,
        check=True,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "TILELAB_BACKEND": "cuda"},
    )
    seconds = time.monotonic() - began
    files = [out / "instructor" / f"{folder.name}.json" for folder in sorted((out / "students").iterdir())]
    results = [Result.model_validate(json.loads(path.read_text(encoding="utf-8"))["result"]) for path in files]
    labs = {(result.submission.name, lab_id): lab for result in results for lab_id, lab in result.labs.items()}
    # Labs that need a GPU are graded here.
    wanted = {(upload, lab_id): EXPECTED[upload][lab_id]["verdict"] for upload, lab_id in labs}
    other = {
        key: (wanted[key], lab.verdict.value)
        for key, lab in labs.items()
        if wanted[key] not in {lab.verdict.value, "needs-gpu"}
    }
    waiting = [key for key, lab in labs.items() if lab.verdict.value == "needs-gpu"]
    ran = sum(any(case.on_gpu for case in lab.cases) for lab in labs.values())
    held = [lab.timing.device_seconds for lab in labs.values() if lab.timing and lab.timing.device_seconds]
    differences = {key: case.difference for key, lab in labs.items() for case in lab.cases if case.difference}
    measured(
        f"{len(results)} submissions in {seconds:.1f} s ({seconds / len(results):.2f} s each); {ran} labs judged on the GPU as well;"
        f" {len(held)} timed, {sum(held) / len(held):.2f} s of the GPU alone for each;"
        f" differences: {differences}; other verdicts than on the CPU: {other}; still waiting: {waiting}"
    )
    assert results
    assert held
    assert (other, waiting) == ({}, [])
