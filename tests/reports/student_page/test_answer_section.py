"""A lab's questions on a student's page: the instructor sees what was written, the student what was found, and nobody's text is more than
text.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from corpus_sample import sample
from lab_with_questions import filled, lab

from grader.course.answer_check import check_answers, no_answers
from grader.course.starters import answer_form
from grader.model.result import LabAnswers, Result
from grader.pages.pages import class_page, student_page
from grader.run.scoring.redaction import for_student

SAMPLES = Path(__file__).resolve().parents[1] / "samples"
HOSTILE = "<script>alert(1)</script> <img src=x onerror=alert(2)> [x](javascript:alert(3)) {{ 7 * 7 }} \u202eevil\x1b[31m </pre></details>"


def with_answers(answers: LabAnswers | None, name: str = "Ada") -> Result:
    """One lab of a real result, with these answers."""
    result = Result.model_validate_json(min(SAMPLES.glob("*.json")).read_text(encoding="utf-8"))
    first = min(result.labs)
    labs = {first: result.labs[first].model_copy(update={"answers": answers})}
    submission = result.submission.model_copy(update={"name": name, "id": name, "handed_in": True})
    return result.model_copy(update={"labs": labs, "submission": submission})


def answered(text: str, models: dict[int, str] | None = None) -> LabAnswers:
    return check_answers(text, lab(), file="ada/answers.md", models=models)


def instructors(result: Result) -> str:
    return student_page(result, sources={}, instructor=True)


def students(result: Result) -> str:
    return student_page(for_student(result), sources={})


def test_the_instructor_sees_what_was_written_beside_the_courses_own_answer() -> None:
    page = instructors(with_answers(answered(filled(), {3: "A swapped index, for instance."})))
    assert "4 of 4 answered, 5 of 5 numbers right" in page
    assert "The last one: nobody overwrites the tiles after it." in page
    assert "A swapped index, for instance." in page
    assert "a prediction, before make trace" in page


def test_the_student_sees_what_was_found_and_no_answer_of_the_course() -> None:
    result = with_answers(answered(filled().replace(": 150", ": 151"), {3: "A swapped index, for instance."}))
    for shown in (students(result), for_student(result).model_dump_json(by_alias=True)):
        assert "A swapped index, for instance." not in shown
        assert "nobody overwrites" not in shown
    assert "4 of 4 answered, 4 of 5 numbers right" in students(result)
    assert "not right" in students(result)


def test_nothing_that_was_written_is_more_than_text() -> None:
    text = f"# {HOSTILE}\n{HOSTILE}\n## Question 3\n{HOSTILE}\n## Question 2\n- arrivals: {HOSTILE}\n"
    page = instructors(with_answers(answered(text).model_copy(update={"file": HOSTILE, "notices": (HOSTILE,)})))
    assert page.count("alert(1)") >= 3
    for part in ("<script>alert", "<img src=x", "\u202e", "\x1b", 'href="javascript'):
        assert part not in page
    assert "{{ 7 * 7 }}" in page


@pytest.mark.parametrize("shown", [instructors, students])
def test_without_a_file_nothing_is_said_unless_the_course_wants_it(shown: Callable[[Result], str]) -> None:
    missing = no_answers(lab())
    assert "Questions" not in shown(with_answers(missing))
    assert "Questions" not in shown(with_answers(None))
    assert "no answers.md was found: 4 questions open" in shown(
        with_answers(missing.model_copy(update={"listed": True}))
    )


def test_a_file_that_cannot_be_read_is_told_to_both() -> None:
    result = with_answers(no_answers(lab(), "answers.md is no plain text", "answers.md"))
    assert "answers.md is no plain text" in instructors(result)
    assert "answers.md is no plain text" in students(result)


def test_answers_change_no_verdict_and_no_points() -> None:
    plain, full = with_answers(None), with_answers(answered(filled()))
    for redact in (lambda one: one, for_student):
        before, after = redact(plain), redact(full)
        assert (before.total, before.max) == (after.total, after.max)
        same = {"answers": None}
        assert [one.model_copy(update=same) for one in after.labs.values()] == list(before.labs.values())


def test_the_class_page_says_what_was_answered_and_what_was_often_written_instead() -> None:
    wrong = filled().replace("arrivals: 128", "arrivals: 64")
    page = class_page(
        [with_answers(answered(text), name) for name, text in (("Ada", filled()), ("Bob", wrong), ("Cyd", wrong))]
        + [with_answers(no_answers(lab()), "Dan")],
        course="A class",
    )
    assert "3 of 4 handed in answers; 4.0 of 4 questions answered on average" in page
    assert "arrivals: <b>1 of 3 right</b>; most often instead: <bdi>64 (2 times)</bdi>" in page
    form = answered(answer_form(lab()))
    assert "Questions" not in class_page([with_answers(form), with_answers(no_answers(lab()))], course="A class")


def test_a_form_that_was_handed_in_as_it_was_stays_folded() -> None:
    page = instructors(with_answers(answered(answer_form(lab()))))
    assert '<details class="fold answers">' in page
    assert "0 of 4 answered" in page
    assert '<details class="fold answers" open>' in instructors(with_answers(answered(filled())))


@pytest.mark.parametrize(
    ("scheme", "width"), sample([("light", 320), ("light", 1600), ("dark", 1600), ("dark", 320)], 2)
)
def test_everybody_can_read_the_section(scheme: str, width: int, opened: Callable[..., Any], tmp_path: Path) -> None:
    long = filled().replace("A swapped index", f"{HOSTILE} {'x' * 300}\n\n{'word ' * 200}")
    path = tmp_path / "page.html"
    path.write_text(
        instructors(with_answers(answered(long + "\n## Question 9\nstray", {1: "17 and 150."}))), encoding="utf-8"
    )
    shown = opened(path, width=width, scheme=scheme)
    assert shown.violations() == []
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= width
    assert (shown.errors, shown.requests) == ([], [])
