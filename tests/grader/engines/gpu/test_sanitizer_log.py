"""compute-sanitizer's reports become findings in the submission's lines, and are combined with our own findings."""

from __future__ import annotations

from grader.engines.gpu_toolchain import reports
from grader.model.outcome import Sanitized, Tool
from grader.model.result import Finding, Site
from grader.model.verdicts import Verdict
from grader.run.scoring.lab_score import merged

SOURCE = [f"line {number}" for number in range(1, 61)]


def read(text: str, tool: Tool = "memcheck") -> list[Sanitized]:
    return list(reports(text, tool, "matmul.cu", SOURCE))


OUT_OF_BOUNDS = """========= COMPUTE-SANITIZER
========= Invalid __global__ read of size 4 bytes
=========     at matmul_naive(const float *, const float *, float *, int, int, int)+0x530 in /tmp/x/cubin-0/matmul.cu:31
=========     by thread (1,0,0) in block (0,0,0)
=========     Access to 0x7f2b3be00a04 is out of bounds
=========     and is 5 bytes after the nearest allocation at 0x7f2b3be00a00 of size 4 bytes
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame:  [0x48a3e] in gpu-runner
=========
========= Program hit CUDA_ERROR_LAUNCH_FAILED (error 719) due to "unspecified launch failure" on CUDA API call to cuCtxSynchronize.
=========     Saved host backtrace up to driver entry point at error
=========
========= ERROR SUMMARY: 2 errors
"""
RACE = """========= COMPUTE-SANITIZER
========= Error: Race reported between Read access at matmul_tiled(const float *, const float *)+0x3f0 in matmul.cu:26
=========     and Write access at matmul_tiled(const float *, const float *)+0x210 in matmul.cu:22 [4096 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
"""


def test_an_access_outside_names_its_line() -> None:
    (one,) = read(OUT_OF_BOUNDS)
    assert (one.kind, one.line, one.source) == (Verdict.OUT_OF_BOUNDS, 31, "line 31")
    assert one.words == "Invalid __global__ read of size 4 bytes"


def test_a_misaligned_access_is_called_that() -> None:
    (one,) = read(OUT_OF_BOUNDS.replace("is out of bounds", "is misaligned"))
    assert one.kind is Verdict.MISALIGNED


def test_a_race_names_both_of_its_lines() -> None:
    (one,) = read(RACE, "racecheck")
    assert (one.kind, one.lines) == (Verdict.RACE, (26, 22))


def test_reports_that_follow_each_other_are_told_apart() -> None:
    text = (
        OUT_OF_BOUNDS
        + "========= Uninitialized __global__ memory read of size 4 bytes\n=========     at k()+0x1 in matmul.cu:9\n"
    )
    assert [(one.kind, one.line) for one in read(text)] == [
        (Verdict.OUT_OF_BOUNDS, 31),
        (Verdict.UNINITIALIZED_READ, 9),
    ]


def test_no_line_beyond_the_submission_is_believed() -> None:
    (one,) = read(OUT_OF_BOUNDS.replace("matmul.cu:31", "matmul.cu:3100"))
    assert (one.line, one.source) == (None, "")
    (other,) = read(OUT_OF_BOUNDS.replace("/cubin-0/matmul.cu:31", "/cubin-0/other.cu:31"))
    assert other.line is None


def test_what_a_kernel_prints_is_no_report() -> None:
    assert read("Invalid __global__ read of size 4 bytes\n    in matmul.cu:3\n") == []


def test_a_clean_log_holds_nothing() -> None:
    assert read("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n") == []


def test_findings_that_a_tool_shares_are_marked_and_the_rest_become_notes() -> None:
    ours = [
        Finding(kind=Verdict.RACE, message="ours", file="matmul.cu", line=22, other=Site(file="matmul.cu", line=26)),
        Finding(kind=Verdict.RACE, message="ours alone", file="matmul.cu", line=40),
    ]
    first, second, note = merged(ours, [*read(RACE, "racecheck"), *read(OUT_OF_BOUNDS)], "matmul.cu")
    assert first.confirmed_by == ("racecheck",)
    assert second.confirmed_by == ()
    assert (note.severity, note.kind, note.line, note.source) == ("note", Verdict.OUT_OF_BOUNDS, 31, "line 31")
    assert "Only compute-sanitizer's memcheck reports this" in note.message


def test_a_tools_own_finding_of_one_place_is_told_once() -> None:
    many = [
        *read(OUT_OF_BOUNDS),
        *read(OUT_OF_BOUNDS.replace("size 4 bytes\n=========     at", "size 8 bytes\n=========     at")),
    ]
    assert len(merged([], many, "matmul.cu")) == 1
