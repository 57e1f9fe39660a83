"""The course's handout, made once, and a small course with git history that tests can break."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course.handout_archive import Handout
from grader.course.handouts import handout, listing
from grader.course.starters import write
from grader.model.course_root import load_labs

ROOT = Path(__file__).resolve().parents[2]

LAB = """\
title = "Adding"
summary = "One thread for each element."
problem = "add.hpp"
file = "add.cu"
kernel = "add(float*, int)"
launch = "add_launch(int)"
shapes = "any n"
case = [{ name = "adds one element", points = 1 }]
"""
SOLUTION = """\
__global__ void add(float* y, int n) {
  // BEGIN PROMPT
  // TODO: add
  // END PROMPT
  // BEGIN SOLUTION
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i * n] += 1;
  // END SOLUTION
}
"""
HIDDEN = """\
#include "problems/add.hpp"

TEST_CASE("adds many elements", "[hidden]") {
  check({.n = 77});
  check({.n = 101});
}
"""
FILES = {
    "assignments/05-add/lab.toml": LAB,
    "assignments/05-add/README.md": "# Adding\n\nEdit `add.cu`. [The kit](../../kit/problems/add.hpp)\n",
    "assignments/05-add/public_tests.cpp": '#include "problems/add.hpp"\nTEST_CASE("adds one element") { check({.n = 1}); }\n',
    "solutions/05-add/add.cu": SOLUTION,
    "solutions/05-add/grading.toml": 'case = [{ name = "adds many elements", points = 1 }]\n',
    "solutions/05-add/hidden_tests.cpp": HIDDEN,
    "kit/problems/add.hpp": "#pragma once\n",
    "kit/setup/setup.sh": "#!/bin/sh\n",
    "tests/test_add.py": "",
    "handouts/student/README.md": "# Labs\n\n<!-- labs -->\n",
    "handouts/student/Makefile": "help:\n",
}


@pytest.fixture(scope="session")
def course_handout() -> Handout:
    """The handout of the whole course, made from the working tree."""
    return handout(ROOT, load_labs(ROOT, []))


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A correct course with one lab, tracked by git."""
    root = tmp_path / "course"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    (root / "kit/setup/setup.sh").chmod(0o755)
    write(root)
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "A course")
    (root / "handouts/listing.txt").write_text(listing(handout(root, load_labs(root, []))), encoding="utf-8")
    return root


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=root, check=True)


Untar = Callable[[Path, Path], None]


@pytest.fixture(scope="session")
def untar() -> Untar:
    """Unpacks an archive into a folder with tar, as students do."""

    def run(archive: Path, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        subprocess.run(["tar", "-xzf", str(archive), "-C", str(folder)], check=True)

    return run


@pytest.fixture
def change(made: Path) -> Callable[[str, str], None]:
    """Writes a file of the course and adds it to git."""

    def write_and_track(name: str, text: str) -> None:
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text(text, encoding="utf-8")
        git(made, "add", "--", name)

    return write_and_track
