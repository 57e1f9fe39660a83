"""Passages: layout plays no part, names play one in one of two views, and any text has some."""

from __future__ import annotations

import subprocess
import sys

import pytest

from grader.explain.similar_files import LONGEST, Passages

KERNEL = """#include <tilelab/device.cuh>
// Each thread computes one element of C, as we said in the lecture.
__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  if (row < M && col < N) C[row * N + col] = sum;
}
"""


def test_layout_plays_no_part() -> None:
    other = KERNEL.replace("  ", "\t\t").replace(") {", ")\n{").replace("; ", ";\n").replace(" * ", "*")
    assert Passages(KERNEL).plain.keys() == Passages(other).plain.keys()
    assert Passages(KERNEL).nameless.keys() == Passages(other).nameless.keys()


def test_other_names_and_comments_change_one_view_alone() -> None:
    other = KERNEL.replace("row", "y").replace("sum", "result").replace("lecture", "lab").replace("A[", "left[")
    assert Passages(KERNEL).nameless.keys() == Passages(other).nameless.keys()
    assert Passages(KERNEL).plain.keys() != Passages(other).plain.keys()


def test_a_passage_knows_its_first_line() -> None:
    lines = Passages(KERNEL).plain.values()
    assert min(lines) == 2
    assert max(lines) == 7
    below = Passages("\n\n/* two\nlines */\n" + KERNEL)
    assert max(below.plain.values()) == 11


def test_what_is_included_is_nobodys() -> None:
    with_more = KERNEL.replace("#include", "#include <cmath>\n  # include <cstdio>\n#include")
    assert Passages(KERNEL).plain.keys() == Passages(with_more).plain.keys()


HOSTILE = ["", "\x00", "'", '"\\', "/*", "\ud800" * 40, "ä" * 99, "\\\n" * 50, "{" * 5000, "a " * (2 * LONGEST)]
HOSTILE += [one * LONGEST for one in ("/*", "*/", '"', "'", "\\", "//", "for(", "a=", "\n#include")]


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_any_text_has_passages_or_none(number: int) -> None:
    assert len(Passages(HOSTILE[number]).plain) <= LONGEST
    assert len(Passages(HOSTILE[number]).nameless) <= LONGEST


def test_passages_are_the_same_in_every_run_of_the_program() -> None:
    script = (
        "import sys; from grader.explain.similar_files import Passages; print(sum(Passages(sys.stdin.read()).plain))"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", script],
            input=KERNEL,
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert seen == {f"{sum(Passages(KERNEL).plain)}\n"}
