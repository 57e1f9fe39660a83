"""Checks what was answered: which questions are open, and which numbers are right. Pure but for the time that seals take.

Where the right numbers are known, they are compared. In a handout only their seals are.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from grader.model.lab_answers import LabAnswers, NumberAnswer, NumberState, QuestionAnswer
from grader.questions.answer_hint import Key, NumberTrial, hint
from grader.questions.answer_text import AnswerText, Written, read_answers
from grader.questions.number_text import read_number, rounded
from grader.questions.question_file import LabQuestions, NumberSpec, QuestionSpec

_MOST_TEXT, _MOST_NUMBER, _MOST_STRAYS = 4_000, 100, 1_000
_COUNTED = "make answers compares it with a run of the kernel, once that is right"
_UNKNOWN = "nothing here can check this number"


def check_answers(
    text: str, lab: LabQuestions, *, file: str = "", models: Mapping[int, str] | None = None, hints: bool = True
) -> LabAnswers:
    """What `text` answers. `models`: the course's own answers, by the question's number. `hints`: to what may be wrong with a number; they
    take a moment for each, where only seals are known.
    """
    found = read_answers(text, lab)
    strays = "\n".join(found.strays).strip("\n")
    return LabAnswers(
        found=True,
        file=file,
        notices=tuple(found.notices),
        strays=strays[:_MOST_STRAYS] if strays.strip() else "",
        listed=lab.spec.unanswered == "listed",
        questions=_questions(found, lab, models or {}, hints=hints),
    )


def no_answers(lab: LabQuestions, trouble: str = "", file: str = "") -> LabAnswers:
    """Where there is no file, or none that can be read: then `trouble` says why."""
    empty = AnswerText({number: Written() for number in range(1, len(lab.questions) + 1)})
    return LabAnswers(
        found=bool(trouble),
        file=file,
        trouble=trouble,
        listed=lab.spec.unanswered == "listed",
        questions=_questions(empty, lab, {}, hints=False),
    )


def _questions(
    found: AnswerText, lab: LabQuestions, models: Mapping[int, str], *, hints: bool
) -> tuple[QuestionAnswer, ...]:
    trial = NumberTrial(lab)
    specs = {(one.id, spec.label): spec for one in lab.questions for spec in one.number}
    given = {
        (one.id, spec.label): found.written[number].numbers.get(at, "")
        for number, one in enumerate(lab.questions, start=1)
        for at, spec in enumerate(one.number)
    }
    numbers = {key: _number(spec, given[key], key, trial) for key, spec in specs.items()}
    if hints:
        lacking = [(key, specs[key]) for key, one in numbers.items() if one.state != "right" and trial.knows(key)]
        for key, one in numbers.items():
            if one.state == "wrong":
                remark = hint(_values(given[key], specs[key]), key, specs[key], lacking, trial)
                numbers[key] = one.model_copy(update={"remark": remark})
    return tuple(
        _question(number, one, found.written[number], models.get(number, ""), numbers)
        for number, one in enumerate(lab.questions, start=1)
    )


def _question(
    number: int, one: QuestionSpec, written: Written, model: str, numbers: Mapping[Key, NumberAnswer]
) -> QuestionAnswer:
    text = written.text if written.has_words else ""
    return QuestionAnswer(
        number=number,
        id=one.id,
        question=" ".join(one.text.split()),
        before=one.before,
        wants_words=one.wants_words,
        text=text[:_MOST_TEXT],
        more=max(0, len(text) - _MOST_TEXT),
        has_words=written.has_words,
        numbers=tuple(numbers[one.id, spec.label] for spec in one.number),
        model=model,
    )


def _number(spec: NumberSpec, given: str, key: Key, trial: NumberTrial) -> NumberAnswer:
    def answer(state: NumberState, remark: str = "") -> NumberAnswer:
        return NumberAnswer(label=spec.label, unit=spec.unit, given=given[:_MOST_NUMBER], state=state, remark=remark)

    if not given.strip():
        given = ""
        return answer("open")
    reading = read_number(given, spec.unit)
    if not reading.values:
        return answer("unclear", reading.trouble)
    if not trial.knows(key):
        return answer("unchecked", _COUNTED if spec.counted else _UNKNOWN)
    return answer("right" if trial.is_right(key, _values(given, spec)) else "wrong")


def _values(given: str, spec: NumberSpec) -> tuple[Fraction, ...]:
    """What the text may mean, as it is compared."""
    return tuple(dict.fromkeys(rounded(value, spec.digits) for value in read_number(given, spec.unit).values))
