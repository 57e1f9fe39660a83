"""The search in a class: what public cases show is for the student, what hidden cases show for the instructor. It builds and runs.
A change that only bends the kernel to fit another mistake is not found.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from grader.cli.practice.practice import Practice
from grader.engines.toolset import Toolset
from grader.explain.suspect_search import ClassSearch, SuspectSearch, costs_more
from grader.model.course_root import PUBLIC_SEED
from grader.model.labs import load_lab
from grader.model.outcome import JudgedCase, LabOutcome
from grader.model.result import Launch, Traffic
from grader.model.verdicts import Verdict
from grader.run.lab_judging import LabJudge
from grader.run.scoring.metrics import LOAD

pytestmark = pytest.mark.in_turn(3)

ROOT = Path(__file__).resolve().parents[2]
WRONG = ROOT / "tests" / "labs" / "mistakes" / "01-naive" / "no_plus.cu"
SWAPPED_LAUNCH = """#include <tilelab/device.cuh>
__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) {
  const dim3 block(16, 16);
  const dim3 grid((M + 15) / 16, (N + 15) / 16);
  return LaunchConfig{grid, block};
}
__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum;
}
"""
SEED = 5_318_008
WORKERS = os.cpu_count() or 1


@pytest.fixture(scope="module")
def toolset() -> Toolset:
    return Toolset.open(ROOT, allow_no_sandbox=True)


@pytest.fixture(scope="module")
def judged(toolset: Toolset, tmp_path_factory: pytest.TempPathFactory) -> LabOutcome:
    lab = load_lab(ROOT, "01-naive")
    return LabJudge(toolset, SEED, public_only=False)(lab, WRONG, tmp_path_factory.mktemp("judged"))


def test_the_change_is_known_to_pass_hidden_cases_and_is_searched_once(toolset: Toolset, judged: LabOutcome) -> None:
    lab, search = load_lab(ROOT, "01-naive"), ClassSearch(toolset, SEED, PUBLIC_SEED)
    assert search.lacks(lab, judged)
    found = search.add(lab, WRONG, judged, 60, WORKERS)
    (suspect,) = found.suspects
    assert suspect.public
    assert suspect.every
    assert "+=" in suspect.after
    assert WRONG.read_text(encoding="utf-8").split("\n")[suspect.lines[0] - 1].strip() == suspect.before
    assert not search.lacks(lab, found)
    assert replace(found, suspects=(), searched="") == judged


def test_what_only_hidden_cases_show_is_for_the_instructor(toolset: Toolset, judged: LabOutcome) -> None:
    lab, search = load_lab(ROOT, "01-naive"), ClassSearch(toolset, SEED, PUBLIC_SEED)
    public = {case.name for case in lab.public.case}
    hidden = replace(
        judged,
        cases=tuple(
            replace(case, passed=True, verdict=Verdict.PASS, launches=()) if case.name in public else case
            for case in judged.cases
        ),
    )
    (suspect,) = search.add(lab, WRONG, hidden, 60, WORKERS).suspects
    assert not suspect.public
    assert suspect.every


def test_a_search_out_of_time_goes_on_where_it_ended(toolset: Toolset, judged: LabOutcome) -> None:
    lab, search = load_lab(ROOT, "01-naive"), ClassSearch(toolset, SEED, PUBLIC_SEED)
    late = search.add(lab, WRONG, judged, -1, WORKERS)
    assert not late.suspects
    assert search.lacks(lab, late)
    assert search.add(lab, WRONG, late, 60, WORKERS).suspects


def test_nothing_is_looked_for_where_something_else_is_wrong_or_the_cause_is_known(
    toolset: Toolset, judged: LabOutcome
) -> None:
    lab, search = load_lab(ROOT, "01-naive"), ClassSearch(toolset, SEED, PUBLIC_SEED)
    raced = replace(judged, cases=tuple(replace(case, verdict=Verdict.RACE) for case in judged.cases))
    assert not search.lacks(lab, raced)
    passed = replace(judged, cases=tuple(replace(case, passed=True, verdict=Verdict.PASS) for case in judged.cases))
    assert not search.lacks(lab, passed)


def test_a_kernel_is_not_bent_to_fit_a_launch_with_swapped_axes(toolset: Toolset, tmp_path: Path) -> None:
    lab = load_lab(ROOT, "01-naive")
    source = tmp_path / lab.public.file
    source.write_text(SWAPPED_LAUNCH)
    outcome = LabJudge(toolset, PUBLIC_SEED, public_only=True)(lab, source, tmp_path)
    helping = SuspectSearch(toolset, PUBLIC_SEED).edits(lab, SWAPPED_LAUNCH, outcome.cases).helping
    assert [edit.lines for edit in helping] == [(4,)]

    def search_again(*_: object, **__: object) -> LabOutcome:
        return outcome

    def never(*_: object, **__: object) -> tuple[()]:
        pytest.fail("the cause is known, and a second place was looked for")

    practice = Practice(ROOT, [lab], search_again, file=source)
    tried = practice.attempt(lab)
    assert [cause.line for cause in tried.result.causes] == [4]
    assert replace(practice, search=never).suspected(tried) is tried


def judged_launches(*counts: tuple[Verdict, int, int] | None) -> list[JudgedCase]:
    launches = [
        Launch(
            shape="n",
            inputs="i",
            verdict=one[0] if one else Verdict.PASS,
            traffic=Traffic(metrics={LOAD.requests: one[1], LOAD.sectors: one[2]}, complete=True) if one else None,
        )
        for one in counts
    ]
    return [JudgedCase("c", passed=True, verdict=Verdict.PASS, launches=tuple(launches))]


@pytest.mark.parametrize(
    ("before", "after", "costly"),
    [
        ((Verdict.PASS, 10, 20), (Verdict.PASS, 10, 40), False),
        ((Verdict.PASS, 10, 20), (Verdict.PASS, 40, 80), True),  # the same work, with four times the requests
        ((Verdict.WRONG_ANSWER, 10, 20), (Verdict.PASS, 40, 80), False),  # it did a part of the work
        ((Verdict.WRONG_ANSWER, 10, 10), (Verdict.PASS, 10, 40), False),  # lanes are neighbours now
        ((Verdict.WRONG_ANSWER, 10, 20), (Verdict.PASS, 10, 85), True),
        ((Verdict.WRONG_ANSWER, 10, 85), (Verdict.PASS, 10, 85), False),  # that was so before
        ((Verdict.WRONG_ANSWER, 10, 20), None, True),  # what was not counted is not known
    ],
)
def test_a_change_may_not_cost_many_more_sectors(
    before: tuple[Verdict, int, int], after: tuple[Verdict, int, int] | None, *, costly: bool
) -> None:
    assert costs_more(judged_launches(before), judged_launches(after)) is costly
