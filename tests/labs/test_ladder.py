"""The open lab's ladder of kernels, each right for every size and clean under every detector on the CPU executor.

By default a sample of them is graded, with TILELAB_WHOLE_CORPUS=1 all. How fast they are is no question here.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from corpus_sample import sample

from grader.model.result import LabResult
from grader.model.verdicts import Verdict

LADDER = Path(__file__).resolve().parents[2] / "solutions" / "04-open" / "ladder"
RUNGS = sorted(path.name for path in LADDER.glob("*.cu"))


@pytest.mark.parametrize("rung", sample(RUNGS, 8))
def test_a_rung_is_right_for_every_size_and_clean(rung: str, grade: Callable[[str, Path], LabResult]) -> None:
    result = grade("04-open", LADDER / rung)
    errors = [finding for finding in result.findings if finding.severity == "error"]
    assert [(finding.kind.value, finding.line, finding.message) for finding in errors] == []
    assert [(case.name, case.verdict.value, case.message) for case in result.cases if not case.passed] == []
    assert result.verdict is Verdict.PASS
    assert result.points - result.performance_points == result.max_points - result.performance_max
