"""The sections that support a lab's verdict on a student's page, from top to bottom. A new section is a line here."""

from __future__ import annotations

from grader.reports.page.page_section import Section
from grader.reports.speed_figures.gpu_facts import gpu_facts
from grader.reports.speed_figures.speed_figure import speed_figure
from grader.reports.speed_figures.tier_section import tier_section
from grader.reports.student_page.answer_section import answer_section
from grader.reports.student_page.case_section import case_section
from grader.reports.student_page.climb_section import climb_section
from grader.reports.student_page.compiler_log import compiler_errors, compiler_warnings
from grader.reports.student_page.finding_section import finding_section
from grader.reports.student_page.lab_view import LabView
from grader.reports.student_page.leaderboard_section import leaderboard_section
from grader.reports.student_page.mismatch_section import mismatch_section
from grader.reports.student_page.printed_section import printed_section
from grader.reports.student_page.standing_section import standing_section
from grader.reports.student_page.traffic_section import traffic_section

LAB_SECTIONS: tuple[Section[LabView], ...] = (
    Section("student_page/standing.html.j2", standing_section),
    Section("student_page/findings.html.j2", finding_section),
    Section("student_page/compiler_log.html.j2", compiler_errors),
    Section("student_page/mismatches.html.j2", mismatch_section),
    Section("student_page/cases.html.j2", case_section),
    Section("speed_figures/tiers.html.j2", lambda view: tier_section(view.lab, view.sources)),
    Section("student_page/climb.html.j2", climb_section),
    Section("student_page/traffic.html.j2", traffic_section),
    Section("student_page/printed.html.j2", printed_section),
    Section("student_page/compiler_log.html.j2", compiler_warnings),
    Section("speed_figures/gpu.html.j2", lambda view: gpu_facts(view.lab)),
    Section("speed_figures/speed.html.j2", lambda view: speed_figure(view.lab, instructor=view.instructor)),
    Section("student_page/answers.html.j2", answer_section),
    Section("student_page/leaderboard.html.j2", leaderboard_section),
)
