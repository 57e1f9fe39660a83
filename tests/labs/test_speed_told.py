"""What a student is told about points for speed on a page of a kernel that passes: graded here by the CPU executor, without a GPU."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from grader.model.labs import load_lab
from grader.model.result import Environment, LabResult, Result, Submission
from grader.model.verdicts import Verdict
from grader.pages.pages import student_page
from grader.run.scoring.redaction import for_student

ROOT = Path(__file__).resolve().parents[2]
LAB = "05-transpose"
SLOW = ROOT / "tests" / "labs" / "accepted" / LAB / "unpadded_tile.cu"
CONFLICT = "out[row * M + col] = tile[threadIdx.x][threadIdx.y];"


def page_of(lab: LabResult, source: str, *, instructor: bool) -> str:
    result = Result(
        submission=Submission(id="a", name="A student", files=(lab.file,)),
        environment=Environment(kit="0", compiler="g++", sandbox="none", date="2026-09-01"),
        labs={LAB: lab}, total=lab.points, max=lab.max_points,
    )  # fmt: skip
    shown = result if instructor else for_student(result)
    return student_page(shown, sources={lab.file: source}, instructor=instructor)


def test_a_page_that_passes_names_bank_conflicts_with_their_line_and_what_they_cost(
    grade: Callable[[str, Path], LabResult],
) -> None:
    source = SLOW.read_text(encoding="utf-8")
    line = next(number for number, text in enumerate(source.split("\n"), start=1) if CONFLICT in text)
    lab = grade(LAB, SLOW)
    private = load_lab(ROOT, LAB).private
    assert private is not None
    assert lab.verdict is Verdict.PASS
    assert 0 < lab.performance_points < private.performance_points
    assert f" of 3 points, line {line} costs the rest. 3 points ask for at most 0.01 bank conflicts" in lab.performance
    for instructor in (False, True):
        page = " ".join(page_of(lab, source, instructor=instructor).split())
        section = page[page.index("Points for speed") : page.index("Memory traffic")]
        assert "This line keeps the kernel from 3 points:" in section
        assert re.search(rf'<td class="amount">{line}</td><td><code>out\[row \* M', section)
        assert "100 % of the bank conflicts of shared loads;" in section
        assert "at most 0.01 bank conflicts of shared loads for each element" in section
    # The hidden case that is counted as well shows nothing of its launches.
    hidden = [launch.shape for case in lab.cases if case.feedback != "full" for launch in case.launches]
    assert hidden
    assert [shape for shape in hidden if shape in page_of(lab, source, instructor=False)] == []
