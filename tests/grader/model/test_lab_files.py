"""What a lab's author may write into lab.toml and grading.toml, and that anything else is refused with the file's name."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from grader.model.labs import LabError, lab_ids, load_lab

ROOT = Path(__file__).resolve().parents[3]
LAB = lab_ids(ROOT)[1]


@pytest.fixture
def course(tmp_path: Path) -> Path:
    for half, file in (("assignments", "lab.toml"), ("solutions", "grading.toml")):
        (tmp_path / half / LAB).mkdir(parents=True)
        shutil.copy(ROOT / half / LAB / file, tmp_path / half / LAB / file)
    return tmp_path


def write(path: Path, before: str, after: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after, 1), encoding="utf-8")


def test_the_files_as_they_are_are_taken(course: Path) -> None:
    assert load_lab(course, LAB).public == load_lab(ROOT, LAB).public


@pytest.mark.parametrize("points", ["inf", "nan", "-1", "1e308", "true and false", "[" * 5000])
def test_points_that_cannot_be_added_up_are_refused(course: Path, points: str) -> None:
    write(course / "assignments" / LAB / "lab.toml", "points = 1", f"points = {points}")
    with pytest.raises(LabError, match=r"lab\.toml"):
        load_lab(course, LAB)


@pytest.mark.parametrize("points", ["inf", "1e308"])
def test_performance_points_that_cannot_be_added_up_are_refused(course: Path, points: str) -> None:
    write(course / "solutions" / LAB / "grading.toml", "performance_points = 3", f"performance_points = {points}")
    with pytest.raises(LabError, match=r"grading\.toml"):
        load_lab(course, LAB)


@pytest.mark.parametrize("name", ["", "..", "../a.cu", "/etc/a.cu", "a\\u0000.cu", "a.cpp", ".cu", "a b.cu", "a.cu\\n"])
def test_what_students_hand_in_is_a_plain_file_name(course: Path, name: str) -> None:
    file = load_lab(ROOT, LAB).public.file
    write(course / "assignments" / LAB / "lab.toml", f'file = "{file}"', f'file = "{name}"')
    with pytest.raises(LabError, match=r"lab\.toml"):
        load_lab(course, LAB)
