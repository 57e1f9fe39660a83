"""Which files are taken for ones whose kernels may leave each other the addresses of code."""

from __future__ import annotations

import pytest

from grader.run.kernels.kernel_source import KernelSource
from grader.run.programs.host_text import passes_code


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("struct Shape { __device__ virtual int corners() const = 0; };", True),
        ("typedef float (*Op)(float, float);", True),
        ("using Op = float (*)(float);", True),
        ("__device__ int (*table[2])(int);", True),
        ("struct Box { __device__ int size(); };\n__global__ void f(int (Box::*which)()) {}", True),
        ("__global__ void f(float *x) { x[0] = 2 * (x[1]) * (x[2]); }", False),
        ("int main() { int (*chosen)(const char *) = puts; }", False),
        ("// a virtual function\n__global__ void f() {}", False),
    ],
    ids=["virtual", "typedef", "using", "table", "member", "product", "host", "comment"],
)  # fmt: skip
def test_virtual_functions_and_pointers_to_functions_are_seen_outside_host_functions(text: str, passes: bool) -> None:
    assert passes_code(KernelSource("file.cu", {"file.cu": text})) is passes
