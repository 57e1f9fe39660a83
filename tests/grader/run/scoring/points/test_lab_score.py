"""Scoring: the points, the verdict of a lab, and that our failures are flagged and cost no points."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from grader.model.labs import CaseSpec, Lab, PrivateSpec, PublicSpec
from grader.model.outcome import JudgedCase, LabOutcome, unjudged
from grader.model.result import Finding, Launch, Site
from grader.model.verdicts import Verdict
from grader.roll.batch.job_store import OUTCOME_JSON
from grader.run.scoring.lab_score import score_lab, total


def make_lab(*, extra: bool = False, technique: bool = True, performance: float = 0) -> Lab:
    public = PublicSpec(
        title="Naive", summary="", problem="matmul", file="naive.cu", kernel="k()", launch="l()", shapes="any",
        extra_credit=extra, case=(CaseSpec(name="square", points=1),),
    )  # fmt: skip
    hidden = [CaseSpec(name="odd", points=4, feedback="verdict", advice="look at the last row")]
    if technique:
        hidden.append(CaseSpec(name="loads", points=2.5, role="technique"))
    private = PrivateSpec(case=tuple(hidden), performance_points=performance)
    return Lab("lab", public, private, Path("public"), Path("private"))


def judged(**verdicts: Verdict) -> LabOutcome:
    """An outcome in which all three cases pass except those named."""
    all_of = {"square": Verdict.PASS, "odd": Verdict.PASS, "loads": Verdict.PASS, **verdicts}
    return LabOutcome("lab", cases=tuple(JudgedCase(name, one is Verdict.PASS, one) for name, one in all_of.items()))


def with_case(outcome: LabOutcome, case: JudgedCase) -> LabOutcome:
    return replace(outcome, cases=tuple(case if one.name == case.name else one for one in outcome.cases))


def finding(kind: Verdict = Verdict.RACE, line: int | None = 7, **more: object) -> Finding:
    return Finding.model_validate({"kind": kind, "file": "naive.cu", "line": line, "message": "m", **more})


def launch(*findings: Finding) -> Launch:
    return Launch(shape="M=1 N=1 K=1", inputs="small integers", verdict=Verdict.PASS, findings=findings)


def test_a_correct_submission_earns_everything() -> None:
    result = score_lab(make_lab(), judged())
    assert (result.verdict, result.points, result.max_points) == (Verdict.PASS, 7.5, 7.5)
    assert [case.visibility for case in result.cases] == ["public", "hidden", "hidden"]


def test_a_case_that_races_carries_no_advice_about_its_result() -> None:
    for verdict in (Verdict.RACE, Verdict.BARRIER_DIVERGENCE):
        assert [case.advice for case in score_lab(make_lab(), judged(odd=verdict)).cases][1] == ""


def test_a_wrong_case_costs_its_points_and_the_techniques() -> None:
    result = score_lab(make_lab(), judged(odd=Verdict.WRONG_ANSWER))
    assert (result.verdict, result.points, result.max_points) == (Verdict.WRONG_ANSWER, 1, 7.5)
    assert [case.advice for case in result.cases] == ["", "look at the last row", ""]
    assert "as soon as every correctness case passes" in result.cases[2].message


def test_a_missed_technique_costs_its_points_but_no_verdict() -> None:
    slow = JudgedCase("loads", passed=False, verdict=Verdict.PASS, message="twice the loads allowed")
    result = score_lab(make_lab(), with_case(judged(), slow))
    assert (result.verdict, result.points) == (Verdict.PASS, 5)
    assert result.cases[2].message == "twice the loads allowed"


def test_a_technique_that_is_met_on_some_sizes_alone_is_not_met() -> None:
    lab = make_lab()
    public = CaseSpec(name="loads little", points=2, role="technique")
    lab = replace(lab, public=lab.public.model_copy(update={"case": (*lab.public.case, public)}))
    met = JudgedCase("loads little", passed=True, verdict=Verdict.PASS)
    slow = JudgedCase("loads", passed=False, verdict=Verdict.PASS, message="twice the loads allowed")
    everywhere, somewhere = (replace(one, cases=(*one.cases, met)) for one in (judged(), with_case(judged(), slow)))
    assert score_lab(lab, everywhere).points == 9.5
    result = score_lab(lab, somewhere)
    assert (result.verdict, result.points) == (Verdict.PASS, 5)
    assert "on every size" in next(case.message for case in result.cases if case.name == "loads little")


def test_a_technique_case_decides_the_verdict_where_its_result_is_wrong_and_not_where_it_takes_too_long() -> None:
    assert score_lab(make_lab(), judged(loads=Verdict.TIMEOUT)).verdict is Verdict.PASS
    wrong = score_lab(make_lab(), judged(loads=Verdict.WRONG_ANSWER))
    assert (wrong.verdict, wrong.points) == (Verdict.WRONG_ANSWER, 5)


def test_the_verdict_is_the_first_in_order_of_precedence() -> None:
    result = score_lab(make_lab(), judged(square=Verdict.WRONG_ANSWER, odd=Verdict.RACE))
    assert result.verdict is Verdict.RACE


def test_an_error_found_in_a_case_takes_its_points_whatever_the_judge_said() -> None:
    raced = JudgedCase("odd", passed=True, verdict=Verdict.PASS, launches=(launch(finding()),))
    result = score_lab(make_lab(), with_case(judged(), raced))
    assert (result.verdict, result.points) == (Verdict.RACE, 1)


def test_a_note_costs_nothing() -> None:
    noted = JudgedCase("odd", passed=True, verdict=Verdict.PASS, launches=(launch(finding(severity="note")),))
    result = score_lab(make_lab(), with_case(judged(), noted))
    assert (result.verdict, result.points) == (Verdict.PASS, 7.5)
    assert [one.severity for one in result.findings] == ["note"]


@pytest.mark.parametrize(
    "verdict",
    [Verdict.REJECTED, Verdict.MISSING_FILE, Verdict.COMPILE_ERROR, Verdict.MISSING_ENTRY_POINT, Verdict.NEEDS_GPU],
)
def test_a_lab_that_was_never_run_earns_nothing_of_an_unchanged_maximum(verdict: Verdict) -> None:
    result = score_lab(make_lab(), unjudged("lab", verdict, "why"))
    assert (result.verdict, result.points, result.max_points) == (verdict, 0, 7.5)
    assert [one.message for one in result.findings] == ["why"]
    assert {case.message for case in result.cases} == {"not run"}


def test_needs_gpu_in_one_case_earns_nothing_yet() -> None:
    result = score_lab(make_lab(), judged(odd=Verdict.NEEDS_GPU))
    assert (result.verdict, result.points) == (Verdict.NEEDS_GPU, 0)


def test_a_case_the_judge_never_ran_is_our_failure() -> None:
    outcome = replace(judged(), cases=judged().cases[:1])
    result = score_lab(make_lab(), outcome)
    assert result.verdict is Verdict.INTERNAL_ERROR
    assert result.points == 1


@pytest.mark.parametrize(
    "outcome",
    [
        replace(judged(), cases=(*judged().cases, judged().cases[1])),
        with_case(judged(), replace(judged().cases[1], seen=2)),
    ],
)
def test_a_case_seen_twice_is_our_failure(outcome: LabOutcome) -> None:
    result = score_lab(make_lab(), outcome)
    assert result.verdict is Verdict.INTERNAL_ERROR
    assert (result.cases[1].passed, result.cases[1].points) == (False, 0)


def test_a_case_that_no_file_lists_is_our_failure_and_earns_nothing() -> None:
    outcome = replace(judged(), cases=(*judged().cases, JudgedCase("bonus", passed=True, verdict=Verdict.PASS)))
    result = score_lab(make_lab(), outcome)
    assert (result.verdict, result.points) == (Verdict.INTERNAL_ERROR, 7.5)
    assert "'bonus'" in result.findings[0].message


def test_a_case_that_failed_without_a_reason_is_our_failure() -> None:
    case = JudgedCase("odd", passed=False, verdict=Verdict.PASS)
    assert score_lab(make_lab(), with_case(judged(), case)).verdict is Verdict.INTERNAL_ERROR


def test_equal_findings_of_several_cases_are_one() -> None:
    other = Site(file="naive.cu", line=9)
    first = JudgedCase("square", passed=False, verdict=Verdict.RACE, launches=(launch(
        finding(severity="note", line=3), finding(other=other, count=2, element="As[1]")),))  # fmt: skip
    second = JudgedCase("odd", passed=False, verdict=Verdict.RACE, launches=(
        launch(finding(other=other, count=3, element="As[8]")),
        launch(finding(other=other), finding(line=8))))  # fmt: skip
    result = score_lab(make_lab(), with_case(with_case(judged(), first), second))
    assert [(one.severity, one.line, one.count, one.element, one.cases) for one in result.findings] == [
        ("error", 7, 6, "As[1]", ("square", "odd")),
        ("error", 8, 1, None, ("odd",)),
        ("note", 3, 1, None, ("square",)),
    ]


def test_extra_credit_counts_into_the_points_alone() -> None:
    plain, extra = score_lab(make_lab(), judged()), score_lab(make_lab(extra=True), judged())
    assert total({"a": plain, "b": extra}) == (15, 7.5)


def test_performance_that_was_not_assessed_is_in_no_maximum() -> None:
    result = score_lab(make_lab(performance=50), judged())
    assert (result.max_points, result.performance) == (7.5, "not assessed")


def test_many_small_points_add_up_exactly() -> None:
    public = make_lab().public.model_copy(
        update={"case": tuple(CaseSpec(name=f"case {number}", points=0.1) for number in range(10))}
    )
    lab = Lab("lab", public, None, Path("public"), None)
    cases = tuple(JudgedCase(f"case {number}", passed=True, verdict=Verdict.PASS) for number in range(10))
    assert score_lab(lab, LabOutcome("lab", cases=cases)).points == 1


def test_an_outcome_survives_being_kept_as_json() -> None:
    raced = JudgedCase("odd", passed=False, verdict=Verdict.RACE, launches=(launch(finding(other=Site(line=2))),))
    outcome = with_case(judged(), raced)
    assert OUTCOME_JSON.validate_json(OUTCOME_JSON.dump_json(outcome)) == outcome
