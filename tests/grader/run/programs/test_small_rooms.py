"""Memory that was allocated by its number of elements is told where a kernel runs past its end, and nowhere else."""

from __future__ import annotations

import pytest

from grader.run.programs.host_toolchain import SourceLine
from grader.run.programs.program_findings import kernel_findings
from grader.run.programs.run_record import RunFacts, RunRecord

SAID = " Line 2 allocates 64 bytes for `d_a`: cudaMalloc counts bytes, not elements."


def told(
    allocate: str, index: int = 16, array: str = "memory#0", element: str = "", kind: str = "out-of-bounds"
) -> str:
    lines = ["float *d_a, *d_b;", f"cudaMalloc(&d_a, {allocate});", "scale<<<1, 64>>>(d_a, n);"]
    record = RunRecord.model_validate({
        "ended": "exit",
        "allocations": [{"index": 0, "address": 0x200000000000, "bytes": 64, "at": 10}],
        "findings": [
            {"kind": kind, "array": array, "element": element or f"{array}[{index}]", "message": "It is past the end.", "at": 30}
        ],
    })  # fmt: skip
    places = {10: SourceLine("a.cu", 2), 30: SourceLine("a.cu", 3)}
    (found,) = kernel_findings(RunFacts(record, places, {"a.cu": lines}, {"_Z5scalePf": "scale"}))
    return found.message.removeprefix("It is past the end.")


@pytest.mark.parametrize("array", ["memory#0", "x"])  # the memory itself, or the kernel's own word for it
def test_a_length_in_elements_is_told_with_its_line(array: str) -> None:
    assert told("n", array=array) == SAID
    assert told("(size_t)n", index=63, array=array) == SAID


@pytest.mark.parametrize("allocate", ["n * sizeof(float)", "n * 4", "bytes", "64u", "n << 2", "sizeBytes"])
def test_a_length_that_may_be_meant_in_bytes_is_not(allocate: str) -> None:
    assert told(allocate, index=16 if allocate != "64u" else 64) == ""


def test_an_index_that_no_elements_would_hold_is_another_mistake() -> None:
    assert told("n", index=64) == ""
    assert told("n", element="memory#0 - 4 bytes") == ""


def test_other_findings_are_left_as_they_are() -> None:
    assert told("n", kind="misaligned") == ""
