"""Files that once broke the grader by their size, or by what they print: each ends with a clear verdict, and never as a fault of ours."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.model.result import LabResult
from grader.model.verdicts import Verdict

pytestmark = pytest.mark.in_turn(3)

KERNEL = """#include <tilelab/device.cuh>
{before}
__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int) {{
  return {{dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)}};
}}
__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {{
  const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  {inside}
  if (row >= M || col >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum;
}}
"""
OVERLOADS = "template <int N> struct T {};\n" + "".join(f"__device__ void f(T<{n}>) {{}}\n" for n in range(3_500))
FILES = {
    "an identifier of 200,000 characters": (f"__device__ int {'x' * 200_000};", "", Verdict.REJECTED),
    "20,000 variables": (f"__device__ int {','.join(f'v{n}' for n in range(20_000))};", "", Verdict.REJECTED),
    "3,500 overloads": (OVERLOADS, "f(T<1>());", Verdict.PASS),
    "a precision of a milliard": ("", 'if (threadIdx.x == 0) printf("%.1000000000d", 1);', Verdict.PASS),
    "a hundred thousand lines of each thread": (
        "",
        r'for (int n = 0; n < 100000; ++n) printf("%d\n", n);',
        Verdict.TIMEOUT,
    ),
    "an array of variable length": (
        '#pragma GCC diagnostic ignored "-Wvla"',
        "volatile int n = K; float a[n]; a[0] = 1; if (a[0] == 2) return;",
        Verdict.REJECTED,
    ),
}


@pytest.mark.parametrize("what", FILES)
def test_it_gets_its_verdict(what: str, grade: Callable[[str, Path], LabResult], tmp_path: Path) -> None:
    before, inside, verdict = FILES[what]
    source = tmp_path / "kernel.cu"
    source.write_text(KERNEL.format(before=before, inside=inside), encoding="utf-8")
    result = grade("01-naive", source)
    assert result.verdict is verdict
    assert result.points == (result.max_points if verdict is Verdict.PASS else 0)
