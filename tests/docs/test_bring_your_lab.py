"""Follows docs/bring-your-lab.md to the letter: its commands make a draft, prove the lab and grade it, and a student's handout has nothing
of its hidden half.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from grader.course.handouts import handout
from grader.model.labs import load_lab

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "bring-your-lab.md").read_text(encoding="utf-8")
DRAFT, PROVE = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
(ARGUMENTS,) = re.findall(r"^arguments = .*-e.*$", PAGE, re.MULTILINE)
LAB = "21-product"
_GIT = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "init.defaultBranch=main"]


def typed(course: Path, commands: str) -> str:
    """What the commands print, in a course whose labs and `out` lie in the folder `course`. Each has to succeed."""
    mounts = [
        word
        for name in ("assignments", "solutions", "out")
        for word in ("--bind", str(course / name), str(ROOT / name))
    ]
    done = subprocess.run(
        ["bwrap", "--dev-bind", "/", "/", *mounts, "--die-with-parent", "--chdir", str(ROOT), "bash", "-ec", commands],
        env=os.environ | {"NO_COLOR": "1"}, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, f"{commands}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """One lab, which new ones are modelled on."""
    for half in ("assignments", "solutions"):
        shutil.copytree(ROOT / half / "01-naive", tmp_path / half / "01-naive")
    (tmp_path / "out").mkdir()
    (ROOT / "out").mkdir(exist_ok=True)
    try:
        typed(tmp_path, "true")
    except (OSError, AssertionError):
        pytest.skip("needs bubblewrap and a kernel that lets it start")
    return tmp_path


def filled_in(path: Path, *said: tuple[str, str]) -> None:
    """As the instructor does: what is left to say."""
    text = path.read_text(encoding="utf-8")
    for old, new in (*said, ('"FILL IN"', '"any sizes"'), ("FILL IN: ", "")):
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")


def test_following_the_page_to_the_letter_grades_the_lab(course: Path) -> None:
    printed = typed(course, DRAFT)
    assert "the data sets agree with output[i, j] = sum(k < N, input0[i, k] * input1[k, j])" in printed
    public, private = course / "assignments" / LAB, course / "solutions" / LAB
    filled_in(public / "lab.toml", ('arguments = ["FILL IN"]', ARGUMENTS))
    filled_in(private / "grading.toml")
    filled_in(private / "template.cu")
    assert "2 of 2 points" in typed(course, PROVE)
    (report,) = (course / "out/graded").glob("students/*/result.json")
    assert json.loads(report.read_text(encoding="utf-8"))["total"] == 2

    for words in (["init", "-q"], ["add", "-A", "assignments", "solutions"], ["commit", "-qm", "The course"]):
        subprocess.run([*_GIT, *words], cwd=course, check=True)
    given = handout(course, [load_lab(course, LAB)]).files
    assert f"assignments/{LAB}/data/0/output.raw" in given
    hidden = [one.read_bytes() for one in (private / "data").rglob("*") if one.is_file()]
    assert [path for path, one in given.items() if one.data in hidden or b"verdict 1" in one.data] == []
