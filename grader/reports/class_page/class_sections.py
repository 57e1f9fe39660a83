"""The sections of the class page between the summary and the table of students, from top to bottom. A new section is a line here."""

from __future__ import annotations

from grader.reports.class_page.attention import attention
from grader.reports.class_page.class_answers_section import class_answers
from grader.reports.class_page.decisions import decisions
from grader.reports.class_page.lab_panels import lab_panels
from grader.reports.class_page.measured_speed import measured_speed
from grader.reports.class_week.by_section import by_section
from grader.reports.class_week.class_view import ClassView
from grader.reports.class_week.follow_up import follow_up
from grader.reports.class_week.mistake_cards import mistake_cards
from grader.reports.class_week.solution_heat import solution_heat
from grader.reports.page.page_section import Section

CLASS_SECTIONS: tuple[Section[ClassView], ...] = (
    Section("class_page/attention.html.j2", lambda view: attention(view.results)),
    Section("class_page/decisions.html.j2", lambda view: decisions(view.results)),
    Section("class_page/follow_up.html.j2", follow_up),
    Section("class_page/by_section.html.j2", by_section),
    Section("class_page/lab_panels.html.j2", lambda view: lab_panels(view.results)),
    Section("class_page/mistakes.html.j2", mistake_cards),
    Section("class_page/solution_heat.html.j2", solution_heat),
    Section("class_page/similar.html.j2", lambda view: tuple(one for one in view.insight.similar if one[1])),
    Section("class_page/class_answers.html.j2", lambda view: class_answers(view.results)),
    Section("class_page/measured_speed.html.j2", lambda view: measured_speed(view.results)),
)
