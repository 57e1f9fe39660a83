"""Small changes of a wrong kernel: the one that undoes a beginner's mistake is among them, and early. Nothing is built here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.explain.small_edits import SmallEdit, small_edits
from grader.explain.suspect_search import MOST_EDITS, places

ROOT = Path(__file__).resolve().parents[4]
MISTAKES = ROOT / "tests" / "labs" / "mistakes"
# A file of the table, and what one change has to make of its wrong line.
UNDONE = {
    "01-naive/int_accumulator.cu": "float sum = 0;",
    "01-naive/no_plus.cu": "sum += A[row * K + k] * B[k * N + col];",
    "01-naive/first_product_forgotten.cu": "for (int k = 0; k < K; k++) {",
    "01-naive/row_length_of_c_for_a.cu": "sum += A[row * K + k] * B[k * N + col];",
    "01-naive/exchanged_at_use.cu": "sum += A[row * K + k] * B[k * N + col];",
    "02-tiled/exchanged_at_load.cu": "Nds[ty][tx] = B[(ph * TILE_WIDTH + ty) * N + Col];",
    "02-tiled/tile_of_a_stays.cu": "Mds[ty][tx] = A[Row * K + (tx + ph * TILE_WIDTH)];",
    "02-tiled/phase_not_times_width.cu": "Mds[ty][tx] = A[Row * K + ph * TILE_WIDTH + tx];",
    "02-tiled/tile_type_int.cu": "__shared__ float Mds[TILE_WIDTH][TILE_WIDTH];",
    "03-boundary/stored_exchanged.cu": "if (i < M && j < N) C[i * N + j] = acc;",
}


@pytest.mark.parametrize("file", UNDONE)
def test_the_change_that_undoes_a_mistake_is_tried(file: str) -> None:
    made = small_edits((MISTAKES / file).read_text(encoding="utf-8"), MOST_EDITS)
    assert UNDONE[file] in [one.after for one in made]


KERNEL = """__global__ void product(const float* A, const float* B, float* C, int M, int N, int K) {
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 16 + ty;
  int col = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int start = 0; start < K; start += 16) {
    int a_col = start + tx;
    As[ty][tx] = A[row * K + start + tx];
    for (int k = 0; k < 16; ++k) sum += As[ty][k] * Bs[k][tx];
  }
  C[row * N + col] = sum;
}
LaunchConfig go(int M, int N, int K) { return LaunchConfig{grid, block}; }
"""


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("sum += As", "sum -= As"),
        ("A[row * K + start + tx]", "A[row * K + start]"),
        ("a_col = start + tx", "a_col = start"),
        ("a_col = start + tx", "a_col = tx"),
        ("start += 16", "start += 2 * 16"),
        ("start += 16", "start += 16 + 1"),
        ("As[ty][k] *", "As[tx][k] *"),
        ("As[ty][k] *", "As[k][tx] *"),
        ("] * Bs", "] + Bs"),
        ("C[row * N + col]", "C[col * N + row]"),
        ("C[row * N + col]", "C[col * M + row]"),
        ("start < K;", "start < K - 1;"),
        ("start < K - 1;", "start < K - 2;"),
        ("LaunchConfig{grid, block}", "LaunchConfig{block, grid}"),
    ],
)
def test_a_mistake_of_each_kind_is_undone(right: str, wrong: str) -> None:
    text = KERNEL if right in KERNEL else KERNEL.replace("start < K;", right)
    wanted = re.sub(r"\s+|[()]", "", text)
    made = [re.sub(r"\s+|[()]", "", one.text) for one in small_edits(text.replace(right, wrong), MOST_EDITS)]
    assert wanted in made


@pytest.mark.parametrize("file", sorted(path.relative_to(MISTAKES).as_posix() for path in MISTAKES.glob("*/*.cu")))
def test_changes_are_few_each_is_another_text_and_its_lines_are_those_that_differ(file: str) -> None:
    text = (MISTAKES / file).read_text(encoding="utf-8")
    made = small_edits(text, MOST_EDITS)
    assert len(made) <= MOST_EDITS
    assert len({one.text for one in made} | {text}) == len(made) + 1
    for one in made:
        rows = zip(text.split("\n"), one.text.split("\n"), strict=True)
        assert tuple(n for n, (before, after) in enumerate(rows, start=1) if before != after) == one.lines


@pytest.mark.parametrize(
    "text", ["", "(", "[", "{ a = b", "__global__", "dim3(", "x[", "for (", "/", "=", "\0", "a[1][2"]
)
def test_a_text_that_is_no_kernel_is_harmless(text: str) -> None:
    assert isinstance(small_edits(text, MOST_EDITS), list)


def edit(*lines: int, after: str = "x") -> SmallEdit:
    return SmallEdit("add_up", lines, "y", after, f"{lines}{after}")


def test_one_place_or_two_are_told_and_more_are_not() -> None:
    assert [one.lines for one in places([edit(3, after="first"), edit(3, after="second")])] == [(3,)]
    assert places([edit(3, after="first"), edit(3, after="second")])[0].after == "first"
    assert [one.lines for one in places([edit(3), edit(5, 6)])] == [(3,), (5, 6)]
    assert places([edit(3), edit(5), edit(9)]) == ()
    assert places([]) == ()


def test_nothing_is_tried_in_a_file_that_nobody_wrote_by_hand() -> None:
    assert small_edits(KERNEL, MOST_EDITS)
    assert small_edits(KERNEL + ";" * 10_000, MOST_EDITS) == []
