"""Sections of pages are shown in order, and left out where they have nothing to show. Each has a template."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from grader.model.result import Result
from grader.pages.class_page.class_sheet import CLASS_SECTIONS
from grader.pages.page_section import Section, shown_sections, trusted_text
from grader.pages.pages import student_page
from grader.pages.student_page.student_sheet import LAB_SECTIONS

Named = Callable[[str], tuple[Result, dict[str, str]]]
TEMPLATES = sorted({one.template for one in LAB_SECTIONS} | {one.template for one in CLASS_SECTIONS})


def test_sections_keep_their_order_and_those_with_nothing_to_show_are_left_out() -> None:
    sections = [
        Section[str]("a", lambda subject: subject.upper()),
        Section[str]("b", lambda _: None),
        Section[str]("c", lambda _: ()),
        Section[str]("d", lambda subject: (subject,)),
    ]
    shown = [(one.template, one.content) for one in shown_sections(sections, "x")]
    assert shown == [("a", "X"), ("d", ("x",))]


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_sections_template_is_macros_alone_and_writes_nothing_by_itself(template: str) -> None:
    assert trusted_text(template).strip() == ""


def test_a_page_holds_the_style_of_a_section_once_however_many_labs_it_has(sample_named: Named) -> None:
    result, sources = sample_named("pass")
    assert len(result.labs) > 1
    html = student_page(result, sources=sources)
    assert html.count(".speed { overflow-x: auto; }") == 1
    assert html.index(".speed { overflow-x: auto; }") < html.index("</style>")
