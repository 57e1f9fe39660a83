"""A student as a row of the class page's table. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.model.result import LabResult, Result
from grader.model.verdicts import VerdictFacts
from grader.reports.class_week.class_view import full_link, is_open, report_link
from grader.reports.text import visible
from grader.reports.text.number_format import points


@dataclass(frozen=True)
class LabCell:
    """One lab's outcome. Without a verdict where the student's result has no such lab."""

    look: VerdictFacts | None
    points: str
    note: str = ""  # "late", "decided": why the points are not what the tests gave


@dataclass(frozen=True)
class StudentRow:
    name: str
    order: str  # what the name's column sorts by
    section: str
    id: str  # empty where it equals the name
    link: str
    full_link: str  # the instructor's page, which shows what hidden cases withhold
    cells: tuple[LabCell, ...]
    total: str
    attempt: str  # "2 of 3": which of several counts; empty: it is the only one
    flag: str  # why the total may still change; empty where it does not


def student_row(result: Result, lab_ids: Sequence[str]) -> StudentRow:
    name, student_id = visible.person(result.submission), visible.line(result.submission.id, 80)
    return StudentRow(
        name=name,
        order=name.casefold(),
        section=visible.line(result.submission.student.section, 60),
        id=student_id if student_id != name else "",
        link=report_link(result),
        full_link=full_link(result),
        cells=tuple(_cell(result.labs.get(lab_id)) for lab_id in lab_ids),
        total=points(result.total),
        attempt=visible.line(result.submission.attempt, 60),
        flag=is_open(result),
    )


def _cell(lab: LabResult | None) -> LabCell:
    if lab is None or (lab.standing is not None and lab.standing.open):
        return LabCell(None, "")
    return LabCell(lab.look, points(lab.points), _note(lab))


def _note(lab: LabResult) -> str:
    if lab.standing is None:
        return ""
    return "decided" if lab.standing.override is not None else "late" if lab.standing.lost else ""
