"""A graded class: pages and exports are made from it. Plain data."""

from __future__ import annotations

from dataclasses import dataclass

from grader.model.class_insight import NOTHING_KNOWN, ClassInsight
from grader.model.result import Result


@dataclass(frozen=True)
class GradedClass:
    title: str  # the name of SUBMISSIONS, safe to show
    lab_ids: tuple[str, ...]  # each result holds every one of them
    results: tuple[Result, ...]  # one for each student
    notices: tuple[str, ...] = ()  # about SUBMISSIONS and OUT as a whole
    insight: ClassInsight = NOTHING_KNOWN  # for the class page
