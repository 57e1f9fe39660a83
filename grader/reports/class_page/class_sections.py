"""The sections of the class page between the summary and the table of students, from top to bottom. A new section is a line here."""

from __future__ import annotations

from collections.abc import Sequence

from grader.model.result import Result
from grader.reports.class_page.attention import attention
from grader.reports.class_page.lab_panels import lab_panels
from grader.reports.class_page.measured_speed import measured_speed
from grader.reports.page.page_section import Section

CLASS_SECTIONS: tuple[Section[Sequence[Result]], ...] = (
    Section("class_page/attention.html.j2", attention),
    Section("class_page/lab_panels.html.j2", lab_panels),
    Section("class_page/measured_speed.html.j2", measured_speed),
)
