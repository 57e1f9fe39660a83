"""The kernels that the model of speed is tried on beside the ladder, each right for every size and clean on the CPU executor.

By default a sample of them is graded, with TILELAB_WHOLE_CORPUS=1 all. How fast they are is no question here.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from corpus_sample import sample
from order_kernels import order_kernels

from grader.model.result import LabResult
from grader.model.verdicts import Verdict

KERNELS = order_kernels()


@pytest.mark.parametrize("name", sample(list(KERNELS), 36))
def test_a_timed_kernel_is_right_for_every_size_and_clean(
    name: str, grade: Callable[[str, Path], LabResult], tmp_path: Path
) -> None:
    source = tmp_path / f"{name}.cu"
    source.write_text(KERNELS[name], encoding="utf-8")
    result = grade("04-open", source)
    errors = [finding for finding in result.findings if finding.severity == "error"]
    assert [(finding.kind.value, finding.line, finding.message) for finding in errors] == []
    assert [
        (case.name, case.verdict.value, case.message) for case in result.cases if case.verdict is not Verdict.PASS
    ] == []
    assert result.verdict is Verdict.PASS
