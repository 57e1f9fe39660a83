"""Checks what was answered: which questions are open, and which numbers are right. Pure but for the time that seals take.

Where the right numbers are known, they are compared. In a handout only their seals are.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from grader.model.lab_answers import LabAnswers, NumberAnswer, NumberState, QuestionAnswer
from grader.questions.answer_text import AnswerText, Written, read_answers
from grader.questions.number_text import read_number, rounded
from grader.questions.question_file import LabQuestions, NumberSpec
from grader.questions.sealed_number import is_sealed

_MOST_TEXT, _MOST_NUMBER, _MOST_STRAYS = 4_000, 100, 1_000
_SEALS_TRIED = 3  # readings of one text: each takes some 40 ms
_COUNTED = "make answers compares it with a run of the kernel, once that is right"
_WORDS = {
    "right": "this number is right",
    "wrong": "this number is not right",
    "unchecked": "nothing here can check this number",
    "open": "not answered yet",
}


def check_answers(
    text: str, lab: LabQuestions, *, file: str = "", models: Mapping[int, str] | None = None
) -> LabAnswers:
    """What `text` answers. `models`: the course's own answers, by the question's number."""
    found = read_answers(text, lab)
    strays = "\n".join(found.strays).strip("\n")
    return LabAnswers(
        found=True,
        file=file,
        notices=tuple(found.notices),
        strays=strays[:_MOST_STRAYS] if strays.strip() else "",
        listed=lab.spec.unanswered == "listed",
        questions=_questions(found, lab, models or {}),
    )


def no_answers(lab: LabQuestions, trouble: str = "", file: str = "") -> LabAnswers:
    """Where there is no file, or none that can be read: then `trouble` says why."""
    empty = AnswerText({number: Written() for number in range(1, len(lab.questions) + 1)})
    return LabAnswers(
        found=bool(trouble),
        file=file,
        trouble=trouble,
        listed=lab.spec.unanswered == "listed",
        questions=_questions(empty, lab, {}),
    )


def _questions(found: AnswerText, lab: LabQuestions, models: Mapping[int, str]) -> tuple[QuestionAnswer, ...]:
    answers = []
    for number, one in enumerate(lab.questions, start=1):
        written = found.written[number]
        text = written.text if written.has_words else ""
        answers.append(
            QuestionAnswer(
                number=number,
                id=one.id,
                question=" ".join(one.text.split()),
                before=one.before,
                wants_words=one.wants_words,
                text=text[:_MOST_TEXT],
                more=max(0, len(text) - _MOST_TEXT),
                has_words=written.has_words,
                numbers=tuple(
                    _number(spec, written.numbers.get(at, ""), lab, (one.id, spec.label))
                    for at, spec in enumerate(one.number)
                ),
                model=models.get(number, ""),
            )
        )
    return tuple(answers)


def _number(spec: NumberSpec, given: str, lab: LabQuestions, key: tuple[str, str]) -> NumberAnswer:
    shown = given[:_MOST_NUMBER]
    if not given.strip():
        return _answer(spec, "", "open")
    reading = read_number(given, spec.unit)
    if not reading.values:
        return NumberAnswer(label=spec.label, unit=spec.unit, given=shown, state="unclear", remark=reading.trouble)
    values = tuple(dict.fromkeys(rounded(value, spec.digits) for value in reading.values))
    if spec.counted and key not in lab.numbers:
        return NumberAnswer(label=spec.label, unit=spec.unit, given=shown, state="unchecked", remark=_COUNTED)
    return _answer(spec, shown, _state(values, lab, key))


def _state(values: tuple[Fraction, ...], lab: LabQuestions, key: tuple[str, str]) -> NumberState:
    if key in lab.numbers:
        return "right" if lab.numbers[key] in values else "wrong"
    if key in lab.seals:
        return "right" if any(is_sealed(value, lab.seals[key]) for value in values[:_SEALS_TRIED]) else "wrong"
    return "unchecked"


def _answer(spec: NumberSpec, given: str, state: NumberState) -> NumberAnswer:
    return NumberAnswer(label=spec.label, unit=spec.unit, given=given, state=state, remark=_WORDS[state])
