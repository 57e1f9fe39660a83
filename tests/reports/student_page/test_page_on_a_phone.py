"""How far a student scrolls on a phone, 390 pixels wide: issue 43's limits, for a page of one lab and of three."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.model.result import Result
from grader.pages.pages import student_page
from grader.run.scoring.redaction import for_student

pytestmark = pytest.mark.in_turn(3)

Named = Callable[[str], tuple[Result, dict[str, str]]]
HEIGHT = "document.documentElement.scrollHeight"


@pytest.mark.parametrize(
    ("name", "labs", "most"),
    [
        ("pass", "01-naive", 1200),
        ("pass", "03-boundary", 1200),
        ("wrong-answer", "02-tiled", 1200),  # passed, technique missed
        ("race", "02-tiled", 2500),
        ("out-of-bounds", "01-naive", 2500),
        ("wrong-answer", "03-boundary", 2500),
        ("race", "01-naive 02-tiled 03-boundary", 8000),
    ],
)
def test_a_students_page_is_short(
    sample_named: Named, opened: Callable[..., Any], tmp_path: Path, name: str, labs: str, most: int
) -> None:
    result, sources = sample_named(name)
    some = for_student(result.model_copy(update={"labs": {lab: result.labs[lab] for lab in labs.split()}}))
    file = tmp_path / "page.html"
    file.write_text(student_page(some, sources=sources), encoding="utf-8")
    page = opened(file, width=390, height=844).page
    assert page.evaluate(HEIGHT) <= most
    heading = page.locator(".lab h2, article h2").first.bounding_box()
    assert heading["y"] < 300  # the lab's verdict is on the first screen
