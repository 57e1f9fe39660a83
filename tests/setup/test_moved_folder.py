"""A folder that was moved or copied: what was installed and built in it is used again, or one sentence says why not."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Set-up's own pieces, with a build that only writes down that it ran.
SCRIPT = """
root=$PWD prefix=$PWD/.tilelab/prefix log=$PWD/.tilelab/log
for piece in say bundle needs python parts build; do . "kit/setup/$piece.sh"; done
digest() { for word in "$@"; do printf '%s\\n' "$word"; [ ! -f "$word" ] || cat "$word"; done | sha256sum; }
configure() { mkdir -p build/bin; printf '{"compiler": "g++", "archives": ["%s/build/lib/a.a", "/usr/lib/b.a"]}' "$PWD" >build/kit.json; }
run_build() { touch build/bin/judge; }
find_compiler() { echo "${COMPILER:-g++}"; }
"""
Run = Callable[..., str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A built folder, in a path with a space and an umlaut."""
    folder = tmp_path / "my Übung"
    shutil.copytree(ROOT / "kit/setup", folder / "kit/setup")
    (folder / ".tilelab").mkdir()
    (folder / "CMakeLists.txt").write_text("project(one)\n")
    (folder / "kit/machine.cpp").write_text("int one;\n")
    assert "building the kit" in run(folder, 'build_kit ""')
    return folder


def run(folder: Path, script: str, **environment: str) -> str:
    words = ["bash", "-euo", "pipefail", "-c", SCRIPT + script]
    done = subprocess.run(
        words, cwd=folder, env={"PATH": "/usr/bin:/bin", **environment}, capture_output=True, text=True, check=True
    )
    return done.stderr


def test_a_folder_that_was_moved_is_not_built_again_and_says_so_once(folder: Path) -> None:
    moved = folder.rename(folder.with_name("elsewhere"))
    said = run(moved, 'build_kit ""')
    assert said == f"tilelab: this folder was moved or copied from {folder}: what was built there is used again\n"
    kit = json.loads((moved / "build/kit.json").read_text())
    assert kit["archives"] == [str(moved / "build/lib/a.a"), "/usr/lib/b.a"]
    assert run(moved, 'build_kit ""') == ""


def test_a_copy_with_new_times_is_not_built_again_and_leaves_the_first_alone(folder: Path) -> None:
    before = (folder / "build/kit.json").read_text()
    copied = Path(
        shutil.copytree(folder, folder.with_name("copy"), copy_function=shutil.copyfile)
    )  # without their times
    assert "is used again" in run(copied, 'build_kit ""')
    assert (folder / "build/kit.json").read_text() == before
    assert (copied / "build/bin/judge").stat().st_mtime >= (copied / "kit/machine.cpp").stat().st_mtime
    assert run(folder, 'build_kit ""') == ""
    again = copied.rename(copied.with_name("again"))
    assert f"moved or copied from {copied}:" in run(again, 'build_kit ""')


@pytest.mark.parametrize(
    ("change", "because"),
    [
        ("echo 'int two;' >>kit/machine.cpp", "some of its files have changed since"),
        ("COMPILER=/bin/true", "this machine or its compiler is another"),
        ("TILELAB_WERROR=1", "what it is built with has changed"),
        ("rm build/.sources", "some of its files have changed since"),
    ],
)
def test_what_cannot_be_used_again_is_built_anew_and_one_sentence_says_why(
    folder: Path, change: str, because: str
) -> None:
    moved = folder.rename(folder.with_name("elsewhere"))
    first, *others = run(moved, f'{change}\nbuild_kit ""').splitlines()
    assert (
        first == f"tilelab: this folder was moved or copied from {folder}, and {because}: the kit is built anew (once)"
    )
    assert others[-1].endswith("building the kit (once)")
    assert run(moved, f'{change if "=" in change else ""}\nbuild_kit ""') == ""


def test_a_source_that_changes_after_the_move_is_noticed(folder: Path) -> None:
    moved = folder.rename(folder.with_name("elsewhere"))
    run(moved, 'build_kit ""')
    (moved / "kit/new.cpp").write_text("int three;\n")
    assert "some of its files have changed since" in run(moved, 'build_kit ""')


