"""What a student sees of real mistakes: the screen and the page about the public tests are complete and useful, and show nothing that
grading withholds.
"""

from __future__ import annotations

import importlib.util
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from grader.cli.practice.practice import Practice
from grader.course.leaks import cut, leaks, secrets_of
from grader.engines.toolset import Toolset
from grader.model.course_root import PUBLIC_SEED
from grader.model.labs import Lab, load_lab
from grader.model.result import Environment, Result, Submission
from grader.pages.pages import student_page
from grader.pages.screens.first_mistake import Tried
from grader.pages.screens.lab_screen import Screen
from grader.run.lab_judging import LabJudge

ROOT = Path(__file__).resolve().parents[2]
COURSE_SEED = 918_273_645_546  # hidden shapes depend on it; it is not used here, so it must not appear anywhere
# lab, file below solutions/<lab>, text that the screen has to show.
MISTAKES = {
    "a missing barrier": ("02-tiled", "rejects/no_first_barrier.cu", "no __syncthreads() between"),
    "two mistakes": ("02-tiled", "rejects/blocks_of_a_column_and_no_second_barrier.cu", "Likely cause: "),
    "a bound that is off by one": ("01-naive", "rejects/guard_off_by_one.cu", "past the end"),
    "no guard at the edge": ("03-boundary", "rejects/unguarded_store.cu", "writes C["),
    "unset shared memory": ("02-tiled", "rejects/half_a_tile_loaded.cu", "no thread has written"),
    "a wrong index": ("01-naive", "rejects/writes_transposed.cu", "C[0][1] expected -41, got 6"),
    "a starter": ("02-tiled", "../../assignments/02-tiled/matmul_tiled.cu", "TODO"),
}


@pytest.fixture(params=sorted(MISTAKES))
def mistake(request: pytest.FixtureRequest, toolset: Toolset) -> tuple[Lab, Tried, str]:
    """A lab, its result, and the text that has to be shown."""
    lab_id, file, said = MISTAKES[request.param]
    lab = load_lab(ROOT, lab_id)
    judge = LabJudge(toolset, PUBLIC_SEED, public_only=True)
    path = (ROOT / "solutions" / lab_id / file).resolve()
    return lab, Practice(ROOT, [lab], judge, file=path).attempt(lab), said


def shown(tried: Tried, *, width: int, lines: int | None) -> str:
    out = io.StringIO()
    Console(file=out, width=width, color_system=None).print(Screen([tried], tried, lines=lines))
    return out.getvalue()


def page_of(tried: Tried) -> str:
    result = Result(
        submission=Submission(id="your-files", name="Your files"),
        environment=Environment(kit="0", compiler="g++", sandbox="none", date="2026-09-01"),
        labs={tried.lab_id: tried.result},
        total=0,
        max=tried.result.max_points,
    )
    return student_page(result, sources={tried.result.file: tried.source}, preview=True)


def test_the_line_that_is_found_later_does_not_push_the_verdict_off_the_window() -> None:
    wrong = ROOT / "solutions/01-naive/rejects/writes_transposed.cu"
    command: list[str | Path] = [Path(sys.executable).with_name("tilelab"), "test", "01-naive", "--file", wrong]
    window = {**os.environ, "FORCE_COLOR": "1", "LINES": "24", "COLUMNS": "80"}
    done = subprocess.run(
        command, cwd=ROOT, env=window, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    rows = [row for row in done.stdout.splitlines() if "looking for the line" not in row]
    assert "Wrong answer" in rows[0]
    assert "Where to look: " in done.stdout
    assert len(rows) <= 22


def test_a_mistake_is_one_useful_screen_that_gives_nothing_away(mistake: tuple[Lab, Tried, str]) -> None:
    lab, tried, said = mistake
    small = shown(tried, width=80, lines=21)
    assert len(small.splitlines()) <= 21
    assert "Look at next: " in small
    assert said in " ".join(small.split())
    texts = [small, shown(tried, width=100, lines=27), shown(tried, width=200, lines=None), page_of(tried)]
    for text in texts:
        assert_gives_nothing_away(text, lab, tried)


def assert_gives_nothing_away(text: str, lab: Lab, tried: Tried) -> None:
    """The text contains no hidden case, no shape except those of public tests, no seed, and no line of a solution but the student's own."""
    assert lab.private
    assert not [case.name for case in lab.private.case if case.name in text]
    public = (lab.public_dir / "public_tests.cpp").read_text(encoding="utf-8")
    known = set(re.findall(r"\.M = (\d+), \.N = (\d+), \.K = (\d+)", public))
    assert set(re.findall(r"M=(\d+) N=(\d+) K=(\d+)", text)) <= known
    assert str(COURSE_SEED) not in text
    models = sorted((ROOT / "solutions").glob("*/*.cu"))
    secrets = secrets_of(
        {path.parent.name: [cut(path.read_text(encoding="utf-8"), "model")] for path in models}
    ).for_lab(lab.id)
    own = {leak.text for leak in leaks(tried.source, secrets)}
    assert [leak for leak in leaks(text, secrets) if leak.text not in own and not within(leak.text, tried.source)] == []


def within(code: str, source: str) -> bool:
    """Whether the student wrote this code; blanks do not count."""
    return "".join(code.split()) in "".join(source.split())


@pytest.mark.parametrize("mistake", ["a starter"], indirect=True)
def test_the_search_finds_what_it_looks_for(mistake: tuple[Lab, Tried, str]) -> None:
    lab, tried, _ = mistake
    assert lab.private
    assert lab.private_dir
    model = (lab.private_dir / lab.public.file).read_text(encoding="utf-8")
    for text in (lab.private.case[0].name, "M=7 N=5 K=3", f"seed {COURSE_SEED}", model):
        with pytest.raises(AssertionError):
            assert_gives_nothing_away(text, lab, tried)


def test_a_bank_conflict_that_fails_no_test_is_told_with_its_line_and_what_it_may_cost(toolset: Toolset) -> None:
    lab = load_lab(ROOT, "05-transpose")
    judge = LabJudge(toolset, PUBLIC_SEED, public_only=True)
    unpadded = ROOT / "tests/labs/accepted/05-transpose/unpadded_tile.cu"
    tried = Practice(ROOT, [lab], judge, file=unpadded).attempt(lab)
    assert tried.passed
    text = " ".join(shown(tried, width=80, lines=21).split())
    assert "Speed counted: 1.5 of 3 points, line 22 costs the next 1.5" in text
    assert "0.2188 bank conflicts of shared loads for each element: 3 points ask for at most 0.01" in text
    assert "Line 22: because of bank conflicts" in text
    padded = Practice(ROOT, [lab], judge, file=ROOT / "solutions/05-transpose" / lab.public.file).attempt(lab)
    assert padded.passed
    assert "bank conflict" not in shown(padded, width=80, lines=None)


def test_a_document_shows_what_a_student_sees(toolset: Toolset) -> None:
    spec = importlib.util.spec_from_file_location("student_screen", ROOT / "docs/student_screen.py")
    assert spec
    assert spec.loader
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    page = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    remedy = "run .venv/bin/python docs/student_screen.py"
    assert page == script.with_screen(page, script.screen(toolset)), remedy
