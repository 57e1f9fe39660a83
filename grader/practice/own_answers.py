"""The answers that a student has written so far into a lab's `answers.md`, checked. Nothing is compiled or run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from grader.intake.source_text import normalise
from grader.model.errors import RemediableError
from grader.model.lab_answers import LabAnswers
from grader.model.labs import Lab
from grader.practice.counted_numbers import Counts, with_counted
from grader.questions.answer_bytes import ANSWER_BYTES, NoAnswersError, answer_text
from grader.questions.answer_check import check_answers, no_answers
from grader.questions.question_file import ANSWERS, LabQuestions, load_questions

_NOT_RIGHT = "what your kernel does is counted once it is right: make test says what is wrong"


def own_answers(lab: Lab, counts: Callable[[], Counts] | None = None, *, hints: bool = True) -> LabAnswers | None:
    """None: the lab asks nothing. Of a file that cannot be read it is said why. `counts`: begins to count what the student's kernel does,
    and is called only where an answer asks for that. `hints`: as check_answers takes it. Raises LabError where the lab's own files are
    wrong.
    """
    questions = load_questions(lab)
    if questions is None:
        return None
    path = lab.public_dir / ANSWERS
    name = f"{lab.id}/{ANSWERS}"
    if not path.is_file():
        return no_answers(questions)
    try:
        text = answer_text(normalise(_beginning(path))[0], ANSWERS)
    except (NoAnswersError, OSError) as error:
        said = f"{path} cannot be read ({error.strerror})" if isinstance(error, OSError) else str(error)
        return no_answers(questions, said, name)
    found = check_answers(text, questions, file=name, hints=hints)
    if counts is None or not any(one.state == "unchecked" for one in found.numbers):
        return found
    counted, said = _counted(questions, counts)
    found = check_answers(text, counted, file=name, hints=hints)
    return found.model_copy(update={"notices": (*found.notices, said)}) if said else found


def _counted(questions: LabQuestions, counts: Callable[[], Counts]) -> tuple[LabQuestions, str]:
    """The questions with what the kernel does, or why it could not be counted."""
    try:
        counted = with_counted(questions, counts())
    except RemediableError as error:  # the kernel cannot be built or started: tests say more of it
        return questions, str(error)
    return counted, "" if counted.numbers != questions.numbers else _NOT_RIGHT


def _beginning(path: Path) -> bytes:
    """So much that a larger file is noticed."""
    with path.open("rb") as file:
        return file.read(2 * ANSWER_BYTES + 1)
