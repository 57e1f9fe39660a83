"""grades.csv: its columns, its numbers, and blank cells where we failed."""

from __future__ import annotations

from grader.model.graded_class import GradedClass
from grader.model.result import Environment, LabResult, Result, Submission
from grader.model.verdicts import Verdict
from grader.plugins.exports.grade_tables import grades_csv
from grader.roll.batch.plugin import Grades
from grader.run.scoring.redaction import RedactedClass


def make_result(student: str, **points: float | None) -> Result:
    labs = {
        lab: LabResult(
            title=lab, file="k.cu", verdict=Verdict.INTERNAL_ERROR if one is None else Verdict.PASS,
            points=one or 0, max_points=10,
        )
        for lab, one in points.items()
    }  # fmt: skip
    total = sum(one or 0 for one in points.values())
    environment = Environment(kit="0", compiler="g++", sandbox="none", date="2026-01-01")
    submission = Submission(id=student, name=student)
    return Result(submission=submission, environment=environment, labs=labs, total=total, max=10.0 * len(points))


def table(results: list[Result], lab_ids: list[str]) -> str:
    return grades_csv(Grades(RedactedClass(GradedClass("a class", tuple(lab_ids), tuple(results))), ""))


def test_one_row_per_student_and_one_column_per_lab() -> None:
    results = [make_result("anna", a=10, b=2.5), make_result("ben", a=0, b=1 / 3)]
    assert table(results, ["a", "b"]) == "student,total,max,a,b\nanna,12.5,20,10,2.5\nben,0.33,20,0,0.33\n"


def test_leaves_blank_what_our_failure_kept_from_being_graded() -> None:
    assert table([make_result("anna", a=10, b=None)], ["a", "b"]).splitlines()[1] == "anna,,20,10,"


def test_an_empty_class_is_a_heading() -> None:
    assert table([], ["a"]) == "student,total,max,a\n"


def test_large_points_are_written_out() -> None:
    assert table([make_result("anna", a=1_234_567.0)], ["a"]).splitlines()[1] == "anna,1234567,10,1234567"
