"""Which names a declaration introduces, read from its words and signs."""

from __future__ import annotations

import re

import pytest

from grader.run.kernels.host_code import declared_names


@pytest.mark.parametrize(
    ("declaration", "names"),
    [
        ("int n = 4;", "n"),
        ("static const unsigned int rows = 4, columns(5), cells[2] = {1, 2};", "rows columns cells"),
        ("float *d_A, **d_B;", "d_A d_B"),
        ("__constant__ float weights[N][N];", "weights"),
        ("thrust::device_vector<Body> bodies;", "bodies"),
        ("template <typename T, int N = (4 > 2)> __device__ T twice(T x) { return 2 * x; }", "twice"),
        ("__device__ float Body::mass() const { return m; }", "mass Body"),
        ("Timer::Timer() : start{0} { }", "Timer"),
        ("struct Body;", "Body"),
        ("struct __align__(16) Body { float4 p; void print(); } all[4], *one;", "Body all one"),
        ("template <> struct Shared<float> { };", "Shared"),
        ("enum class Side : char { left = 1, right };", "Side left right char"),
        ("typedef struct { float x; } Point;", "Point"),
        ("typedef float (*Function)(float);", "Function"),
        ("using Row = float[16];", "Row"),
        ("using std::vector;", "vector"),
        ("namespace cg = cooperative_groups;", "cg"),
        ("extern __shared__ float tile[];", "tile"),
        ("int (*table[4])(int);", "table"),
        ("auto less = [](int a, int b) { return a < b; };", "less"),
        ("void __launch_bounds__(256) scale(float* A) { }", "scale"),
    ],
)
def test_the_names_of_a_declaration(declaration: str, names: str) -> None:
    texts = re.findall(r"::|\w+|[^\w\s]", declaration)
    found = declared_names(texts)
    assert found is not None
    assert set(names.split()) <= found
    assert not {"T", "x", "p", "m", "print", "N", "a"} & found


@pytest.mark.parametrize(
    "declaration",
    [
        "using namespace std;",
        "float4 operator+(float4 a, float4 b) { return a; }",
        "MAKE_KERNEL(add);",
    ],
)
def test_a_declaration_whose_names_are_not_certain_stays(declaration: str) -> None:
    assert declared_names(re.findall(r"::|\w+|[^\w\s]", declaration)) is None
