"""The course's sections side by side: who handed in, points, and how many pass each lab. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

from grader.model.result import Result
from grader.reports.class_week.class_view import ClassView, brought_nothing
from grader.reports.text import visible
from grader.reports.text.number_format import points, share

_FEWEST = 2  # one section is the class itself


@dataclass(frozen=True)
class SectionRow:
    name: str
    key: str  # as in the data of the page; empty: those whom the roster gives no section
    students: int
    handed_in: int
    mean: str
    median: str
    passed: tuple[str, ...]  # for each lab


@dataclass(frozen=True)
class SectionTable:
    labs: tuple[str, ...]
    rows: tuple[SectionRow, ...]


def by_section(view: ClassView) -> SectionTable | None:
    keys = [*view.sections, *([""] if any(not one.submission.student.section for one in view.results) else [])]
    if len(keys) < _FEWEST:
        return None
    labs = tuple(view.labs)
    rows = (_row(key, [one for one in view.results if one.submission.student.section == key], labs) for key in keys)
    return SectionTable(tuple(visible.line(one, 60) for one in labs), tuple(rows))


def _row(key: str, results: Sequence[Result], labs: Sequence[str]) -> SectionRow:
    there = [one for one in results if not brought_nothing(one)]
    totals = [one.total for one in there]
    return SectionRow(
        name=visible.line(key, 60) or "no section",
        key=key,
        students=len(results),
        handed_in=len(there),
        mean=points(round(fmean(totals), 1)) if totals else "\N{EN DASH}",
        median=points(round(median(totals), 1)) if totals else "\N{EN DASH}",
        passed=tuple(_passed(there, lab_id) for lab_id in labs),
    )


def _passed(results: Sequence[Result], lab_id: str) -> str:
    labs = [one.labs[lab_id] for one in results if lab_id in one.labs]
    return f"{share(sum(one.passed for one in labs), len(labs)):.0f} %" if labs else "\N{EN DASH}"
