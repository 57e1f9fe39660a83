"""Guards are declared around the locals that a pointer may run out of; lines and columns of everything else stay."""

from __future__ import annotations

import re

import pytest

from grader.engines.device_functions import GUARD_NAME
from grader.engines.local_guards import with_guards

FILE = "k.cu"
_GUARDED = re.compile(rf"{GUARD_NAME}\d+_(\w+?)\[15\]")


def guarded(body: str, *, before: str = "") -> list[str]:
    """The names in the guards, in their order."""
    return _GUARDED.findall(with_guards(f'# 1 "{FILE}"\n{before}void k(float* A, int n) {{\n{body}\n}}\n', FILE))


def places(text: str) -> list[tuple[int, int, str]]:
    """Line, column and text of each word and sign, as a compiler reads the markers. The guards are left out."""
    found, line = [], 0
    for row in text.split("\n"):
        if marker := re.match(r'# (\d+) "', row):
            line = int(marker[1]) - 1
        else:
            bare = re.sub(rf" \[\[maybe_unused\]\][^;]*{GUARD_NAME}[^;]*;", lambda guard: " " * len(guard[0]), row)
            found += [(line, word.start(), word.group()) for word in re.finditer(r"\w+|[^\w\s]", bare)]
        line += 1
    return sorted(found)


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("int b[2];", ["b", "b"]),
        ("const unsigned int b[2] = {1, 2};", ["b", "b"]),
        ("float* rows[4];", ["rows", "rows"]),
        ("float a[2], *p, c[3];", ["a", "p", "c", "c"]),
        ("for (int i = 0; i < n; ++i) { float t[2]; t[0] = i; }", ["t", "t"]),
        ("float x = 0; use(&x);", ["x", "x"]),
        ("float x = 0, y = n & x;", []),
        ("std::array<int, 4> four{};", ["four", "four"]),
        ("auto f = [&](int i) { int own[2]; return own[i]; };", ["own", "own"]),
        ("[[maybe_unused]] alignas(16) float v[4];", ["v", "v"]),
        ("float v[4] = {1, 2}, w = a < b, u = c > d;", ["v", "v"]),
        ("static float kept[4];", []),
        ("float sum = A[n]; A[0] = sum;", []),
        ("if (n) A[n] = 1; else A[0] = 2;", []),
        ("return A[n];", []),
        ("for (float t[2] = {}; n;) --n;", []),
        ("A[n]; n + A[n];", []),
        ("struct Local { int m[4]; int n; } one;", []),
    ],
)
def test_what_a_pointer_may_run_out_of_has_guards_on_both_sides(body: str, names: list[str]) -> None:
    assert guarded(body) == names


@pytest.mark.parametrize(
    ("types", "holds"),
    [
        ("struct T { float a[4]; };", True),
        ("struct U { float a[4]; }; struct T { U u; int n; };", True),
        ("template <class E> struct U { E a[4]; }; using T = U<int>;", True),
        ("typedef struct { float a[4]; } T;", False),
        ("struct alignas(32) T { float a[4]; };", True),
        ("struct __attribute__((aligned(16))) T final { float a[4]; };", True),
        ("typedef float T[4];", True),
        ("struct T { float x, y; float get(int i) { return (&x)[i]; } };", False),
        ("struct T { float x; float get(float* p) { return p[0]; } };", False),
    ],
)
def test_an_object_has_guards_if_its_type_holds_an_array(types: str, *, holds: bool) -> None:
    assert bool(guarded("T one;", before=types + "\n")) is holds


@pytest.mark.parametrize(
    "text",
    [
        "struct S {\n  int a[4];\n  void f() { int own[2]; }\n};\n",
        "union __attribute__((aligned(16))) {\n  int a[4];\n} one;\n",
        "namespace n {\nint a[4];\nenum { x, y };\n}\n",
        "template <class T, int N> struct S { T a[N]; int b[2]; };\n",
        "int table[2][2] = {{1, 2}, {3, 4}};\n",
    ],
)
def test_members_and_variables_outside_functions_have_none(text: str) -> None:
    with_both = f"{text}void f() {{ int own[2]; }}\n"
    assert set(_GUARDED.findall(with_guards(with_both, FILE))) == {"own"}


@pytest.mark.parametrize(
    "body", ["  float a[2]; a[0] = 1;\n", "\tint a[2] /* c */ ; return a[0];\n", "  int a[2]\n  = {\n 1}; n = 1;\n"]
)
def test_lines_and_columns_stay(body: str) -> None:
    plain = f'# 1 "{FILE}"\nvoid k(float* A, int n) {{\n{body}}}\n'
    assert GUARD_NAME in with_guards(plain, FILE)
    assert places(with_guards(plain, FILE)) == places(plain)
