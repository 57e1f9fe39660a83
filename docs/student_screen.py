"""Puts what a student's `make test` shows for a forgotten barrier into results.md, from a real run. A test keeps it current.

Usage, once set-up has run: .venv/bin/python docs/student_screen.py
"""

# ruff: noqa: INP001 -- a script, in no package
from __future__ import annotations

import io
import re
from pathlib import Path

from rich.console import Console

from grader.cli.practice.practice import Practice
from grader.engines.toolset import Toolset
from grader.model.course_root import PUBLIC_SEED
from grader.model.labs import load_lab
from grader.pages.screens.lab_screen import Screen
from grader.run.lab_judging import LabJudge

ROOT = Path(__file__).resolve().parents[1]
LAB, MISTAKE = "02-tiled", "no_first_barrier.cu"
COLUMNS, LINES = 100, 30
_PLACE = re.compile(r"(<!-- made by docs/student_screen\.py -->\n```\n).*?(\n```)", re.DOTALL)


def screen(toolset: Toolset) -> str:
    """The screen, as a window of COLUMNS by LINES holds it."""
    judge = LabJudge(toolset, PUBLIC_SEED, public_only=True)
    lab = load_lab(ROOT, LAB)
    tried = Practice(ROOT, [lab], judge, file=ROOT / "solutions" / LAB / "rejects" / MISTAKE).attempt(lab)
    out = io.StringIO()
    Console(file=out, width=COLUMNS, color_system=None).print(Screen([tried], tried, lines=LINES))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def with_screen(page: str, shown: str) -> str:
    """`page` with `shown` in its place; the page has exactly one."""
    made, places = _PLACE.subn(lambda found: f"{found[1]}{shown}{found[2]}", page)
    assert places == 1, "the page has no place for the screen, or several"
    return made


if __name__ == "__main__":
    page = ROOT / "docs" / "results.md"
    text = with_screen(page.read_text(encoding="utf-8"), screen(Toolset.open(ROOT, allow_no_sandbox=True)))
    page.write_text(text, encoding="utf-8")
