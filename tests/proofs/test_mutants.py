"""Mutants are made from tokens. Each outcome is reported: caught, listed, not listed, listed although it is caught."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.cli.proofs.course_proofs import LabProofs
from grader.explain.small_edits import SmallEdit, mutants_of
from grader.model.labs import CaseSpec, Lab, LabError, PrivateSpec, PublicSpec
from grader.model.result import LabResult
from grader.model.verdicts import Verdict

KERNEL = """\
// a comment with < and += and __syncthreads();
__global__ void sum(const float* in, float* out, int M, int N) {
  __shared__ float part[8][9];
  const int row = threadIdx.y;
  if (row >= M) return;
  for (int k = 0; k < N; ++k) {
    part[row][k] = row < M && k < N ? in[row * N + k] : 0.0f;
  }
  __syncthreads();  // all are there
  float sum = 0;
  sum += static_cast<float>(part[row][0]);
  out[row] = sum;
}
dim3 blocks(int M) { return dim3((M + 8 - 1) / 8); }
"""
MADE = [
    ("drop-barrier", ";"),
    ("include-bound", "for (int k = 0; k <= N; ++k) {"),
    ("include-bound", "part[row][k] = row <= M && k < N ? in[row * N + k] : 0.0f;"),
    ("include-bound", "part[row][k] = row < M && k <= N ? in[row * N + k] : 0.0f;"),
    ("include-bound", "if (row > M) return;"),
    ("shorten-loop", "for (int k = 0; k < N - 1; ++k) {"),
    ("swap-indices", "part[k][row] = row < M && k < N ? in[row * N + k] : 0.0f;"),
    ("swap-indices", "sum += static_cast<float>(part[0][row]);"),
    ("drop-condition", "part[row][k] = row < M ? in[row * N + k] : 0.0f;"),
    ("drop-condition", "part[row][k] = k < N ? in[row * N + k] : 0.0f;"),
    ("drop-guard", "if (true) return;"),
    ("drop-guard", "if (false) return;"),
    ("drop-zero-fill", "if (row < M && k < N) part[row][k] = in[row * N + k];"),
    ("assign", "sum = static_cast<float>(part[row][0]);"),
    ("another-row-length", "part[row][k] = row < M && k < N ? in[row * M + k] : 0.0f;"),
    ("round-down", "dim3 blocks(int M) { return dim3((M) / 8); }"),
    ("exchange-axes", "const int row = threadIdx.x;"),
]


def test_each_operator_changes_one_place_and_neither_comments_nor_declarations() -> None:
    assert [(mutant.operator, mutant.after) for mutant in mutants_of(KERNEL)] == MADE


def test_a_mutant_differs_from_its_source_in_the_line_that_it_names() -> None:
    for mutant in mutants_of(KERNEL):
        pairs = zip(KERNEL.splitlines(), mutant.text.splitlines(), strict=True)
        assert [n for n, (one, other) in enumerate(pairs, start=1) if one != other] == [mutant.line]


def test_a_side_of_a_disjunction_keeps_its_comparison() -> None:
    after = [
        m.after for m in mutants_of("void f() { if (a >= M || b >= N) return; }") if m.operator == "drop-condition"
    ]
    assert after == ["void f() { if (a >= M) return; }", "void f() { if (b >= N) return; }"]


def proofs(folder: Path, survivors: str, verdict_of: Callable[[str], Verdict]) -> LabProofs:
    private = folder / "solutions" / "05-sum"
    private.mkdir(parents=True)
    (private / "sum.cu").write_text("void f() { __syncthreads(); sum += a; }\n", encoding="utf-8")
    if survivors:
        (private / "survivors.toml").write_text(survivors, encoding="utf-8")
    public = PublicSpec(
        title="", summary="", problem="", file="sum.cu", kernel="sum()", launch="sum_launch()", shapes=""
    )
    lab = Lab("05-sum", public, PrivateSpec(case=(CaseSpec(name="big", points=3),)), folder, private)

    def ungraded(_lab: Lab, _source: Path) -> LabResult:
        pytest.fail("a mutant is judged until the first failure, and not graded")

    return LabProofs(folder, lab, 1, ungraded, lambda _lab, text: verdict_of(text))


def told(one: LabProofs) -> list[str]:
    return [str(diagnostic) for proof in one.of_mutants() for step in proof.steps for diagnostic in step()]


def listed(mutant: SmallEdit) -> str:
    return (
        f"[[survivor]]\nbefore = '{mutant.before}'\nafter = '{mutant.after}'\nreason = 'nobody reads it in between'\n"
    )


def caught(_text: str) -> Verdict:
    return Verdict.RACE


def only_the_sum(text: str) -> Verdict:
    return Verdict.PASS if "+=" in text else Verdict.WRONG_ANSWER


BARRIER = mutants_of("void f() { __syncthreads(); sum += a; }\n")[0]


def test_mutants_that_are_all_caught_are_as_it_should_be(tmp_path: Path) -> None:
    assert told(proofs(tmp_path, "", caught)) == []


def test_a_survivor_is_told_unless_it_is_listed(tmp_path: Path) -> None:
    (diagnostic,) = told(proofs(tmp_path / "one", "", only_the_sum))
    assert "sum.cu:1: every test passes after drop-barrier" in diagnostic
    assert told(proofs(tmp_path / "other", listed(BARRIER), only_the_sum)) == []


@pytest.mark.parametrize("verdict", [Verdict.RACE, Verdict.COMPILE_ERROR])
def test_a_listed_mutant_that_does_not_survive_is_told(tmp_path: Path, verdict: Verdict) -> None:
    (diagnostic,) = told(proofs(tmp_path, listed(BARRIER), lambda _text: verdict))
    assert "remove this survivor" in diagnostic


def test_a_listed_mutant_that_is_not_made_any_more_is_told(tmp_path: Path) -> None:
    (diagnostic,) = told(proofs(tmp_path, listed(BARRIER).replace("sum += a", "sum += b"), caught))
    assert "no mutant changes" in diagnostic


@pytest.mark.parametrize("text", ["survivor = 3", "[[survivor]]\nbefore = 'a'\nafter = 'b'\n", "="])
def test_a_list_that_cannot_be_read_or_gives_no_reason_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(LabError, match=r"survivors\.toml"):
        told(proofs(tmp_path, text, caught))
