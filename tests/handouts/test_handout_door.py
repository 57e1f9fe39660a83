"""An unpacked handout's Makefile and build files. Fake programs replace set-up and `tilelab`, and record their arguments."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from corpus_sample import sample
from kernel_labs import kernel_lab_ids

from grader.course.handout_archive import Handout
from grader.model.labs import lab_ids, load_lab

pytestmark = pytest.mark.in_turn(4)

ROOT = Path(__file__).resolve().parents[2]
RECORDER = '#!/bin/sh\necho "$@" >>"$(dirname "$0")/calls"\ncase $2 in 02-*) exit 1 ;; esac\n'


@pytest.fixture
def folder(course_handout: Handout, tmp_path: Path, untar: Callable[[Path, Path], None]) -> Path:
    """The course's handout unpacked in a path with a space."""
    (tmp_path / "handout.tar.gz").write_bytes(course_handout.archive())
    untar(tmp_path / "handout.tar.gz", tmp_path / "my work")
    return tmp_path / "my work" / course_handout.name


@pytest.fixture
def recorded(folder: Path) -> Path:
    (folder / ".venv/bin").mkdir(parents=True)
    for program in (folder / "kit/setup/setup.sh", folder / ".venv/bin/tilelab"):
        program.write_text(RECORDER)
        program.chmod(0o755)
    return folder


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    keep = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    for name in ("LAB", "CASE", "FROM"):
        keep.pop(name, None)
    return subprocess.run(["make", *arguments], cwd=folder, env=keep, capture_output=True, text=True, check=False)


def calls(folder: Path) -> list[str]:
    return (folder / ".venv/bin/calls").read_text().splitlines()


def test_help_names_the_version_and_every_target(folder: Path) -> None:
    shown = make(folder).stdout
    assert shown.startswith(f"Tilelab {(folder / 'VERSION').read_text()}")
    for target in ("setup", "test", "answers", "watch", "report", "upgrade", "clean"):
        assert f"make {target} " in shown


def test_set_up_says_what_to_do_next(recorded: Path) -> None:
    assert make(recorded, "setup").stdout.splitlines()[-1] == "next: make test"


def test_tests_all_labs_together_and_fails_when_one_does(recorded: Path) -> None:
    assert make(recorded, "test").returncode == 0
    assert make(recorded, "test", "LAB=02-tiled").returncode != 0
    assert calls(recorded) == ["test", "test 02-tiled"]


@pytest.mark.parametrize("place", [".", "assignments/02-tiled"])
def test_a_failed_test_ends_with_the_result_and_not_with_makes_own_words(recorded: Path, place: str) -> None:
    for arguments in (("test",), ("-s", "test"), ("-k", "test")):
        finished = make(recorded / place, *arguments, "LAB=02-tiled")
        assert (finished.returncode, finished.stdout, finished.stderr) == (1, "", "")
    assert len(calls(recorded)) == 3
    assert list(Path(os.environ.get("TMPDIR", "/tmp")).glob("tilelab-failed-*")) == []  # noqa: S108 -- where the Makefile puts it


def test_a_goal_among_others_and_one_that_is_only_shown_are_makes_own(recorded: Path) -> None:
    assert "Error 1" in make(recorded, "test", "help", "LAB=02-tiled").stderr
    assert make(recorded, "-n", "test", "LAB=02-tiled").returncode == 0
    assert len(calls(recorded)) == 1


def test_tests_one_case_of_one_lab(recorded: Path) -> None:
    lab = kernel_lab_ids(ROOT)[0]
    assert make(recorded, "test", f"LAB={lab}", "CASE=a single element").returncode == 0
    assert calls(recorded) == [f"test {lab} --case a single element"]


def test_tests_a_lab_from_inside_its_folder(recorded: Path) -> None:
    lab = kernel_lab_ids(ROOT)[0]
    assert make(recorded / "assignments" / lab, "test").returncode == 0
    assert calls(recorded) == [f"test {lab}"]


@pytest.mark.parametrize("target", ["watch", "answers", "report"])
def test_the_rest_of_the_loop_takes_the_same_labs(recorded: Path, target: str) -> None:
    make(recorded, target)
    make(recorded, target, "LAB=01-naive 03-boundary")
    make(recorded / "assignments/01-naive", target)
    assert calls(recorded) == [target, f"{target} 01-naive 03-boundary", f"{target} 01-naive"]


