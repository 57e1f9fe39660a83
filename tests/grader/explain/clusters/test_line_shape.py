"""A line's shape: the same under other names and sizes, and another where the line does something else."""

from __future__ import annotations

import pytest

from grader.explain.clustering import LineShapes

KERNEL = """
constexpr int tile = 16;
__global__ void multiply(const float* A, const float* __restrict__ B, float* C, int M, int N, int K) {
  __shared__ float As[tile][tile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * tile + ty;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += As[ty][k] * B[k * N + tx];
  C[row * N + tx] = sum;
}
"""
RENAMED = KERNEL
for _old, _new in (
    ("As", "left"),
    ("tx", "i"),
    ("ty", "j"),
    ("sum", "acc"),
    ("tile", "WIDTH"),
    ("row", "r"),
    ("16", "32"),
):
    RENAMED = RENAMED.replace(_old, _new)


@pytest.mark.parametrize("number", range(1, KERNEL.count("\n")))
def test_other_names_and_sizes_leave_the_shape_as_it_is(number: int) -> None:
    one, other = KERNEL.split("\n")[number], RENAMED.split("\n")[number]
    assert LineShapes(KERNEL).shape(one) == LineShapes(RENAMED).shape(other)


def test_roles_stand_for_names() -> None:
    shapes = LineShapes(KERNEL)
    assert [shapes.role(name) for name in ("As", "A", "B", "C", "N", "tx", "k", "sum", "nobody")] == [
        *("tile", "input", "input", "output", "size", "index", "step", "sum", "name")
    ]


def test_another_comparison_is_another_shape() -> None:
    shapes = LineShapes(KERNEL)
    assert shapes.shape("if (row < M) {") != shapes.shape("if (row <= M) {")
    assert shapes.shape("if (row < M) {") == "if ( index < size ) {"


def test_comments_and_spaces_play_no_part() -> None:
    shapes = LineShapes(KERNEL)
    assert shapes.shape("sum+=1.0f; // here") == shapes.shape("  sum += 1 ;")


@pytest.mark.parametrize(
    "text", ["", "{{{{", "))]]", '"never ends', "// only this", "\x00\ufffd int", "#define", "__shared__"]
)
def test_text_that_is_no_kernel_has_a_shape_too(text: str) -> None:
    assert LineShapes(text).shape(text) == LineShapes(text).shape(text)
