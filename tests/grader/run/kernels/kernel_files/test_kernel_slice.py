"""What stays of a file for one of its kernels."""

from __future__ import annotations

import pytest

from grader.run.kernels.host_code import kernels_in
from grader.run.kernels.kernel_build import sliced


def left(source: str, kernel: str = "scale") -> list[str]:
    shorter = sliced({"main.cu": source}, kernel)["main.cu"]
    assert shorter.count("\n") == source.count("\n")
    return [line.strip() for line in shorter.split("\n") if line.strip()]


KERNEL = (
    "__global__ void scale(float* A, int n) { if (threadIdx.x < n) A[threadIdx.x] *= FACTOR * weights[0] + twice(1); }"
)


@pytest.mark.parametrize(
    "needed",
    [
        "#define FACTOR half_of(4)",
        "__device__ float half_of(float x) { return x / 2; }",
        "__constant__ float weights[rows];",
        "constexpr int rows = 4;",
        "template <typename T> __device__ T twice(T x) { return 2 * x; }",
        "template <> __device__ int twice<int>(int x) { return x + x; }",
        "__device__ float4 operator+(float4 a, float4 b) { return a; }",
        "using namespace std;",
    ],
)
def test_what_the_kernel_names_stays_with_what_that_names(needed: str) -> None:
    source = f"#define FACTOR half_of(4)\n__constant__ float weights[rows];\n{needed}\n{KERNEL}"
    assert needed in left(source)


@pytest.mark.parametrize(
    "host",
    [
        "int main() { scale<<<1, 32>>>(d_A, 4); }",
        "cublasHandle_t handle;",
        "static thrust::host_vector<float> A_on_host(1 << 20);",
        "struct Timer { std::chrono::steady_clock::time_point start; cudaEvent_t stop; };",
        "__global__ void other(curandState* s) { s[0] = x; }",
        '__device__ unsigned lane() { unsigned id; asm("mov.u32 %0, %%laneid;" : "=r"(id)); return id; }',
        'static inline unsigned long long rdtsc() { unsigned lo, hi; asm volatile("rdtsc" : "=a"(lo), "=d"(hi)); return lo; }',
        "typedef cv::Mat Image;",
        "enum Mode { fast, slow };",
        "__global__ void scale(float, int);",
        'static_assert(sizeof(Image) == 4, "");',
    ],
)
def test_what_the_kernel_does_not_name_goes(host: str) -> None:
    assert left(f"{host}\n{KERNEL}") == [KERNEL]


def test_a_name_in_another_file_counts() -> None:
    texts = {
        "main.cu": '#include "dims.h"\n__global__ void scale(float* A) { A[0] = rows; }',
        "dims.h": "const int rows = 4;\nint other;",
    }
    assert sliced(texts, "scale")["dims.h"].split() == ["const", "int", "rows", "=", "4;"]


def test_text_that_is_never_compiled_holds_no_kernel() -> None:
    source = "#if 0\n__global__ void old() { }\n#else\n__global__ void new_() { }\n#endif\n__global__ void third() { }"
    assert kernels_in(source) == ["new_", "third"]


def test_two_heads_of_one_function_are_one_function() -> None:
    source = (
        f"#ifdef QUICK\nint main() {{\n#else\nint main(int argc, char** argv) {{\n#endif\n  return 0;\n}}\n{KERNEL}"
    )
    assert left(source) == ["#ifdef QUICK", "#else", "#endif", KERNEL]
