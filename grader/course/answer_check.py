"""Checks what was answered: which questions are open, and which numbers are right. Pure but for the time that seals take.

Where the right numbers are known, they are compared. In a handout only their seals are.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from grader.course.answer_text import ANSWER_BYTES, AnswerText, NoAnswersError, Written, answer_text, read_answers
from grader.course.number_text import kind_of_unit, read_number, rounded
from grader.course.question_file import ANSWERS, LabQuestions, NumberSpec, QuestionSpec, is_sealed, load_questions
from grader.engines.toolset import Toolset
from grader.model.errors import RemediableError
from grader.model.labs import Lab
from grader.model.result import LabAnswers, NumberAnswer, NumberState, QuestionAnswer
from grader.model.verdicts import Verdict
from grader.source.student_code import normalise

# What may be wrong with a number that is not right: it belongs on another line, is in another unit, or was miscounted. Pure but for
# the time that seals take.
#
# A hint never says which number is right. So nothing is said of small numbers that are off by one: there, near would be told.

Key = tuple[str, str]  # a question's id and a number's label
OTHER_LINE = "it is right on another line of this lab: do you have the lines mixed up?"
ROUNDING = "it is very near: round once, at the end"
NEARLY = "it is very near: does counting begin at 0 or at 1, and does the last one count?"
ZEROS = "the digits fit, the size does not: look at the zeros and at the decimal point"
SHARE = "the digits fit: is it per cent, or a part of 1?"
_FACTORS = {"size": (1024, 1000, 8, 4), "time": (1000,)}  # of units that are taken for one another
_LEAST_COUNT = 16  # of a number whose neighbours can be told as near
_SEALS_TRIED = 3  # readings of one text: each takes some 40 ms
_MOST_TRIALS = 60  # for hints of one file, where only seals are known


class NumberTrial:
    """Whether numbers are right, as far as the lab's numbers or seals are known. What was tried once is kept."""

    def __init__(self, lab: LabQuestions) -> None:
        self._lab = lab
        self._known: dict[tuple[Key, Fraction], bool] = {}
        self._left = _MOST_TRIALS

    def knows(self, key: Key) -> bool:
        return key in self._lab.numbers or key in self._lab.seals

    def is_right(self, key: Key, values: Sequence[Fraction]) -> bool:
        """Whether one of these readings is the right number."""
        if key in self._lab.numbers:
            return self._lab.numbers[key] in values
        return any(self._is_sealed(key, value) for value in values[:_SEALS_TRIED])

    def fits(self, key: Key, spec: NumberSpec, value: Fraction) -> bool:
        """The same for a hint: where much was tried already, no more is."""
        wanted = rounded(value, spec.digits)
        if key in self._lab.numbers:
            return self._lab.numbers[key] == wanted
        if key not in self._lab.seals or ((key, wanted) not in self._known and self._left <= 0):
            return False
        self._left -= (key, wanted) not in self._known
        return self._is_sealed(key, wanted)

    def _is_sealed(self, key: Key, value: Fraction) -> bool:
        if (key, value) not in self._known:
            self._known[key, value] = is_sealed(value, self._lab.seals[key])
        return self._known[key, value]


def hint(
    values: Sequence[Fraction], key: Key, spec: NumberSpec, others: Iterable[tuple[Key, NumberSpec]], trial: NumberTrial
) -> str:
    """Why `values`, the readings of one text, may not be right for `key`. `others`: lines that still lack their right numbers."""
    tried = values[:2]

    def fits(*changed: Fraction) -> bool:
        return any(trial.fits(key, spec, one) for one in changed)

    def times(*factors: int) -> bool:
        return fits(*(one for value in tried for factor in factors for one in (value * factor, value / factor)))

    if any(trial.fits(other, wanted, value) for value in tried for other, wanted in others if other != key):
        return OTHER_LINE
    if times(*_FACTORS.get(kind_of_unit(spec.unit) or "", (100,) if spec.digits is not None else ())):
        return f"is it in another unit? {spec.unit} are asked for" if kind_of_unit(spec.unit) else SHARE
    if times(10, 100, 1000):
        return ZEROS
    if spec.digits is not None:
        last = [(value, _last(value, spec)) for value in tried]
        return ROUNDING if fits(*(one for value, unit in last for one in (value + unit, value - unit))) else ""
    if all(value.denominator == 1 and abs(value) >= _LEAST_COUNT for value in tried):
        return NEARLY if fits(*(one for value in tried for one in (value + 1, value - 1))) else ""
    return ""


