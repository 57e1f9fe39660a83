"""What counts as host code in a CUDA source. Removing it keeps all line numbers."""

from __future__ import annotations

import pytest

from grader.run.kernels.host_code import kernels_in, without_host_functions, without_lines


def left(source: str) -> list[str]:
    """The lines that are not blank, with their numbers."""
    shorter = without_host_functions(source)
    assert shorter.count("\n") == source.count("\n")
    return [f"{number}: {line.strip()}" for number, line in enumerate(shorter.split("\n"), 1) if line.strip()]


@pytest.mark.parametrize(
    "function",
    [
        "int main() { return 0; }",
        "int main()\n{\n  if (x) { f<<<1, 2>>>(); }\n}",
        "template <typename T> static void run(T* x) { launch<<<1, 2>>>(x); }",
        "template <class A, class B = less<A>> void run() { }",
        'extern "C" void run(float* A) { cudaFree(A); }',
        "Timer::Timer() : start{0}, stop(1) { start = now(); }",
        'void say() { printf("} // {\\n"); }',
        "void say() { char c = '}'; /* } */ }",
        "bool operator==(const Point& a, const Point& b) { return a.x == b.x; }",
        "auto sizes(int n) -> std::vector<int> { return {n}; }",
        "struct Point make() { return {}; }",
        'const char* text() { return R"(})"; }',
    ],
)
def test_a_function_of_the_hosts_goes_and_what_follows_stays(function: str) -> None:
    assert left(f"{function}\nint after;") == [f"{function.count(chr(10)) + 2}: int after;"]


@pytest.mark.parametrize(
    "declaration",
    [
        "__global__ void scale(float* A) { A[0] = 1; }",
        "template <typename T> __global__ void __launch_bounds__(256) scale(T* A) { A[0] = 1; }",
        "__host__ __device__ LaunchConfig scale_launch(int n) { return {}; }",
        "static inline __device__ float twice(float x) { return 2 * x; }",
        "constexpr int twice(int n) { return 2 * n; }",
        "struct __align__(16) Body { float4 p; void print() { puts(name); } };",
        "enum class Side { left, right };",
        "__constant__ float weights[] = {1, 2, 1};",
        "const auto less = [](int a, int b) { return a < b; };",
        "using Row = float[16];",
        "#define RUN(x) { x; }",
    ],
)
def test_what_a_kernel_may_need_stays(declaration: str) -> None:
    assert left(declaration) == [f"1: {declaration}"]


def test_a_macro_may_stand_for_a_qualifier() -> None:
    source = "#define DEVICE __device__ __forceinline__\nDEVICE float one() { return 1; }\nfloat two() { return 2; }"
    assert left(source)[1:] == ["2: DEVICE float one() { return 1; }"]


def test_namespaces_are_looked_into() -> None:
    source = "namespace a::b {\nvoid host() { }\n__global__ void scale() { }\n}\nvoid other() { }"
    assert left(source) == ["1: namespace a::b {", "3: __global__ void scale() { }", "4: }"]


def test_kernels_are_listed_by_name() -> None:
    source = (
        '__global__ void one();\n__global__ void one() { }\nextern "C" __global__ void __launch_bounds__(32, 2) two(int n) { }\n'
        "template <int N>\nvoid __global__ three(float (*rows)[N]) { }\nvoid four() { }"
    )
    assert kernels_in(source) == ["one", "two", "three"]


def test_a_line_takes_its_declaration_along_but_nothing_for_the_gpu() -> None:
    source = "cudaStream_t stream =\n  nullptr;\n__device__ float x = y;\n__global__ void bad() { z; }\n__global__ void good() { w; }"
    assert without_lines(source, [2]).split("\n")[:3] == [" " * 21, " " * 10, "__device__ float x = y;"]
    assert without_lines(source, [3]) == source
    assert "bad" not in without_lines(source, [4], but="good")
    assert without_lines(source, [5], but="good") == source


@pytest.mark.parametrize(
    "source", ["{{{{", "}}}}", "void f() {", "(", 'R"(', "/*", "template <", "struct", "#define", "'", ""]
)
def test_broken_sources_are_read_to_their_end(source: str) -> None:
    assert without_host_functions(source).count("\n") == source.count("\n")
    kernels_in(source)
