"""What each platform gets of a graded submission, and of one that was not graded. Nothing of ours costs a student points."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from export_class import ADA, HIDDEN_SHAPE, make_result, right_lab, ungraded_lab, wrong_lab
from jsonschema import Draft202012Validator
from published_formats import CLASSROOM50, GRADESCOPE, PRAIRIELEARN

from grader.model.errors import RemediableError
from grader.model.result import LabResult, Result
from grader.model.verdicts import Verdict
from grader.plugins.autograders.platform_list import (
    NOT_GRADED,
    PLATFORMS,
    Answer,
    Graded,
    HandedIn,
    late_words,
    platform_named,
)
from grader.run.scoring.redaction import for_student

RUN = {
    "CLASSROOM": "cuda-26",
    "ASSIGNMENT": "week-3",
    "OWNER": "ada-l",
    "ASSIGNMENT_TYPE": "individual",
    "SUBMISSION_TAG": "submit/2026-02-02T00-00-00Z-abcdef0",
    "COMMIT_URL": "https://example.org/c",
    "RELEASE_URL": "https://example.org/r",
    "REVIEW_URL": "https://example.org/v",
}


def graded(lab: LabResult, *, page: str = "<p>page</p>", handed_in: HandedIn | None = None, **more: object) -> Graded:
    result: Result = for_student(make_result("ada", ADA, lab, **more))
    return Graded(result, page, handed_in or HandedIn(), RUN, "2026-02-03T04:05:06Z")


def answer(name: str, lab: LabResult) -> Answer:
    return platform_named(name).graded(graded(lab))


def document(found: Answer, path: str) -> dict[str, Any]:
    text = found.files[path]
    read: dict[str, Any] = json.loads(text)
    return read


@pytest.mark.parametrize("lab", [right_lab(), wrong_lab(), ungraded_lab(Verdict.MISSING_FILE)])
@pytest.mark.parametrize(
    ("name", "path", "schema"),
    [
        ("gradescope", "results.json", GRADESCOPE),
        ("classroom50", "result.json", CLASSROOM50),
        ("prairielearn", "results.json", PRAIRIELEARN),
    ],
)
def test_the_result_is_what_the_platform_publishes(
    name: str, path: str, schema: dict[str, Any], lab: LabResult
) -> None:
    assert list(Draft202012Validator(schema).iter_errors(document(answer(name, lab), path))) == []


@pytest.mark.parametrize("platform", PLATFORMS, ids=lambda one: one.name)
def test_no_platform_is_told_of_a_hidden_case(platform: Any) -> None:  # noqa: ANN401 -- pytest's own parameter
    found = platform.graded(graded(wrong_lab()))
    assert HIDDEN_SHAPE not in found.printed + "".join(found.files.values())
    assert "97" not in found.printed


def test_gradescope_gets_the_page_as_a_download_and_no_text_of_it_is_markup() -> None:
    wrong = wrong_lab().model_copy(update={"title": "<script>alert(1)</script>"})
    data = document(platform_named("gradescope").graded(graded(wrong, notices=("found <b>x</b>",))), "results.json")
    assert data["output_format"] == "html"
    assert "<script" not in data["output"]
    assert "<b>" not in data["output"]
    assert 'download="report.html" href="data:text/html;charset=utf-8;base64,PHA+cGFnZTwvcD4="' in data["output"]


def test_a_page_that_is_too_large_for_gradescope_is_left_out_with_a_word() -> None:
    data = document(platform_named("gradescope").graded(graded(right_lab(), page="x" * (2 << 20))), "results.json")
    assert "data:" not in data["output"]
    assert "too large" in data["output"]


def test_a_gradescope_result_that_was_not_graded_has_nothing_that_counts() -> None:
    data = document(platform_named("gradescope").not_graded(["01-a"], NOT_GRADED), "results.json")
    assert data["output"] == NOT_GRADED
    assert not {"score", "tests", "leaderboard"} & data.keys()


def test_a_job_of_prairielearn_that_was_not_graded_costs_no_attempt() -> None:
    data = document(platform_named("prairielearn").not_graded(["01-a"], NOT_GRADED), "results.json")
    assert data == {"gradable": False, "format_errors": [NOT_GRADED]}


def test_prairielearn_gets_no_file_that_is_too_large_for_it() -> None:
    long = right_lab().model_copy(
        update={"verdict": Verdict.RACE, "findings": tuple(wrong_lab().findings[:1]) * 1, "points": 0.0}
    )
    findings = tuple(
        one.model_copy(update={"message": "é" * 5_000, "line": number})
        for number, one in enumerate(long.findings * 400)
    )
    case = (
        wrong_lab()
        .cases[0]
        .model_copy(update={"launches": (wrong_lab().cases[0].launches[0].model_copy(update={"findings": findings}),)})
    )
    found = answer("prairielearn", long.model_copy(update={"findings": findings, "cases": (case,)}))
    assert len(next(iter(found.files.values())).encode()) <= 1_000_000
    assert document(found, "results.json")["score"] == 0


def test_autolab_reads_scores_in_the_last_line_and_null_where_nothing_was_graded() -> None:
    last = answer("autolab", wrong_lab()).printed.splitlines()[-1]
    assert json.loads(last) == {"scores": {"01-a": 0.0}}
    lines = platform_named("autolab").not_graded(["01-a", "02-b"], NOT_GRADED).printed.splitlines()
    assert lines[0] == NOT_GRADED
    assert json.loads(lines[-1]) == {"scores": {"01-a": None, "02-b": None}}


def test_what_broke_is_not_printed_where_students_see_all_output() -> None:
    assert [one.name for one in PLATFORMS if not one.output_is_secret] == ["autolab"]


def test_classroom50_gets_what_its_runner_said_and_no_result_of_what_was_not_graded() -> None:
    data = document(answer("classroom50", right_lab(9.5)), "result.json")
    assert (data["classroom"], data["assignment"], data["owner"]) == ("cuda-26", "week-3", "ada-l")
    assert (data["submission"], data["commit"], data["review"]) == (
        RUN["SUBMISSION_TAG"],
        RUN["COMMIT_URL"],
        RUN["REVIEW_URL"],
    )
    assert (data["score"], data["max-score"]) == (95, 100)
    assert platform_named("classroom50").not_graded(["01-a"], NOT_GRADED) == Answer()


def test_a_workflow_gets_points_as_outputs_and_none_of_what_was_not_graded() -> None:
    files = answer("github-actions", right_lab(9.5)).files
    assert files["outputs.txt"] == "graded=true\npoints=9.5\nmax=10\n"
    assert files["report.html"] == "<p>page</p>"
    assert files["summary.md"].startswith("## 9.5 of 10 points\n")
    lost = platform_named("github-actions").not_graded(["01-a"], NOT_GRADED)
    assert lost.files["outputs.txt"] == "graded=false\n"
    assert lost.printed.startswith("::error ")


def test_a_summary_shows_hostile_text_as_it_is() -> None:
    hostile = "![x](http://example.org/x.png) <img src=x> | `rm` @everyone"
    lab = wrong_lab().model_copy(update={"title": hostile})
    finding = lab.findings[0].model_copy(update={"message": "````\n# not a heading\n<script>"})
    launch = lab.cases[0].launches[0].model_copy(update={"findings": (finding,)})
    case = lab.cases[0].model_copy(update={"launches": (launch,)})
    text = answer("github-actions", lab.model_copy(update={"cases": (case,)})).files["summary.md"]
    assert "\\!\\[x\\]\\(http" in text
    assert "\\<img src=x\\> \\| \\`rm\\` \\@everyone" in text
    assert "\n`````text\n" in text
    assert "\n# not" not in text


def test_a_platform_that_nobody_knows_is_refused_with_the_list() -> None:
    with pytest.raises(RemediableError, match="gradescope, classroom50, github-actions, prairielearn, autolab"):
        platform_named("moodle")


def test_who_is_late_is_told_by_how_much() -> None:
    due = datetime(2026, 2, 3, tzinfo=UTC)
    assert late_words(HandedIn(at=due + timedelta(days=1, minutes=61), due=due).late).startswith(
        "Handed in 1 d 1 h 1 min after"
    )
    assert late_words(HandedIn(at=due + timedelta(seconds=1), due=due).late).startswith("Handed in 1 min after")
    assert late_words(HandedIn(at=due, due=due).late) == ""
    assert late_words(HandedIn(at=due).late) == ""
