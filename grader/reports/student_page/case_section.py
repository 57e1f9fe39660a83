"""The section of cases: a row for each. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from grader.reports.student_page.case_row import CaseRow, case_row
from grader.reports.student_page.finding_section import MOST_CARDS
from grader.reports.student_page.lab_view import LabView


@dataclass(frozen=True)
class CaseSection:
    ran: bool  # whether any case could run
    cases: tuple[CaseRow, ...]


def case_section(view: LabView) -> CaseSection | None:
    lab = view.lab
    shown = lab.findings[:MOST_CARDS]
    rows = tuple(case_row(case, findings=shown, instructor=view.instructor) for case in lab.cases)
    return CaseSection(ran=lab.ran, cases=rows) if rows else None
