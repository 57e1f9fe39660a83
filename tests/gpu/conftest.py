"""Tests that need a GPU. Without one every test here is skipped, and says why.

A test puts what it measured into the summary table with `measured(...)`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from grader.engines.toolset import Toolset
from grader.model.labs import load_lab
from grader.model.result import LabResult
from grader.run.lab_judging import LabJudge
from grader.run.scoring.lab_score import score_lab
from grader.source.student_code import normalise

ROOT = Path(__file__).resolve().parents[2]
SEED = 20_240_917  # an arbitrary number: no verdict may depend on it

Grade = Callable[[Sequence[tuple[str, Path]]], list[LabResult]]
Measured = Callable[[str], None]


@pytest.fixture(scope="session")
def on_gpu() -> Toolset:
    """The course's tools, with a GPU that works."""
    toolset = Toolset.open(ROOT, allow_no_sandbox=True, backend="auto")
    if not toolset.gpu.runs:
        pytest.skip(f"no GPU can be used here: {'; '.join(toolset.gpu.reasons)}")
    return toolset


@pytest.fixture
def measured(record_property: Callable[[str, object], None]) -> Measured:
    return lambda text: record_property("measured", text)


@pytest.fixture
def grade(on_gpu: Toolset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Grade:
    """Grades files like submissions, in the given order, several in parallel where there are cores. Other tests are about speed."""
    monkeypatch.setattr("grader.run.speed.speed_run.time_lab", lambda *_: None)

    def one(lab_id: str, source: Path) -> LabResult:
        lab = load_lab(ROOT, lab_id)
        folder = Path(tempfile.mkdtemp(dir=tmp_path))
        handed_in = folder / lab.public.file
        handed_in.write_bytes(normalise(source.read_bytes())[0])
        return score_lab(lab, LabJudge(on_gpu, SEED, public_only=False)(lab, handed_in, folder))

    def all_of(hand_ins: Sequence[tuple[str, Path]]) -> list[LabResult]:
        with ThreadPoolExecutor() as pool:
            return list(pool.map(one, *zip(*hand_ins, strict=True)))

    return all_of
