"""What becomes of `child<<<grid, block>>>(…)` in the text of a kernel, and what stays as it is."""

from __future__ import annotations

import pytest

from grader.engines.text_steps import with_launch_calls

FILE = "k.cu"


def rewritten(text: str) -> str:
    return with_launch_calls(f'# 1 "{FILE}"\n{text}', FILE)[0].partition("\n")[2]


def test_a_launch_becomes_a_call_of_the_kit_with_the_same_expressions() -> None:
    assert rewritten("child<<<n / 2, dim3(8, f(1)), 4 * n>>>(out, n);") == (
        "::cuda_on_cpu::__child_launch([=](auto... __arguments) { child(__arguments...); }, n / 2, dim3(8, f(1)), 4 * n)(out, n);"
    )


@pytest.mark.parametrize(
    "kernel",
    [
        "child",
        "ns::child",
        "::child",
        "ns::inner::child<float, (3 > 2)>",
        "child<ns::Pair<int, 4> >",
        "(which ? one : other)",
    ],
)
def test_the_kernel_is_named_in_any_way(kernel: str) -> None:
    called = f"::cuda_on_cpu::__child_launch([=](auto... __arguments) {{ {kernel}(__arguments...); }}, 1, 2)(x);"
    assert rewritten(f"if (t == 0) {kernel}<<<1, 2>>>(x);") == f"if (t == 0) {called}"
    assert with_launch_calls(f"{kernel}<<<1, 2>>>(x);", FILE)[1] == [kernel]


def test_lines_stay_where_they_are() -> None:
    text = "one<<<1,\n  2>>>(a,\n  b); two<<<n,\n\n 32>>>(\n);\n"
    assert rewritten(text).count("\n") == text.count("\n")
    assert [line.count("__child_launch") for line in rewritten(text).split("\n")] == [1, 0, 1, 0, 0, 0, 0]


def test_a_null_pointer_stays_a_pointer() -> None:
    assert rewritten("child<<<1, 2>>>(x, __null);").endswith("(x, nullptr);")


@pytest.mark.parametrize(
    "text",
    [
        "a << b < c;",
        "x = a<<1;",
        'printf("child<<<1, 2>>>(x)");',
        "child<<<1, 2>>;",
        "return<<<1, 2>>>(x);",
        "child<<<1, 2; >>>(x);",
        "<<<1>>>(x)",
    ],
)
def test_what_is_no_launch_stays_as_it_is(text: str) -> None:
    assert rewritten(text) == text
