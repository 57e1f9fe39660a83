"""What a kernel is called, from what demanglers write."""

from __future__ import annotations

import pytest

from grader.run.kernels.kernel_source import KernelSource
from grader.run.programs.program_kernels import KernelName, buildable_name, signature_of, unit_of, without_parameters


@pytest.mark.parametrize(
    ("demangled", "shown"),
    [
        ("scale(float*, int)", "scale"),
        ("void add<float, 256>(float const*, float*, int)", "add<float, 256>"),
        ("void ns::fold<(ns::Op)1>(ns::Op*)", "ns::fold<(ns::Op)1>"),
        ("(anonymous namespace)::hidden(cuda_on_cpu::float4*)", "hidden"),
        ("void apply<float (*)(float)>(float*, float (*)(float))", "apply<float (*)(float)>"),
    ],
)
def test_a_kernel_is_shown_without_parameters(demangled: str, shown: str) -> None:
    assert without_parameters(signature_of(demangled)) == shown


def test_one_of_several_versions_is_named_with_its_parameters() -> None:
    text = "__global__ void scale(float* a) {}\n__global__ void scale(int* a) {}\n__global__ void one(int* a) {}\n"
    source = KernelSource("a.cu", {"a.cu": text})
    assert buildable_name(KernelName("_Z5scalePi", "scale(int*)"), source) == "scale(int*)"
    assert buildable_name(KernelName("_Z3onePi", "one(int*)"), source) == "one"


def test_a_kernel_is_built_from_the_source_whose_own_file_defines_it() -> None:
    first = KernelSource("a.cu", {"a.cu": "int main() {}", "k.cuh": "__global__ void k() {}"})
    second = KernelSource("b.cu", {"b.cu": "__global__ void k() {}"})
    assert unit_of(KernelName("_Z1kv", "k()"), [first, second]) is second
