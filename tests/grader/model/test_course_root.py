"""The course's root: the folder above, or from anywhere else the course that this package lies in."""

from __future__ import annotations

from pathlib import Path

from grader.model.course_root import course_root

ROOT = Path(__file__).resolve().parents[3]


def test_a_folder_inside_a_course_belongs_to_it(tmp_path: Path) -> None:
    inside = tmp_path / "course" / "assignments" / "01-add"
    inside.mkdir(parents=True)
    (tmp_path / "course" / "kit").mkdir()
    assert course_root(inside) == tmp_path / "course"


def test_from_anywhere_else_the_course_is_the_one_that_the_grader_lies_in(tmp_path: Path) -> None:
    assert course_root(tmp_path) == ROOT
