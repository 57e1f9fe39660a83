"""What is known of mutants is kept between batches, and is told in words that name the change."""

from __future__ import annotations

from pathlib import Path

from grader.explain.small_edits import SmallEdit, mutants_of
from grader.explain.suspect_search import SolutionMutants

SOURCE = """\
__global__ void add(const float* A, float* C, int N) {
  for (int i = 0; i < N; ++i) C[i] += A[i];
  __syncthreads();
  if (threadIdx.x < N) C[0] = 0.0f;
}
"""


def of(path: Path, text: str = SOURCE, key: str = "one") -> SolutionMutants:
    made = SolutionMutants(path, key, mutants_of(text))
    made.read()
    return made


def test_each_operator_has_its_turn_before_any_has_its_second(tmp_path: Path) -> None:
    mutants = of(tmp_path / "lab.json")
    operators = [mutants.mutants[number].operator for number in mutants.unknown()]
    kinds = len(set(operators))
    assert kinds > 3
    assert len(set(operators[:kinds])) == kinds
    assert sorted(mutants.unknown()) == list(range(len(mutants.mutants)))


def test_the_next_batch_continues_and_another_solution_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "mutants" / "lab.json"
    mutants = of(path)
    first = mutants.unknown()[0]
    mutants.known[first] = "abc"
    mutants.keep()
    assert first not in of(path).unknown()
    assert first in of(path, key="another").unknown()
    path.write_text("{", encoding="utf-8")
    assert first in of(path).unknown()


def test_the_change_is_told_without_what_stays(tmp_path: Path) -> None:
    mutants = of(tmp_path / "lab.json")
    words = {}
    for number, mutant in enumerate(mutants.mutants):
        mutants.known = {number: "seen"}
        words[mutant.operator] = mutants.likenesses()["seen"]
    assert words["drop-barrier"] == "the solution without `__syncthreads()` in line 3"
    assert words["assign"] == "the solution with `=` for `+=` in line 2"


def test_a_behaviour_of_many_mutants_tells_nothing(tmp_path: Path) -> None:
    mutants = SolutionMutants(tmp_path / "x", "key", [SmallEdit("op", (n,), "a", "b", "") for n in range(5)])
    mutants.known = dict.fromkeys(range(4), "seen") | {4: "other"}
    assert mutants.likenesses() == {"other": "the solution with `b` for `a` in line 4"}
    mutants.known = {0: "", 1: ""}
    assert mutants.likenesses() == {}
