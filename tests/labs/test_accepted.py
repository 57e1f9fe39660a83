"""Correct kernels in styles that a course meets. Each has to get all points except those for speed, without a finding.

Those of labs 01 to 05 were also run on a real GPU, where compute-sanitizer's memcheck, racecheck, initcheck and synccheck found nothing.
By default a sample of them is graded, with TILELAB_WHOLE_CORPUS=1 all.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from corpus_sample import sample

from grader.model.result import LabResult
from grader.model.verdicts import Verdict

HERE = Path(__file__).resolve().parent / "accepted"
KERNELS = sorted(path.relative_to(HERE).as_posix() for path in HERE.glob("*/*.cu"))
# Its waiting blocks need nearly all the memory that the executor lets them have.
FULLEST = "08-scan/grid_waits_for_itself.cu"


@pytest.mark.parametrize("kernel", sorted({FULLEST, *sample(KERNELS, 33)}))
def test_a_correct_kernel_gets_full_marks(kernel: str, grade: Callable[[str, Path], LabResult]) -> None:
    result = grade(kernel.split("/", maxsplit=1)[0], HERE / kernel)
    errors = [finding for finding in result.findings if finding.severity == "error"]
    assert [(finding.kind.value, finding.line, finding.message) for finding in errors] == []
    assert result.build is not None
    assert result.build.ok, result.build.log
    assert [(case.name, case.verdict.value, case.message) for case in result.cases if not case.passed] == []
    assert result.verdict is Verdict.PASS
    assert result.points - result.performance_points == result.max_points - result.performance_max


@pytest.mark.parametrize(("kernel", "told"), [("split_k_behind_a_lock", True), ("last_block_resets_its_ticket", False)])
def test_what_a_kernel_leaves_in_its_variables_is_told_where_the_next_launch_would_stumble(
    kernel: str, told: bool, grade: Callable[[str, Path], LabResult]
) -> None:
    result = grade("04-open", HERE / "04-open" / f"{kernel}.cu")
    notes = [finding for finding in result.findings if "a second launch would go wrong" in finding.message]
    assert bool(notes) is told
    assert all(note.severity == "note" for note in notes)
