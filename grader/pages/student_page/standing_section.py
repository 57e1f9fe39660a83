"""How a lab's points came about besides its tests: deadline and lateness, a person's decision, regrade requests, earlier grades. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from grader.model import visible_text
from grader.model.result import LabAnswers, LabResult, QuestionAnswer, Standing
from grader.model.visible_text import counted, points
from grader.pages.page_section import Shown
from grader.pages.student_page.lab_sections import LabView

_FEW = 3  # changes that are not folded


def standing_section(view: LabView) -> Shown | None:
    """None where nothing but the tests made these points, and they were never other ones."""
    lab, standing = view.lab, view.lab.standing
    changes = [one for one in reversed(lab.changes) if view.instructor or one.before != one.after]
    override = standing.override if standing else None
    if standing is None and not changes and not lab.requests:
        return None
    decision = ""
    if standing is not None and override is not None:
        day = f" ({visible_text.line(override.date, 60)})" if override.date else ""
        judged = points(standing.judged_points)
        decision = f"{points(override.points)} points by decision of {visible_text.line(override.author, 200)}{day}, instead of {judged}."
    return Shown(
        decision=decision,
        reason=override.reason if override is not None else "",
        facts=dict(_facts(standing, lab, instructor=view.instructor)) if standing is not None else {},
        requests=lab.requests,
        changes=changes[:_FEW],  # the newest first
        older=changes[_FEW:],
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


def _facts(standing: Standing, lab: LabResult, *, instructor: bool) -> Iterator[tuple[str, str]]:
    if standing.due:
        moved = f", extended from {shown_moment(standing.extended_from)}" if standing.extended_from else ""
        yield ("Deadline", f"{shown_moment(standing.due)}{moved}")
    if instructor and standing.extension:
        yield ("Reason for the extension", visible_text.line(standing.extension, 1000))
    if standing.at:
        yield (
            "Handed in",
            f"{shown_moment(standing.at)}{f', {standing.late} late' if standing.late else ', in time' if standing.due else ''}",
        )
    elif standing.time_unknown:
        yield (
            "Handed in",
            "late, as the platform says, but not how late" if standing.said_late else "nothing says when: not late",
        )
    if standing.days_left is not None:
        used = f"{standing.days_spent} used here, " if standing.days_spent else ""
        yield ("Late days", f"{used}{standing.days_left} left")
    if words := late_words(standing):
        yield ("Being late", words)
    if standing.judged_points != lab.points:
        yield ("The tests gave", f"{points(standing.judged_points)} of {points(lab.max_points)}")


# The section of the lab's questions: for a student which were found, for the instructor what was written. Pure.

_STATES = {
    "right": ("✓", "good", "right"),
    "wrong": ("✗", "bad", "not right"),
    "unclear": ("?", "waiting", "no number"),
    "unchecked": ("·", "absent", "not checked"),
    "open": ("·", "absent", "not answered"),
}


def answer_section(view: LabView) -> Shown | None:
    """None where there is nothing to say: the lab asks nothing, or there is no file and the course does not want that said."""
    answers = view.lab.answers
    if answers is None or not (answers.found or answers.listed):
        return None
    unfolded = bool(answers.trouble) or (view.instructor and answers.begun)
    return Shown(
        answers=answers, summary=answer_summary(answers), unfolded=unfolded, states=_STATES, look=_look_of_question
    )


def answer_summary(answers: LabAnswers) -> str:
    """In words: "3 of 6 answered, 2 of 3 numbers right". Without a file it says so."""
    if not answers.found:
        return f"no answers.md was found: {counted(len(answers.questions), 'question')} open"
    said = f"{answers.answered} of {len(answers.questions)} answered"
    given = sum(one.state in {"right", "wrong"} for one in answers.numbers)
    return f"{said}, {answers.right} of {counted(given, 'number')} right" if given else said


def _look_of_question(one: QuestionAnswer) -> tuple[str, str, str]:
    """Glyph, tone and words."""
    if not one.answered:
        return ("◐", "waiting", "partly answered") if one.begun else ("·", "absent", "not answered")
    wrong = any(number.state in {"wrong", "unclear"} for number in one.numbers)
    return ("✓", "waiting", "answered, see its numbers") if wrong else ("✓", "good", "answered")
