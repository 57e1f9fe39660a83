"""nvcc's messages, in the form of version 13, become refusals and numbers."""

from __future__ import annotations

import re

import pytest

from grader.engines.gpu_build import kernel_resources, needs_too_much_shared, nvcc_refusals, only_sides, telling_line
from grader.engines.refusal import Refusal
from grader.model.outcome import KernelResources
from grader.model.verdicts import Verdict

KERNEL, LAUNCH = "scale(float const*, float*, int)", "scale_launch(int)"
VERBOSE = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'tilelab_ask_launch' for 'sm_90'
ptxas info    : Function properties for tilelab_ask_launch
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers
ptxas info    : Compile time = 61.291 ms
ptxas info    : Compiling entry function '_Z5scalePKfPfi' for 'sm_90'
ptxas info    : Function properties for _Z5scalePKfPfi
    64 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 2048 bytes smem, 380 bytes cmem[0]
"""


def refusals(log: str) -> tuple[Refusal, ...]:
    return nvcc_refusals(log, "scale.cu", "launch_tail.cu", kernel=KERNEL, launch=LAUNCH)


def test_registers_shared_memory_and_spills_are_read_for_each_kernel() -> None:
    found = kernel_resources(VERBOSE)
    assert found["_Z5scalePKfPfi"] == KernelResources(32, 2048, 64, 12, 16)
    assert found["tilelab_ask_launch"] == KernelResources(8, 0, 0, 0, 0)


def test_a_host_function_called_from_a_kernel_is_a_compile_error_at_its_line() -> None:
    log = 'scale.cu(7): error: calling a __host__ function("rand") from a __global__ function("scale") is not allowed\n'
    (refusal,) = refusals(log)
    assert (refusal.verdict, refusal.line) == (Verdict.COMPILE_ERROR, 7)
    assert "`rand` runs on the CPU only" in refusal.advice


def test_a_launch_function_for_the_host_alone_is_told_what_it_lacks() -> None:
    log = (
        "launch_tail.cu(21): error: calling a __host__ function"
        '("scale_launch(int)") from a __global__ function("tilelab_ask_launch") is not allowed\n'
    )
    (refusal,) = refusals(log)
    assert refusal.verdict is Verdict.COMPILE_ERROR
    assert "__host__ __device__" in refusal.advice


SIDE = 'scale.cu(7): error: identifier "div_up" is undefined in device code\n'
WARNED = (
    'scale.cu(3): warning #20011-D: calling a __host__ function("up(int)") from a __host__ __device__ function("scale_launch")'
    " is not allowed\n"
)


@pytest.mark.parametrize("log", [SIDE, WARNED, SIDE + WARNED])
def test_what_is_only_about_the_side_of_a_function_or_a_variable_is_known(log: str) -> None:
    assert re.search("undefined in device code|calling a __host__", only_sides(log, ("scale.cu",)))


@pytest.mark.parametrize(
    "log",
    [
        "",
        SIDE.replace("scale.cu", "tuple"),
        SIDE + 'scale.cu(8): error: identifier "N" is undefined\n',
        SIDE + "ptxas fatal   : Unresolved extern function '_Z5nodefi'\n",
        'scale.cu(8): error: static assertion failed with "calling a __host__ function"\n',
    ],
)
def test_what_nvcc_also_refuses_for_another_reason_stays_refused(log: str) -> None:
    assert only_sides(log, ("scale.cu",)) == ""


def test_a_kernel_that_is_not_there_is_a_missing_entry_point() -> None:
    (refusal,) = refusals('launch_tail.cu(14): error: identifier "scale" is undefined\n')
    assert refusal.verdict is Verdict.MISSING_ENTRY_POINT
    assert "`scale`" in refusal.message


def test_a_function_nobody_defined_is_a_compile_error() -> None:
    (refusal,) = refusals("ptxas fatal   : Unresolved extern function '_Z5nodefi'\n")
    assert (refusal.verdict, refusal.line) == (Verdict.COMPILE_ERROR, 0)


def test_too_much_static_shared_memory_is_told_from_other_errors() -> None:
    error = "ptxas error   : Entry function '_Z3bigPf' uses too much shared data (0x10000 bytes, 0xc000 max)\n"
    assert needs_too_much_shared(error) == ("_Z3bigPf",)
    assert not needs_too_much_shared(error + "ptxas fatal   : Unresolved extern function '_Z5nodefi'\n")
    assert not needs_too_much_shared(error + "scale.cu:3:10: fatal error: a.h: No such file or directory\n")
    assert not needs_too_much_shared("")


def test_what_stops_nvccs_preprocessor_is_the_submissions_at_its_line() -> None:
    (missing,) = refusals("scale.cu:3:10: fatal error: no_such.h: No such file or directory\n    3 | #include\n")
    assert (missing.verdict, missing.line) == (Verdict.COMPILE_ERROR, 3)
    assert "no_such.h" in missing.message
    (said,) = refusals("./scale.cu:2:2: error: #error no\n")
    assert said.line == 2


def test_an_error_in_nobodys_file_is_not_the_submissions() -> None:
    assert refusals("nvcc fatal   : Unsupported gpu architecture 'compute_50'\n") == ()
    assert refusals("/usr/include/math.h(3): error: something else is broken\n") == ()


def test_the_line_that_tells_why_is_no_warning() -> None:
    warning = (
        'scale.cu(9): warning #177-D: variable "error" was declared but never referenced\n    int error;\n        ^\n\n'
    )
    remark = 'Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"\n\n'
    said = "nvcc error   : 'ptxas' died due to signal 11 (Invalid memory reference)"
    assert telling_line(f"{warning}{remark}{said}\n") == said
    assert telling_line(f"{warning}{remark}Segmentation fault\n") == "Segmentation fault"
    assert not telling_line(warning + remark)


def test_a_refusal_without_a_line_names_the_file_alone() -> None:
    said = [Refusal(Verdict.REJECTED, line, "no").told("a.cu") for line in (0, 3)]
    assert said == ["a.cu: rejected: no", "a.cu:3: rejected: no"]
