"""How set-up builds the kit where compiling several sources at once fails, and what it says of its steps."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# A build that works only where each source is compiled alone, which the false CMake notes.
SCRIPT = """
root=$PWD prefix=$PWD/.tilelab/prefix log=$PWD/.tilelab/log
for piece in say bundle needs python parts build; do . "kit/setup/$piece.sh"; done
digest() { echo key; }
find_compiler() { echo g++; }
disk_is_full() { return "${ROOM:-1}"; }
configure() {
  printf '#!/bin/sh\\n[ "$1" != -DTILELAB_UNITY=OFF ] || touch build/alone\\n' >build/cmake
  chmod +x build/cmake && echo build/cmake >build/.cmake && echo "TILELAB_UNITY:BOOL=$UNITY" >build/CMakeCache.txt
}
run_build() { [ -e build/alone ] || { echo "redefinition of fail"; return 1; }; }
"""


def run(
    folder: Path, script: str, *, stderr: int = subprocess.PIPE, **environment: str
) -> subprocess.CompletedProcess[str]:
    shutil.copytree(ROOT / "kit/setup", folder / "kit/setup", dirs_exist_ok=True)
    (folder / ".tilelab").mkdir(exist_ok=True)
    words, paths = ["bash", "-euo", "pipefail", "-c", SCRIPT + script], {"PATH": "/usr/bin:/bin"}
    return subprocess.run(
        words, cwd=folder, env=paths | environment, stdout=subprocess.PIPE, stderr=stderr, text=True, check=False
    )


def test_sources_that_cannot_be_compiled_together_are_compiled_alone(tmp_path: Path) -> None:
    done = run(tmp_path, 'build_kit ""', UNITY="ON")
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[-1] == "tilelab: building the kit again, one source at a time"
    assert (tmp_path / "build/.complete").exists()


@pytest.mark.parametrize("environment", ["UNITY=OFF", "UNITY=ON ROOM=0"])
def test_what_would_not_help_is_not_tried(tmp_path: Path, environment: str) -> None:
    done = run(tmp_path, f'{environment}; build_kit ""')
    assert done.returncode == 1
    assert "one source at a time" not in done.stderr
    assert done.stderr.splitlines()[-1] == "tilelab: the kit does not build"


def test_at_the_end_each_step_that_took_time_is_told(tmp_path: Path) -> None:
    script = 'SECONDS=40; note_step "reading package lists" 7; note_step "nothing" 0; note_step "building the kit" 30; say_times'
    assert (
        run(tmp_path, script).stderr == "tilelab: ready after 40 s: reading package lists 7 s, building the kit 30 s\n"
    )
    assert run(tmp_path, "say_times").stderr == ""


@pytest.mark.parametrize(
    ("line", "seconds", "words"),
    [
        ("[40/80] Building CXX object a.o", 120, ", about 2 min left"),
        ("[ 50%] Building CXX object a.o", 60, ", about 1 min left"),
        ("[79/80] Linking", 60, ", less than a minute left"),
        ("[40/80] Building", 3, ""),
        ("[26/80] Building", 60, ""),  # the first steps are the longest
        ("[80/80] Linking", 60, ""),
        ("[0/2] Re-checking", 60, ""),
        ("Unpacking g++ (12.2.0-14)", 60, ""),
    ],
)
def test_the_time_left_follows_from_the_steps_that_were_built(
    tmp_path: Path, line: str, seconds: int, words: str
) -> None:
    assert run(tmp_path, f"time_left '{line}' {seconds}").stdout.strip() == words


def test_a_person_who_waits_for_the_build_sees_the_time_left(tmp_path: Path) -> None:
    step = 'least_seconds=0; quietly building sh -c \'echo "[2/4] a.o"; echo "a warning"; sleep 1\''
    watching, terminal = pty.openpty()
    assert run(tmp_path, step, stderr=terminal).returncode == 0
    assert b"tilelab: building (0 s, less than a minute left)" in os.read(watching, 4096)
    os.close(watching)
    os.close(terminal)
    assert run(tmp_path, step).stderr == "tilelab: building\n"
