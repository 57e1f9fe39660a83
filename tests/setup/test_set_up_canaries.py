"""Set-up tries the compiler once, and stops where the canaries show that nobody could rely on it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
digest() { for word in "$@"; do printf '%s\\n' "$word"; [ ! -f "$word" ] || cat "$word"; done | sha256sum; }
for piece in say build; do . "$0/$piece.sh"; done
try_compiler
"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    for folder in ("build/lib", "build/bin", ".venv/bin", "kit/canaries"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "build/kit.json").write_text('{\n  "compiler" : "/usr/bin/g++",\n  "includes" : []\n}\n')
    (tmp_path / "kit/canaries/one.cu").write_text("// canary: pass\n")
    return tmp_path


def set_up(clone: Path, ends: str, **environment: str) -> tuple[int, str]:
    """Exit status and what is said, where `tilelab` does `ends`. It writes down that it was called."""
    program = clone / ".venv/bin/tilelab"
    program.write_text(f'#!/bin/sh\necho "$@" >>"{clone}/called"\n{ends}\n')
    program.chmod(0o755)
    done = subprocess.run(
        ["bash", "-euc", SCRIPT, ROOT / "kit/setup"],
        cwd=clone, env={**os.environ, **environment}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stderr


def calls(clone: Path) -> int:
    return len((clone / "called").read_text().splitlines())


def test_a_compiler_is_tried_once(clone: Path) -> None:
    assert [set_up(clone, "exit 0"), set_up(clone, "exit 0")] == [(0, ""), (0, "")]
    assert (clone / "called").read_text() == "canaries --if-new\n"
    assert set_up(clone, "exit 0", TILELAB_COMPILER="clang++") == (0, "")
    assert calls(clone) == 2
    (clone / "kit/canaries/one.cu").write_text("// canary: race\n")
    assert set_up(clone, "exit 0", TILELAB_COMPILER="clang++") == (0, "")
    assert calls(clone) == 3


def test_a_compiler_that_cannot_be_relied_on_stops_set_up_in_one_sentence(clone: Path) -> None:
    ends = 'echo "tilelab: the detectors cannot rely on g++ 99." >&2; exit 3'
    expected = (1, "tilelab: the detectors cannot rely on g++ 99.\n")
    assert [set_up(clone, ends), set_up(clone, ends)] == [expected, expected]
    assert calls(clone) == 2


def test_what_is_not_about_the_compiler_is_left_to_grading(clone: Path) -> None:
    assert set_up(clone, "echo no sandbox >&2; exit 2") == (0, "")
    assert set_up(clone, "exit 0") == (0, "")
    assert calls(clone) == 2
