"""The section of the lab's questions: for a student which were found, for the instructor what was written. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from grader.model.lab_answers import LabAnswers, NumberAnswer, QuestionAnswer
from grader.reports.student_page.lab_view import LabView
from grader.reports.text import visible
from grader.reports.text.number_format import counted

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
    text: visible.Block | None  # what was written
    cut: int  # characters that are not here
    model: str  # the course's own answer


@dataclass(frozen=True)
class AnswerSection:
    summary: str  # "3 of 6 answered, 2 of 3 numbers right"
    file: str
    trouble: str
    notices: tuple[str, ...]
    rows: tuple[QuestionRow, ...]
    strays: visible.Block | None
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
        file=visible.line(answers.file, 200),
        trouble=visible.line(answers.trouble, 400),
        notices=tuple(visible.line(one, 400) for one in answers.notices),
        rows=tuple(_row(one) for one in answers.questions),
        strays=visible.block(answers.strays, lines=20, columns=_COLUMNS) if answers.strays else None,
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
        question=visible.line(one.question, 1_000),
        before=visible.line(one.before, 40),
        glyph=look[0],
        tone=look[1],
        state=look[2],
        numbers=tuple(_number(number) for number in one.numbers),
        text=visible.block(one.text, lines=_LINES, columns=_COLUMNS) if one.text else None,
        cut=one.more,
        model=visible.line(one.model, 2_000),
    )


def _number(one: NumberAnswer) -> NumberRow:
    glyph, tone, state = _STATES[one.state]
    label = f"{one.label} ({one.unit})" if one.unit else one.label
    remark = visible.line(one.remark, 300) if one.state in {"unclear", "wrong"} else ""
    return NumberRow(visible.line(label, 90), visible.line(one.given, 100), glyph, tone, state, remark)
