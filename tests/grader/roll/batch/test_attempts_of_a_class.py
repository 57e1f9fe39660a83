"""Of a student's attempts, the one that was asked for counts, and results say which: the latest, the best, or the last in time."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path

import pytest
from fake_course import FILES, Course, small_course

from grader.roll.intake.intake import IntakeOptions


@pytest.fixture
def course(tmp_path: Path) -> Course:
    course = small_course(tmp_path)
    course.source = tmp_path / "download"
    attempts = [
        ("jdoe", 20, {"a": "good a", "b": "RACE b"}),
        ("jdoe", 22, {"a": "RACE a", "b": "good b"}),
        ("jdoe", 24, {"a": "RACE in the end"}),
        ("zoe", 21, {"a": "good zoe"}),
    ]
    course.source.mkdir()
    for login, day, files in attempts:
        base = f"Lab 1_{login}_attempt_2026-11-{day}-10-00-00"
        (course.source / f"{base}.txt").write_text(f"Name: Somebody ({login})\n")
        for lab, text in files.items():
            (course.source / f"{base}_{FILES[lab]}").write_text(text)
    return course


def points(course: Course, student: str) -> dict[str, float]:
    return {lab: one.points for lab, one in course.result(student).labs.items()}


def test_the_latest_attempt_counts_if_nothing_else_is_asked_for(course: Course) -> None:
    course.grade()
    assert course.result("jdoe").submission.attempt == "3 of 3"
    assert points(course, "jdoe") == {"a": 1, "b": 0}
    assert len(course.judge.asked) == 2  # earlier attempts are not judged


def test_the_best_attempt_counts_for_each_lab_alone(course: Course) -> None:
    course.policy["course.toml"] = 'attempts = "best"\n'
    course.grade()
    assert points(course, "jdoe") == {"a": 4, "b": 4}
    assert course.result("jdoe").submission.attempt == "1 of 3, 2 of 3"
    assert course.result("zoe").submission.attempt == ""
    assert [row["student"] for row in course.rows()] == ["jdoe", "zoe"]


def test_the_last_attempt_before_each_labs_deadline_counts(course: Course) -> None:
    course.policy["course.toml"] = (
        'attempts = "before-deadline"\ntime_zone = "UTC"\n[deadlines]\na = 2026-11-21T12:00:00Z\nb = 2026-11-23T00:00:00Z\n'
    )
    course.intake = IntakeOptions(zone=UTC)
    course.grade()
    assert points(course, "jdoe") == {"a": 4, "b": 4}
    assert points(course, "zoe")["a"] == 4
    assert course.result("jdoe").submission.attempt == "1 of 3, 2 of 3"
