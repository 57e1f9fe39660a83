"""The class page as plain data: the summary, a panel per lab, what needs a person, a row per student. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

from grader.model.result import LabResult, Result, Verdict
from grader.reports.class_page.attention import Attention, attention
from grader.reports.class_page.histogram import Histogram, histogram
from grader.reports.class_page.measured_speed import MeasuredSpeed, measured_speed
from grader.reports.class_page.recurring import Recurring, recurring
from grader.reports.class_page.student_row import StudentRow, student_row
from grader.reports.class_page.verdict_bar import VerdictBar, verdict_bar
from grader.reports.text import visible
from grader.reports.text.number_format import counted, points, share
from grader.reports.text.verdict_style import LOOKS, Look


@dataclass(frozen=True)
class LabPanel:
    id: str
    title: str
    max_points: str
    extra_credit: bool
    mean: str
    median: str
    passed: str  # percent of the students
    bar: VerdictBar
    recurring: tuple[Recurring, ...]


@dataclass(frozen=True)
class ClassSheet:
    course: str
    students: int
    students_words: str  # "24 students"
    maximum: str
    mean: str
    median: str
    conditions: tuple[str, ...]  # what was in force; more than one where a batch mixes runs
    notes: tuple[str, ...]
    histogram: Histogram
    panels: tuple[LabPanel, ...]
    attention: tuple[Attention, ...]
    speed: MeasuredSpeed | None
    legend: tuple[Look, ...]
    rows: tuple[StudentRow, ...]


def class_sheet(results: Sequence[Result], course: str, notes: Sequence[str]) -> ClassSheet:
    lab_ids = list(dict.fromkeys(lab_id for result in results for lab_id in result.labs))
    totals = [result.total for result in results]
    maximum = max((result.max for result in results), default=0.0)
    seen = {lab.verdict for result in results for lab in result.labs.values()}
    return ClassSheet(
        course=visible.words(course, 120) or "Class report",
        students=len(results),
        students_words=counted(len(results), "student"),
        maximum=points(maximum),
        mean=points(round(fmean(totals), 1)) if totals else "?",
        median=points(round(median(totals), 1)) if totals else "?",
        conditions=_conditions(results),
        notes=tuple(visible.words(note, 300) for note in notes),
        histogram=histogram(totals, maximum),
        panels=tuple(_panel(lab_id, [r.labs[lab_id] for r in results if lab_id in r.labs]) for lab_id in lab_ids),
        attention=attention(results),
        speed=measured_speed(results),
        legend=tuple(look for verdict, look in reversed(LOOKS.items()) if verdict in seen),
        rows=tuple(
            student_row(result, lab_ids) for result in sorted(results, key=lambda each: each.submission.name.casefold())
        ),
    )


def _panel(lab_id: str, labs: list[LabResult]) -> LabPanel:
    earned = [lab.points for lab in labs]
    passed = sum(lab.verdict is Verdict.PASS for lab in labs)
    return LabPanel(
        id=visible.words(lab_id, 60),
        title=visible.words(labs[0].title, 120),
        max_points=points(labs[0].max_points),
        extra_credit=labs[0].extra_credit,
        mean=points(round(fmean(earned), 1)),
        median=points(round(median(earned), 1)),
        passed=f"{share(passed, len(labs)):.0f} %",
        bar=verdict_bar([lab.verdict for lab in labs]),
        recurring=recurring(labs),
    )


def _conditions(results: Sequence[Result]) -> tuple[str, ...]:
    each = (
        f"{one.date} · {'GPU: ' + one.gpu if one.gpu else 'CPU'} · {one.compiler} · sandbox: {one.sandbox} · kit {one.kit}"
        for one in (result.environment for result in results)
    )
    return tuple(visible.words(text, 240) for text in dict.fromkeys(each))[:6]
