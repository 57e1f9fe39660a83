"""A case's row repeats nothing, and names every outcome."""

from __future__ import annotations

from grader.model.result import Case, Finding, Launch
from grader.model.verdicts import Verdict
from grader.pages.student_page.lab_sections import case_row


def case(**changes: object) -> Case:
    values: dict[str, object] = {
        "name": "c", "visibility": "public", "verdict": "race", "passed": False, "points": 0, "max_points": 2,
    }  # fmt: skip
    return Case.model_validate(values | changes)


def test_what_a_finding_says_in_full_is_not_said_again() -> None:
    finding = Finding(kind=Verdict.RACE, message="Thread (0,0,0) writes As[0][0].")
    launch = Launch(shape="M=32", inputs="integers", verdict=Verdict.RACE, message=f"line 19: {finding.message}")
    told = case(message=f"M=32, integers: line 19: {finding.message}", launches=(launch,))
    row = case_row(told, findings=[finding], instructor=True)
    assert row.message == "M=32, integers: line 19"
    assert row.shapes[0].message == "line 19"
    assert case_row(told, instructor=True).message == told.message


def test_outcomes_that_no_verdict_names_have_words_of_their_own() -> None:
    technique = {"role": "technique", "verdict": "pass"}
    assert case_row(case(**technique), instructor=True).outcome == "Not met"
    assert not case_row(case(**technique), instructor=True).unfolded  # it is told above the cases
    assert case_row(case(**technique, passed=True), instructor=True).outcome == "Met, not counted"
    assert case_row(case(**technique, passed=True, points=2), instructor=True).outcome == "Passed"
    not_run = case_row(case(verdict="compile-error", message="not run"), instructor=True)
    assert (not_run.outcome, not_run.message) == ("Not run", "")


def test_shapes_are_shown_to_students_only_where_the_policy_says_full() -> None:
    launch = Launch(shape="M=96", inputs="integers", verdict=Verdict.RACE)
    for feedback, shown in (("full", 1), ("verdict", 0), ("none", 0)):
        withheld = case(feedback=feedback, launches=(launch,))
        assert len(case_row(withheld, instructor=False).shapes) == shown
        assert len(case_row(withheld, instructor=True).shapes) == 1


def test_the_advice_that_stands_above_is_not_repeated() -> None:
    advised = case(advice="Which index?")
    assert case_row(advised, instructor=True).advice == "Which index?"
    assert not case_row(advised, told="Which index?", instructor=True).has_more
