"""A lab's part of a student's page: verdict, why, what to do next, and the sections that support it. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from grader.model.verdicts import Verdict, VerdictFacts
from grader.reports.findings.lab_summary import advice, what_happened
from grader.reports.page.page_section import ShownSection, shown_sections
from grader.reports.student_page.lab_sections import LAB_SECTIONS
from grader.reports.student_page.lab_view import LabView
from grader.reports.text import visible
from grader.reports.text.number_format import points, share

_NOT_YET = "Nothing was handed in yet, and the deadline is still to come."


@dataclass(frozen=True)
class LabReport:
    anchor: str
    id: str
    title: str
    file: str
    look: VerdictFacts
    points: str
    max_points: str
    share: float  # percent of the points
    extra_credit: bool
    sentence: str
    advice: str
    comment: visible.Block | None  # the instructor's, to all who made this mistake
    sections: tuple[ShownSection, ...]
    performance: str  # empty: nothing was handed in
    performance_points: str  # "2 / 3"; empty: not in this batch's points


def lab_report(number: int, lab_id: str, view: LabView) -> LabReport:
    """`number` counts the labs of the page from 1."""
    lab = view.lab
    is_open = lab.standing is not None and lab.standing.open
    return LabReport(
        anchor=f"lab-{number}",
        id=visible.line(lab_id, 60),
        title=visible.line(lab.title, 120),
        file=visible.line(lab.file, 80),
        look=lab.look,
        points="–" if is_open else points(lab.points),  # noqa: RUF001 -- a dash stands for no number
        max_points=points(lab.max_points),
        share=share(lab.points, lab.max_points),
        extra_credit=lab.extra_credit,
        sentence=_NOT_YET if is_open else what_happened(lab),
        advice="" if is_open else advice(lab, instructor=view.instructor),
        comment=visible.block(lab.comment, lines=60, columns=1000) if lab.comment else None,
        sections=shown_sections(LAB_SECTIONS, view),
        performance="" if lab.verdict is Verdict.MISSING_FILE else visible.line(lab.performance, 1200),
        performance_points=f"{points(lab.performance_points)} / {points(lab.performance_max)}"
        if lab.performance_max
        else "",
    )