def _last(value: Fraction, spec: NumberSpec) -> Fraction:
    """One unit of the last significant digit."""
    if not value:
        return Fraction(0)
    exponent = len(str(int(abs(value)))) - 1 if abs(value) >= 1 else -len(str(int(1 / abs(value))))
    return Fraction(10) ** (exponent + 1 - (spec.digits or 1))


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
    nothing = check_answers("", lab, file=file, hints=False)
    return nothing.model_copy(update={"found": bool(trouble), "trouble": trouble})


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
    listed = enumerate(lab.questions, start=1)
    return tuple(_question(at, one, found.written[at], models.get(at, ""), numbers) for at, one in listed)


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
    state: NumberState = "open"
    remark, reading = "", read_number(given, spec.unit)
    if not given.strip():
        given = ""
    elif not reading.values:
        state, remark = "unclear", reading.trouble
    elif not trial.knows(key):
        state, remark = "unchecked", _COUNTED if spec.counted else _UNKNOWN
    else:
        state = "right" if trial.is_right(key, _values(given, spec)) else "wrong"
    return NumberAnswer(label=spec.label, unit=spec.unit, given=given[:_MOST_NUMBER], state=state, remark=remark)


def _values(given: str, spec: NumberSpec) -> tuple[Fraction, ...]:
    """What the text may mean, as it is compared."""
    return tuple(dict.fromkeys(rounded(value, spec.digits) for value in read_number(given, spec.unit).values))


# Numbers that questions ask of a student's own kernel: counted in a run of it, so that nothing has to be kept. It builds and runs.

# By a shape: the counts of a run at it. None: the run was not right and clean.
Counts = Callable[[str], dict[str, float] | None]


def with_counted(questions: LabQuestions, counts: Counts) -> LabQuestions:
    """The questions with what the student's kernel does as the right numbers. What cannot be counted stays unknown."""
    numbers = dict(questions.numbers)
    for one in questions.questions:
        for spec in one.number:
            if spec.counted and (found := counts(spec.shape)) and spec.counted in found:
                numbers[one.id, spec.label] = rounded(Fraction(found[spec.counted]), spec.digits)
    return replace(questions, numbers=numbers)


def own_counts(lab: Lab, toolset: Toolset) -> Counts:
    """Of the file in the lab's folder. Raises what building it raises."""
    from grader.run.kernels.kernel_source import read_source  # noqa: PLC0415 -- `tilelab answers` alone counts
    from grader.run.launches.lab_launch import build_launch  # noqa: PLC0415
    from grader.run.scoring.metrics import metrics_of  # noqa: PLC0415

    source = read_source(lab.public_dir / lab.public.file)
    known: dict[str, dict[str, float] | None] = {}

    def counts(shape: str) -> dict[str, float] | None:
        if shape not in known:
            with tempfile.TemporaryDirectory(prefix="tilelab-") as scratch:
                launch = build_launch(toolset, lab, source, Path(scratch)).profile(shape).launch
            right = launch.verdict is Verdict.PASS and launch.traffic is not None
            known[shape] = metrics_of(launch.traffic) if right else None
        return known[shape]

    return counts


# The answers that a student has written so far into a lab's `answers.md`, checked. Nothing is compiled or run.

_NOT_RIGHT = "what your kernel does is counted once it is right: make test says what is wrong"


def own_answers(lab: Lab, counts: Callable[[], Counts] | None = None, *, hints: bool = True) -> LabAnswers | None:
    """None: the lab asks nothing. `counts`: begins to count what the student's kernel does, where an answer asks for that.
    Raises LabError where the lab's own files are wrong.
    """
    questions = load_questions(lab)
    if questions is None:
        return None
    path = lab.public_dir / ANSWERS
    name = f"{lab.id}/{ANSWERS}"
    if not path.is_file():
        return no_answers(questions)
    try:
        with path.open("rb") as file:
            beginning = file.read(2 * ANSWER_BYTES + 1)  # so much that a larger file is noticed
        text = answer_text(normalise(beginning)[0], ANSWERS)
    except (NoAnswersError, OSError) as error:
        said = f"{path} cannot be read ({error.strerror})" if isinstance(error, OSError) else str(error)
        return no_answers(questions, said, name)
    found = check_answers(text, questions, file=name, hints=hints)
    if counts is None or not any(one.state == "unchecked" for one in found.numbers):
        return found
    try:
        counted = with_counted(questions, counts())
        said = "" if counted.numbers != questions.numbers else _NOT_RIGHT
    except RemediableError as error:  # the kernel cannot be built or started: tests say more of it
        counted, said = questions, str(error)
    found = check_answers(text, counted, file=name, hints=hints)
    return found.model_copy(update={"notices": (*found.notices, said)}) if said else found
