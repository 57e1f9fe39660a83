"""`tilelab history`: a line for each batch, or all changes of one student, by any word that means this student."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from fake_course import Course, small_course

from grader.cli.classes.pages_command import show_history
from grader.model.errors import RemediableError


@pytest.fixture
def graded(tmp_path: Path) -> Course:
    course = small_course(tmp_path)
    course.roster = "name,login,number\nAnna A,anna,0042\nBen B,ben,0043\n"
    course.grade()
    course.hand_in("ben", a="good now")
    course.now = datetime(2026, 10, 16, tzinfo=UTC)
    course.grade()
    return course


def test_a_class_has_a_line_for_each_batch(graded: Course, capsys: pytest.CaptureFixture[str]) -> None:
    assert show_history(str(graded.out)) == 0
    first, second, last = capsys.readouterr().out.splitlines()
    assert first == "  1  2026-10-15T00:00:00+00:00  0 grades changed; 4 graded for the first time"
    assert second == "  2  2026-10-16T00:00:00+00:00  1 grades changed; 1 new files"
    assert last.startswith("next: ")


@pytest.mark.parametrize("word", ["ben", "BEN", "0043", "43"])
def test_a_student_has_a_line_for_each_change(graded: Course, capsys: pytest.CaptureFixture[str], word: str) -> None:
    assert show_history(str(graded.out), word) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == [
        "a",
        "  2026-10-15T00:00:00+00:00  1 of 4: first grade",
        "  2026-10-16T00:00:00+00:00  1 \N{RIGHTWARDS ARROW} 4: you handed in a new file",
    ]
    assert "      verdict: race \N{RIGHTWARDS ARROW} pass" in lines


def test_what_cannot_be_shown_is_one_sentence(graded: Course, tmp_path: Path) -> None:
    with pytest.raises(RemediableError, match=r"no grade of 'carla' is kept here. There are: anna, ben"):
        show_history(str(graded.out), "carla")
    for name in ("", str(tmp_path)):
        with pytest.raises(RemediableError, match="holds no graded class"):
            show_history(name)


def test_a_damaged_part_is_told_and_the_rest_is_shown(graded: Course, capsys: pytest.CaptureFixture[str]) -> None:
    (graded.out / "instructor" / "history" / "00001.json").write_text("{")
    assert show_history(str(graded.out)) == 0
    assert "00001.json: this part of the grades' history cannot be read" in capsys.readouterr().out
