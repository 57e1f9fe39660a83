"""Editors: clangd finds nothing to mark in a starter or a solution, and no tool changes line ends.

By default clangd looks at every sixth file, with TILELAB_WHOLE_CORPUS=1 at all.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from corpus_sample import sample

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(
    path.relative_to(ROOT).as_posix() for half in ("assignments", "solutions") for path in (ROOT / half).glob("*/*.cu")
)


@pytest.mark.skipif(
    shutil.which("clangd") is None, reason="no clangd here; the compiler's view is tested with the handout"
)
@pytest.mark.parametrize("file", sample(FILES, 6))
def test_clangd_marks_nothing(file: str) -> None:
    done = subprocess.run(
        ["clangd", f"--check={ROOT / file}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert re.findall(r"^E\[[^\]]*\] (.*)$", done.stderr, re.MULTILINE) == []
    assert done.returncode == 0


@pytest.mark.parametrize("half", ["assignments", "solutions"])
def test_both_halves_are_described_to_editors_in_the_same_words(half: str) -> None:
    for name in ("compile_flags.txt", ".clangd"):
        assert (ROOT / half / name).read_text() == (ROOT / "assignments" / name).read_text()


@pytest.mark.parametrize("folder", [".", "handouts/student"])
@pytest.mark.parametrize("name", ["a.cu", "setup.sh", "Makefile", "lab.mk", "README.md"])
def test_line_ends_stay_as_they_are(folder: str, name: str) -> None:
    asked = ["git", "check-attr", "eol", "--", f"{folder}/{name}"]
    said = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert said.strip().endswith("eol: lf")
