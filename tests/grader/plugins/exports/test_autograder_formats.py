"""Results for other autograding platforms, held against what these publish about their files."""

from __future__ import annotations

import json
from typing import Any

import pytest
from export_class import ALAN, contents, export, make_result, right_lab, small_class, ungraded_lab, unpacked
from jsonschema import Draft202012Validator
from published_formats import AGS, CLASSROOM50, GRADESCOPE, PRAIRIELEARN

from grader.model.verdicts import Verdict
from grader.roll.people.roster import roster_in


def documents(name: str) -> dict[str, Any]:
    """By the path of each file."""
    files = unpacked(export(name, small_class(), "cuda-26/week-3"))
    return {path: json.loads(data) for path, data in files.items() if path.endswith(".json")}


@pytest.mark.parametrize(
    ("name", "schema", "count"),
    [("gradescope", GRADESCOPE, 3), ("classroom50", CLASSROOM50, 3), ("prairielearn", PRAIRIELEARN, 4)],
)
def test_each_file_is_what_the_platform_publishes(name: str, schema: dict[str, Any], count: int) -> None:
    found = documents(name)
    assert len(found) == count
    for data in found.values():
        assert list(Draft202012Validator(schema).iter_errors(data)) == []


def test_gradescope_gets_the_score_and_every_case() -> None:
    found = documents("gradescope")
    assert found["ada/results.json"]["score"] == 10
    alan = found["alan/results.json"]
    assert [(one["name"], one["status"], one["score"]) for one in alan["tests"]] == [
        ("01-a: square", "failed", 0),
        ("01-a: odd", "failed", 0),
    ]
    assert alan["output"] == "k.cu:19: Data race: As[0] is raced"
    assert found["anna/results.json"]["score"] == 0
    assert "zoe/results.json" not in found


def test_a_case_that_was_not_run_says_why() -> None:
    missing = small_class()[1].labs["01-a"].model_copy(update={"verdict": Verdict.MISSING_FILE})
    cases = tuple(one.model_copy(update={"launches": (), "message": "not run"}) for one in missing.cases)
    made = export("gradescope", [make_result("alan", ALAN, missing.model_copy(update={"cases": cases}))])
    tests = json.loads(unpacked(made)["alan/results.json"])["tests"]
    assert {one["output"] for one in tests} == {Verdict.MISSING_FILE.facts.sentence}


def test_classroom50_gets_whole_numbers() -> None:
    halves = [make_result("ada", small_class()[0].submission.student, right_lab(9.5))]
    made = export("classroom50", halves, "cuda-26/week-3")
    data = json.loads(unpacked(made)["ada/result.json"])
    assert (data["classroom"], data["assignment"], data["owner"]) == ("cuda-26", "week-3", "ada-l")
    assert (data["score"], data["max-score"]) == (95, 100)
    assert sum(one["score"] for one in data["tests"]) == 95
    assert [one for one in made.notices if "multiplied by 10" in one]


def test_classroom50_needs_a_classroom_and_an_assignment() -> None:
    assert [one for one in export("classroom50", small_class(), "week-3").notices if "cuda-26/week-3" in one]


def test_prairielearn_takes_no_attempt_from_a_student_whom_we_failed() -> None:
    found = documents("prairielearn")
    assert found["zoe/results.json"]["gradable"] is False
    assert "score" not in found["zoe/results.json"]
    assert found["ada/results.json"]["score"] == 1.0


def test_autolabs_last_line_is_the_scores_and_the_one_before_it_the_stages() -> None:
    files = {path: data.decode("utf-8", "replace") for path, data in unpacked(export("autolab", small_class())).items()}
    *text, stages, scores = files["alan.txt"].splitlines()
    assert json.loads(scores) == {"scores": {"01-a": 0}}
    shown = json.loads(stages)
    assert (shown["_presentation"], shown["stages"]) == ("semantic", ["01-a"])
    assert shown["01-a"]["odd"]["passed"] is False
    assert text == ["# k.cu:19: Data race: As[0] is raced"]
    assert "zoe.txt" not in files


def test_a_lab_that_is_not_graded_has_neither_stage_nor_score_in_autolab() -> None:
    half = make_result("ada", small_class()[0].submission.student, right_lab())
    half = half.model_copy(update={"labs": half.labs | {"02-b": ungraded_lab(Verdict.NEEDS_GPU)}})
    made = export("autolab", [half])
    *_, stages, scores = unpacked(made)["ada.txt"].decode().splitlines()
    assert json.loads(scores) == {"scores": {"01-a": 10}}
    assert json.loads(stages)["stages"] == ["01-a"]
    assert "partly graded" in made.notices[0]


def test_a_score_payload_a_line_and_none_for_whom_we_failed() -> None:
    lines = contents(export("ags", small_class()).files[0]).decode().splitlines()
    payloads = [json.loads(one) for one in lines]
    for payload in payloads:
        assert list(Draft202012Validator(AGS).iter_errors(payload)) == []
    assert [(one["userId"], one["scoreGiven"]) for one in payloads] == [("101", 10), ("102", 0), ("104", 0)]
    assert [one for one in export("ags", small_class()).notices if "not graded yet" in one and "zoe" in one]


@pytest.mark.parametrize("verdict", [Verdict.INTERNAL_ERROR, Verdict.NEEDS_GPU])
@pytest.mark.parametrize("name", ["gradescope", "classroom50", "ags"])
def test_what_is_not_graded_has_no_score_anywhere(name: str, verdict: Verdict) -> None:
    made = export(name, [make_result("alan", ALAN, ungraded_lab(verdict))])
    assert [path for path, data in unpacked(made).items() if data and not path.endswith(".zip")] == []


def test_a_roster_may_say_under_which_id_a_platform_launches_tools() -> None:
    row = roster_in(b"name,login,LTI user id\nAda,ada,8f3c-11\n", "roster.csv").rows[0]
    made = export("ags", [make_result("ada", row.student, right_lab())])
    assert json.loads(contents(made.files[0]))["userId"] == "8f3c-11"
