"""What the Makefile passes to the `tilelab` command, also for values with spaces. Nothing is set up."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RECORDER = '#!/bin/sh\nfor word in "$@"; do printf "%s\\n" "$word"; done >"$(dirname "$0")/words"\n'


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Only the Makefile, in a path with a space. Fake programs replace set-up and `tilelab`, and record their arguments."""
    clone = tmp_path / "my clone"
    (clone / "kit/setup").mkdir(parents=True)
    (clone / ".venv/bin").mkdir(parents=True)
    (clone / "assignments/07-some-lab").mkdir(parents=True)
    shutil.copy(ROOT / "Makefile", clone)
    for makefile in ("lab.mk", "quiet_ending.mk"):
        shutil.copy(ROOT / "kit/setup" / makefile, clone / "kit/setup")
    (clone / "assignments/07-some-lab/Makefile").write_text("include ../../kit/setup/lab.mk\n")
    for program in (clone / "kit/setup/setup.sh", clone / ".venv/bin/tilelab"):
        program.write_text(RECORDER)
        program.chmod(0o755)
    return clone


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    keep = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    for name in ("LAB", "CASE", "OUT", "SUBMISSIONS", "EXPORT"):
        keep.pop(name, None)
    return subprocess.run(["make", *arguments], cwd=folder, env=keep, capture_output=True, text=True, check=False)


def words(clone: Path, program: str = ".venv/bin/tilelab") -> list[str]:
    return ((clone / program).parent / "words").read_text().splitlines()


def test_without_a_target_says_what_there_is_and_does_nothing(clone: Path) -> None:
    shown = make(clone).stdout
    for target in ("setup", "grade", "test", "watch", "report", "check", "lint", "format", "clean"):
        assert f"make {target} " in shown
    assert not (clone / "kit/setup/words").exists()


@pytest.mark.parametrize(
    ("makefile", "place"),
    [("Makefile", "."), ("handouts/student/Makefile", "."), ("Makefile", "assignments/07-some-lab")],
)
def test_help_fits_into_80_columns(clone: Path, makefile: str, place: str) -> None:
    shutil.copy(ROOT / makefile, clone)
    (clone / "VERSION").write_text("1.0.0\n")
    (clone / "assignments/07-some-lab/lab.toml").touch()
    rows = make(clone / place, "help").stdout.splitlines()
    assert len(rows) > 5
    assert max(map(len, rows)) <= 80


def test_grades_the_bundled_class_when_told_nothing(clone: Path) -> None:
    assert make(clone, "grade").returncode == 0
    assert words(clone) == ["grade", "tests/class", "--out", "out"]


def test_grades_folders_with_spaces_and_several_labs(clone: Path) -> None:
    make(clone, "grade", "SUBMISSIONS=handed in/week 3", "OUT=my out", "LAB=01-naive 07-some-lab")
    expected = ["grade", "handed in/week 3", "--out", "my out", "--lab", "01-naive", "--lab", "07-some-lab"]
    assert words(clone) == expected


def test_writes_the_exports_that_are_named(clone: Path) -> None:
    make(clone, "grade", "EXPORT=grades-csv another-format")
    expected = ["grade", "tests/class", "--out", "out", "--export", "grades-csv", "--export", "another-format"]
    assert words(clone) == expected


def test_hands_out_every_lab_or_those_that_are_named(clone: Path) -> None:
    make(clone, "handouts")
    assert words(clone) == ["handouts"]
    make(clone, "handouts", "LAB=01-naive 07-some-lab")
    assert words(clone) == ["handouts", "--lab", "01-naive", "--lab", "07-some-lab"]


def test_tests_one_case_of_a_lab(clone: Path) -> None:
    make(clone, "test", "LAB=07-some-lab", "CASE=sums sizes that are no multiple")
    assert words(clone) == ["test", "07-some-lab", "--case", "sums sizes that are no multiple"]


def test_tests_a_lab_from_inside_its_folder(clone: Path) -> None:
    assert make(clone / "assignments/07-some-lab", "test").returncode == 0
    assert words(clone) == ["test", "07-some-lab"]


@pytest.mark.parametrize("target", ["test", "watch", "report"])
def test_every_part_of_a_students_loop_runs_from_the_labs_folder_and_the_top(clone: Path, target: str) -> None:
    folder = clone / "assignments/07-some-lab"
    assert make(folder, target).returncode == 0
    assert words(clone) == [target, "07-some-lab"]
    assert make(folder, target, "LAB=08-other").returncode == 0
    assert words(clone) == [target, "08-other"]
    assert make(clone, target, "LAB=07-some-lab 08-other").returncode == 0
    assert words(clone) == [target, "07-some-lab", "08-other"]


def test_watches_one_case(clone: Path) -> None:
    make(clone / "assignments/07-some-lab", "watch", "CASE=one that is long")
    assert words(clone) == ["watch", "07-some-lab", "--case", "one that is long"]


def test_a_bundle_is_set_ups_work_with_the_options_given(clone: Path) -> None:
    assert make(clone, "bundle").returncode == 0
    assert words(clone, "kit/setup/setup.sh") == ["bundle"]
    make(clone, "bundle", "OPTIONS=--cuda", "PYTHON=3.12")
    assert words(clone, "kit/setup/setup.sh") == ["bundle", "--cuda"]


def test_stops_when_set_up_fails(clone: Path) -> None:
    (clone / "kit/setup/setup.sh").write_text("#!/bin/sh\nexit 1\n")
    for arguments in (
        ["grade"],
        ["test", "LAB=07-some-lab"],
        ["-C", "assignments/07-some-lab", "test"],
        ["watch"],
        ["report"],
    ):
        assert make(clone, *arguments).returncode != 0
    assert not (clone / ".venv/bin/words").exists()
