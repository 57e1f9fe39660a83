"""Formulas of a lab's files: what they compute, how much may be rounded, and what is no formula."""

from __future__ import annotations

import pytest

from grader.model.formula import Buffer, FormulaError, Scope, as_cpp, computed, number_of, read_equation

SCOPE = Scope(
    {"M": 2, "N": 2, "K": 3, "alpha": 0.5},
    {
        "A": Buffer((2, 3), [1, 2, 3, 4, 5, 6]),
        "B": Buffer((3, 2), [1, 0, 0, 1, -1, 1]),
        "x": Buffer((4,), [3, 1, -4, 1]),
    },
)


@pytest.mark.parametrize(
    ("formula", "sides", "values"),
    [
        ("C[i, j] = alpha * sum(k < K, A[i, k] * B[k, j])", (2, 2), [-1, 2.5, -1, 5.5]),
        ("s[i] = sum(k <= i, x[k])", (4,), [3, 4, 0, 1]),
        ("s[i] = sum(1 <= k < 4, x[k])", (1,), [-2]),
        ("bins[b] = sum(i < 4, where(x[i] == b, 1, 0))", (4,), [0, 2, 0, 1]),
        ("m[i] = max(k < 4, x[k]) - min(k < 4, x[k])", (1,), [7]),
        ("o[i] = where(i > 0 and i < 3, (x[i - 1] + x[i + 1]) / 2, x[i])", (4,), [3, -0.5, 1, 1]),
        ("o[i] = x[3 - i]", (4,), [1, -4, 1, 3]),
    ],
)
def test_a_formula_gives_each_element(formula: str, sides: tuple[int, ...], values: list[float]) -> None:
    assert computed(read_equation(formula), sides, SCOPE).values == values


def test_what_may_be_rounded_follows_from_all_that_is_added_up() -> None:
    found = computed(read_equation("s[i] = sum(k <= i, x[k])"), (4,), SCOPE)
    assert (found.magnitudes, found.roundings) == ([3, 4, 8, 9], 4)
    assert computed(read_equation("s[i] = sum(k < 4, exp(x[k]))"), (1,), SCOPE).magnitudes is None


@pytest.mark.parametrize(
    "over",
    [
        "sum(k < K, A[i, k] * {}B[k, j])",
        "sum(k <= i, A[j, {}k] * B[k, i])",
        "sum(1 <= k < K, {}A[i, k])",
        "sum(k < i, {}x[k])",
    ],
)
def test_elements_in_equal_steps_are_added_up_as_others_are(over: str) -> None:
    fast, slow = (computed(read_equation(f"C[i, j] = {over.format(one)}"), (2, 2), SCOPE) for one in ("", "1 * "))
    assert fast.values == slow.values
    assert fast.magnitudes == slow.magnitudes


def test_a_sum_beyond_the_end_of_a_row_is_refused() -> None:
    with pytest.raises(FormulaError, match="reads A at 3, and there are 3"):
        computed(read_equation("C[i, j] = sum(k <= K, A[i, k] * B[j, i])"), (2, 2), SCOPE)


@pytest.mark.parametrize(
    "value",
    [
        "__import__('os').remove('x')", "A.real", "(lambda: 1)()", "[k for k in x]", "10 ** 10", "x[9]", "x[-1]", "A[0]", "y[i]", "sum(x)",
        "sqrt(-1)", "1 / 0", "f'{i}'", "x if i else 0", "sum(k < 100000000, 1)", "True", "1e999", "open('x')", "x[i", "(" * 500,
        "1 + " * 700 + "1", "min()", "eval('1')", "i.bit_length()", "x[0:2]",
    ],
)  # fmt: skip
def test_what_is_no_formula_is_refused(value: str) -> None:
    with pytest.raises(FormulaError):
        computed(read_equation(f"o[i] = {value}"), (1,), SCOPE)


def test_a_grid_is_arithmetic_over_sizes() -> None:
    assert as_cpp("ceil(N / 16)") == "((tilelab_N + 16LL - 1) / 16LL)"
    assert number_of("2 * (M + 1)", {"M": 3}) == 8
    for bad in ("N ** 2", "system()", "N; exit(1)", "N.x", '"N"', "x[0]"):
        with pytest.raises(FormulaError):
            as_cpp(bad)
