"""Every page that Tilelab writes, in a browser: axe finds no violation of WCAG 2.2 AA, in light and dark, on narrow and wide screens and
on paper, nothing has to be scrolled sideways, and nothing is cut on paper.

By default each page is tried in its narrowest view and in one of the others, from page to page and from commit to commit in other ones,
and pages that differ in little in one view; TILELAB_WHOLE_CORPUS=1 tries every page at every width, in both schemes, and on paper.

A new page, and a new section of a student's or the class's page, has to be in `sample_pages.py`: a test says so.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from corpus_sample import SEED, WHOLE
from sample_pages import class_with_everything, every_page, result_with_everything

from grader.pages import pages
from grader.pages.class_page.class_sheet import CLASS_SECTIONS
from grader.pages.student_page.lab_sections import LabView
from grader.pages.student_page.student_sheet import LAB_SECTIONS

pytestmark = pytest.mark.in_turn(4)

PAGES = every_page()
# The narrowest is the first: there, most is at stake. 720 pixels are A4 between its margins.
NARROWEST = (320, "light", "screen")
SCREENS = tuple((width, scheme, "screen") for width in (320, 768, 1280, 1600) for scheme in ("light", "dark"))
PAPER = ((720, "light", "print"), (720, "dark", "print"))
# Of one row one view is tried by default: another size, another scheme, paper.
IN_TURN = (
    ((1600, "light", "screen"), (1280, "light", "screen"), (768, "light", "screen")),
    ((768, "dark", "screen"), (1600, "dark", "screen"), (1280, "dark", "screen"), (320, "dark", "screen")),
    PAPER,
)
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


def views_of(name: str) -> Sequence[tuple[int, str, str]]:
    if WHOLE:
        return (*SCREENS, *PAPER)
    number = list(PAGES).index(name) + SEED
    row = IN_TURN[number % len(IN_TURN)]
    another = row[number // len(IN_TURN) % len(row)]
    if name in ALIKE:
        return (another if number % 2 else NARROWEST,)
    return (NARROWEST, another)


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
    assert shown.violations_in(views_of(name)) == []
    assert (shown.errors, shown.requests) == ([], [])
