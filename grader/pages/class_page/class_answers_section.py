"""The section of questions on the class page: which were answered, which numbers were right, and what others wrote instead. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean, median

from grader.model import visible_text
from grader.model.result import LabAnswers, NumberAnswer, QuestionAnswer, Result
from grader.model.visible_text import points, share
from grader.pages.class_page.class_view import ClassView, brought_nothing, full_link
from grader.pages.page_section import Shown

_MOST_NAMES, _MOST_GIVEN = 200, 40  # students of a lab; characters of a number


def class_answers(view: ClassView) -> list[Shown]:
    """Empty where nobody answered anything: then a course does not use it. A form as it was handed out is no answer."""
    asked = {
        lab_id: [(result, lab.answers) for result, lab in each if lab.answers is not None]
        for lab_id, each in view.by_lab.items()
    }
    return [
        _counts(lab_id, each)
        for lab_id, each in asked.items()
        if any(answers.begun or answers.listed for _, answers in each)
    ]


def _counts(lab_id: str, each: Sequence[tuple[Result, LabAnswers]]) -> Shown:
    found = [(result, answers) for result, answers in each if answers.begun]
    asked = each[0][1].questions
    mean = sum(answers.answered for _, answers in found) / len(found) if found else 0
    summary = f"{len(found)} of {len(each)} handed in answers"
    if found:
        summary += f"; {mean:.1f} of {len(asked)} questions answered on average"
    begun = [(result, answers) for result, answers in found if answers.answered]
    begun.sort(key=lambda one: (one[1].answered, one[0].submission.called.casefold()))
    return Shown(
        id=lab_id,
        summary=summary,  # "24 of 30 handed in answers; 4.1 of 6 questions answered on average"
        questions=[_question(one, [answers.questions[at] for _, answers in found]) for at, one in enumerate(asked)],
        students=[
            Shown(result=result, link=full_link(result), answers=answers) for result, answers in begun[:_MOST_NAMES]
        ],
        more=max(0, len(begun) - _MOST_NAMES),
    )


def _question(one: QuestionAnswer, given: Sequence[QuestionAnswer]) -> Shown:
    return Shown(
        question=one,
        answered=f"{sum(each.answered for each in given)} of {len(given)}",
        numbers=[_number(number, [each.numbers[at] for each in given]) for at, number in enumerate(one.numbers)],
    )


def _number(one: NumberAnswer, given: Sequence[NumberAnswer]) -> tuple[str, str, str]:
    """Its label, how many are right, and the most common one that is not; empty: no two wrote the same."""
    written = [each for each in given if each.state in {"right", "wrong"}]
    others = Counter(" ".join(each.given.split())[:_MOST_GIVEN] for each in written if each.state == "wrong")
    unchecked = sum(each.state == "unchecked" for each in given)
    none = f"{unchecked} given, not checked here" if unchecked else "no number yet"
    text, times = others.most_common(1)[0] if others else ("", 0)
    return (
        one.label,
        f"{sum(each.state == 'right' for each in written)} of {len(written)} right" if written else none,
        f"{visible_text.line(text, _MOST_GIVEN)} ({times} times)" if times > 1 else "",
    )


# The course's sections side by side: who handed in, points, and how many pass each lab. Pure.

_FEWEST = 2  # one section is the class itself


def by_section(view: ClassView) -> Shown | None:
    keys = [*view.sections, *([""] if any(not one.submission.student.section for one in view.results) else [])]
    if len(keys) < _FEWEST:
        return None
    labs = list(view.labs)
    rows = [_row(key, [one for one in view.results if one.submission.student.section == key], labs) for key in keys]
    return Shown(labs=labs, rows=rows)


def _row(key: str, results: Sequence[Result], labs: Sequence[str]) -> Shown:
    """`key`: as in the data of the page; empty: those whom the roster gives no section."""
    there = [one for one in results if not brought_nothing(one)]
    totals = [one.total for one in there]
    return Shown(
        name=visible_text.line(key, 60) or "no section",
        key=key,
        students=len(results),
        handed_in=len(there),
        mean=points(round(fmean(totals), 1)) if totals else "\N{EN DASH}",
        median=points(round(median(totals), 1)) if totals else "\N{EN DASH}",
        passed=[_passed(there, lab_id) for lab_id in labs],
    )


def _passed(results: Sequence[Result], lab_id: str) -> str:
    labs = [one.labs[lab_id] for one in results if lab_id in one.labs]
    return f"{share(sum(one.passed for one in labs), len(labs)):.0f} %" if labs else "\N{EN DASH}"
