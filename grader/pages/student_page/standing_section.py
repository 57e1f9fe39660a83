"""How a lab's points came about besides its tests: deadline and lateness, a person's decision, regrade requests, earlier grades. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from grader.model import visible_text
from grader.model.result import (
    GradeChange,
    LabAnswers,
    LabResult,
    NumberAnswer,
    QuestionAnswer,
    RegradeRequest,
    Standing,
)
from grader.model.visible_text import counted, points
from grader.pages.findings.finding_card import Fact
from grader.pages.student_page.lab_view import LabView

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
        day = f" ({visible_text.line(override.date, 60)})" if override.date else ""
        judged = points(standing.judged_points)
        decision = f"{points(override.points)} points by decision of {visible_text.line(override.author, 200)}{day}, instead of {judged}."
    return StandingSection(
        decision=decision,
        reason=visible_text.line(override.reason, 2000) if override is not None else "",
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
        return visible_text.line(text, 40)
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
        yield Fact("Reason for the extension", visible_text.line(standing.extension, 1000))
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
        request=visible_text.line(one.request, 8000),
        answer=visible_text.line(one.answer, 8000),
        under=visible_text.line(one.date, 60),
        author=visible_text.line(one.author, 200),
    )


def _change(one: GradeChange) -> ChangeLine:
    before, after = ("no grade" if value is None else points(value) for value in (one.before, one.after))
    return ChangeLine(
        day=visible_text.line(one.date[:10], 20),
        moved=f"{before} → {after}" if one.before != one.after else f"{after}, as before",
        causes=visible_text.line("; ".join(one.causes), 600),
        details=tuple(visible_text.line(detail, 200) for detail in one.details),
    )


# What the student is called on the lab's leaderboard. Only this student learns it. Pure.


@dataclass(frozen=True)
class LeaderboardSection:
    name: str  # empty: left out, as asked for
    chosen: bool
    note: str


def leaderboard_section(view: LabView) -> LeaderboardSection | None:
    named = view.lab.leaderboard
    if named is None:
        return None
    return LeaderboardSection(visible_text.line(named.name, 60), named.chosen, visible_text.line(named.note, 300))


# The section of the lab's questions: for a student which were found, for the instructor what was written. Pure.

_LINES, _COLUMNS = 60, 400
_STATES = {
    "right": ("✓", "good", "right"),
    "wrong": ("✗", "bad", "not right"),
    "unclear": ("?", "waiting", "no number"),
    "unchecked": ("·", "absent", "not checked"),
    "open": ("·", "absent", "not answered"),
}


@dataclass(frozen=True)
class NumberRow:
    label: str
    given: str
    glyph: str
    tone: str
    state: str
    remark: str


@dataclass(frozen=True)
class QuestionRow:
    number: int
    question: str
    before: str
    glyph: str
    tone: str
    state: str
    numbers: tuple[NumberRow, ...]
    text: visible_text.Block | None  # what was written
    cut: int  # characters that are not here
    model: str  # the course's own answer


@dataclass(frozen=True)
class AnswerSection:
    summary: str  # "3 of 6 answered, 2 of 3 numbers right"
    file: str
    trouble: str
    notices: tuple[str, ...]
    rows: tuple[QuestionRow, ...]
    strays: visible_text.Block | None
    shows_text: bool  # for the instructor: with what was written
    unfolded: bool


def answer_section(view: LabView) -> AnswerSection | None:
    """None where there is nothing to say: the lab asks nothing, or there is no file and the course does not want that said."""
    answers = view.lab.answers
    if answers is None or not (answers.found or answers.listed):
        return None
    shows_text = any(one.text or one.model for one in answers.questions) or bool(answers.strays)
    return AnswerSection(
        summary=answer_summary(answers),
        file=visible_text.line(answers.file, 200),
        trouble=visible_text.line(answers.trouble, 400),
        notices=tuple(visible_text.line(one, 400) for one in answers.notices),
        rows=tuple(_row(one) for one in answers.questions),
        strays=visible_text.block(answers.strays, lines=20, columns=_COLUMNS) if answers.strays else None,
        shows_text=shows_text,
        unfolded=bool(answers.trouble) or (view.instructor and answers.begun),
    )


def answer_summary(answers: LabAnswers) -> str:
    """In words. Without a file it says so."""
    if not answers.found:
        return f"no answers.md was found: {counted(len(answers.questions), 'question')} open"
    said = f"{answers.answered} of {len(answers.questions)} answered"
    given = sum(one.state in {"right", "wrong"} for one in answers.numbers)
    return f"{said}, {answers.right} of {counted(given, 'number')} right" if given else said


def _row(one: QuestionAnswer) -> QuestionRow:
    wrong = any(number.state in {"wrong", "unclear"} for number in one.numbers)
    if one.answered:
        look = ("✓", "waiting", "answered, see its numbers") if wrong else ("✓", "good", "answered")
    else:
        look = ("◐", "waiting", "partly answered") if one.begun else ("·", "absent", "not answered")
    return QuestionRow(
        number=one.number,
        question=visible_text.line(one.question, 1_000),
        before=visible_text.line(one.before, 40),
        glyph=look[0],
        tone=look[1],
        state=look[2],
        numbers=tuple(_number(number) for number in one.numbers),
        text=visible_text.block(one.text, lines=_LINES, columns=_COLUMNS) if one.text else None,
        cut=one.more,
        model=visible_text.line(one.model, 2_000),
    )


def _number(one: NumberAnswer) -> NumberRow:
    glyph, tone, state = _STATES[one.state]
    label = f"{one.label} ({one.unit})" if one.unit else one.label
    remark = visible_text.line(one.remark, 300) if one.state in {"unclear", "wrong"} else ""
    return NumberRow(visible_text.line(label, 90), visible_text.line(one.given, 100), glyph, tone, state, remark)
