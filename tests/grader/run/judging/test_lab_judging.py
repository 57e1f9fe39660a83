"""A judge that crashes, lies or hangs is our failure: it raises an exception, and costs no points. Text that the judge repeats from a
submission is checked against the submission.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.engines.toolset import Toolset
from grader.model.course_root import judge_key
from grader.model.labs import CaseSpec, Lab, PublicSpec
from grader.model.outcome import LabOutcome
from grader.model.verdicts import Verdict
from grader.run import judge_call
from grader.run.judge_call import JudgeCall, run_judge
from grader.run.lab_judging import LabJudge

ROOT = Path(__file__).resolve().parents[4]
SOURCE = """#include <tilelab/device.cuh>
LaunchConfig scale_launch(int n) { return {dim3(1), dim3(32)}; }
__global__ void scale(const float* in, float* out, int n) { out[0] = in[0]; }
"""
LAUNCH = {"shape": "n=1", "inputs": "ones", "verdict": "race"}
FINDING = {"kind": "race", "severity": "error", "message": "a race", "file": "scale.cu", "line": 3}
CASE = {"name": "scales", "tags": [], "passed": False, "verdict": "race", "message": "", "launches": []}
Judge = Callable[..., LabOutcome]


@pytest.fixture(scope="module")
def toolset() -> Toolset:
    return Toolset.open(ROOT, allow_no_sandbox=True)


@pytest.fixture
def judge(toolset: Toolset, tmp_path: Path) -> Judge:
    """Judges `SOURCE` with a judge that is a shell script. It writes its report to $REPORT."""
    public = PublicSpec(
        title="Scale", summary="", problem="scale", file="scale.cu", shapes="any", case=(CaseSpec(name="scales", points=1),),
        kernel="scale(float const*, float*, int)", launch="scale_launch(int)",
    )  # fmt: skip
    lab = Lab("00-scale", public, None, tmp_path, None)

    def run(script: str, source: str = SOURCE) -> LabOutcome:
        program = tmp_path / "build" / "bin" / "judge-00-scale"
        program.parent.mkdir(parents=True)
        program.write_text(
            f'#!/bin/sh\nwhile [ "$1" != --report ]; do shift; done\nREPORT=$2\n{script}\n', encoding="utf-8"
        )
        program.chmod(0o755)
        handed_in = tmp_path / "scale.cu"
        handed_in.write_text(source, encoding="utf-8")
        scratch = tmp_path / "scratch"
        scratch.mkdir()
        outcome = LabJudge(replace(toolset, build=tmp_path / "build"), 1, public_only=False)(lab, handed_in, scratch)
        assert list(scratch.iterdir()) == []
        return outcome

    return run


def report(*cases: dict[str, Any]) -> str:
    return f"cat > \"$REPORT\" <<'END'\n{json.dumps({'cases': cases})}\nEND\nexit 1"


def finding_of(judge: Judge, **changes: object) -> Any:  # noqa: ANN401 - a finding, whatever its fields
    launch = {**LAUNCH, "findings": [{**FINDING, **changes}]}
    return judge(report({**CASE, "launches": [launch]})).cases[0].launches[0].findings[0]


@pytest.mark.parametrize(
    "script",
    [
        "exit 0",
        "exit 2",
        "kill -9 $$",
        'echo "{" > "$REPORT"',
        'echo "[]" > "$REPORT"',
        'echo "{\\"cases\\": 1}" > "$REPORT"',
        'printf "\\377\\376" > "$REPORT"',
        'mkdir "$REPORT"',
        report({"name": "scales"}),
        report({**CASE, "verdict": "excellent"}),
        report({**CASE, "launches": [{**LAUNCH, "unheard_of": 1}]}),
        report({**CASE, "launches": [{**LAUNCH, "findings": [{**FINDING, "line": "three"}]}]}),
        report(CASE).removesuffix("exit 1") + "exit 3",
    ],
)
def test_a_judge_that_fails_is_an_error_of_ours(script: str, judge: Judge) -> None:
    with pytest.raises(RuntimeError, match="the judge of 00-scale"):
        judge(script)


def test_a_judge_that_hangs_is_an_error_of_ours(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge_call, "JUDGE_SECONDS", 0.05)
    with pytest.raises(RuntimeError, match="still busy"):
        judge("exec sleep 60")


def test_a_judge_that_a_signal_ends_is_an_error_of_ours_that_names_it(judge: Judge) -> None:
    with pytest.raises(RuntimeError, match="was ended by signal 6"):
        judge("kill -ABRT $$")


def test_an_emulated_judge_has_as_much_more_time(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge_call, "JUDGE_SECONDS", 0.02)
    monkeypatch.setenv("TILELAB_CLOCK_FACTOR", "3")
    with pytest.raises(RuntimeError, match=r"after 0\.06 seconds"):
        judge("exec sleep 60")


def test_a_report_that_is_too_long_is_an_error_of_ours(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge_call, "MAX_REPORT_BYTES", 10)
    with pytest.raises(RuntimeError, match="the judge of 00-scale"):
        judge(report(CASE))


def test_a_case_seen_twice_says_so(judge: Judge) -> None:
    (case,) = judge(report(CASE, CASE)).cases
    assert (case.name, case.seen) == ("scales", 2)


def test_a_findings_text_comes_from_the_submission(judge: Judge) -> None:
    finding = finding_of(judge)
    assert (finding.file, finding.line, finding.source) == ("scale.cu", 3, SOURCE.split("\n")[2])
    assert "__syncthreads()" in finding.advice


@pytest.mark.parametrize(
    "place",
    [
        {"file": "/etc/passwd", "line": 1},
        {"file": "../scale.cu"},
        {"line": 0},
        {"line": -1},
        {"line": 10**9},
        {"line": None},
        {"file": None},
    ],
)
def test_a_place_that_is_not_the_submissions_shows_nothing(place: dict[str, Any], judge: Judge) -> None:
    finding = finding_of(judge, source="root:x:0:0", **place)
    assert (finding.file, finding.line, finding.source) == ("scale.cu", None, None)


def test_the_other_side_of_a_race_is_treated_alike(judge: Judge) -> None:
    finding = finding_of(judge, other={"file": "/etc/passwd", "line": 1, "source": "root:x:0:0"})
    assert (finding.other.file, finding.other.line, finding.other.source) == ("scale.cu", None, None)


def test_a_file_that_does_not_build_is_never_judged(judge: Judge) -> None:
    outcome = judge("exit 2", source=SOURCE.replace("in[0];", "in[0]"))
    assert (outcome.verdict, outcome.findings[0].line) == (Verdict.COMPILE_ERROR, 3)
    assert outcome.findings[0].source == SOURCE.replace("in[0];", "in[0]").split("\n")[2]


def test_a_missing_file_is_never_built(toolset: Toolset, tmp_path: Path) -> None:
    public = PublicSpec(title="", summary="", problem="", file="scale.cu", kernel="scale()", launch="l()", shapes="")
    outcome = LabJudge(toolset, 1, public_only=True)(Lab("00", public, None, tmp_path, None), None, tmp_path)
    assert (outcome.verdict, outcome.findings[0].message) == (Verdict.MISSING_FILE, "The submission has no scale.cu.")


def test_cases_that_show_everything_come_first_and_the_key_is_on_no_command_line(tmp_path: Path) -> None:
    policies = {"quiet": "none", "named": "verdict", "open": "full", "loud": "full"}
    cases = tuple(CaseSpec(name=name, points=1, feedback=one) for name, one in policies.items())
    public = PublicSpec(
        title="", summary="", problem="", file="scale.cu", kernel="scale()", launch="l()", shapes="", case=cases
    )
    lab = Lab("00", public, None, tmp_path, None)
    program = tmp_path / "judge"
    program.write_text(
        f"""#!/bin/sh
echo "$@" > {tmp_path}/arguments
cat > {tmp_path}/task
while [ "$1" != --report ]; do shift; done
echo '{{"cases": []}}' > "$2"
"""
    )
    program.chmod(0o755)

    def task(*asked: str) -> dict[str, Any]:
        run_judge(JudgeCall(program, 7, asked), lab, ["true"], tmp_path, ())
        read: dict[str, Any] = json.loads((tmp_path / "task").read_text())
        assert read["key"] == judge_key(7, "00").hex()
        assert read["key"] not in (tmp_path / "arguments").read_text()
        return read

    whole = task()
    assert (whole["groups"], whole["and_others"]) == ([["open", "loud"], ["named"], ["quiet"]], True)
    chosen = task("quiet", "open", "unlisted")
    assert (chosen["groups"], chosen["and_others"]) == ([["open"], ["quiet", "unlisted"]], False)
