"""Products that a sum lacks or has twice because of what lies in shared memory: who put it there, and which condition it was."""

from __future__ import annotations

import re

import pytest

from grader.explain.recording import element_name
from grader.run.launches.trace_phases import CHANGES
from tests.grader.explain.stories.conftest import ROOT, Tell, reject
from tests.grader.explain.stories.test_untouched_story import right

LAB = "03-boundary"
KERNEL = """#include <tilelab/device.cuh>
#define T 16
__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K) {
  return LaunchConfig{dim3((N + T - 1) / T, (M + T - 1) / T), dim3(T, T)};
}
__global__ void matmul_boundary(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[T][T], Bs[T][T];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
  float acc = 0.0f;
  for (int p = 0; p < (K + T - 1) / T; ++p) {
    As[ty][tx] = (row < M && p * T + tx < K && col < N) ? A[row * K + p * T + tx] : 0.0f;
    Bs[ty][tx] = (p * T + ty < K && col < N) ? B[(p * T + ty) * N + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < T; ++k) acc += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = acc;
}
"""


def test_the_part_of_a_condition_that_kept_a_load_away_is_named(tell: Tell) -> None:
    traced, told = tell(LAB, KERNEL, "17x17x17", (1, 0, 0))
    story = told["sum"].story
    assert "Line 12 asks `col < N`. With col = 17 and N = 17 it is false." in story.summary
    trace = traced.report.trace
    assert trace is not None
    wrote = [one for one in trace.steps if one[0] in CHANGES and element_name(trace, one) == "As[0][1]"]
    assert (wrote[0][1], wrote[0][6]) == (1, 0)
    assert right(story.questions[0]) == "0, which thread (1,0,0) has put there"
    assert "A[0][1]" in story.questions[0].choices


def test_an_if_with_an_else_is_read_as_well(tell: Tell) -> None:
    condition = "As[ty][tx] = (row < M && p * T + tx < K && col < N) ? A[row * K + p * T + tx] : 0.0f;"
    assert condition in KERNEL
    text = KERNEL.replace(condition, "As[ty][tx] = 0.0f;\n    if (col < N) As[ty][tx] = A[row * K + p * T + tx];")
    _, told = tell(LAB, text, "16x17x16", (1, 0, 0))
    assert "thread (1,0,0) has put 0 there in line 12. Line 13 asks `col < N`." in told["sum"].story.summary


def test_an_element_that_an_older_phase_has_left_is_told_as_that(tell: Tell) -> None:
    traced, told = tell(LAB, reject(LAB, "zeros_only_once"), "20x20x20")
    assert "it reads As[0][4] again, which still holds A[0][4]" in told["sum"].story.summary
    trace = traced.report.trace
    assert trace is not None
    assert (
        len([one for one in trace.steps if one[0] in CHANGES and element_name(trace, one) == "As[0][4]" and one[6]])
        == 1
    )


def test_a_grid_for_the_other_axis_is_told_by_the_block_that_it_lacks(tell: Tell) -> None:
    _, told = tell("01-naive", reject("01-naive", "row_and_column_swapped"), "8x40x8")
    assert (
        "thread (0,0,0) of block (0,1,0), which this grid of 3 x 1 blocks does not have"
        in told["untouched"].story.summary
    )


def test_threads_that_go_on_in_a_loop_need_no_other_block(tell: Tell) -> None:
    _, told = tell("05-transpose", reject("05-transpose", "grid_of_the_result"), "32x64")
    assert "does not have" not in told["untouched"].story.summary


def test_a_right_kernel_with_such_conditions_has_no_story(tell: Tell) -> None:
    assert tell(LAB, KERNEL.replace(" && col < N) ? A", ") ? A"), "17x17x17", (1, 0, 0))[1] == {}


@pytest.mark.parametrize("both", [False, True])
def test_a_value_that_was_changed_on_its_way_is_told_with_what_was_read(both: bool, tell: Tell) -> None:
    text = KERNEL.replace("col < N) ? A[", ") ? 2.5f * A[").replace("K && )", "K)")
    text = text.replace("col < N) ? B[", "col < N) ? 2.5f * B[") if both else text
    traced, told = tell(LAB, text, "16x16x16")
    named = re.search(
        r"([AB])\[0\]\[0\] is not there: thread \(0,0,0\) has read (\S+) and put (\S+) there", told["sum"].story.summary
    )
    assert named is not None
    value = next(one for one in traced.report.inputs if one.name == named[1]).values[0]
    assert (named[2], named[3]) == (f"{value:g}", f"{2.5 * value:g}")
    assert "never reads" not in told["sum"].story.summary


def test_a_matrix_of_which_nothing_is_read_is_told(tell: Tell) -> None:
    naive = (ROOT / "solutions" / "01-naive" / "matmul_naive.cu").read_text()
    product = "A[row * K + k] * B[k * N + col]"
    assert product in naive
    _, told = tell("01-naive", naive.replace(product, "A[row * K + k] * A[row * K + k]"), "8x8x8")
    assert "No thread of this block reads anything of B." in told["untouched"].story.summary
