"""What a class answered is a part of its results, and of nothing that a grade follows from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fake_course import Course, small_course

QUESTIONS = """
[[question]]
id = "blocks"
text = "How many blocks does the grid of this lab have at the smallest size?"
[[question.number]]
label = "blocks"

[[question]]
id = "why"
text = "Why does the launch round up the number of its blocks?"
"""
ANSWERED = "# Answers: a\n\n## Question 1\n\n- blocks: {blocks}\n\n## Question 2\n\n{words}\n"
HOSTILE = {
    "binary": b"\0" * 10_000,
    "much": b"## Question 1\n" * 100_000,
    "markup": b"# Answers: a\n## Question 2\n<script>alert(1)</script>{{ 7 * 7 }}" + b"\xff\xfe" * 50,
    "surrogates": ANSWERED.format(blocks="\\ud800", words="x").encode() + b"\xed\xa0\x80",
    "numbers": ANSWERED.format(blocks="9" * 5_000, words="9^9^9^9").encode(),
    "another lab's": b"# Answers: b\n## Question 1\n17",
    "nothing": b"",
}


@pytest.fixture
def course(tmp_path: Path) -> Course:
    made = small_course(tmp_path)
    (made.root / "assignments/a/questions.toml").write_text(QUESTIONS, encoding="utf-8")
    (made.root / "solutions/a/numbers.toml").write_text("[blocks]\nblocks = 8\n", encoding="utf-8")
    (made.root / "solutions/a/answers.md").write_text(
        "# Answers\n\n1. Eight.\n2. SECRETLY: a remainder.\n", encoding="utf-8"
    )
    return made


def answer(course: Course, student: str, data: bytes) -> None:
    (course.source / student / "answers.md").write_bytes(data)


def record(course: Course, student: str) -> dict[str, object]:
    lab: dict[str, object] = json.loads((course.out / f"instructor/{student}.json").read_text())["result"]["labs"]["a"]
    return lab


def test_answers_are_in_the_results_and_what_was_written_is_the_instructors_alone(course: Course) -> None:
    course.hand_in("ada", a="good", b="good")
    course.hand_in("bob", a="good", b="good")
    answer(course, "ada", ANSWERED.format(blocks="8", words="OWNWORDS of ada").encode())
    course.grade()
    (ada, bob) = (course.out / f"students/{one}/report.html" for one in ("ada", "bob"))
    assert "2 of 2 answered, 1 of 1 number right" in ada.read_text()
    assert "Questions" not in bob.read_text()
    for name in ("report.html", "result.json"):
        given = (course.out / "students/ada" / name).read_text()
        assert ("OWNWORDS" in given, "SECRETLY" in given) == (False, False)
    whole = (course.out / "instructor/ada.html").read_text()
    assert ("OWNWORDS of ada" in whole, "SECRETLY" in whole) == (True, True)
    assert "1 of 4 handed in answers" in (course.out / "index.html").read_text()


@pytest.mark.parametrize("what", HOSTILE)
def test_no_answers_change_a_verdict_a_grade_or_stop_a_class(what: str, course: Course) -> None:
    for student in ("ada", "bob"):
        course.hand_in(student, a="good", b="RACE")
    answer(course, "ada", HOSTILE[what])
    report = course.grade()
    assert report.faults == ()
    ada, bob = (record(course, one) for one in ("ada", "bob"))
    assert {key: value for key, value in ada.items() if key != "answers"} == {
        key: value for key, value in bob.items() if key != "answers"
    }
    rows = {row.pop("student"): row for row in course.rows()}
    assert rows["ada"] == rows["bob"]


def test_new_answers_judge_nothing_again_make_the_pages_anew_and_are_no_change_of_a_grade(course: Course) -> None:
    course.hand_in("ada", a="good", b="good")
    answer(course, "ada", ANSWERED.format(blocks="7", words="first").encode())
    course.grade()
    answer(course, "ada", ANSWERED.format(blocks="8", words="second").encode())
    report = course.grade()
    assert (report.found.judged, len(list((course.out / "instructor/history").glob("*.json")))) == (0, 1)
    assert "second" in (course.out / "instructor/ada.html").read_text()
    assert "1 of 1 number right" in (course.out / "students/ada/report.html").read_text()


def test_a_course_may_want_it_said_where_nothing_was_answered(course: Course) -> None:
    path = course.root / "assignments/a/questions.toml"
    path.write_text('unanswered = "listed"\n' + QUESTIONS, encoding="utf-8")
    course.hand_in("ada", a="good", b="good")
    course.grade()
    assert "no answers.md was found: 2 questions open" in (course.out / "students/ada/report.html").read_text()


def test_questions_that_are_wrong_are_told_before_anything_is_judged(course: Course) -> None:
    (course.root / "assignments/a/questions.toml").write_text("[[question]]\n", encoding="utf-8")
    course.hand_in("ada", a="good", b="good")
    with pytest.raises(Exception, match=r"questions\.toml"):
        course.grade()
    assert course.judge.asked == []
    assert not (course.out / "index.html").exists()
