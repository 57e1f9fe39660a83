"""The course's root: the folder above, or from anywhere else the course that this package lies in."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.model.course_root import course_root, load_labs, matching_lab
from grader.model.labs import LabError, lab_ids

ROOT = Path(__file__).resolve().parents[3]


def test_a_folder_inside_a_course_belongs_to_it(tmp_path: Path) -> None:
    inside = tmp_path / "course" / "assignments" / "01-add"
    inside.mkdir(parents=True)
    (tmp_path / "course" / "kit").mkdir()
    assert course_root(inside) == tmp_path / "course"


def test_from_anywhere_else_the_course_is_the_one_that_the_grader_lies_in(tmp_path: Path) -> None:
    assert course_root(tmp_path) == ROOT


@pytest.mark.parametrize("word", ["02-tiled", "tiled", "TILED", "assignments/02-tiled/", "02"])
def test_a_lab_is_named_in_whole_in_part_or_as_the_shell_completes_its_folder(word: str) -> None:
    assert matching_lab(lab_ids(ROOT), word) == "02-tiled"
    assert [lab.id for lab in load_labs(ROOT, ["01-naive", word, "02-tiled"])] == ["01-naive", "02-tiled"]


@pytest.mark.parametrize("word", ["tield", "02-tilde", "Tileed"])
def test_a_mistyped_lab_is_guessed_and_all_are_named(word: str) -> None:
    with pytest.raises(LabError, match=r"do you mean 02-tiled\?\); the labs here are: 00-first-program, 01-naive"):
        load_labs(ROOT, [word])


def test_a_copy_of_a_labs_folder_is_named_with_the_remedy(tmp_path: Path) -> None:
    spec = (ROOT / "assignments/01-naive/lab.toml").read_text(encoding="utf-8")
    for name in ("01-naive", "01-naive-old"):
        (tmp_path / "assignments" / name).mkdir(parents=True)
        (tmp_path / "assignments" / name / "lab.toml").write_text(spec, encoding="utf-8")
    with pytest.raises(
        LabError, match=r"matmul_naive\.cu: assignments/01-naive, assignments/01-naive-old.*move it out of"
    ):
        load_labs(tmp_path, [])
