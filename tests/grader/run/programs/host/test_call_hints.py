"""Compilers' words about a call of the runtime, and the sentence for a newcomer."""

from __future__ import annotations

import pytest

from grader.run.programs.host_build import call_hint


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ("no matching function for call to \u2018cudaMalloc(float*&, size_t&)\u2019", "cudaMalloc(&pointer, …)"),
        (
            "no matching function for call to \u2018cudaMallocManaged(int*&, int)\u2019",
            "cudaMallocManaged(&pointer, …)",
        ),
        ("no matching function for call to 'cudaMemcpy'", "`cudaMemcpy` takes other arguments"),
        ("cannot convert \u2018std::vector<float>\u2019 to \u2018const float*\u2019", "A kernel gets a pointer"),
        ("cannot convert \u2018const std::vector<float>\u2019 to \u2018const void*\u2019", "`data()`"),
        (
            "invalid operands of types \u2018void(float*, int)\u2019 and \u2018int\u2019 to binary \u2018operator<<\u2019",
            "<<<",
        ),
        (
            "too few arguments to function \u2018void tilelab_host::configure(cuda_on_cpu::dim3, …)\u2019",
            "how many threads",
        ),
    ],
)
def test_a_call_that_does_not_compile_gets_a_sentence(error: str, said: str) -> None:
    assert said in call_hint(error)


@pytest.mark.parametrize(
    "error",
    [
        "expected \u2018;\u2019 before \u2018}\u2019 token",
        "no matching function for call to \u2018add(float*, int)\u2019",
        "cannot convert \u2018double*\u2019 to \u2018const float*\u2019",
        "invalid operands of types \u2018float*\u2019 and \u2018float*\u2019 to binary \u2018operator+\u2019",
    ],
)
def test_other_errors_are_left_to_the_compiler(error: str) -> None:
    assert not call_hint(error)


def test_a_pointer_whose_address_was_given_is_not_told_to_give_it() -> None:
    assert "&pointer" not in call_hint("no matching function for call to \u2018cudaMalloc(float**)\u2019")
