"""How set-up builds the kit where compiling several sources at once fails, and what it says of its steps."""

from __future__ import annotations

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


def run(folder: Path, script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    shutil.copytree(ROOT / "kit/setup", folder / "kit/setup", dirs_exist_ok=True)
    (folder / ".tilelab").mkdir(exist_ok=True)
    words = ["bash", "-euo", "pipefail", "-c", SCRIPT + script]
    return subprocess.run(
        words, cwd=folder, env={"PATH": "/usr/bin:/bin", **environment}, capture_output=True, text=True, check=False
    )


def test_sources_that_cannot_be_compiled_together_are_compiled_alone(tmp_path: Path) -> None:
    done = run(tmp_path, 'build_kit ""', UNITY="ON")
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[-1] == "tilelab: building the kit again, one source at a time"
    assert (tmp_path / "build/.complete").exists()


@pytest.mark.parametrize("environment", [{"UNITY": "OFF"}, {"UNITY": "ON", "ROOM": "0"}])
def test_what_would_not_help_is_not_tried(tmp_path: Path, environment: dict[str, str]) -> None:
    done = run(tmp_path, 'build_kit ""', **environment)
    assert done.returncode == 1
    assert "one source at a time" not in done.stderr
    assert done.stderr.splitlines()[-1] == "tilelab: the kit does not build"


def test_at_the_end_each_step_that_took_time_is_told(tmp_path: Path) -> None:
    script = 'SECONDS=40; note_step "reading package lists" 7; note_step "nothing" 0; note_step "building the kit" 30; say_times'
    assert (
        run(tmp_path, script).stderr == "tilelab: ready after 40 s: reading package lists 7 s, building the kit 30 s\n"
    )
    assert run(tmp_path, "say_times").stderr == ""
