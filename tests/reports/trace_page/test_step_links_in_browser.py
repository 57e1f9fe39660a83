"""Links of a report to its pages, followed in a real browser: a student's own report, and the instructor's page of a class."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from corpus_sample import sample

from grader.engines.toolset import Toolset
from grader.explain.story import unpacked
from grader.model.labs import load_lab
from grader.model.result import Environment, Result, Submission
from grader.pages.pages import student_page
from grader.roll.batch.opened_tools import lab_judge
from grader.run.scoring.lab_score import score_lab
from grader.run.scoring.redaction import for_student

pytestmark = pytest.mark.in_turn(3)

ROOT = Path(__file__).resolve().parents[3]
SUM = ROOT / "solutions" / "06-reduction" / "rejects" / "blocks_add_without_atomic.cu"
SCAN = ROOT / "solutions" / "08-scan" / "rejects" / "blocks_do_not_wait.cu"
Opened = Callable[..., Any]
STUDENTS, INSTRUCTORS = "students/ada/report.html", "instructor/ada.html"
# Two of these in each run: both pages, and both labs.
READ = [
    (STUDENTS, "06-reduction"),
    (STUDENTS, "08-scan"),
    (INSTRUCTORS, "08-scan"),
    (INSTRUCTORS, "06-reduction"),
]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As a class has it: the report beside its pages, and the instructor's page in a folder beside."""
    root = tmp_path_factory.mktemp("out")
    toolset = Toolset.open(ROOT, allow_no_sandbox=True, backend="cpu")
    judge = lab_judge(toolset, 7, public_only=True, draws=True)
    labs = {}
    for lab_id, file in (("06-reduction", SUM), ("08-scan", SCAN)):
        lab = load_lab(ROOT, lab_id)
        labs[lab_id] = score_lab(lab, judge(lab, file, tmp_path_factory.mktemp("judging")))
    environment = Environment(kit="0", compiler="c", backend="cpu", sandbox="none", date="2026-01-01")
    whole = Result(
        submission=Submission(id="ada", name="Ada", files=()), environment=environment, labs=labs, total=0, max=1
    )
    own, instructor = root / "students" / "ada", root / "instructor"
    own.mkdir(parents=True)
    instructor.mkdir()
    (own / "report.html").write_text(student_page(for_student(whole), sources={}, steps=""))
    (instructor / "ada.html").write_text(student_page(whole, sources={}, instructor=True, steps="../students/ada/"))
    for page in (page for lab in labs.values() for page in lab.step_pages):
        (own / page.name).write_text(unpacked(page))
    return root


@pytest.mark.parametrize(("report", "lab"), sample(READ, 2))
def test_a_race_between_blocks_is_followed_from_the_finding_to_both_orders(
    opened: Opened, written: Path, report: str, lab: str
) -> None:
    shown = opened(written / report)
    page = shown.page
    page.locator(f"a[href*='blocks-{lab}.html']").first.click()
    page.wait_for_selector(".stage .now")
    assert page.url.endswith(f"blocks-{lab}.html#step=1")
    assert page.locator(".stage").count() >= 2
    assert "two blocks" in page.locator("h1").inner_text()
    page.keyboard.press("End")
    page.keyboard.press("ArrowRight")
    assert "#step=" in page.url
    assert (shown.errors, shown.requests) == ([], [(written / f"students/ada/blocks-{lab}.html").as_uri()])


@pytest.mark.parametrize("lab", ["06-reduction", "08-scan"])
def test_a_findings_step_is_open_with_its_thread_and_its_remark(opened: Opened, written: Path, lab: str) -> None:
    shown = opened(written / "students/ada/report.html")
    page = shown.page
    link = page.locator(f"a[href*='trace-{lab}.html']").first
    step = (link.get_attribute("href") or "").partition("#step=")[2].partition("&")[0]
    link.press("Enter")
    page.wait_for_selector(".stage .now")
    assert f"step {step} of" in page.locator("#count").inner_text()
    assert "Data race" in page.locator(".remark.bad").first.inner_text()
    assert page.locator("#followed").input_value() != ""
    assert (shown.errors, shown.requests) == ([], [(written / f"students/ada/trace-{lab}.html").as_uri()])
