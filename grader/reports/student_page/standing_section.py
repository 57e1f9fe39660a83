"""How a lab's points came about besides its tests: deadline and lateness, a person's decision, regrade requests, earlier grades. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from grader.model.result import LabResult
from grader.model.standing import GradeChange, RegradeRequest, Standing
from grader.reports.findings.finding_card import Fact
from grader.reports.student_page.lab_view import LabView
from grader.reports.text import visible
from grader.reports.text.number_format import counted, points

_FEW = 3  # changes that are not folded


@dataclass(frozen=True)
class AskedAgain:
    request: str
    answer: str  # empty: not answered yet
    under: str  # "2026-10-20": when it was asked
    author: str  # of the answer


@dataclass(frozen=True)
class ChangeLine:
    day: str
    moved: str  # "12 → 14"
    causes: str
    details: tuple[str, ...]  # for the instructor


@dataclass(frozen=True)
class StandingSection:
    decision: str  # of a person; empty: there is none
    reason: str
    facts: tuple[Fact, ...]
    requests: tuple[AskedAgain, ...]
    changes: tuple[ChangeLine, ...]  # the newest first
    older: tuple[ChangeLine, ...]


def standing_section(view: LabView) -> StandingSection | None:
    """None where nothing but the tests made these points, and they were never other ones."""
    lab, standing = view.lab, view.lab.standing
    lines = [_change(one) for one in reversed(lab.changes) if view.instructor or one.before != one.after]
    override = standing.override if standing else None
    if standing is None and not lines and not lab.requests:
        return None
    decision = ""
    if standing is not None and override is not None:
        day = f" ({visible.line(override.date, 60)})" if override.date else ""
        judged = points(standing.judged_points)
        decision = f"{points(override.points)} points by decision of {visible.line(override.author, 200)}{day}, instead of {judged}."
    return StandingSection(
        decision=decision,
        reason=visible.line(override.reason, 2000) if override is not None else "",
        facts=tuple(_facts(standing, lab, instructor=view.instructor)) if standing is not None else (),
        requests=tuple(_asked(one) for one in lab.requests),
        changes=tuple(lines[:_FEW]),
        older=tuple(lines[_FEW:]),
    )


def shown_moment(text: str) -> str:
    """ISO 8601 for people: "2026-10-19 23:59 (UTC+02:00)"."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return visible.line(text, 40)
    zone = f" (UTC{found:%z})".replace("(UTC+0000)", "(UTC)") if found.tzinfo is not None else ""
    if len(zone) > len(" (UTC)"):
        zone = f"{zone[:-3]}:{zone[-3:]}"
    return f"{found:%Y-%m-%d %H:%M}{f':{found:%S}' if found.second else ''}{zone}"


def late_words(standing: Standing) -> str:
    """What being late cost: "2 points less for 2 days"; empty: nothing."""
    if standing.closed:
        return f"too late to count: {_fewer(standing.lost)}"
    left = standing.late_days - standing.days_spent
    return f"{_fewer(standing.lost)} for {counted(left, 'day')} late" if standing.lost else ""


def _fewer(lost: float) -> str:
    return f"{points(lost)} point{'' if lost == 1 else 's'} less"


def _facts(standing: Standing, lab: LabResult, *, instructor: bool) -> Iterator[Fact]:
    if standing.due:
        moved = f", extended from {shown_moment(standing.extended_from)}" if standing.extended_from else ""
        yield Fact("Deadline", f"{shown_moment(standing.due)}{moved}")
    if instructor and standing.extension:
        yield Fact("Reason for the extension", visible.line(standing.extension, 1000))
    if standing.at:
        yield Fact(
            "Handed in",
            f"{shown_moment(standing.at)}{f', {standing.late} late' if standing.late else ', in time' if standing.due else ''}",
        )
    elif standing.time_unknown:
        yield Fact(
            "Handed in",
            "late, as the platform says, but not how late" if standing.said_late else "nothing says when: not late",
        )
    if standing.days_left is not None:
        used = f"{standing.days_spent} used here, " if standing.days_spent else ""
        yield Fact("Late days", f"{used}{standing.days_left} left")
    if words := late_words(standing):
        yield Fact("Being late", words)
    if standing.judged_points != lab.points:
        yield Fact("The tests gave", f"{points(standing.judged_points)} of {points(lab.max_points)}")


def _asked(one: RegradeRequest) -> AskedAgain:
    return AskedAgain(
        request=visible.line(one.request, 8000),
        answer=visible.line(one.answer, 8000),
        under=visible.line(one.date, 60),
        author=visible.line(one.author, 200),
    )


def _change(one: GradeChange) -> ChangeLine:
    before, after = ("no grade" if value is None else points(value) for value in (one.before, one.after))
    return ChangeLine(
        day=visible.line(one.date[:10], 20),
        moved=f"{before} → {after}" if one.before != one.after else f"{after}, as before",
        causes=visible.line("; ".join(one.causes), 600),
        details=tuple(visible.line(detail, 200) for detail in one.details),
    )
