"""The launches of a judged program: what the broker recorded becomes findings, and they decide."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from grader.model.labs import Lab, PublicSpec
from grader.model.outcome import JudgedCase
from grader.model.result import Launch
from grader.model.verdicts import Verdict
from grader.run.kernels.kernel_source import ProgramSource
from grader.run.program_judging import ProgramReader, record_of, with_findings_of_the_host
from grader.run.programs.host_build import HostBuild, UnusedResult
from grader.run.programs.host_sentences import SENTENCES
from grader.run.programs.host_toolchain import HostToolchain, SourceLine
from grader.run.programs.program_kernels import BuiltProgram

ROOT = Path(__file__).resolve().parents[4]
TEXT = "void solve(const float* A, int N) {\n  float* s; cudaMalloc(&s, 400);\n  add<<<1, 2048>>>(A, s, N);\n}\n"
SPEC = PublicSpec.model_validate(
    {"title": "t", "summary": "s", "problem": "p", "file": "f.cu", "shapes": "x", "contract": "launcher"}
    | {"launcher": "solve(float const*, int)"}
)
LAB = Lab("01-x", SPEC, None, Path(), None)
PLACES = {20: SourceLine("f.cu", 2), 30: SourceLine("f.cu", 3)}
OPERAND = {"index": 0, "address": 1, "bytes": 8, "kind": "operand", "name": "a"}
SCRATCH = {"index": 1, "address": 9, "bytes": 400, "at": 20}


def reader(*unused: UnusedResult) -> ProgramReader:
    chain = HostToolchain("g++", (), Path(), Path())
    built = BuiltProgram(chain, HostBuild(ProgramSource(()), Path("program"), unused=list(unused)))
    return ProgramReader(LAB, built, TEXT, PLACES)


def entry(verdict: str = "pass", message: str = "", **record: Any) -> dict[str, Any]:  # noqa: ANN401 -- JSON
    program = {"ended": "finished", "allocations": [OPERAND, SCRATCH]} | record
    return {"shape": "n=5", "inputs": "ramps", "verdict": verdict, "message": message, "program": program}


def test_a_leak_is_noted_and_costs_nothing() -> None:
    launch = reader().launch(entry(host=[{"kind": "leak", "at": 20, "allocation": 1, "bytes": 400}]))
    finding = launch.findings[0]
    assert (launch.verdict, finding.severity, finding.label) == (Verdict.PASS, "note", "Memory never freed")
    assert (finding.file, finding.line, finding.source) == ("f.cu", 2, "  float* s; cudaMalloc(&s, 400);")
    assert "`s` (400 bytes) is allocated here and never freed" in finding.message


def test_a_mistake_on_the_hosts_side_fails_a_launch_whose_result_is_right() -> None:
    launch = reader().launch(entry(host=[{"kind": "use-after-free", "at": 30, "allocation": 1}]))
    assert (launch.verdict, launch.message) == (Verdict.OUT_OF_BOUNDS, launch.findings[0].message)
    case = with_findings_of_the_host(JudgedCase("c", True, Verdict.PASS, "1 shape", (launch,)))
    assert (case.passed, case.verdict) == (False, Verdict.OUT_OF_BOUNDS)
    assert case.message == f"n=5, ramps: {launch.message}"


def test_a_launch_that_fails_and_is_not_asked_for_stands_first() -> None:
    failed = {"op": "launch", "error": 9, "at": 30, "seen": False}
    launched = {"kernel": "k", "at": 30, "block": [2048, 1, 1], "error": 9}
    launch = reader().launch(entry("wrong-answer", "wrong", errors=[failed], launches=[launched]))
    assert launch.verdict is Verdict.LAUNCH_ERROR
    assert launch.findings[0].label == "Launch whose error is never asked for"
    assert "2,048 threads" in launch.findings[0].message


def test_an_operand_has_the_name_of_the_students_own_parameter() -> None:
    launch = reader().launch(entry("crash", host=[{"kind": "bad-free", "at": 30, "allocation": 0, "what": "operand"}]))
    assert launch.findings[0].message.startswith("`A` is freed here, but the caller")


@pytest.mark.parametrize(("judged", "told"), [("pass", False), ("crash", True)])
def test_an_assert_that_gives_up_is_a_mistake_only_where_the_program_may_not(judged: str, told: bool) -> None:
    crash = {"kind": "host-crash", "at": 30, "signal": 6}
    launch = reader().launch(entry(judged, ended="signal", signal=6, host=[crash]))
    assert (launch.verdict.value, bool(launch.findings)) == (judged, told)


def test_an_address_in_no_line_of_the_file_shows_none() -> None:
    finding = reader().launch(entry(host=[{"kind": "double-free", "at": 77, "allocation": 1}])).findings[0]
    assert (finding.line, finding.source) == (None, None)


def test_a_launch_that_was_not_run_has_no_record() -> None:
    skipped = entry("timeout", "not run, because three launches before it did not end")
    del skipped["program"]
    assert record_of(skipped) is None
    assert reader().launch(skipped).findings == ()


def test_a_record_that_cannot_be_read_is_our_fault() -> None:
    with pytest.raises(ValueError, match="record cannot be read"):
        record_of({"program": {"launches": "many"}})


def test_a_case_keeps_the_judges_own_words_where_they_say_more() -> None:
    failed = Launch(shape="n=5", inputs="ramps", verdict=Verdict.WRONG_ANSWER, message="wrong")
    case = JudgedCase("c", False, Verdict.WRONG_ANSWER, "n=5, ramps: wrong", (failed,))
    assert with_findings_of_the_host(case).message == "n=5, ramps: wrong"


def test_the_name_of_a_mistake_is_never_all_that_a_student_reads() -> None:
    said = "a mistake of the host's code: double-free"
    launch = reader().launch(entry("crash", said, host=[{"kind": "double-free", "at": 30, "allocation": 1}]))
    assert launch.message == launch.findings[0].message
    case = with_findings_of_the_host(JudgedCase("c", False, Verdict.CRASH, f"n=5, ramps: {said}", (launch,)))
    assert case.message == f"n=5, ramps: {launch.message}"


@pytest.mark.parametrize(
    ("status", "verdict", "severity"), [(1, "crash", "error"), (0, "pass", ""), (1, "race", "note")]
)
def test_an_error_that_made_the_program_give_up_is_the_mistake(status: int, verdict: str, severity: str) -> None:
    launched = {"kernel": "k", "at": 30, "block": [2048, 1, 1], "error": 9, "status": "launch-error"}
    errors = [{"op": "launch", "error": 9, "at": 30, "seen": True}]
    ended = {"ended": "exit", "status": status, "errors": errors, "launches": [launched]}
    launch = reader().launch(entry(verdict, f"The program ended with status {status}.", **ended))
    assert [one.severity for one in launch.findings if one.label == "CUDA error"] == ([severity] if severity else [])
    if severity == "error":
        assert launch.verdict is Verdict.LAUNCH_ERROR
        assert launch.message == launch.findings[0].message


@pytest.mark.parametrize(("verdict", "told"), [("input-modified", 1), ("pass", 0), ("wrong-answer", 0)])
def test_a_call_that_writes_to_an_input_is_told_where_the_input_was_changed(verdict: str, told: int) -> None:
    launch = reader().launch(entry(verdict, "a changed", host=[{"kind": "input-modified", "at": 30, "allocation": 0}]))
    assert [one.line for one in launch.findings] == [3] * told
    assert launch.verdict.value == verdict


def test_a_mistake_has_the_verdict_that_the_judge_gives_it() -> None:
    text = (ROOT / "kit" / "judge" / "programs" / "program_judge.cpp").read_text(encoding="utf-8")
    rows = re.findall(r'\{"([a-z-]+)", Verdict::(\w+)\}', text)
    assert len(rows) > 5
    assert {kind: verdict.replace("_", "-") for kind, verdict in rows} == {
        kind: SENTENCES[kind].verdict.value for kind, _ in rows
    }
