"""Which launch of a run is looked at, and which one a person means."""

from __future__ import annotations

import pytest

from grader.model.result import Launch
from grader.model.verdicts import Verdict
from grader.run.launches.lab_launch import LaunchRefusedError, RunLaunch, SurveyedRun, launches_of
from grader.run.programs.run_record import RunFacts, RunRecord


def launch(number: int, kernel: str, *, finds: bool = False, status: str = "completed", count: int = 1) -> RunLaunch:
    return RunLaunch(number=number, kernel=kernel, line=10 + number, count=count, status=status, has_finding=finds)


def run(*launches: RunLaunch, verdict: Verdict = Verdict.PASS) -> SurveyedRun:
    whole = Launch(shape="n=5", inputs="i", verdict=verdict)
    return SurveyedRun(whole, launches)


def seen(survey: SurveyedRun) -> int | None:
    found = survey.first_to_see()
    return found.number if found is not None else None


def test_the_first_launch_with_a_finding_is_seen_first() -> None:
    assert seen(run(launch(1, "a"), launch(2, "b", finds=True), launch(3, "a", finds=True))) == 2


def test_without_a_finding_the_last_launch_tells_a_wrong_result_and_the_first_a_right_one() -> None:
    both = launch(1, "a"), launch(2, "b")
    assert seen(run(*both, verdict=Verdict.WRONG_ANSWER)) == 2
    assert seen(run(*both)) == 1


def test_a_launch_that_never_began_is_not_seen() -> None:
    assert seen(run(launch(1, "a", finds=True, status="launch-error"))) is None
    assert seen(run(launch(1, "a", finds=True, status="launch-error"), launch(2, "b"))) == 2
    assert seen(run()) is None


def test_a_launch_is_named_by_its_number_or_by_its_kernel() -> None:
    survey = run(launch(1, "a<256>"), launch(2, "tools::b"), launch(3, "a<256>", finds=True))
    assert survey.named("2").kernel == "tools::b"
    assert survey.named("a").number == 3
    assert survey.named("a<256>").number == 3
    assert survey.named("b").number == 2


def test_launches_that_are_alike_are_listed_once_and_each_can_be_named() -> None:
    survey = run(launch(1, "a", count=3), launch(2, "b"))
    assert survey.total == 4
    assert survey.named("4").number == 4


@pytest.mark.parametrize("wanted", ["0", "3", "99999999999", "-1", "c", "", "٢"])
def test_a_launch_that_there_is_not_is_refused_with_those_that_there_are(wanted: str) -> None:
    with pytest.raises(LaunchRefusedError, match=r"makes 2 launches: 1 \(a\), 2 \(b\)"):
        run(launch(1, "a"), launch(2, "b")).named(wanted)


def test_launches_of_a_record_know_their_findings_and_their_lines() -> None:
    record = RunRecord.model_validate(
        {
            "ended": "finished",
            "launches": [
                {"kernel": "_Z1bv", "number": 2, "status": "crash"},
                {"kernel": "_Z1av", "number": 1, "grid": [4, 1, 1], "count": 2},
                {"kernel": "_Z1av", "number": 4, "status": "launch-error"},
            ],
            "findings": [
                {"kind": "race", "number": 1, "line": 7, "message": "", "kernel": "_Z1av"},
                {"kind": "race", "number": 1, "line": 7, "message": "", "kernel": "_Z1av", "array": "other"},
                {"kind": "race", "severity": "note", "message": "", "number": 4},
            ],
        }
    )
    first, second, third = launches_of(RunFacts(record, {}, {}, {"_Z1av": "a", "_Z1bv": "b"}))
    assert (first.number, first.kernel, first.grid, first.count) == (1, "a", (4, 1, 1), 2)
    assert (first.findings, first.has_finding) == (("race in line 7",), True)
    assert (second.findings, second.has_finding) == (("crash",), True)
    assert (third.findings, third.has_finding, third.began) == (("launch-error",), False, False)
