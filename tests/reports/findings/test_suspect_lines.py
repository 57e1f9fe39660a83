"""The lines of a wrong result in words: a student is told where, an instructor also what helps there and how much it helps."""

from __future__ import annotations

import pytest

from grader.model.result import Finding, LabResult, Suspect
from grader.model.verdicts import Verdict
from grader.pages.findings.finding_card import suspect_changes, suspect_sentence


def lab(*suspects: Suspect) -> LabResult:
    return LabResult(title="t", file="a.cu", verdict=Verdict.WRONG_ANSWER, points=0, max_points=1, suspects=suspects)


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("for (int k = 0; k <= K; k++) {", "for (int k = 0; k < K; k++) {", "with `<` in place of `<=`"),
        ("sum = A[k];", "sum += A[k];", "with `+=` in place of `=`"),
        ("k < K - 1;", "k < K;", "without `- 1`"),
        ("int sum = 0;", "float sum = 0;", "with `float` in place of `int`"),
        ("x[ty][k];", "x[k][ty];", "with `[k][ty]` in place of `[ty][k]`"),
        ("a[i + start];", "a[i + start * TILE];", "with `* TILE` added"),
        ("int r = threadIdx.x;", "int r = threadIdx.y;", "with `threadIdx.y` in place of `threadIdx.x`"),
    ],
)
def test_an_instructor_reads_the_tokens_that_help(before: str, after: str, words: str) -> None:
    (told,) = suspect_changes(lab(Suspect(lines=(3,), before=before, after=after, every=True)))
    assert told.startswith(f"line 3: {words} every case passes.")


def test_an_instructor_reads_what_hidden_cases_make_of_a_change() -> None:
    public = Suspect(lines=(3,), before="a", after="b")
    hidden = Suspect(lines=(4,), before="a", after="b", every=True, public=False)
    first, second = suspect_changes(lab(public, hidden))
    assert first.startswith("line 4")
    assert "no public case shows" in first
    assert second.startswith("line 3")
    assert "every public case passes (" in second


def test_a_student_reads_lines_of_public_cases_alone_and_no_change() -> None:
    told = suspect_sentence(
        lab(Suspect(lines=(3, 4), before="x1", after="x2"), Suspect(lines=(9,), public=False, before="y1", after="y2"))
    )
    assert "lines 3 and 4" in told
    assert "9" not in told
    assert "x2" not in told
    assert not suspect_sentence(lab(Suspect(lines=(9,), public=False)))


def test_no_second_place_is_named_beside_a_cause_with_a_line() -> None:
    cause = Finding(kind=Verdict.WRONG_ANSWER, severity="note", message="m", file="a.cu", line=7)
    searched = lab(Suspect(lines=(12, 13)))
    assert suspect_sentence(searched.model_copy(update={"causes": (cause.model_copy(update={"line": None}),)}))
    assert not suspect_sentence(searched.model_copy(update={"causes": (cause,)}))
