"""Whom to write to after a batch: those who handed in nothing, and those who need help. Each with the reason. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import median

from grader.model.result import LabResult, Result
from grader.model.verdicts import Verdict
from grader.reports.class_week.class_view import ClassView, brought_nothing, is_open, report_link
from grader.reports.text import visible
from grader.reports.text.number_format import points, share

MOST_PASS = 75.0  # percent of those who handed a lab in: then whoever does not pass it is behind
BEHIND = 0.5  # of the median of all totals
_MOST = 60
_FEW = 12  # a longer list is folded
_MOST_REASONS = 3


@dataclass(frozen=True)
class Person:
    id: str
    name: str
    link: str
    reasons: str
    section: str


@dataclass(frozen=True)
class Group:
    anchor: str
    title: str
    rule: str  # who is in it
    tone: str
    people: tuple[Person, ...]
    more: int
    unfolded: bool

    @property
    def count(self) -> int:
        return len(self.people) + self.more


def follow_up(view: ClassView) -> tuple[Group, ...]:
    """The groups that are not empty."""
    absent = {one.submission.id: _what_is_missing(one) for one in view.results if brought_nothing(one)}
    groups = (
        _group(view, "nothing", "Handed in nothing", "No upload, or none of a lab's files in it.", "absent", absent),
        _group(
            view,
            "help",
            "Need help",
            f"Less than half of the median, a lab is wrong that {MOST_PASS:.0f} % of the class pass, or a lab's technique is missed.",
            "bad",
            needs_help(view),
        ),
    )
    return tuple(group for group in groups if group.people)


def needs_help(view: ClassView) -> Mapping[str, str]:
    """The reasons by student, those with the fewest points first. Not of those who handed in nothing, and of no total that is open."""
    at_work = [one for one in view.results if not brought_nothing(one) and not is_open(one)]
    if not at_work:
        return {}
    middle = median(one.total for one in at_work)
    passing = {lab_id: _passing(view, lab_id) for lab_id in view.labs}
    found = {}
    for result in sorted(at_work, key=lambda one: one.total):
        reasons = list(_reasons(result, middle, passing))
        if reasons:
            more = len(reasons) - _MOST_REASONS
            found[result.submission.id] = "; ".join(reasons[:_MOST_REASONS]) + (
                f"; and {more} more" if more > 0 else ""
            )
    return found


def _reasons(result: Result, middle: float, passing: Mapping[str, float]) -> Iterator[str]:
    if result.max and result.total < BEHIND * middle:  # extra credit is nobody's duty
        yield f"{points(result.total)} points, and the median is {points(round(middle, 1))}"
    for lab_id, lab in result.labs.items():
        if lab.missed_technique and not lab.extra_credit:
            yield f"{lab_id}: {lab.look.label.lower()}"
        elif _fails(lab) and not lab.extra_credit and passing[lab_id] >= MOST_PASS:
            yield f"{lab_id}: {lab.verdict.facts.label.lower()}, and {passing[lab_id]:.0f} % pass"


def _fails(lab: LabResult) -> bool:
    if lab.standing is not None and lab.standing.open:  # not due yet
        return False
    return lab.verdict.facts.tone == "bad" or lab.verdict is Verdict.MISSING_FILE


def _passing(view: ClassView, lab_id: str) -> float:
    """Percent of those who handed the lab in."""
    labs = [one.labs[lab_id] for one in view.results if lab_id in one.labs]
    handed_in = [one for one in labs if one.verdict is not Verdict.MISSING_FILE]
    return share(sum(one.passed for one in handed_in), len(handed_in))


def _what_is_missing(result: Result) -> str:
    return "an upload without a lab's file" if result.submission.handed_in else ""


def _group(view: ClassView, anchor: str, title: str, rule: str, tone: str, found: Mapping[str, str]) -> Group:  # noqa: PLR0913, PLR0917 -- each is a part of the heading
    people = [
        Person(
            student,
            visible.person(view.by_id[student].submission),
            report_link(view.by_id[student]),
            visible.line(reasons, 240),
            visible.line(view.by_id[student].submission.student.section, 60),
        )
        for student, reasons in found.items()
    ]
    return Group(anchor, title, rule, tone, tuple(people[:_MOST]), max(0, len(people) - _MOST), len(people) <= _FEW)
