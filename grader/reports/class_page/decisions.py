"""What the course's policy and people decided in a class: overrides, regrade requests, late work, and which grades changed last. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.model.result import LabResult, Result
from grader.reports.class_week.class_view import report_link
from grader.reports.student_page.standing_section import late_words
from grader.reports.text import visible
from grader.reports.text.number_format import counted, points

_MOST = 200
_FEW = 6  # a longer list is folded


@dataclass(frozen=True)
class DecisionEntry:
    name: str
    link: str
    detail: str


@dataclass(frozen=True)
class DecisionGroup:
    title: str
    remedy: str
    entries: tuple[DecisionEntry, ...]
    count: int
    more: int
    unfolded: bool


def decisions(results: Sequence[Result]) -> tuple[DecisionGroup, ...]:
    """The groups that are not empty."""
    groups = [
        _group(
            "Regrade requests without an answer",
            "Write the answer into regrade.csv and grade again.",
            _open_requests(results),
        ),
        _group(
            "Points that a person decided", "They stand whatever a grading finds: overrides.csv.", _overrides(results)
        ),
        _group("Late", "What being late cost, and late days that were used.", _late(results)),
        _group(
            "Nothing says when they were handed in",
            "So they are not late. An override can take points.",
            _unknown(results),
        ),
        _group(*_last_changes(results)),
    ]
    return tuple(group for group in groups if group.entries)


def _group(title: str, remedy: str, found: Iterator[tuple[Result, str]]) -> DecisionGroup:
    entries = [
        DecisionEntry(visible.person(one.submission), report_link(one), visible.line(detail, 400))
        for one, detail in found
    ]
    return DecisionGroup(
        title, remedy, tuple(entries[:_MOST]), len(entries), max(0, len(entries) - _MOST), unfolded=len(entries) <= _FEW
    )


def _labs(results: Sequence[Result]) -> Iterator[tuple[Result, str, LabResult]]:
    for result in results:
        for lab_id, lab in result.labs.items():
            yield result, lab_id, lab


def _open_requests(results: Sequence[Result]) -> Iterator[tuple[Result, str]]:
    for result, lab_id, lab in _labs(results):
        for one in lab.requests:
            if not one.answer:
                yield result, f"{lab_id}: {one.request}"


def _overrides(results: Sequence[Result]) -> Iterator[tuple[Result, str]]:
    for result, lab_id, lab in _labs(results):
        if lab.standing is not None and (one := lab.standing.override) is not None:
            by = f"{one.author}{f', {one.date}' if one.date else ''}"
            yield (
                result,
                f"{lab_id}: {points(lab.standing.judged_points)} → {points(one.points)}, by {by}: {one.reason}",
            )


def _late(results: Sequence[Result]) -> Iterator[tuple[Result, str]]:
    for result, lab_id, lab in _labs(results):
        standing = lab.standing
        if standing is not None and standing.late_seconds and standing.override is None:
            used = f"{counted(standing.days_spent, 'late day')} used" if standing.days_spent else ""
            said = ", ".join(filter(None, [used, late_words(standing)])) or "nothing lost"
            yield result, f"{lab_id}: {standing.late} late; {said}"


def _unknown(results: Sequence[Result]) -> Iterator[tuple[Result, str]]:
    for result, lab_id, lab in _labs(results):
        if lab.standing is not None and lab.standing.time_unknown and lab.standing.override is None:
            yield result, f"{lab_id}{': marked as late by the platform' if lab.standing.said_late else ''}"


def _last_changes(results: Sequence[Result]) -> tuple[str, str, Iterator[tuple[Result, str]]]:
    """Of the batch that changed grades last."""
    moved = [
        (result, lab_id, one)
        for result, lab_id, lab in _labs(results)
        for one in lab.changes
        if one.before != one.after
    ]
    last = max((one.date for _, _, one in moved), default="")
    found = (
        (result, f"{lab_id}: {_points(one.before)} → {_points(one.after)}; {'; '.join(one.causes)}")
        for result, lab_id, one in moved
        if one.date == last
    )
    return (
        "Grades that changed last",
        f"Found on {last[:16].replace('T', ' ')} UTC. `tilelab history` shows all.",
        found,
    )


def _points(value: float | None) -> str:
    return "no grade" if value is None else points(value)
