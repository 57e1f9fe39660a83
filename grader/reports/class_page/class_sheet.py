"""The class page as plain data: the summary, its sections, a row for each student. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

from grader.model.result import LabResult, Result
from grader.model.verdicts import Verdict, VerdictFacts
from grader.reports.class_page.class_sections import CLASS_SECTIONS
from grader.reports.class_page.histogram import Histogram, histogram
from grader.reports.class_page.student_row import StudentRow, student_row
from grader.reports.page.page_section import ShownSection, shown_sections
from grader.reports.text import visible
from grader.reports.text.number_format import counted, points


@dataclass(frozen=True)
class LabColumn:
    id: str
    title: str
    max_points: str


@dataclass(frozen=True)
class ClassSheet:
    course: str
    students: int
    students_text: str  # "24 students"
    maximum: str
    mean: str
    median: str
    conditions: tuple[str, ...]  # compiler, sandbox and so on; several where the results come from different runs
    notes: tuple[str, ...]
    histogram: Histogram
    sections: tuple[ShownSection, ...]
    columns: tuple[LabColumn, ...]  # of the table
    legend: tuple[VerdictFacts, ...]
    rows: tuple[StudentRow, ...]


def class_sheet(results: Sequence[Result], course: str, notes: Sequence[str]) -> ClassSheet:
    totals = [result.total for result in results]
    maximum = max((result.max for result in results), default=0.0)
    labs = _first_of_each_lab(results)
    seen = {lab.verdict for result in results for lab in result.labs.values()}
    return ClassSheet(
        course=visible.line(course, 120) or "Class report",
        students=len(results),
        students_text=counted(len(results), "student"),
        maximum=points(maximum),
        mean=points(round(fmean(totals), 1)) if totals else "?",
        median=points(round(median(totals), 1)) if totals else "?",
        conditions=_conditions(results),
        notes=tuple(visible.line(note, 300) for note in notes),
        histogram=histogram(totals, maximum),
        sections=shown_sections(CLASS_SECTIONS, results),
        columns=tuple(
            LabColumn(visible.line(lab_id, 60), visible.line(lab.title, 120), points(lab.max_points))
            for lab_id, lab in labs.items()
        ),
        legend=tuple(verdict.facts for verdict in reversed(Verdict) if verdict in seen),
        rows=tuple(
            student_row(result, list(labs))
            for result in sorted(results, key=lambda each: each.submission.name.casefold())
        ),
    )


def _first_of_each_lab(results: Sequence[Result]) -> dict[str, LabResult]:
    labs: dict[str, LabResult] = {}
    for result in results:
        for lab_id, lab in result.labs.items():
            labs.setdefault(lab_id, lab)
    return labs


def _conditions(results: Sequence[Result]) -> tuple[str, ...]:
    each = (
        f"{one.date} · {'GPU: ' + one.gpu if one.gpu else 'CPU'} · {one.compiler} · sandbox: {one.sandbox} · kit {one.kit}"
        for one in (result.environment for result in results)
    )
    return tuple(visible.line(text, 240) for text in dict.fromkeys(each))[:6]
