"""Every page that Tilelab writes, in a browser: axe finds no violation of WCAG 2.2 AA, in light and dark, on narrow and wide screens and
on paper, and nothing has to be scrolled sideways.

A new page, and a new section of a student's or the class's page, has to be in `sample_pages.py`: a test says so.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sample_pages import class_with_everything, every_page, result_with_everything

from grader.reports import pages
from grader.reports.class_page.class_sections import CLASS_SECTIONS
from grader.reports.student_page.lab_sections import LAB_SECTIONS
from grader.reports.student_page.lab_view import LabView

PAGES = every_page()
# The narrowest is the first: there, most is at stake.
VIEWS = ((320, "light", "screen"), (768, "dark", "screen"), (1600, "light", "screen"), (768, "light", "print"))
# Pages that differ in little from one that is tried in every view.
ALIKE = {
    "student_page: the instructor's",
    "student_page: of public tests",
    "trace_page",
    "trace_page: outside",
    "trace_page: the worked example",
}
# What is only there where it is called for, or is laid out when it comes onto the screen.
UNFOLD = """
document.querySelectorAll('details').forEach((one) => { one.open = true; });
document.querySelectorAll('main > section').forEach((one) => { one.style.contentVisibility = 'visible'; });
"""
Opened = Callable[..., Any]


def test_every_function_that_makes_a_page_is_tried() -> None:
    functions = inspect.getmembers(pages, inspect.isfunction)
    makers = {name for name, one in functions if name.endswith("_page") and one.__module__ == pages.__name__}
    assert makers - {name.split(":")[0] for name in PAGES} == set()


def test_every_section_of_a_students_page_is_tried() -> None:
    result, sources = result_with_everything()
    views = [LabView(lab, sources, instructor=True) for lab in result.labs.values()]
    empty = [one.template for one in LAB_SECTIONS if not any(one.content(view) for view in views)]
    assert empty == []


def test_every_section_of_the_class_page_is_tried() -> None:
    view = class_with_everything()
    assert [one.template for one in CLASS_SECTIONS if not one.content(view)] == []


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_no_violation(opened: Opened, tmp_path: Path, name: str) -> None:
    file = tmp_path / "page.html"
    file.write_text(PAGES[name], encoding="utf-8")
    shown = opened(file)
    shown.page.evaluate(UNFOLD)
    assert shown.violations_in(VIEWS[:1] if name in ALIKE else VIEWS) == []
    assert (shown.errors, shown.requests) == ([], [])
