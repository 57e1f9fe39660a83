"""Threads that compute the same: told where an index is used nowhere, and only if there are several of them."""

from __future__ import annotations

import pytest

from grader.source.kernel_causes import shared_places, unused_indices
from grader.source.student_code import StudentCode

KERNEL = "__global__ void add(int* A) {\n  int i = {};\n  A[i] = 1;\n}\n"
BOTH = "blockIdx.x * 8 + threadIdx.x"


def said(index: str, grid: tuple[int, int, int] = (4, 1, 1), block: tuple[int, int, int] = (8, 1, 1)) -> list[str]:
    code = StudentCode(KERNEL.replace("{}", index))
    return [f"{one.place.line}: {one.message}" for one in unused_indices(code, "add", grid, block)]


def test_an_index_that_is_used_nowhere_is_named_beside_its_partner() -> None:
    (one,) = said("threadIdx.x")
    assert one == (
        "2: The kernel uses `blockIdx.x` nowhere, and the grid has 4 blocks in x: those that differ in x alone compute the same."
    )
    (other,) = said("blockIdx.x * 8")
    assert other.startswith("2: The kernel uses `threadIdx.x` nowhere, and the block has 8 threads in x")


def test_an_axis_without_a_partner_is_told_at_the_kernel() -> None:
    (one,) = said(BOTH, block=(8, 8, 1))
    assert one.startswith("1: The kernel uses `threadIdx.y` nowhere")


@pytest.mark.parametrize(
    ("row", "column", "wrong"),
    [
        ("blockIdx.x * 8 + threadIdx.y", "blockIdx.x * 8 + threadIdx.x", "blockIdx.x"),
        ("threadIdx.y + 8 * blockIdx.x", "threadIdx.x + blockIdx.x * 8", "blockIdx.x"),
        ("(blockIdx.x << 3) + threadIdx.y", "(blockIdx.x << 3) + threadIdx.x", "blockIdx.x"),
        ("blockIdx.y * 8 + threadIdx.x", "blockIdx.x * 8 + threadIdx.x", "threadIdx.x"),
        ("blockIdx.y * 8 + threadIdx.y", "blockIdx.y * 8 + threadIdx.x", "blockIdx.y"),
        ("blockIdx.y * 8 + threadIdx.y", "blockIdx.x * 8 + threadIdx.y", "threadIdx.y"),
        ("bx * 8 + ty", "bx * 8 + tx", "bx"),
        ("by * 8 + tx", "bx * 8 + tx", "tx"),
        ("by * 8 + ty", "by * 8 + tx", "by"),
        ("by * 8 + ty", "bx * 8 + ty", "ty"),
    ],
)
def test_an_index_that_stands_where_another_belongs_is_marked(row: str, column: str, wrong: str) -> None:
    named = (
        "int tx = threadIdx.x, ty = threadIdx.y, bx = blockIdx.x, by = blockIdx.y;" if len(wrong) == len("tx") else ""
    )
    code = StudentCode(
        f"__global__ void add(int* A) {{\n  {named}\n  int row = {row};\n  int col = {column};\n  A[row * 64 + col] = 1;\n}}\n"
    )
    (one,) = unused_indices(code, "add", (4, 4, 1), (8, 8, 1))
    line = code.line(one.place.line)
    assert line[one.place.start : one.place.end] == wrong
    assert line.strip().startswith("int row" if row[-1] == "x" or wrong in {"blockIdx.x", "bx"} else "int col")


@pytest.mark.parametrize(
    ("index", "grid"),
    [
        (BOTH, (4, 1, 1)),
        ("threadIdx.x", (1, 1, 1)),
        ("cg::this_grid().thread_rank()", (4, 1, 1)),
        ("flat(blockIdx) + threadIdx.x", (4, 1, 1)),
    ],
)
def test_nothing_is_said_of_one_block_or_where_indices_have_other_names(index: str, grid: tuple[int, int, int]) -> None:
    assert said(index, grid) == []


def places(index: str) -> list[str]:
    return [one.message for one in shared_places(StudentCode(KERNEL.replace("{}", index)), (4, 4, 1), (8, 8, 1))]


@pytest.mark.parametrize(
    ("index", "told"),
    [
        (
            "blockDim.y * blockIdx.x + threadIdx.x",
            "`blockDim.y * blockIdx.x` mixes two axes: blocks along x are blockDim.x threads",
        ),
        (
            "blockIdx.y * blockDim.x + threadIdx.y",
            "`blockIdx.y * blockDim.x` mixes two axes: blocks along y are blockDim.y threads",
        ),
        (
            "blockIdx.x + threadIdx.x",
            "`blockIdx.x + threadIdx.x` counts blocks as if each had one thread in x, and each has 8",
        ),
        ("tx + blockIdx.y", "`tx + blockIdx.y` counts blocks as if each had one thread in y"),
    ],
)
def test_a_place_that_is_not_a_blocks_own_is_told(index: str, told: str) -> None:
    (one,) = places(index)
    assert one.startswith(told)


@pytest.mark.parametrize(
    "index",
    [
        "blockIdx.x * blockDim.x + threadIdx.x",
        "threadIdx.x + blockIdx.x * 16",
        "threadIdx.x + TILE * blockIdx.x",
        "blockIdx.y * TILE + threadIdx.x",
        "(blockIdx.x << 4) + threadIdx.x",
        "TILE * (blockIdx.x + 1)",
        "blockIdx.x",
    ],
)
def test_nothing_is_said_of_a_place_that_is(index: str) -> None:
    assert places(index) == []
