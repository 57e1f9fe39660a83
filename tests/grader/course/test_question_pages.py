"""Write-ups, answers.md and seals are made from a lab's questions, and what is stale or by hand is told."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from grader.course.starters import BEGIN, outdated, write
from grader.model.labs import LabError

ROOT = Path(__file__).resolve().parents[3]
LAB = "02-tiled"


@pytest.fixture
def course(tmp_path: Path) -> Path:
    for half in ("assignments", "solutions"):
        shutil.copytree(ROOT / half / LAB, tmp_path / half / LAB, ignore=shutil.ignore_patterns("rejects", "ladder"))
    return tmp_path


def files(course: Path) -> Path:
    return course / "assignments" / LAB


def test_the_course_is_current_and_writing_changes_nothing(course: Path) -> None:
    assert (outdated(course), write(course)) == ([], [])


@pytest.mark.parametrize("name", ["README.md", "answers.md", "seals.toml"])
def test_a_stale_file_is_told_and_made_again(name: str, course: Path) -> None:
    path = files(course) / name
    before = path.read_text(encoding="utf-8")
    path.write_text(
        before.replace(f"{BEGIN}\n", f"{BEGIN}\nby hand\n") if name == "README.md" else "", encoding="utf-8"
    )
    assert [one.path for one in outdated(course)] == [f"assignments/{LAB}/{name}"]
    assert write(course) == [path]
    assert path.read_text(encoding="utf-8") == before


def test_another_right_number_gets_another_seal_and_the_others_stay(course: Path) -> None:
    numbers = course / "solutions" / LAB / "numbers.toml"
    numbers.write_text(numbers.read_text(encoding="utf-8").replace("= 128", "= 129"), encoding="utf-8")
    seals = files(course) / "seals.toml"
    before = seals.read_text(encoding="utf-8").splitlines()
    assert [one.path for one in outdated(course)] == [f"assignments/{LAB}/seals.toml"]
    write(course)
    after = seals.read_text(encoding="utf-8").splitlines()
    assert [one.split(" = ")[0] for one, other in zip(before, after, strict=True) if one != other] == ['"arrivals"']


def test_a_write_up_without_a_place_for_its_questions_is_told_and_nothing_is_written(course: Path) -> None:
    page = files(course) / "README.md"
    page.write_text(page.read_text(encoding="utf-8").replace(BEGIN, ""), encoding="utf-8")
    assert "need one place" in str(outdated(course)[0])
    with pytest.raises(LabError, match="need one place"):
        write(course)


def test_answers_without_questions_are_told(course: Path) -> None:
    (files(course) / "questions.toml").unlink()
    assert {one.path.split("/")[-1] for one in outdated(course)} == {"answers.md", "seals.toml"}
