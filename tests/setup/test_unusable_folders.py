"""Folders in which set-up cannot work: one sentence with the remedy, and nothing is left behind."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def set_up(folder: Path, *before: str, **environment: str) -> subprocess.CompletedProcess[str]:
    shutil.copytree(ROOT / "kit/setup", folder / "kit/setup", dirs_exist_ok=True)
    for text in before:  # put after set-up's own pieces
        with (folder / "kit/setup/pack.sh").open("a") as last:
            last.write(text)
    command = [str(folder / "kit/setup/setup.sh"), "dev"]
    return subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "name", ["week 1; tiles", 'a "quoted" name', "back\\slash", "10:15", "week [1]", "<new>", "a|b", "two\nlines"]
)
def test_a_path_that_cmake_cannot_build_in_is_told_before_anything_is_done(tmp_path: Path, name: str) -> None:
    done = set_up(tmp_path / name)
    assert (done.returncode, done.stdout) == (1, "")
    (sentence,) = done.stderr.splitlines()
    assert "rename the folder" in sentence
    assert not (tmp_path / name / ".tilelab").exists()


def test_a_folder_that_cannot_be_written_is_told_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "kit").mkdir()
    (tmp_path / ".tilelab").write_text("a file, so that no folder can be made\n")
    done = set_up(tmp_path, "disk_is_full() { return 1; }\n")
    assert done.returncode == 1
    assert (
        done.stderr
        == f"tilelab: this folder cannot be written: {tmp_path}. Copy it to a folder of your own, and work there\n"
    )


def test_a_full_disk_is_the_last_thing_that_is_said_and_no_log_is_shown(tmp_path: Path) -> None:
    full = (
        "disk_is_full() { return 0; }\nprovide_needs() { :; }\nmake_venv() { echo 'Traceback: no space'; return 1; }\n"
    )
    done = set_up(tmp_path, full)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1] == "tilelab: this disk is full: make room, then run the same command again"


def test_line_ends_of_windows_are_told_with_the_remedy_and_nothing_is_begun(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "kit/setup", tmp_path / "kit/setup")
    for script in (tmp_path / "kit/setup").iterdir():
        script.write_bytes(script.read_bytes().replace(b"\n", b"\r\n"))
    command = ["bash", str(tmp_path / "kit/setup/setup.sh")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    (sentence,) = done.stderr.splitlines()
    assert "line ends of Windows" in sentence
    assert "unpack the handout again inside of Linux" in sentence
    assert not (tmp_path / ".tilelab").exists()


def test_a_drive_that_runs_no_programs_is_told_before_anything_is_done(tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "chmod").write_text("#!/bin/sh\n")  # as on such a drive: it changes nothing
    (tools / "chmod").chmod(0o755)
    (tmp_path / ".tilelab/runs").unlink(missing_ok=True)
    done = set_up(tmp_path, PATH=f"{tools}:{os.environ['PATH']}")
    assert done.returncode == 1
    (sentence,) = done.stderr.splitlines()
    assert sentence.endswith("(it is mounted with noexec): copy the folder to your home, and work there")
