"""A copy of this course with git, which tests can break, and `tilelab check-course` in it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from grader.cli.cli import app
from grader.cli.proofs import course_proofs
from grader.course import leaks as withheld
from grader.course.leaks import leaks
from grader.explain.small_edits import mutants_of

ROOT = Path(__file__).resolve().parents[2]

Check = Callable[..., Result]


def git(root: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    done = subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout


SHOWN = {"tests/anykernel/found/race_in_a_reduction.cu"}  # a page shows a command's output about it


@pytest.fixture(scope="session")
def course_copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One copy for all tests: to copy it for each takes longer than most of them. What a test changed is undone before the next one."""
    root = tmp_path_factory.mktemp("scratch") / "course"
    for name in git(ROOT, "ls-files", "-z").split("\0"):
        if name and (ROOT / name).is_file() and (not name.startswith("tests/") or name in SHOWN):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, root / name)
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "A course")
    (root / ".venv").symlink_to(ROOT / ".venv")  # passages are the output of its commands
    (root / "build").mkdir()  # what those commands start
    preludes = root.parent / "preludes"
    preludes.mkdir()
    for built in (ROOT / "build").iterdir():
        (root / "build" / built.name).symlink_to(preludes if built.name == "prelude" else built)
    return root


@pytest.fixture(scope="session", autouse=True)
def looked_at_once() -> Iterator[None]:
    """A text that no test has changed is searched for the same secrets, and for places of small mistakes, once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(withheld, "leaks", cache(leaks))
        patch.setattr(course_proofs, "mutants_of", cache(mutants_of))
        yield


@pytest.fixture
def scratch(course_copy: Path) -> Iterator[Path]:
    yield course_copy
    git(course_copy, "reset", "-q", "--hard")
    git(course_copy, "clean", "-fdxq", "-e", "/build", "-e", "/.venv")
    # Commands ask whether a source is newer than its program.
    for name in git(course_copy, "ls-files", "-z").split("\0"):
        shutil.copystat(ROOT / name, course_copy / name)
    assert git(course_copy, "status", "--porcelain") == ""


@pytest.fixture
def check(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> Check:
    """Runs the command in the copy, after adding all changes to git."""

    def run(*arguments: str) -> Result:
        git(scratch, "add", ".")
        monkeypatch.chdir(scratch)
        return CliRunner().invoke(app, ["check-course", *arguments])

    return run
