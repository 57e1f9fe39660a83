"""A course with one released lab: it can be handed out, graded and checked alone, with the real kit."""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grader.cli.cli import app
from grader.model.labs import lab_ids, load_lab

pytestmark = pytest.mark.in_turn(6)

ROOT = Path(__file__).resolve().parents[2]
LAB = next(lab for lab in lab_ids(ROOT) if not load_lab(ROOT, lab).public.extra_credit)
OTHERS = [lab for lab in lab_ids(ROOT) if lab != LAB]


@pytest.fixture(autouse=True)
def _in_the_course(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_its_handout_says_nothing_of_the_labs_to_come(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["handouts", "--lab", LAB, "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    subprocess.run(["tar", "-xzf", str(next(tmp_path.glob("*.tar.gz"))), "-C", str(tmp_path)], check=True)
    files = [path for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".gz"]
    assert len(files) > 100
    stems = {load_lab(ROOT, lab).public.file.split(".")[0] for lab in OTHERS}
    # `histogram` is also a word for a picture, and `scan.cu` ends the name of a header of CUB's.
    words = [*OTHERS, *(rf"\b{stem}\b" if "_" in stem else rf"\b{stem}\.cu\b" for stem in stems)]
    pattern = re.compile("|".join(words).encode())
    telling = {
        path.name: found[0]
        for path in files
        if (found := pattern.search(str(path).encode() + b"\n" + path.read_bytes()))
    }
    assert telling == {}


def test_it_is_graded_alone(tmp_path: Path) -> None:
    file = load_lab(ROOT, LAB).public.file
    (tmp_path / "in" / "ada").mkdir(parents=True)
    shutil.copy(ROOT / "solutions" / LAB / file, tmp_path / "in" / "ada" / file)
    done = CliRunner().invoke(
        app, ["grade", str(tmp_path / "in"), "--out", str(tmp_path / "out"), "--lab", LAB, "--no-sandbox"]
    )
    assert done.exit_code == 0, done.output
    with (tmp_path / "out" / "grades.csv").open(encoding="utf-8") as table:
        (row,) = csv.DictReader(table)
    assert list(row) == ["student", "total", "max", LAB]
    assert row["total"] == row["max"] == row[LAB]


def test_it_is_checked_alone() -> None:
    quick = ["starters", "leaks", "written", "listing", "links", "points", "starter", "solution"]
    done = CliRunner().invoke(
        app, ["check-course", "--lab", LAB, *(word for name in quick for word in ("--proof", name))]
    )
    assert done.exit_code == 0, done.output
    told = [line.removeprefix("ok").split("  ")[2].strip() for line in done.output.splitlines()[:-2]]
    labs_own = [f"starter {LAB}", f"solution {LAB}"]
    assert [one for one in told if not one.startswith(tuple(labs_own))] == quick[:-2]
    assert all(any(one.startswith(name) for one in told) for name in labs_own)