def test_a_students_own_files_beside_a_lab_are_nothing_that_the_kit_is_built_from(folder: Path) -> None:
    moved = folder.rename(folder.with_name("elsewhere"))
    lab = moved / "assignments/01-add"
    lab.mkdir(parents=True)
    for name in ("try.cpp", "notes.txt", "add.cu"):
        (lab / name).write_text("mine\n")
    assert "is used again" in run(moved, 'build_kit ""')
    (lab / "public_tests.cpp").write_text("// a test\n")
    assert "some of its files have changed since" in run(moved, 'build_kit ""')


PROGRAMS = {
    "short": b"#!%b/bin/python3.11\nprint('short')\n",
    "long": b"#!/bin/sh\n'''exec' \"%b/bin/python\" \"$0\" \"$@\"\n' '''\nprint('long')\n",
    "plain": b"#!/bin/sh\n'''exec' %b/bin/python3 \"$0\" \"$@\"\n' '''\nprint('plain')\n",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_programs_of_a_moved_venv_find_their_python_again(tmp_path: Path, name: str) -> None:
    programs = tmp_path / "neu und größer/.venv/bin"
    programs.mkdir(parents=True)
    (programs / "python").symlink_to(sys.executable)
    program = programs / name
    program.write_bytes(PROGRAMS[name] % str(tmp_path / "old one/.venv").encode())
    program.chmod(0o755)
    command = [
        sys.executable,
        str(ROOT / "kit/setup/moved.py"),
        str(tmp_path / "old one"),
        str(tmp_path),
        str(programs),
    ]
    subprocess.run(command, check=True)
    assert subprocess.run([program], capture_output=True, text=True, check=True).stdout == f"{name}\n"
    once = program.read_bytes()
    subprocess.run(command, check=True)
    assert program.read_bytes() == once


def test_other_programs_and_links_of_a_venv_are_left_alone(tmp_path: Path) -> None:
    programs = tmp_path / ".venv/bin"
    programs.mkdir(parents=True)
    texts = {"other": b"#!/usr/bin/env python3\n/old/.venv/bin/python\n", "binary": b"\x7fELF/old/.venv/bin/python\n"}
    for name, text in texts.items():
        (programs / name).write_bytes(text)
    (programs / "activate").write_bytes(b"VIRTUAL_ENV='/old/.venv'\n")
    (programs / "link").symlink_to("other")
    subprocess.run([sys.executable, ROOT / "kit/setup/moved.py", "/old", "/new", programs], check=True)
    assert {name: (programs / name).read_bytes() for name in texts} == texts
    assert (programs / "activate").read_text() == f"VIRTUAL_ENV='{tmp_path / '.venv'}'\n"
    assert (programs / "link").is_symlink()


def test_the_requirements_are_those_of_the_project_without_itself() -> None:
    command = [sys.executable, str(ROOT / "kit/setup/requirements.py"), str(ROOT / "pyproject.toml")]
    few, many = (
        subprocess.run([*command, extra], capture_output=True, text=True, check=True).stdout.splitlines()
        for extra in ("", "dev")
    )
    assert set(few) < set(many)
    assert not any(line.startswith("grader") for line in many)
    assert {"ruff", "pytest", "rich"} <= {line.split("=")[0].split(">")[0] for line in many}


def test_the_program_of_the_grader_is_found_through_a_link_and_knows_its_folder(tmp_path: Path) -> None:
    programs = tmp_path / "a folder/.venv/bin"
    programs.mkdir(parents=True)
    (programs / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (programs / "python").chmod(0o755)
    shutil.copy(ROOT / "kit/setup/tilelab-program.txt", programs / "tilelab")
    (programs / "tilelab").chmod(0o755)
    (tmp_path / "tilelab").symlink_to(programs / "tilelab")
    done = subprocess.run(
        [tmp_path / "tilelab", "--help"],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
    )
    assert done.stdout.startswith("Usage: tilelab ")
