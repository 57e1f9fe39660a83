"""Follows docs/writing-a-lab.md exactly, in a copy of the course: runs its commands, writes its files, and looks for the shown output.

The copy is mounted at the course's own path, in a mount namespace, so that nothing has to be built again.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

pytestmark = [pytest.mark.long, pytest.mark.in_turn(6)]

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "writing-a-lab.md"
LAB = ROOT / "docs" / "small-labs" / "21-largest"  # as the page makes it
MAKES_THE_FILES = '.venv/bin/tilelab new-lab 21-largest --title "The largest number" --shape n\nmake setup\n'
CHECK = ".venv/bin/tilelab check-course --lab 21-largest "
SOUND = "--proof starters --proof 'starter 21-largest' --proof 'solution 21-largest'"
# Of the course, three labs: the programs of each are linked anew where a problem is added.
OTHER_LABS = re.compile(r"(?:assignments|solutions)/(?!0[0-2]-)\d")
_BLOCK = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_GIT = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "init.defaultBranch=main"]


@dataclass(frozen=True)
class Block:
    """A fenced block of the page: `sh` to type, `text` that the commands before it print, anything else a file's contents."""

    language: str
    word: str  # for sh: "fails" or nothing; for a file: its path
    text: str


def blocks() -> list[Block]:
    return [Block(*found) for found in _BLOCK.findall(PAGE.read_text(encoding="utf-8"))]


def tracked() -> list[str]:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [name for name in listed.split("\0") if name and (ROOT / name).is_file() and not OTHER_LABS.match(name)]


def confined(copy: Path, command: list[str]) -> list[str]:
    """A command that runs `command` with `copy` mounted at the course's path."""
    venv = str(ROOT / ".venv")
    mounts = ["--dev-bind", "/", "/", "--bind", str(copy), str(ROOT), "--ro-bind", venv, venv]
    return ["bwrap", *mounts, "--die-with-parent", "--chdir", str(ROOT), "--", *command]


@pytest.fixture
def course(tmp_path: Path) -> Iterator[Path]:
    """A copy of the working tree as one commit, with the files that set-up made."""
    copy = tmp_path / "course"
    (copy / ".venv").mkdir(parents=True)
    try:
        subprocess.run(confined(copy, ["true"]), check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("needs bubblewrap and a kernel that lets it start: the copy stands at the course's own path")
    for name in tracked():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, copy / name)
    for made in ("build", ".tilelab"):
        leave = shutil.ignore_patterns(
            "handouts", "reports", "tidy", "sanitized", "seed", "kit_test_objects.dir", "kit-tests"
        )
        shutil.copytree(ROOT / made, copy / made, symlinks=True, ignore=leave)
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "The course"]):
        subprocess.run([*_GIT, *words], cwd=copy, check=True)
    yield copy
    shutil.rmtree(copy, ignore_errors=True)


def typed(course: Path, commands: str, *, fails: bool) -> str:
    """What the commands print. Each has to succeed, or the one command has to fail."""
    keep = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("MAKE", "MFLAGS", "LAB", "CASE", "OUT"))
    }
    done = subprocess.run(
        confined(course, ["bash", "-ec", commands]), env=keep | {"NO_COLOR": "1", "COLUMNS": "200"}, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert (done.returncode != 0) == fails, f"{commands}\n{done.stdout}"
    return done.stdout


def squeezed(text: str) -> str:
    return " ".join(text.split())


def test_the_page_shows_a_file_under_its_name_and_commands_apart_from_what_they_print() -> None:
    text = PAGE.read_text(encoding="utf-8")
    found = blocks()
    assert len(found) == text.count("\n```") // 2
    assert {block.language for block in found} >= {"sh", "text"}
    for block in found:
        if block.language in {"cpp", "toml"}:
            assert f"`{block.word}`:\n\n```{block.language} {block.word}\n" in text
            assert (LAB / block.word).read_text(encoding="utf-8") == block.text, (
                f"{block.word} is not as {PAGE.name} shows it"
            )


def test_following_the_page_to_the_letter_makes_the_lab_that_is_there(course: Path) -> None:
    printed = ""
    for block in blocks():
        if block.language == "sh":
            printed = typed(course, block.text, fails=block.word == "fails")
            if block.text == MAKES_THE_FILES:  # what nobody has changed yet is a sound lab
                typed(course, CHECK + SOUND, fails=False)
                assert "1 problem:" in typed(course, CHECK + "--proof rejects", fails=True), "there are too few of them"
        elif block.language == "text":
            missing = [line for line in block.text.splitlines() if squeezed(line) not in squeezed(printed)]
            assert not missing, f"not printed: {missing}\n{printed}"
        else:
            assert (course / block.word).parent.is_dir(), f"{block.word}: no command made its folder"
            (course / block.word).write_text(block.text, encoding="utf-8")
    made = [path for path in LAB.rglob("*") if path.is_file()]
    assert [str(path) for path in made if path.read_bytes() != (course / path.relative_to(LAB)).read_bytes()] == []
    changed = subprocess.run(
        ["git", "status", "--porcelain", "--untracked-files=all"],
        cwd=course,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    of_the_lab = ("assignments/21-largest/", "solutions/21-largest/", "kit/problems/largest.")
    assert [line for line in changed if line[0] not in "A?" or not line[3:].startswith(of_the_lab)] == []
