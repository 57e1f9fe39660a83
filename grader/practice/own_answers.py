"""The answers that a student has written so far into a lab's `answers.md`, checked. Nothing is compiled or run."""

from __future__ import annotations

from pathlib import Path

from grader.intake.source_text import normalise
from grader.model.lab_answers import LabAnswers
from grader.model.labs import Lab
from grader.questions.answer_bytes import ANSWER_BYTES, NoAnswersError, answer_text
from grader.questions.answer_check import check_answers, no_answers
from grader.questions.question_file import ANSWERS, load_questions


def own_answers(lab: Lab) -> LabAnswers | None:
    """None: the lab asks nothing. Of a file that cannot be read it is said why. Raises LabError where the lab's own files are wrong."""
    questions = load_questions(lab)
    if questions is None:
        return None
    path = lab.public_dir / ANSWERS
    name = f"{lab.id}/{ANSWERS}"
    if not path.is_file():
        return no_answers(questions)
    try:
        text = answer_text(normalise(_beginning(path))[0], ANSWERS)
    except NoAnswersError as error:
        return no_answers(questions, str(error), name)
    except OSError as error:
        return no_answers(questions, f"{path} cannot be read ({error.strerror})", name)
    return check_answers(text, questions, file=name)


def _beginning(path: Path) -> bytes:
    """So much that a larger file is noticed."""
    with path.open("rb") as file:
        return file.read(2 * ANSWER_BYTES + 1)
