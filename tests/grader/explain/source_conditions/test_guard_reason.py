"""Which condition keeps a thread from a line, with the thread's own numbers."""

from __future__ import annotations

import pytest

from grader.explain.guard_reason import GuardReason, LaunchThread, guard_reason

pytestmark = pytest.mark.in_turn(3)

SIZES = {"M": 20, "N": 30, "K": 4}


def place(x: int, y: int, by: int = 0) -> LaunchThread:
    return LaunchThread((x, y, 0), (0, by, 0), (16, 16, 1), (2, 2, 1), SIZES)


def reason(text: str, missing: LaunchThread, writer: LaunchThread) -> GuardReason | None:
    lines = text.strip().split("\n")
    line = next(at for at, one in enumerate(lines, 1) if "STORE" in one)
    return guard_reason(lines, line, missing, writer)


KERNEL = """
#define TILE 16
__global__ void k(float* C, int M, int N) {
  const int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;  // a place
  int step = 0;
  for (int i = 0; i < 4; ++i) step += 2;
  if (GUARD) BODY
}
"""


def kernel(guard: str, body: str = "C[row * N + col] = 1;  /* */ STORE") -> str:
    return KERNEL.replace("GUARD", guard).replace("BODY", body)


def test_a_guard_that_is_too_strict_is_told_with_the_numbers_of_the_thread() -> None:
    told = reason(kernel("row < M - 1 && col < N"), place(0, 3, by=1), place(0, 2, by=1))
    assert told is not None
    assert told.line == 6
    assert told.words == "Line 6 asks `row < M - 1 && col < N`. With row = 19, M = 20, col = 0 and N = 30 it is false."


@pytest.mark.parametrize("body", ["{\n    STORE\n  }", "\n    STORE", "{\n    if (col < N) {\n      STORE\n    }\n  }"])
def test_the_statement_of_a_guard_may_follow_it_in_other_lines(body: str) -> None:
    told = reason(kernel("row < 2", body), place(0, 3), place(0, 1))
    assert told is not None
    assert told.condition == "row < 2"


@pytest.mark.parametrize(
    "leaves", ["return;\n STORE", "{ return; }\n STORE", "\n    return;\n  STORE", "{\n return;\n }\n STORE"]
)
def test_a_condition_after_which_the_thread_returns_is_one(leaves: str) -> None:
    told = reason(kernel("row > 2", leaves), place(0, 3), place(0, 1))
    assert told is not None
    assert told.leaves
    assert told.words.endswith("With row = 3 it is true, and it returns.")


@pytest.mark.parametrize(
    "guard",
    [
        "row < limit(M)",  # a function
        "step < 8",  # changes in a loop
        "row & 1",
        "__import__('os').system('true')",
        "row ** 99 < 2",
        "0 < row < 2",
        "row < 2" + " + 0" * 100,
        "row << 40 > 1",
    ],
)
def test_what_is_no_plain_arithmetic_is_not_told(guard: str) -> None:
    assert reason(kernel(guard), place(0, 3), place(0, 1)) is None


@pytest.mark.parametrize(
    "guard",
    [
        "(int)row < 2",
        "row < 2.5f",
        "row < 2 ? 1 : 0",
        "-row / 2 > -1",
        "(row & 2) == 0",
        "threadIdx.y - 2 > 3",  # an unsigned number that wraps
        "row >> 1 == 0",
    ],
)
def test_the_arithmetic_of_c_is_told(guard: str) -> None:
    told = reason(kernel(guard), place(0, 3), place(0, 1))
    assert told is not None
    assert told.condition == guard


def test_a_condition_that_holds_for_both_threads_is_no_reason() -> None:
    assert reason(kernel("row < M"), place(0, 3), place(0, 1)) is None


def test_a_condition_whose_statement_is_over_is_no_reason() -> None:
    assert reason(kernel("row < 2", "{\n C[0] = 1;\n }\n STORE"), place(0, 3), place(0, 1)) is None


@pytest.mark.parametrize(
    "line",
    [
        "int " + "a = 11, " * 100,
        "int " * 200,
        "(" * 900,
        "if (row < 2) { " * 60,
        "x" * 5000,
    ],
    ids=["declarations without an end", "types", "parentheses", "conditions", "a long line"],
)
def test_text_that_nobody_would_write_costs_little(line: str) -> None:
    """Each of these took minutes, or would, with a search that looks for every way to read it."""
    lines = [line] * 1500
    assert guard_reason([*lines, *kernel("row < 2")], len(lines) + 1, place(0, 3), place(0, 1)) is None


def test_a_size_that_the_kernel_changes_is_no_number() -> None:
    assert reason(kernel("row < M").replace("int step = 0;", "M -= 18;"), place(0, 3), place(0, 1)) is None
