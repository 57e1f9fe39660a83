"""A course with one released lab: it can be handed out, graded and checked alone, with the real kit."""

from __future__ import annotations

import csv
import shutil
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grader.commands.cli import app
from grader.model.labs import lab_ids, load_lab

ROOT = Path(__file__).resolve().parents[2]
LAB, *OTHERS = lab_ids(ROOT)


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
    files_of_others = (
        stem if "_" in stem else f"{stem}.cu" for stem in stems
    )  # `histogram` is also a word for a picture
    words = {*OTHERS, *files_of_others}
    telling = {path.name for path in files for word in words if word in str(path) or word.encode() in path.read_bytes()}
    assert telling == set()


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
    told = [line.removeprefix("ok").split("  ")[2].strip() for line in done.output.splitlines()[:-1]]
    assert told == [*quick[:-2], f"starter {LAB}", f"solution {LAB}"]
