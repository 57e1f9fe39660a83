"""The section of questions on the class page: which were answered, which numbers were right, and what others wrote instead. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from grader.model.lab_answers import LabAnswers, NumberAnswer, QuestionAnswer
from grader.model.result import Result
from grader.reports.class_week.class_view import full_link
from grader.reports.text import visible

_MOST_NAMES, _MOST_GIVEN = 200, 40  # students of a lab; characters of a number


@dataclass(frozen=True)
class NumberCount:
    label: str
    right: str  # "12 of 20 right", "no number yet"
    other: str  # "64 (5 times)": the most common one that is not right; empty: no two wrote the same


@dataclass(frozen=True)
class QuestionCount:
    number: int
    question: str
    before: str
    answered: str  # "18 of 24"
    numbers: tuple[NumberCount, ...]


@dataclass(frozen=True)
class Answering:
    """A student who answered something."""

    name: str
    link: str
    answered: str  # "4 of 6"


@dataclass(frozen=True)
class LabCounts:
    id: str
    summary: str  # "24 of 30 handed in answers; 4.1 of 6 questions answered on average"
    questions: tuple[QuestionCount, ...]
    students: tuple[Answering, ...]
    more: int


@dataclass(frozen=True)
class QuestionsSection:
    labs: tuple[LabCounts, ...]


def class_answers(results: Sequence[Result]) -> QuestionsSection | None:
    """None where nobody answered anything: then a course does not use it. A form as it was handed out is no answer."""
    of_lab: dict[str, list[tuple[Result, LabAnswers]]] = {}
    for result in results:
        for lab_id, lab in result.labs.items():
            if lab.answers is not None:
                of_lab.setdefault(lab_id, []).append((result, lab.answers))
    labs = [
        _counts(lab_id, each)
        for lab_id, each in of_lab.items()
        if any(answers.begun or answers.listed for _, answers in each)
    ]
    return QuestionsSection(tuple(labs)) if labs else None


def _counts(lab_id: str, each: Sequence[tuple[Result, LabAnswers]]) -> LabCounts:
    found = [(result, answers) for result, answers in each if answers.begun]
    asked = each[0][1].questions
    mean = sum(answers.answered for _, answers in found) / len(found) if found else 0
    summary = f"{len(found)} of {len(each)} handed in answers"
    if found:
        summary += f"; {mean:.1f} of {len(asked)} questions answered on average"
    begun = [(result, answers) for result, answers in found if answers.answered]
    begun.sort(key=lambda one: (one[1].answered, one[0].submission.called.casefold()))
    return LabCounts(
        id=visible.line(lab_id, 60),
        summary=summary,
        questions=tuple(
            _question(one, [answers.questions[at] for _, answers in found]) for at, one in enumerate(asked)
        ),
        students=tuple(
            Answering(
                visible.person(result.submission),
                full_link(result),
                f"{answers.answered} of {len(answers.questions)}",
            )
            for result, answers in begun[:_MOST_NAMES]
        ),
        more=max(0, len(begun) - _MOST_NAMES),
    )


def _question(one: QuestionAnswer, given: Sequence[QuestionAnswer]) -> QuestionCount:
    return QuestionCount(
        number=one.number,
        question=visible.line(one.question, 600),
        before=visible.line(one.before, 40),
        answered=f"{sum(each.answered for each in given)} of {len(given)}",
        numbers=tuple(_number(number, [each.numbers[at] for each in given]) for at, number in enumerate(one.numbers)),
    )


def _number(one: NumberAnswer, given: Sequence[NumberAnswer]) -> NumberCount:
    written = [each for each in given if each.state in {"right", "wrong"}]
    others = Counter(" ".join(each.given.split())[:_MOST_GIVEN] for each in written if each.state == "wrong")
    unchecked = sum(each.state == "unchecked" for each in given)
    none = f"{unchecked} given, not checked here" if unchecked else "no number yet"
    text, times = others.most_common(1)[0] if others else ("", 0)
    return NumberCount(
        label=visible.line(one.label, 60),
        right=f"{sum(each.state == 'right' for each in written)} of {len(written)} right" if written else none,
        other=f"{visible.line(text, _MOST_GIVEN)} ({times} times)" if times > 1 else "",
    )
