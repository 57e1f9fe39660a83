"""Each lab's model solution gets full marks. Its starter builds without a warning, runs, and fails."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.cli.proofs.course_proofs import wrong_with_solution, wrong_with_starter
from grader.model.labs import lab_ids, load_lab
from grader.model.result import LabResult
from grader.model.verdicts import Verdict

ROOT = Path(__file__).resolve().parents[2]
Grade = Callable[[str, Path], LabResult]


@pytest.mark.parametrize("lab_id", lab_ids(ROOT))
def test_the_model_solution_gets_full_marks(lab_id: str, grade: Grade) -> None:
    result = grade(lab_id, ROOT / "solutions" / lab_id / load_lab(ROOT, lab_id).public.file)
    assert list(wrong_with_solution(result)) == []


@pytest.mark.parametrize("lab_id", lab_ids(ROOT))
def test_the_starter_builds_without_a_warning_and_fails_because_nothing_is_computed(lab_id: str, grade: Grade) -> None:
    result = grade(lab_id, ROOT / "assignments" / lab_id / load_lab(ROOT, lab_id).public.file)
    assert list(wrong_with_starter(result)) == []
    assert result.verdict is Verdict.WRONG_ANSWER
    mismatches = [launch.mismatch for case in result.cases for launch in case.launches if launch.mismatch]
    assert mismatches
    # A result that is zero before the launch is written then.
    assert all(one.unwritten in {0, one.wrong} for one in mismatches)
