"""A loop that never ends: told where nothing in it changes what its condition compares, and only then."""

from __future__ import annotations

import pytest

from grader.source.kernel_causes import endless_loops, one_too_many
from grader.source.student_code import StudentCode


def said(body: str, line: int = 2) -> list[str]:
    return [f"{one.place.line}: {one.message}" for one in endless_loops(StudentCode(body), line)]


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("while (i < K) {\n  sum += A[i];\n}", "`i` or `K`"),
        ("for (int i = 0; i < K; j++) {\n  sum += A[i];\n}", "`i` or `K`"),
        ("for (int s = 8; s > 0; s >> 1)\n  sum += A[s];", "`s`"),
        ("while (p < n / 16)\n  sum += A[p];\np++;", "`p` or `n`"),
        ("while (i == K) { // i++\n  sum += A[i];\n}", "`i` or `K`"),
    ],
)
def test_a_condition_that_nothing_changes_is_told(body: str, names: str) -> None:
    (one,) = said(body)
    assert one.startswith(f"1: Nothing in the loop that begins in line 1 changes {names}: ")


@pytest.mark.parametrize(
    "body",
    [
        "while (i < K) {\n  sum += A[i]; i++;\n}",
        "while (i < K) {\n  sum += A[i++];\n}",
        "while (i < K)\n  i = next(i);",
        "while (i < K) {\n  advance(A, i);\n}",
        "while (i < K) {\n  advance(&i);\n}",
        "while (true) {\n  if (done) break;\n}",
        "while (flag[0] == 0) {\n  ;\n}",
        "while (ready(i)) {\n  ;\n}",
        "for (;;) {\n  sum += 1;\n}",
        "for (int i = 0; i < K; i += 2) {\n  sum += A[i];\n}",
        "for (int i = K; i > 0; --i)\n  sum += A[i];",
    ],
)
def test_nothing_is_said_of_a_loop_that_may_end(body: str) -> None:
    assert said(body) == []


def test_only_loops_around_the_line_are_looked_at() -> None:
    assert said("while (i < K) {\n  sum += 1;\n}\n\nsum += 2;", 5) == []


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("for (int k = 0; k <= K; ++k) {\n  sum += A[row * K + k];\n}", "`k <= K` in line 1 also holds for k = K"),
        ("for (k = 0; k <= tile; k++)\n  sum += A[ty][k];", "`k <= tile` in line 1 also holds for k = tile"),
        ("if (row <= M && col < N)\n  C[0] = A[row * N + col];", "`row <= M` in line 1 also holds for row = M"),
        ("if (col <= M) {\n  C[0] = A[row];\n}", ""),
        ("for (int k = 0; k < K; ++k)\n  sum += A[k];", ""),
        ("for (int k = 1; k <= K; ++k)\n  sum += A[k - 1];", ""),
        ("for (int k = 0; k <= K; ++k)\n  sum += A[row];", ""),
        ("for (int k = 0; k <= K - 1; ++k)\n  sum += A[k];", ""),
    ],
)
def test_a_condition_that_lets_one_too_many_pass_is_told_where_its_index_leads_outside(body: str, told: str) -> None:
    found = [one.message for one in one_too_many(StudentCode(body), 2, "A")]
    assert [one.startswith(told) for one in found] == ([True] if told else [])
