"""Return statements of a kernel get a call before them; lines and columns of everything else stay."""

from __future__ import annotations

import re

import pytest

from grader.engines.changed_text import plain_name, with_marked_returns
from grader.engines.device_functions import LEAVES

FILE = "k.cu"
BARRIER = "  __syncthreads();\n}\n"


def marked(body: str, *, kernel: str = "k", before: str = "", after: str = "") -> str:
    return with_marked_returns(
        f'# 1 "{FILE}"\n{before}void k(float* A, int n) {{\n{body}{BARRIER}{after}', [kernel], FILE
    )


def places(text: str) -> list[tuple[int, int, str]]:
    """Line, column and text of each word and sign, as a compiler reads the markers. The calls are left out."""
    found, line = [], 0
    for row in text.split("\n"):
        if marker := re.match(r'# (\d+) "', row):
            line = int(marker[1]) - 1
        else:
            bare = re.sub(rf" ::{LEAVES}\(\),?", lambda call: " " * len(call[0]), row)
            found += [(line, word.start(), word.group()) for word in re.finditer(r"\w+|[^\w\s]", bare)]
        line += 1
    return sorted(found)


@pytest.mark.parametrize(
    ("body", "calls"),
    [
        ("  if (n) return;\n", 1),
        ("  if (n) return; else A[0] = 1;\n", 1),
        ("  if (n > 1) { return; }\n  for (;;) { if (n) return; }\n", 2),
        ("  return helper(A, n);\n", 1),
        ("  int q[3]; q[n] = A[n]; return;\n", 1),
        ("  auto f = [&](int a) -> int { return a; };\n", 0),
        ("  each(n, [=] { if (n) return; });\n", 0),
        ("  auto g = []<class T>(T t) mutable noexcept { return t; };\n  return;\n", 1),
        ("  struct P { P() { return; } int x() { return 1; } };\n  struct P p; if (n) return;\n", 1),
        ("  [[maybe_unused]] int i = 0; return;\n", 1),
        ("  A[[] { return 0; }()] = 1;\n", 0),
    ],
)
def test_returns_of_the_kernel_itself_are_marked_and_no_others(body: str, calls: int) -> None:
    assert marked(body).count(LEAVES) == calls


@pytest.mark.parametrize(
    "body", ["  if (n) return; A[0] = 1;\n", "\tif (n) /* é */ return f(A); else return;\n", "  return\n ;\n"]
)
def test_lines_and_columns_stay(body: str) -> None:
    plain = f'# 1 "{FILE}"\nvoid k(float* A, int n) {{\n{body}{BARRIER}'
    assert LEAVES in marked(body)
    if body.isascii():
        assert places(marked(body)) == places(plain)


def test_a_marker_before_the_kernel_is_counted_from() -> None:
    text = marked("  if (n) return;\n", before='# 40 "other.cuh" 1\nint a;\n# 7 "k.cu" 2\n')
    assert '# 8 "k.cu"\n' in text


def test_other_functions_and_text_without_a_barrier_stay() -> None:
    text = f'# 1 "{FILE}"\nvoid k(int n) {{ if (n) return; }}\n'
    assert with_marked_returns(text, ["k"], FILE) == text
    assert marked("  helper();\n", before="void helper() { return; }\n").count(LEAVES) == 0
    assert marked("", after="void m(int n) { if (n) return; k(A, n); }\n").count(LEAVES) == 0


@pytest.mark.parametrize("kernel", ["k", "ns::k", "k<float>", "ns::k<f<3>>", "k(float*, int)"])
def test_the_kernel_is_known_by_its_plain_name(kernel: str) -> None:
    assert plain_name(kernel) == "k"
    assert marked("  if (n) return;\n", kernel=kernel).count(LEAVES) == 1


def test_every_version_and_instance_of_the_kernel_is_marked() -> None:
    before = "void k(int n) noexcept { return; }\ntemplate <> void k<int>(int* n) { return; }\n"
    assert marked("  return;\n", before=before).count(LEAVES) == 3


@pytest.mark.parametrize(
    "text", ["void k(", "void k() { return", "void k() { [", "void k() { [&](", "void k() { struct {", "void k<"]
)
def test_text_that_ends_in_the_middle_does_no_harm(text: str) -> None:
    assert with_marked_returns(f"__syncthreads();\n{text}", ["k"], FILE).startswith("__syncthreads();\nvoid k")
