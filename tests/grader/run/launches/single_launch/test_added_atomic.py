"""Which plain changes become atomic ones, as text."""

from __future__ import annotations

import pytest

from grader.run.launches.added_barrier import with_atomics


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("  sum[0] += parts[0];", "  atomicAdd(&(sum[0]), parts[0]);"),
        ("  C[row * N + col] = C[row * N + col] + x;", "  atomicAdd(&(C[row * N + col]), x);"),
        ("  if (t == 0) *sum += x * y;", "  if (t == 0) atomicAdd(&(*sum), x * y);"),
        ("  bins[v]++;", "  atomicAdd(&(bins[v]), 1);"),
        ("  ++bins[v];", "  atomicAdd(&(bins[v]), 1);"),
        ("  count -= 2;", "  atomicAdd(&(count), -(2));"),
        ("  *left = *left - x;", "  atomicAdd(&(*left), -(x));"),
        ("  --left[0];", "  atomicAdd(&(left[0]), -1);"),
        ("  sum[0] = x + sum[0];", "  atomicAdd(&(sum[0]), x);"),
        ("  bins[keys[i]]++;", "  atomicAdd(&(bins[keys[i]]), 1);"),
        ("  flags[w] |= 1u << bit;", "  atomicOr(&(flags[w]), 1u << bit);"),
        ("  *all &= mine;", "  atomicAnd(&(*all), mine);"),
        ("  *odd ^= mine;", "  atomicXor(&(*odd), mine);"),
        ("  most[0] = max(most[0], x);", "  atomicMax(&(most[0]), x);"),
        ("  most[0] = max(x, most[0]);", "  atomicMax(&(most[0]), x);"),
        ("  if (x > *most) *most = x;", "  atomicMax(&(*most), x);"),
        ("  if (*most < x) *most = x;", "  atomicMax(&(*most), x);"),
        ("  *most = x > *most ? x : *most;", "  atomicMax(&(*most), x);"),
        ("  *most = *most > x ? *most : x;", "  atomicMax(&(*most), x);"),
        ("  least[r] = std::min(least[r], a[i]);", "  atomicMin(&(least[r]), a[i]);"),
        ("  if (a[i] <= least[r]) least[r] = a[i];", "  atomicMin(&(least[r]), a[i]);"),
    ],
)
def test_a_change_of_one_element_becomes_an_atomic_one(line: str, expected: str) -> None:
    changed, made = with_atomics(["", line], [2])
    assert (changed, list(made)) == (["", expected], [2])
    assert f"{made[2]}(&(" in expected


@pytest.mark.parametrize(
    "line",
    [
        "  sum[0] = parts[0];",
        "  a[i] = b[i] + 1;",
        "  x *= 2;",
        "",
        "  s.count += 1;",
        "+= " * 200,
        "  m = max(a, b);",
        "  if (x > y) m = x;",
        "  if (x > m) m = y;",
        "  m = x > m ? m : x;",
        "  a[i] = 2 * a[i] + 1;",
    ],
)
def test_what_is_no_such_change_stays(line: str) -> None:
    assert with_atomics([line], [1]) == ([line], {})


def test_lines_that_the_file_does_not_have_are_passed_over() -> None:
    assert with_atomics(["a += 1;"], [0, 7, -3]) == (["a += 1;"], {})
