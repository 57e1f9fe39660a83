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
# What another size, another scheme and paper can break; everything else follows from the page's elements.
OF_LOOKS = ("color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size", "aria-hidden-focus")
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
    found = []
    for width, scheme, medium in VIEWS[:1] if name in ALIKE else VIEWS:
        shown.page.set_viewport_size({"width": width, "height": 900})
        shown.page.emulate_media(media=medium, color_scheme=scheme)
        rules = () if (width, scheme, medium) == VIEWS[0] else OF_LOOKS
        found += [f"{width} {scheme} {medium}: {one}" for one in shown.violations(rules)]
        wide = shown.page.evaluate("document.documentElement.scrollWidth")
        found += [f"{width} {medium}: the page is {wide} wide"] if wide > width else []
    assert found == []
    assert (shown.errors, shown.requests) == ([], [])