def test_make_in_the_folder_of_all_labs_does_the_same_as_above_it(recorded: Path) -> None:
    assert make(recorded / "assignments", "test", "LAB=01-naive", "CASE=a single element").returncode == 0
    assert calls(recorded) == ["test 01-naive --case a single element"]
    assert make(recorded / "assignments").stdout.startswith("Tilelab ")


@pytest.mark.parametrize("place", [".", "assignments", "assignments/02-tiled"])
def test_a_mistyped_command_gets_a_sentence(folder: Path, place: str) -> None:
    done = make(folder / place, "tset")
    assert done.returncode == 2
    assert 'there is no command "make tset"' in done.stderr
    assert "make help lists" in done.stderr


def test_upgrade_works_from_a_labs_folder_and_asks_for_the_archive(folder: Path, course_handout: Handout) -> None:
    newer = folder / "assignments/02-tiled/newer.tar.gz"
    newer.write_bytes(course_handout.archive())
    done = make(folder / "assignments/02-tiled", "upgrade", "FROM=newer.tar.gz")
    assert (done.returncode, done.stderr) == (0, "")
    assert "nothing to do: this folder is" in done.stdout
    assert "which handout?" in make(folder, "upgrade").stderr


def test_a_labs_folder_that_was_moved_away_says_where_it_belongs(folder: Path) -> None:
    moved = (folder / "assignments/02-tiled").rename(folder.parent / "02-tiled")
    done = make(moved, "test")
    assert done.returncode == 2
    assert "move this folder back there" in done.stderr


def test_stops_when_set_up_fails(recorded: Path) -> None:
    (recorded / "kit/setup/setup.sh").write_text("#!/bin/sh\nexit 1\n")
    assert make(recorded, "test").returncode != 0
    assert not (recorded / ".venv/bin/calls").exists()


def test_upgrades_to_itself_and_keeps_a_changed_starter(folder: Path, course_handout: Handout) -> None:
    newer = folder.parent / "the newer one.tar.gz"
    newer.write_bytes(course_handout.archive())
    starter = folder / min(course_handout.manifest.starters)
    starter.write_text("mine\n")
    done = make(folder, "upgrade", f"FROM={newer}")
    assert (done.returncode, done.stderr) == (0, "")
    assert starter.read_text() == "mine\n"


def test_the_build_is_described_without_the_private_half(folder: Path) -> None:
    kit = json.loads((ROOT / "build/kit.json").read_text(encoding="utf-8"))
    command = [
        (ROOT / "build/.cmake").read_text().strip(),
        "-S",
        ".",
        "-B",
        "build",
        f"-DCMAKE_CXX_COMPILER={kit['compiler']}",
    ]
    command.append(f"-DCMAKE_PREFIX_PATH={ROOT / '.tilelab/prefix/usr'}")
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    shown = subprocess.run(
        [command[0], "--build", "build", "--target", "help"], cwd=folder, capture_output=True, text=True, check=True
    )
    judges = {word.strip(". :") for word in shown.stdout.split() if word.startswith("judge-")}
    assert {f"judge-{lab}-public" for lab in lab_ids(ROOT)} <= judges
    assert [judge for judge in judges if judge.startswith("judge-0") and not judge.endswith("-public")] == []


@pytest.mark.parametrize("lab_id", sample(lab_ids(ROOT), 6))
def test_an_editor_that_reads_the_compile_flags_finds_no_mistake_in_a_lab(folder: Path, lab_id: str) -> None:
    compiler = json.loads((ROOT / "build/kit.json").read_text(encoding="utf-8"))["compiler"]
    flags = (folder / "assignments/compile_flags.txt").read_text().split("\n")
    private = f"-isystem{ROOT / '.tilelab/prefix/usr/include'}"
    spec = load_lab(ROOT, lab_id).public
    # A file with <<<…>>> in it is no C++: an editor needs to know CUDA for it.
    files = ["public_tests.cpp"] if spec.starts_itself else [spec.file, "public_tests.cpp"]
    for file in files:
        command = [compiler, *filter(None, flags), private, "-fsyntax-only", f"{lab_id}/{file}"]
        done = subprocess.run(command, cwd=folder / "assignments", capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
