"""The batch: every result is written, and what cannot be graded or written is said."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from fake_course import SEED, Course

from grader.model.labs import Lab
from grader.model.outcome import LabOutcome
from grader.model.result import LabResult, Result
from grader.model.verdicts import Verdict
from grader.roll.batch.output_folder import OutError, OutputFolder
from grader.roll.intake.upload_search import IntakeError
from grader.run.lab_verdict import LabVerdict
from grader.run.scoring import lab_score
from grader.run.scoring.lab_score import score_lab


def test_writes_everything_the_contract_names(course: Course) -> None:
    report = course.grade()
    assert (report.found.judged, report.found.reused, report.faults) == (3, 0, ())
    for path in ("index.html", "students/anna/report.html", "instructor/anna.json", "instructor/ben.html"):
        assert (course.out / path).stat().st_size > 0
    assert course.rows() == [
        {"student": "anna", "total": "8", "max": "8", "a": "4", "b": "4"},
        {"student": "ben", "total": "1", "max": "8", "a": "1", "b": "0"},
    ]
    ben = course.result("ben")
    assert (ben.labs["a"].verdict, ben.labs["b"].verdict) == (Verdict.RACE, Verdict.MISSING_FILE)
    assert ben.labs["a"].findings == ()  # of a case that tells its verdict alone
    for_instructor = json.loads((course.out / "instructor/ben.json").read_text(encoding="utf-8"))["result"]
    assert [one["line"] for one in for_instructor["labs"]["a"]["findings"]] == [3]


def test_a_student_gets_neither_seed_nor_hidden_shapes_and_the_instructor_both(course: Course) -> None:
    course.grade()
    for path in (course.out / "students").rglob("*.*"):
        text = path.read_text(encoding="utf-8")
        assert str(SEED) not in text
        assert "M=97" not in text
        assert "As[97]" not in text
    full = json.loads((course.out / "instructor" / "ben.json").read_text())
    assert full["seed"] == SEED
    assert full["result"]["labs"]["a"]["cases"][1]["launches"][0]["shape"] == "M=97 N=1 K=1"


def test_a_page_that_cannot_be_made_costs_no_other(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(result: Result, *, sources: Mapping[str, str], instructor: bool = False, **_: object) -> str:
        if result.submission.id == "anna" and not instructor:
            raise FileNotFoundError
        return f"page with {len(sources)} sources"

    monkeypatch.setattr("grader.roll.batch.publishing.student_page", broken)
    report = course.grade()
    assert len(report.faults) == 1
    assert "students/anna/report.html" in report.faults[0]
    assert (course.out / "students" / "ben" / "report.html").read_text() == "page with 1 sources"
    assert len(course.rows()) == 2


def test_one_lab_alone_has_its_own_maximum(course: Course) -> None:
    course.grade("a")
    assert course.rows()[0] == {"student": "anna", "total": "4", "max": "4", "a": "4"}


def test_a_refused_upload_is_rejected_in_every_lab(course: Course) -> None:
    (course.source / "dora.zip").write_bytes(b"nothing")
    course.grade()
    dora = course.result("dora")
    assert {lab.verdict for lab in dora.labs.values()} == {Verdict.REJECTED}
    assert "not a zip" in dora.labs["a"].findings[0].message
    assert dora.max == 8


def test_a_nearly_right_name_is_a_missing_file_that_says_so(course: Course) -> None:
    course.hand_in("emil", a="x")
    (course.source / "emil" / "a.cu").rename(course.source / "emil" / "a_final.cu")
    course.grade()
    lab = course.result("emil").labs["a"]
    assert lab.verdict is Verdict.MISSING_FILE
    assert "'a_final.cu'" in lab.findings[0].message


def test_writes_nothing_when_the_submissions_are_none(course: Course) -> None:
    course.source = course.root / "nowhere"
    with pytest.raises(IntakeError):
        course.grade()
    assert not course.out.exists()


def test_writes_nothing_into_an_out_of_somebody_else(course: Course) -> None:
    course.out.mkdir()
    (course.out / "index.html").write_text("my homepage")
    with pytest.raises(OutError):
        course.grade()
    assert course.judge.asked == []
    assert (course.out / "index.html").read_text() == "my homepage"


def test_keeps_and_mentions_pages_of_students_who_are_gone(course: Course) -> None:
    course.grade()
    for path in (course.source / "ben").iterdir():
        path.unlink()
    (course.source / "ben").rmdir()
    report = course.grade()
    assert any("ben" in notice for notice in report.graded.notices)
    assert (course.out / "students" / "ben" / "report.html").is_file()
    assert [row["student"] for row in course.rows()] == ["anna"]


def test_every_lab_of_every_student_is_scored_once(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    scored: list[str] = []

    def counting(lab: Lab, outcome: LabOutcome, verdict: LabVerdict) -> LabResult:
        scored.append(lab.id)
        return score_lab(lab, outcome, verdict)

    monkeypatch.setattr(lab_score, "score_lab", counting)
    course.hand_in("anna", a="one", b="RACE")
    course.hand_in("ben", a="BREAKS", b="two")
    course.grade()
    assert sorted(scored) == ["a", "a", "b", "b"]
    course.grade()
    assert len(scored) == 8


def test_two_batches_do_not_write_into_one_out(course: Course) -> None:
    course.grade()
    with OutputFolder(course.out, course.source).alone(), pytest.raises(OutError, match="another `tilelab grade`"):
        course.grade()
    assert course.grade().found.reused == 3


def test_a_page_that_cannot_be_made_is_told_apart_from_a_file_that_was_not_graded(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_result: Result, **_options: object) -> str:
        raise KeyError

    monkeypatch.setattr("grader.roll.batch.publishing.student_page", broken)
    report = course.grade()
    assert (len(report.found.faults), len(report.published.faults)) == (0, 4)
    assert course.rows()[0]["a"] == "4"
