"""Which plain additions become atomic ones, as text."""

from __future__ import annotations

import pytest

from grader.single_launch.added_atomic import with_atomics


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("  sum[0] += parts[0];", "  atomicAdd(&(sum[0]), parts[0]);"),
        ("  C[row * N + col] = C[row * N + col] + x;", "  atomicAdd(&(C[row * N + col]), x);"),
        ("  if (t == 0) *sum += x * y;", "  if (t == 0) atomicAdd(&(*sum), x * y);"),
        ("  bins[v]++;", "  atomicAdd(&(bins[v]), 1);"),
        ("  ++bins[v];", "  atomicAdd(&(bins[v]), 1);"),
        ("  count -= 2;", "  atomicAdd(&(count), -(2));"),
    ],
)
def test_an_addition_becomes_an_atomic_one(line: str, expected: str) -> None:
    assert with_atomics(["", line], [2]) == (["", expected], [2])


@pytest.mark.parametrize(
    "line", ["  sum[0] = parts[0];", "  a[i] = b[i] + 1;", "  x *= 2;", "", "  s.count += 1;", "+= " * 200]
)
def test_what_is_no_such_addition_stays(line: str) -> None:
    assert with_atomics([line], [1]) == ([line], [])


def test_lines_that_the_file_does_not_have_are_passed_over() -> None:
    assert with_atomics(["a += 1;"], [0, 7, -3]) == (["a += 1;"], [])
