"""Which line of the model solution plays the part of a student's line, and what is said where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.explain.clustering import behaviour
from grader.explain.solution_maps import (
    MISSING_BARRIER,
    NO_COUNTERPART,
    NO_LINE,
    counterparts,
    solution_map,
    statements_of,
)
from grader.explain.suspect_search import lines_of
from grader.model.graded_class import SolutionMap
from grader.model.result import Finding, LabResult, Result, Site, Suspect
from grader.model.verdicts import Verdict

ROOT = Path(__file__).resolve().parents[4]
SAMPLES = ROOT / "tests" / "reports" / "samples"
SOLUTION = (ROOT / "solutions" / "02-tiled" / "matmul_tiled.cu").read_text(encoding="utf-8")
# Every name is another one, tiles are loaded in the other order, and x and y are declared together.
OTHER_NAMES = """\
#define T 16
__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) { return {dim3(N / T, M / T), dim3(T, T)}; }
__global__ void matmul_tiled(const float* left, const float* right, float* out, int rows, int columns, int depth) {
  __shared__ float b[T][T];
  __shared__ float a[T][T];
  int x = threadIdx.x, y = threadIdx.y;
  int j = blockIdx.x * T + x;
  int i = blockIdx.y * T + y;
  float acc = 0;
  for (int from = 0; from < depth; from += T) {
    b[y][x] = right[(from + y) * columns + j];
    a[y][x] = left[i * depth + from + x];
    for (int q = 0; q < T; q++) acc += a[y][q] * b[q][x];
    __syncthreads();
  }
  out[i * columns + j] = acc;
  helper_of_nobody(&acc, "text");
}
"""
LINES = OTHER_NAMES.splitlines()


def mine(text: str) -> int:
    return next(at for at, line in enumerate(LINES, start=1) if text in line)


def solved(text: str) -> int:
    return next(at for at, line in enumerate(SOLUTION.splitlines(), start=1) if text in line)


@pytest.mark.parametrize(
    ("text", "counterpart"),
    [
        ("b[y][x] = right", "Bs[ty][tx] = B"),
        ("a[y][x] = left", "As[ty][tx] = A"),
        ("int i =", "const int row"),
        ("float acc", "float sum"),
        ("for (int from", "for (int start"),
        ("out[i", "C[row"),
    ],
)
def test_a_statement_is_found_under_other_names_and_in_another_order(text: str, counterpart: str) -> None:
    student, solution = statements_of(OTHER_NAMES), statements_of(SOLUTION)
    pairs = counterparts(student, solution)
    found = [solution[pairs[at]].first for at, one in enumerate(student) if one.first == mine(text) and at in pairs]
    assert found == [solved(counterpart)]


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("int i = blockIdx.y", "int i = blockidx.y"),
        ("x = threadIdx.x", "x = ThreadId.x"),
        ("q++)", "q++"),
        ("0; q <", "0; q <="),
    ],
)
def test_a_line_that_does_not_compile_has_its_counterpart(right: str, wrong: str) -> None:
    text, line = OTHER_NAMES.replace(right, wrong), mine(right)
    assert text != OTHER_NAMES
    student, solution = statements_of(text), statements_of(SOLUTION)
    pairs = counterparts(student, solution)
    assert [at for at, one in enumerate(student) if one.first == line and at in pairs]
    assert [at for at, one in enumerate(student) if one.first == mine("out[i") and at in pairs]


def test_what_resembles_nothing_has_no_counterpart() -> None:
    student, solution = statements_of(OTHER_NAMES), statements_of(SOLUTION)
    pairs = counterparts(student, solution)
    assert not [at for at, one in enumerate(student) if one.first == mine("helper_of_nobody") and at in pairs]


def test_a_solution_is_its_own_counterpart_in_every_lab() -> None:
    for path in (ROOT / "solutions").glob("*/*.cu"):
        statements = statements_of(path.read_text(encoding="utf-8"))
        assert counterparts(statements, statements) == {at: at for at in range(len(statements))}


def test_any_text_is_read() -> None:
    for text in (
        "",
        "}}}}((((",
        "for (",
        "threadIdx.",
        "#define",
        '"' * 999,
        "x = " * 5000,
        "__global__ (a," * 5000,
        "a[" * 9000,
        "if (" * 9000,
        "\0;\0",
    ):
        assert isinstance(counterparts(statements_of(text), statements_of(SOLUTION)), dict)


@pytest.fixture(scope="module")
def raced() -> Result:
    return Result.model_validate_json((SAMPLES / "race.json").read_text(encoding="utf-8"))


def mapped(raced: Result, *labs: tuple[str, dict[str, object]], text: str = OTHER_NAMES, like: str = "") -> SolutionMap:
    lab = next(one for one in raced.labs.values() if one.verdict is Verdict.RACE)
    results = []
    for student, change in labs:
        submission = raced.submission.model_copy(update={"id": student})
        changed = LabResult.model_validate(lab.model_copy(update=change).model_dump())
        results.append(raced.model_copy(update={"submission": submission, "labs": {"t": changed}}))
    likenesses = {behaviour(results[0].labs["t"].cases): like} if like else {}
    made = solution_map("t", "t.cu", SOLUTION, results, dict.fromkeys((one for one, _ in labs), text), likenesses)
    assert made is not None
    return made


def hot(made: SolutionMap) -> dict[int, list[tuple[Verdict, str, tuple[str, ...]]]]:
    return {
        line.number: [(one.verdict, one.what, one.students) for one in line.placed]
        for line in made.lines
        if line.placed
    }


def race(first: int, then: int) -> Finding:
    other = Site(line=then, access="read")
    return Finding(kind=Verdict.RACE, message="a race", line=first, access="write", array="a", other=other)


def test_a_race_stands_at_the_barrier_that_the_student_does_not_have(raced: Result) -> None:
    findings = (race(mine("a[y][x] = left"), mine("acc += a")), race(mine("b[y][x] = right"), mine("acc += a")))
    made = mapped(raced, ("ada", {"findings": findings}), ("ben", {"findings": findings[:1]}))
    assert hot(made) == {solved("__syncthreads();  // the whole"): [(Verdict.RACE, MISSING_BARRIER, ("ada", "ben"))]}
    assert (made.wrong, made.unplaced) == (2, ())


def test_a_race_around_the_loop_stands_at_the_barrier_at_its_end(raced: Result) -> None:
    """Whichever of the two accesses the finding begins with."""
    barrier = "    __syncthreads();\n"
    moved = OTHER_NAMES.replace(barrier, "").replace("    for (int q", f"{barrier}    for (int q")
    lines = moved.splitlines()
    write, read = (next(n for n, one in enumerate(lines, 1) if text in one) for text in ("a[y][x] = left", "acc += a"))
    for findings in ((race(write, read),), (race(read, write),)):
        made = mapped(raced, ("ada", {"findings": findings}), text=moved)
        assert hot(made) == {solved("__syncthreads();  // everybody"): [(Verdict.RACE, MISSING_BARRIER, ("ada",))]}


def test_a_race_between_barriers_that_are_there_stands_at_its_line(raced: Result) -> None:
    finding = race(mine("out[i"), mine("out[i"))
    assert hot(mapped(raced, ("ada", {"findings": (finding,)}))) == {solved("C[row"): [(Verdict.RACE, "", ("ada",))]}


def test_a_wrong_result_stands_where_a_change_helps(raced: Result) -> None:
    suspect = Suspect(lines=(mine("int i ="),), before="a", after="b")
    made = mapped(raced, ("ada", {"verdict": Verdict.WRONG_ANSWER, "findings": (), "suspects": (suspect,)}))
    assert list(hot(made)) == [solved("const int row")]


def test_a_wrong_result_stands_where_a_change_of_the_solution_does_the_same(raced: Result) -> None:
    like = "the solution with `<=` for `<` in line 42"
    made = mapped(raced, ("ada", {"verdict": Verdict.WRONG_ANSWER, "findings": (), "causes": ()}), like=like)
    assert list(hot(made)) == [42]
    assert lines_of(f"{like} or the solution without `a in line 3 b` in line 7") == {42, 7}


def test_who_cannot_be_placed_is_counted_with_the_reason(raced: Result) -> None:
    lost = Finding(kind=Verdict.OUT_OF_BOUNDS, message="m", line=mine("helper_of_nobody"))
    made = mapped(
        raced,
        ("ada", {"verdict": Verdict.WRONG_ANSWER, "findings": (), "causes": ()}),
        ("ben", {"verdict": Verdict.OUT_OF_BOUNDS, "findings": (lost,)}),
        ("cyd", {"findings": (race(mine("a[y][x] = left"), mine("acc += a")),)}),
    )
    assert dict(made.unplaced) == {NO_LINE: ("ada",), NO_COUNTERPART: ("ben",)}
    assert (made.wrong, len(hot(made))) == (3, 1)


def test_nobody_wrong_makes_no_map() -> None:
    passed = Result.model_validate_json((SAMPLES / "pass.json").read_text(encoding="utf-8"))
    assert solution_map(next(iter(passed.labs)), "t.cu", SOLUTION, [passed], {}, {}) is None
