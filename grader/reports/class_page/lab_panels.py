"""The section of labs on the class page: a panel for each lab, with its results and its most common findings. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

from grader.model.result import LabResult, Result
from grader.reports.class_page.recurring import Recurring, recurring
from grader.reports.class_page.verdict_bar import VerdictBar, verdict_bar
from grader.reports.text import visible
from grader.reports.text.number_format import points, share


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
class LabPanels:
    panels: tuple[LabPanel, ...]


def lab_panels(results: Sequence[Result]) -> LabPanels:
    labs: dict[str, list[LabResult]] = {}
    for result in results:
        for lab_id, lab in result.labs.items():
            labs.setdefault(lab_id, []).append(lab)
    return LabPanels(tuple(_panel(lab_id, each) for lab_id, each in labs.items()))


def _panel(lab_id: str, labs: Sequence[LabResult]) -> LabPanel:
    earned = [lab.points for lab in labs]
    passed = sum(lab.passed for lab in labs)
    return LabPanel(
        id=visible.line(lab_id, 60),
        title=visible.line(labs[0].title, 120),
        max_points=points(labs[0].max_points),
        extra_credit=labs[0].extra_credit,
        mean=points(round(fmean(earned), 1)),
        median=points(round(median(earned), 1)),
        passed=f"{share(passed, len(labs)):.0f} %",
        bar=verdict_bar([lab.look for lab in labs]),
        recurring=recurring(labs),
    )
