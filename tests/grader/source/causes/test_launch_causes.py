"""The arithmetic of a launch function, as it is told beside a launch that CUDA refuses, and expressions that nobody computes."""

from __future__ import annotations

import pytest

from grader.source.launch_causes import Started, launch_causes
from grader.source.student_code import StudentCode

HEAD = "#define TILE 16\nconstexpr int side = 2 * TILE;\n__host__ __device__ LaunchConfig go(int rows, int columns) {\n"
Three = tuple[int, int, int]


def said(body: str, grid: Three, block: Three, sizes: tuple[int, ...] = (1, 40)) -> list[tuple[int, str]]:
    code = StudentCode(f"{HEAD}{body}}}\n")
    return [(one.place.line, one.message) for one in launch_causes(code, "go", Started(sizes, grid, block))]


@pytest.mark.parametrize(
    ("body", "grid", "block", "line", "words"),
    [
        (
            "  return LaunchConfig{dim3(columns / TILE, rows / TILE), dim3(TILE, TILE)};\n", (2, 0, 1), (16, 16, 1), 4,
            "`rows / TILE` with rows = 1 and TILE = 16 is 0",
        ),
        ("  dim3 block(side, side + 1);\n  return {dim3(1), block};\n", (1, 1, 1), (32, 33, 1), 4, "32 x 33 = 1,056 threads"),
        (
            "  int n = rows / side;\n  dim3 grid(n);\n  return {grid, dim3(1)};\n", (0, 1, 1), (1, 1, 1), 5,
            "`n` or `rows / side` with rows = 1 and side = 32 is 0",
        ),
        (
            "  LaunchConfig c;\n  c.grid = dim3(rows / 2);\n  c.block = dim3(8);\n  return c;\n", (0, 1, 1), (8, 1, 1), 5,
            "`rows / 2` with rows = 1 is 0",
        ),
        (
            "  dim3 grid;\n  if (rows) grid.x = 0;\n  return {grid, dim3(1)};\n", (0, 1, 1), (1, 1, 1), 6,
            "the grid's x, which must be at least 1, becomes 0.",
        ),
        ("  dim3 block(16, 16), grid(2);\n  return {block, grid};\n", (16, 16, 1), (2, 1, 1), 5, "gives `block` as the grid"),
    ],
)  # fmt: skip
def test_the_line_and_the_arithmetic_are_told(body: str, grid: Three, block: Three, line: int, words: str) -> None:
    found = said(body, grid, block)
    assert found[0][0] == line
    assert words in found[0][1]


def test_nothing_is_said_of_a_launch_that_cuda_accepts() -> None:
    assert said("  return {dim3(columns, rows), dim3(side, side)};\n", (40, 1, 1), (32, 32, 1)) == []


def test_numbers_that_the_text_does_not_give_are_told_without_arithmetic() -> None:
    found = said("  return {dim3(columns / 50), dim3(1)};\n", (0, 1, 1), (1, 1, 1), sizes=(1, 60))
    assert found == [(4, "In line 4 the grid's x, which must be at least 1, becomes 0.")]


def test_elements_without_a_thread_are_told_only_where_they_are_exactly_those_that_nobody_wrote() -> None:
    code = StudentCode(f"{HEAD}  return {{dim3(1, 2), dim3(16, 16)}};\n}}\n")
    for unwritten, told in ((20 * 24, True), (20 * 24 - 1, False)):
        launch = Started((20, 40), (1, 2, 1), (16, 16, 1), output=(20, 40), unwritten=unwritten)
        assert bool(list(launch_causes(code, "go", launch))) is told


@pytest.mark.parametrize(
    ("returned", "told"),
    [
        ("threads, blocks", True),
        ("threadsPerBlock, blocksPerGrid", True),
        ("block, grid", True),
        ("blocks, threads", False),
        ("blocksPerGrid, threadsPerBlock", False),
        ("num_blocks, block", False),
        ("grid, block", False),
    ],
)
def test_the_grid_and_the_block_are_known_by_their_usual_names(returned: str, *, told: bool) -> None:
    one, other = returned.split(", ")
    text = f"LaunchConfig f(int M) {{\n  dim3 {one}(4);\n  dim3 {other}(4);\n  return LaunchConfig{{{returned}}};\n}}\n"
    said = list(launch_causes(StudentCode(text), "f", Started((8,), (4, 1, 1), (4, 1, 1))))
    assert bool(said) is told


def test_a_name_is_told_with_the_expression_that_it_was_given() -> None:
    ((line, words),) = said(
        "  int total = rows * columns;\n  int blocks = total / 64;\n  return LaunchConfig(blocks, 64);\n",
        (0, 1, 1),
        (64, 1, 1),
    )
    assert line == 6
    assert "`blocks` or `total / 64` with total = 40 is 0" in words


def test_a_block_of_one_dimension_is_no_product() -> None:
    ((_, words),) = said("  return LaunchConfig(4, 2048);\n", (4, 1, 1), (2048, 1, 1))
    assert "has 2,048 threads" in words
