"""answers.csv: how many questions are answered, and nothing of what was written. And parts.csv."""

from __future__ import annotations

from lab_with_questions import filled, lab

from grader.course.answer_check import check_answers, no_answers
from grader.model.graded_class import GradedClass
from grader.model.result import Case, Environment, LabAnswers, LabResult, Result, Submission
from grader.model.verdicts import Verdict
from grader.plugins.exports.grade_tables import answers_csv, parts_csv
from grader.roll.batch.plugin import Grades
from grader.run.scoring.redaction import RedactedClass


def of(student: str, answers: LabAnswers | None) -> Result:
    plain = LabResult(title="Tiles", file="k.cu", verdict=Verdict.PASS, points=1, max_points=1)
    labs = {"plain": plain, "asking": plain.model_copy(update={"answers": answers})}
    environment = Environment(kit="0", compiler="g++", sandbox="none", date="2026-01-01")
    submission = Submission(id=student, name=student)
    return Result(submission=submission, environment=environment, labs=labs, total=2, max=2)


def table(*results: Result) -> list[str]:
    return answers_csv(Grades(RedactedClass(GradedClass("a class", ("plain", "asking"), results)), "")).splitlines()


def test_a_lab_that_asks_has_three_columns_and_another_none() -> None:
    wrong = filled().replace(": 150", ": =HYPERLINK(1)").replace("arrivals: 128", "arrivals: 1")
    assert table(of("ada", check_answers(wrong, lab())), of("bob", no_answers(lab())), of("cyd", None)) == [
        "student,asking questions,asking answered,asking right numbers",
        "ada,4,3,3",
        "bob,4,0,0",
        "cyd,,,",
    ]


def test_points_have_a_column_for_each_part_that_some_lab_has() -> None:
    one = of("ada", None)
    cases = [
        Case(name=part, visibility="public", role=part, verdict=Verdict.PASS, passed=True, points=worth, max_points=3)
        for part, worth in (("correctness", 2.5), ("correctness", 1), ("technique", 0))
    ]
    lab = one.labs["plain"].model_copy(update={"cases": tuple(cases), "performance_points": 1.5, "performance_max": 2})
    plain = one.labs["plain"].model_copy(update={"cases": tuple(cases[:1])})
    result = one.model_copy(update={"labs": {"plain": plain, "asking": lab}})
    graded = Grades(RedactedClass(GradedClass("a class", ("plain", "asking"), (result,))), "")
    assert parts_csv(graded).splitlines() == [
        "student,plain correctness,asking correctness,asking technique,asking speed",
        "ada,2.5,3.5,0,1.5",
    ]


def test_where_no_lab_asks_there_are_only_the_students() -> None:
    assert table(of("ada", None)) == ["student", "ada"]
