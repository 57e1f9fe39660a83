"""The three labs of docs/small-labs: new-lab begins each of them, and docs/lab-files.md shows their own text."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from grader.course.new_lab import files_of, with_defaults, write_lab
from grader.course.starters import outdated
from grader.model.labs import load_lab

pytestmark = pytest.mark.in_turn(3)

ROOT = Path(__file__).resolve().parents[2]
SMALL = ROOT / "docs" / "small-labs"
LABS = sorted(folder.name for folder in SMALL.iterdir())


def is_whole(course: Path, path: Path) -> bool:
    """Whether the compiler takes one file of the course."""
    compiler = json.loads((ROOT / "build/kit.json").read_text(encoding="utf-8"))["compiler"]
    folders = [f"-I{course / folder}" for folder in ("kit", "kit/include", "kit/executor/device")]
    folders += [f"-I{ROOT / 'build/generated'}", f"-isystem{ROOT / '.tilelab/prefix/usr/include'}"]
    device = ["-include", "cuda_on_cpu.hpp"] if path.suffix == ".cu" else ["-Wall", "-Wextra", "-Werror"]
    command = [compiler, "-xc++", "-std=c++20", "-fsyntax-only", *folders, *device, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return True


@pytest.mark.parametrize("lab_id", LABS)
def test_what_new_lab_makes_becomes_the_lab(lab_id: str, tmp_path: Path) -> None:
    for folder in ("assignments/01-naive", "solutions/01-naive", "kit"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    new = with_defaults(lab_id, title=None, problem=None, kernel=None)
    made = files_of(tmp_path, new)
    write_lab(tmp_path, made)
    shutil.rmtree(tmp_path / "solutions" / lab_id / "rejects")
    shutil.copytree(SMALL / lab_id, tmp_path, dirs_exist_ok=True)
    lab = load_lab(tmp_path, lab_id)
    assert lab.public.file == new.file
    assert lab.private is not None
    rejects = sorted((tmp_path / "solutions" / lab_id / "rejects").glob("*.cu"))
    assert len(rejects) == lab.private.rejects_at_least
    assert [path.name for path in rejects if not path.name.startswith(f"{new.kernel}_")] == []
    assert is_whole(tmp_path, tmp_path / f"kit/problems/{new.problem}.cpp")
    assert is_whole(tmp_path, tmp_path / "solutions" / lab_id / new.file)
    assert [Path(one.path).name for one in outdated(tmp_path)] == [new.file]  # the starter is made anew from it


def test_the_page_shows_the_labs_own_text() -> None:
    chapter = (ROOT / "docs/lab-files.md").read_text(encoding="utf-8").split("\n## Patterns")[1].split("\n## ")[0]
    shown = [
        block for block in re.findall(r"(?:^    .*\n)+", chapter, re.MULTILINE) if ";" in block or "judge::" in block
    ]
    assert len(shown) == 2
    files = [*SMALL.rglob("*.cpp"), ROOT / "kit/problems/reduction.cpp"]
    texts = [" ".join(file.read_text(encoding="utf-8").split()) for file in files]
    assert [block for block in shown if not any(" ".join(block.split()) in text for text in texts)] == []
