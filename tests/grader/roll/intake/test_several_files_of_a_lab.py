"""Labs with several files: which are taken from an upload, and which uploads are refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from upload_files import put, zip_bytes

from grader.model.several_files import parted
from grader.roll.intake.intake import Intake, discover
from grader.roll.intake.matching import LabFile

LAB = LabFile("main.cu", "07-lab", beside=("kernel.cuh", "*.cu", "*.cuh", "Makefile"))
MAIN, KERNEL = b'#include "kernel.cuh"\nint main() {}\n', b"__global__ void k() {}\n"


def taken(folder: Path, tmp_path: Path) -> Intake:
    (only,) = discover(folder, tmp_path / "scratch", [LAB]).students
    return only


def names(student: Intake) -> list[str]:
    return list(parted(student.texts()["main.cu"], "main.cu"))


@pytest.mark.parametrize("packed", [False, True])
def test_all_files_come_from_a_folder_or_an_archive(tmp_path: Path, packed: bool) -> None:
    files = {
        "src/main.cu": MAIN,
        "src/inc/kernel.cuh": KERNEL,
        "src/b.cu": b"\r\n",
        "old/b.cu": b"x",
        "src/notes.txt": b"",
        "src/Makefile": b"p: b.cu",
    }
    for name, data in files.items():
        put(tmp_path / "class" / "ada" / name, data)
    if packed:
        for path in sorted((tmp_path / "class" / "ada").rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        put(tmp_path / "class" / "ada" / "all.zip", zip_bytes(files))
    ada = taken(tmp_path / "class", tmp_path)
    assert names(ada) == ["main.cu", "Makefile", "b.cu", "kernel.cuh"]
    assert parted(ada.texts()["main.cu"], "main.cu")["b.cu"] == "\n"
    assert any("from the build file: b.cu" in one for one in ada.submission.notices)


def test_a_notebook_has_several_files(tmp_path: Path) -> None:
    cells = [
        f"%%writefile {name}\n{text}"
        for name, text in (("main.cu", "int main() {}"), ("kernel.cuh", "// k"), ("x.py", ""))
    ]
    book = {"cells": [{"cell_type": "code", "source": one} for one in cells]}
    put(tmp_path / "class" / "ada" / "lab.ipynb", json.dumps(book).encode())
    assert names(taken(tmp_path / "class", tmp_path)) == ["main.cu", "kernel.cuh"]


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"a/kernel.cuh": b"1", "b/kernel.cuh": b"2"}, "2 different files named 'kernel.cuh'"),
        ({"kernel.cuh": b"x" * 300_000}, "'kernel.cuh' cannot be read, or is larger"),
        ({f"k{number}.cu": b"" for number in range(40)}, "files beside 'main.cu' are more than 32"),
        ({f"k{number}.cu": b"x" * 200_000 for number in range(8)}, "or more than 1024 KiB"),
    ],
)
def test_files_beyond_a_limit_are_refused(tmp_path: Path, files: dict[str, bytes], why: str) -> None:
    for name, data in {"main.cu": MAIN, **files}.items():
        put(tmp_path / "class" / "ada" / name, data)
    ada = taken(tmp_path / "class", tmp_path)
    assert why in ada.blocked["main.cu"]


def test_what_lies_elsewhere_in_a_handout_or_is_the_courses_is_none_of_them(tmp_path: Path) -> None:
    files = {
        "07-lab/main.cu": MAIN,
        "07-lab/b.cu": b"",
        "07-lab/course.cuh": b"#error",
        "06-lab/c.cu": b"",
        "06-lab/kernel.cuh": b"x",
    }
    for name, data in files.items():
        put(tmp_path / "class" / "ada" / "work" / "assignments" / name, data)
    lab = replace(LAB, given=frozenset({"course.cuh"}))
    (ada,) = discover(tmp_path / "class", tmp_path / "scratch", [lab]).students
    assert names(ada) == ["main.cu", "b.cu"]


def test_links_and_strange_names_are_left_out_and_said(tmp_path: Path) -> None:
    put(tmp_path / "class" / "ada" / "main.cu", MAIN)
    put(tmp_path / "class" / "ada" / "a b.cuh", KERNEL)
    (tmp_path / "class" / "ada" / "kernel.cuh").symlink_to("/etc/passwd")
    ada = taken(tmp_path / "class", tmp_path)
    assert names(ada) == ["main.cu"]
    assert any("symbolic link" in one for one in ada.submission.notices)
    assert any("left out 'a b.cuh'" in one for one in ada.submission.notices)
