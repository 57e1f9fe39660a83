"""Of several files with a lab's name, the one at the handout's place counts, then the one nearest to the top."""

from __future__ import annotations

from pathlib import Path

import pytest
from upload_files import NAIVE, put

from grader.roll.intake.intake import Intake, discover
from grader.roll.intake.matching import LabFile

STARTER = b"// TODO\r\n"
LABS = [LabFile(NAIVE, "01-naive", ("matmul_naive",), STARTER)]
HOME = f"assignments/01-naive/{NAIVE}"


def taken(tmp_path: Path, **files: bytes) -> Intake:
    for path, data in files.items():
        put(tmp_path / "in" / "anna" / path, data)
    put(tmp_path / "in" / "zoe" / NAIVE)
    return discover(tmp_path / "in", tmp_path / "scratch", LABS).students[0]


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ([NAIVE, f"old/{NAIVE}", f"build/x/{NAIVE}", f"backup/{HOME}"], HOME),
        ([f"src/{NAIVE}", f"cuda/{HOME}"], HOME),
        ([f"src/{NAIVE}", f"x/01-naive/{NAIVE}"], NAIVE),
        ([f"a/b/{NAIVE}", f"build/{NAIVE}"], f"src/{NAIVE}"),
        ([f"old/{NAIVE}", f"lab backup/{NAIVE}", f"cmake-build-debug/{NAIVE}"], f"work/deep/down/{NAIVE}"),
        ([f"repo/{HOME}"], HOME),
    ],
)
def test_the_right_one_of_several_is_taken(wrong: list[str], right: str, tmp_path: Path) -> None:
    files = {path: f"// {path}\n".encode() for path in wrong} | {right: b"int right;\n"}
    student = taken(tmp_path, **files)
    assert student.blocked == {}
    assert student.sources[NAIVE].read_bytes() == b"int right;\n"


def test_the_starter_never_counts_beside_a_file_that_was_changed(tmp_path: Path) -> None:
    student = taken(tmp_path, **{HOME: b"// TODO\n", f"my work/{NAIVE}": b"int mine;\n"})
    assert student.sources[NAIVE].read_bytes() == b"int mine;\n"
    assert taken(tmp_path / "only", **{HOME: STARTER}).sources[NAIVE].read_bytes() == b"// TODO\n"


def test_equal_copies_are_one_file(tmp_path: Path) -> None:
    student = taken(tmp_path, **{f"a/{NAIVE}": b"int x;\n", f"b/{NAIVE}": b"int x;\n"})
    assert student.sources[NAIVE].read_bytes() == b"int x;\n"


def test_two_that_differ_and_lie_alike_are_for_a_person(tmp_path: Path) -> None:
    student = taken(tmp_path, **{f"a/{NAIVE}": b"int x;\n", f"b/{NAIVE}": b"int y;\n"})
    assert "2 different files" in student.blocked[NAIVE]


def test_copies_in_old_folders_count_where_there_is_nothing_else(tmp_path: Path) -> None:
    assert taken(tmp_path, **{f"old/{NAIVE}": b"int x;\n"}).sources[NAIVE].read_bytes() == b"int x;\n"


def test_a_pointer_of_git_lfs_is_not_the_file_and_is_told(tmp_path: Path) -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
    student = taken(tmp_path, **{HOME: pointer})
    assert "run `git lfs pull` in the clone" in student.blocked[NAIVE]
    assert student.sources == {}
