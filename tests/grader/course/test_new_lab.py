"""`tilelab new-lab`: the files that it makes, their names, and what it refuses. test_writing_a_lab.py tests that they build and run."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from corpus_sample import sample

from grader.course.new_lab import NewLab, files_of, next_steps, with_defaults, write_lab
from grader.course.starters import stale
from grader.model.errors import RemediableError
from grader.model.labs import load_lab

pytestmark = pytest.mark.in_turn(3)

ROOT = Path(__file__).resolve().parents[3]
PATTERN = "02-tiled"


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course of one lab, with kit headers to compile against."""
    for folder in (f"assignments/{PATTERN}", f"solutions/{PATTERN}", "kit"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    return tmp_path


def new(
    lab_id: str, *, title: str | None = None, problem: str | None = None, kernel: str | None = None, shape: str = "M,N"
) -> NewLab:
    return with_defaults(lab_id, title=title, problem=problem, kernel=kernel, shape=shape)


def made(course: Path, lab: NewLab) -> dict[str, str]:
    files = files_of(course, lab)
    write_lab(course, files)
    return files


def compiles(course: Path, path: str) -> str:
    """The compiler's output for one file of the course."""
    compiler = json.loads((ROOT / "build/kit.json").read_text(encoding="utf-8"))["compiler"]
    folders = [f"-I{course / folder}" for folder in ("kit", "kit/include", "kit/executor/device")]
    folders.append(f"-I{ROOT / 'build/generated'}")  # headers that are made when the kit is built
    folders.append(f"-isystem{ROOT / '.tilelab/prefix/usr/include'}")
    device = ["-include", "cuda_on_cpu.hpp"] if path.endswith(".cu") else ["-Wall", "-Wextra"]
    command = [compiler, "-xc++", "-std=c++20", "-fsyntax-only", *folders, *device, str(course / path)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


def test_names_that_are_left_out_follow_from_the_labs() -> None:
    assert new("06-row-sums") == NewLab("06-row-sums", "Row sums", "row_sums", "row_sums")
    assert new("06-blocked", problem="sum") == NewLab("06-blocked", "Blocked", "sum", "sum_blocked")
    assert new("06-sum-blocked", problem="sum").kernel == "sum_blocked"
    assert new("06-x", title=" Größte Werte ", kernel="k").title == "Größte Werte"


@pytest.mark.parametrize(
    "lab_id",
    ["reduction", "6-reduction", "06-Reduction", "06_reduction", "06-", "../06-a", "06-a/b", "06-a b", "06-ä", ""],
)
def test_a_bad_name_is_refused_and_a_good_one_shown(lab_id: str) -> None:
    with pytest.raises(RemediableError, match=r"cannot be a lab's name: .* such as 08-stencil"):
        new(lab_id)


@pytest.mark.parametrize("name", ["Sum", "2sum", "a-b", "../a", "a.b", "", "double", "judge", "a" * 41])
def test_a_name_that_is_no_identifier_is_refused(name: str) -> None:
    with pytest.raises(RemediableError, match="cannot be the name of a problem"):
        new("06-a", problem=name)
    with pytest.raises(RemediableError, match="cannot be the name of a kernel"):
        new("06-a", problem="sum", kernel=name)


@pytest.mark.parametrize("title", ["", " ", "two\nlines", 'a "quote"', "a \\ in C++ ends no line", "long " * 20])
def test_a_title_that_would_break_a_file_is_refused(title: str) -> None:
    with pytest.raises(RemediableError, match="cannot be a title"):
        new("06-a", title=title)


@pytest.mark.parametrize("shape", ["", "M,", "M,M", "a,b,c", "1n", "in", "int", "n-1"])
def test_sizes_that_cannot_be_parameters_are_refused(shape: str) -> None:
    with pytest.raises(RemediableError, match="write n for a vector, or rows,columns"):
        new("06-a", shape=shape)


def test_the_sizes_of_a_problem_that_exists_are_its_own(course: Path) -> None:
    with pytest.raises(RemediableError, match=r"matmul\.hpp has its sizes already: leave out --shape"):
        files_of(course, new("06-strips", problem="matmul", shape="n"))


@pytest.mark.parametrize(
    ("shape", "integers"), sample([("n", "int"), ("M,N", "int, int"), ("rows, columns", "int, int")], 2)
)
def test_a_new_problem_gets_a_sound_lab_that_says_what_to_write(course: Path, shape: str, integers: str) -> None:
    files = made(course, new("06-row-sums", title="Sums of rows", shape=shape))
    assert f'launch = "row_sums_launch({integers})"' in files["assignments/06-row-sums/lab.toml"]
    assert stale(course) == []
    lab = load_lab(course, "06-row-sums")
    assert (lab.public.title, lab.public.problem, lab.public.file) == ("Sums of rows", "row_sums.hpp", "row_sums.cu")
    assert lab.private is not None
    assert [path for path, text in files.items() if "FILL IN" not in text] == ["assignments/06-row-sums/Makefile"]
    for path in files:
        if path.endswith((".cpp", ".hpp", ".cu")):
            assert "error" not in compiles(course, path)


def test_a_lab_of_an_old_problem_starts_as_one_of_its_labs_under_new_names(course: Path) -> None:
    files = made(course, new("06-strips", problem="matmul", title="Strips"))
    assert stale(course) == []
    lab, pattern = load_lab(course, "06-strips"), load_lab(course, PATTERN)
    assert lab.public.kernel == pattern.public.kernel.replace("matmul_tiled", "matmul_strips")
    assert (lab.public.title, lab.public.case, lab.private) == ("Strips", pattern.public.case, pattern.private)
    assert [path for path in files if path.startswith("kit/")] == []
    assert [path for path, text in files.items() if "matmul_tiled" in text] == []
    assert "matmul_strips_launch(int M" in files["solutions/06-strips/matmul_strips.cu"]
    rejects = [text.split()[2] for path, text in files.items() if "/rejects/" in path]
    assert len(rejects) == len(set(rejects)) == 3
    assert compiles(course, "solutions/06-strips/matmul_strips.cu") == ""


def test_nothing_that_exists_is_touched(course: Path) -> None:
    made(course, new("06-row-sums"))
    before = {path: path.read_bytes() for path in course.rglob("*") if path.is_file()}
    for lab in (new("06-row-sums"), new(PATTERN, problem="other"), new("07-x", problem="row_sums", kernel="row_sums")):
        with pytest.raises(RemediableError, match="already"):
            files_of(course, lab)
    (course / "kit/problems/half.hpp").write_text("#pragma once\n")
    with pytest.raises(RemediableError, match=r"kit/problems/half.hpp already exists, so nothing was written"):
        files_of(course, new("07-half"))
    (course / "kit/problems/half.hpp").unlink()
    assert {path: path.read_bytes() for path in course.rglob("*") if path.is_file()} == before


def test_what_cannot_be_written_whole_is_not_written(course: Path) -> None:
    files = {"assignments/06-a/lab.toml": "x", "assignments/06-a/lab.toml/below": "y"}
    with pytest.raises(RemediableError, match="the files written so far were removed again"):
        write_lab(course, files)
    assert not (course / "assignments/06-a/lab.toml").exists()


def test_the_last_line_takes_a_new_lab_back(course: Path) -> None:
    before, lab = set(course.rglob("*")), new("21-largest")
    said = next_steps(lab, made(course, lab)).splitlines()[-1]
    subprocess.run(said.removeprefix("To take it back: "), shell=True, cwd=course, check=True)  # noqa: S602 -- as a person types it
    assert set(course.rglob("*")) == before


def test_a_handout_takes_no_new_labs(tmp_path: Path) -> None:
    with pytest.raises(RemediableError, match="in the course's own repository, not in a handout"):
        files_of(tmp_path, new("06-a"))
