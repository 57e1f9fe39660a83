"""Kernels that the processor stops: each gets `crash`, its line, and a message that says what happened, on every processor.

Where processors differ, the expected message is that of the processor for which the runner was built.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.engines.cpu_toolchain import target_of
from grader.engines.toolset import Toolset
from grader.model.result import LabResult
from grader.model.verdicts import Verdict

AROUND = """#include <tilelab/device.cuh>
__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) {{ return {{dim3(N, M), dim3(1)}}; }}
__device__ int down(int depth) {{ int local[64]; local[depth & 63] = depth; return depth < 0 ? 0 : down(depth + 1) + local[depth & 63]; }}
__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {{
  int zero = M - M, one = K / K, lowest = -2147483647 - one;
  {line}
  C[blockIdx.y * N + blockIdx.x] = x;
}}
"""
LINE = 6


@pytest.fixture
def judged(grade: Callable[[str, Path], LabResult], tmp_path: Path) -> Callable[[str], LabResult]:
    def run(line: str) -> LabResult:
        source = tmp_path / "written.cu"
        source.write_text(AROUND.format(line=line), encoding="utf-8")
        return grade("01-naive", source)

    return run


@pytest.mark.parametrize(
    "line",
    [
        "int x = K / zero;",
        "int x = K % zero;",
        "unsigned x = unsigned(K) / unsigned(zero);",
        "long long x = (long long)K / zero;",
        "int x = K; x %= zero;",
    ],
)
def test_an_integer_divided_by_zero_is_named(judged: Callable[[str], LabResult], line: str) -> None:
    (finding, *_) = [one for one in judged(line).findings if one.severity == "error"]
    assert (finding.kind, finding.line) == (Verdict.CRASH, LINE)
    assert finding.message.endswith("of block (0,0,0) divides an integer by zero.")


def test_a_floating_point_number_may_be_divided_by_zero(judged: Callable[[str], LabResult]) -> None:
    assert judged("float x = K / float(zero);").verdict is Verdict.WRONG_ANSWER


def test_a_recursion_without_end_overflows_the_stack(judged: Callable[[str], LabResult]) -> None:
    (finding, *_) = [one for one in judged("int x = down(one);").findings if one.severity == "error"]
    assert finding.kind is Verdict.CRASH
    assert "overflows its stack" in finding.message


def test_the_lowest_integer_divided_by_minus_one_is_what_the_processor_makes_of_it(
    judged: Callable[[str], LabResult], toolset: Toolset
) -> None:
    result = judged("int x = lowest / -one;")
    if target_of(toolset.toolchain.compiler) == "aarch64":  # as on a GPU: the lowest integer again
        assert result.verdict is Verdict.WRONG_ANSWER
        return
    (finding, *_) = [one for one in result.findings if one.severity == "error"]
    assert (finding.kind, finding.line) == (Verdict.CRASH, LINE)
    assert "divides the lowest integer by -1" in finding.message
