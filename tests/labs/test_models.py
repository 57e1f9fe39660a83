"""Each lab's own two ends: the model solution gets full marks; the starter builds without a word, runs, and fails."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.labs import lab_ids, load_lab
from grader.result import LabResult, Verdict

ROOT = Path(__file__).resolve().parents[2]
Grade = Callable[[str, Path], LabResult]


@pytest.mark.parametrize("lab_id", lab_ids(ROOT))
def test_the_model_solution_gets_full_marks(lab_id: str, grade: Grade) -> None:
    result = grade(lab_id, ROOT / "solutions" / lab_id / load_lab(ROOT, lab_id).public.file)
    assert result.findings == ()
    assert [case.name for case in result.cases if not case.passed] == []
    assert (result.verdict, result.points) == (Verdict.PASS, result.max_points)
    assert result.max_points > 0


@pytest.mark.parametrize("lab_id", lab_ids(ROOT))
def test_the_starter_builds_without_a_warning_and_fails_because_c_is_unwritten(lab_id: str, grade: Grade) -> None:
    result = grade(lab_id, ROOT / "assignments" / lab_id / load_lab(ROOT, lab_id).public.file)
    assert result.build is not None
    assert (result.build.ok, result.build.log) == (True, "")
    assert (result.verdict, result.points) == (Verdict.WRONG_ANSWER, 0)
    mismatches = [launch.mismatch for case in result.cases for launch in case.launches if launch.mismatch]
    assert mismatches
    assert all(one.unwritten == one.wrong == one.rows * one.columns for one in mismatches)
