"""A pointer that a kernel only reads through: known uses alone count, anything else is a write."""

from __future__ import annotations

from typing import Any

import pytest

from grader.engines.token_scan import Tokens, code_tokens
from grader.run.programs.host_text import read_only_in


def only_read(text: str, kernel: str = "k") -> str:
    tokens = code_tokens(text.replace("__global__", "__tilelab_global__"), "a.cu")
    return "".join(sorted(read_only_in(tokens)[kernel]))


def of_body(body: str) -> str:
    return only_read(f"__global__ void k(float* a, float *b, float* c, int n) {{ {body} }}")


@pytest.mark.parametrize(
    "body",
    [
        "int i = 0; c[i] = a[i] + b[i];",
        "float t = *(a + 3) + *b; c[n] = t;",
        "if (a[0] == b[1] && n > 3) c[0] <<= 2;",
        "for (int i = 0; i < a[2]; ++i) { c[i] = (float)b[i] * 2; }",
        "c[n] = n < 3 ? a[0] : b[a[1]];",
        "c[0] = max(sqrtf(a[0]), static_cast<float>(b[1]));",
        "float2 v = {a[0], b[0]}; c[0] = v.x & b[1];",
        "atomicAdd(&c[0], a[n] * b[n]);",
        "atomicAdd(&(c[0]), (a[n]) * ((b[n])));",
    ],
)
def test_elements_whose_values_are_used_are_reads(body: str) -> None:
    assert of_body(body) == "ab"


@pytest.mark.parametrize(
    "body",
    [
        "a[0]++; --b[1]; c[2] = 1;",
        "a[0] += 2; b[n] <<= 1; c[0] = 1;",
        "*a = 3; *(b + 1) += 2; c[0] = 1;",
        "(n ? a[0] : b[0]) = 3; c[1] = 2;",
        "float& x = a[1]; float &y = n ? b[0] : c[0]; x = y = 2;",
        "((float&)a[0]) = 1; float* p = b; p[0] = *(c += 1);",
        "swap(a[0], b[0]); fill(c, n);",
        "atomicAdd(&(a[1]), 2); (b[0])++; ((c[0])) += 1;",
        "++(a[0]); *&((b[1])) = 2; (*(c + 1)) = 3;",
        "atomicAdd(&a[1], 2); b[0].set(3); c[0]->x = 2;",
        'asm("" : "=f"(a[0])); c[0] = b[0];',
        "auto place = [&](int i) -> float& { return a[i]; }; place(1) = b[0] + c[0];",
    ],
)
def test_whatever_may_change_an_element_is_a_write(body: str) -> None:
    assert of_body(body) == ""


def test_kernels_of_one_name_count_together() -> None:
    text = "__global__ void k(float* a, float* b) { b[0] = a[0]; } __global__ void k(int* a, int* b, int n) { a[n] = b[n]; }"
    assert only_read(text) == ""


def test_a_template_with_launch_bounds_and_arrays_is_understood() -> None:
    text = "template <int B> __global__ void __launch_bounds__(32) k(float *a, float b[], float c[]) { c[B] = a[B] * b[1]; }"
    assert only_read(text) == "ab"


class _Counting(Tokens):
    looks = 0

    def __getitem__(self, at: Any) -> Any:  # noqa: ANN401 -- as a list's
        type(self).looks += 1
        return super().__getitem__(at)


@pytest.mark.parametrize(
    "unit", ["__tilelab_global__ ", "__tilelab_global__ void k(", "__tilelab_global__ void k(int a) {"]
)
def test_twice_the_text_is_looked_at_twice_as_often(unit: str) -> None:
    looks = []
    for count in (1000, 2000):
        _Counting.looks = 0
        read_only_in(_Counting(code_tokens(unit * count, "a.cu")))
        looks.append(_Counting.looks)
    assert looks[1] < 2.5 * looks[0]
