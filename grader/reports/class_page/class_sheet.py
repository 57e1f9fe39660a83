"""The class page as plain data: the summary, its sections, a row for each student. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

from grader.model.class_insight import ClassInsight
from grader.model.result import Result
from grader.model.verdicts import LOOKS, VerdictFacts
from grader.reports.class_page.class_sections import CLASS_SECTIONS
from grader.reports.class_page.histogram import Histogram, histogram
from grader.reports.class_page.student_row import StudentRow, student_row
from grader.reports.class_week.class_view import ClassView, most_points
from grader.reports.class_week.row_data import row_data
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
    handed_in: int
    of_whom: str  # "handed in", "of 300 handed in"
    students_text: str  # "24 students"
    maximum: str
    has_maximum: bool  # not where every lab is extra credit
    mean: str
    mean_text: str  # "mean of 34"
    median: str
    conditions: tuple[str, ...]  # compiler, sandbox and so on; several where the results come from different runs
    notes: tuple[str, ...]
    histogram: Histogram
    sections: tuple[ShownSection, ...]
    columns: tuple[LabColumn, ...]  # of the table
    has_sections: bool  # whether the table has a column of sections
    legend: tuple[VerdictFacts, ...]
    rows: tuple[StudentRow, ...]
    data: dict[str, object]  # what the page's script sorts and filters by


def class_sheet(results: Sequence[Result], course: str, notes: Sequence[str], insight: ClassInsight) -> ClassSheet:
    view = ClassView(results, insight)
    totals = [result.total for result in view.handed_in]  # of others there is nothing to judge
    maximum = max((result.max for result in results), default=0.0)
    seen = {lab.look for result in results for lab in result.labs.values()}
    ordered = sorted(results, key=lambda each: each.submission.called.casefold())
    rows = tuple(student_row(result, list(view.labs)) for result in ordered)
    return ClassSheet(
        course=visible.line(course, 120) or "Class report",
        handed_in=len(view.handed_in),
        of_whom="handed in" if len(view.handed_in) == len(results) else f"of {len(results):,} handed in",
        students_text=counted(len(results), "student"),
        maximum=points(maximum),
        has_maximum=maximum > 0,
        mean=points(round(fmean(totals), 1)) if totals else "?",
        mean_text=f"mean of {points(maximum)}" if maximum else "mean, all extra credit" if results else "mean",
        median=points(round(median(totals), 1)) if totals else "?",
        conditions=_conditions(results),
        notes=tuple(visible.line(note, 300) for note in notes),
        histogram=histogram(totals, most_points(results)),
        sections=shown_sections(CLASS_SECTIONS, view),
        columns=tuple(
            LabColumn(visible.line(lab_id, 60), visible.line(lab.title, 120), points(lab.max_points))
            for lab_id, lab in view.labs.items()
        ),
        has_sections=bool(view.sections),
        legend=tuple(look for look in reversed(LOOKS) if look in seen),
        rows=rows,
        data=row_data(view, ordered, [row.order for row in rows]),
    )


def _conditions(results: Sequence[Result]) -> tuple[str, ...]:
    each = (
        f"{one.date} · {'GPU: ' + one.gpu if one.gpu else 'CPU'} · {one.compiler} · sandbox: {one.sandbox} · kit {one.kit}"
        for one in (result.environment for result in results)
    )
    return tuple(visible.line(text, 240) for text in dict.fromkeys(each))[:6]
