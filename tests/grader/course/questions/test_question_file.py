"""A lab's questions are read strictly: what is wrong in its files is told with the file, and never in a student's run."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from pathlib import Path

import pytest

from grader.course.question_file import load_questions
from grader.model.labs import Lab, LabError, lab_ids, load_lab

ROOT = Path(__file__).resolve().parents[4]
QUESTIONS = '[[question]]\nid = "grid"\ntext = "How many blocks?"\n[[question.number]]\nlabel = "blocks"\n'


def lab(folder: Path, **files: str) -> Lab:
    """A lab of the course with its questions' files in `folder` instead of its own."""
    public, private = folder / "public", folder / "private"
    public.mkdir()
    private.mkdir()
    for name, text in files.items():
        (private if name == "numbers" else public).joinpath(f"{name}.toml").write_text(text, encoding="utf-8")
    return dataclasses.replace(load_lab(ROOT, lab_ids(ROOT)[0]), public_dir=public, private_dir=private)


def test_a_lab_without_the_file_asks_nothing(tmp_path: Path) -> None:
    assert load_questions(lab(tmp_path)) is None


def test_questions_and_right_numbers_are_read(tmp_path: Path) -> None:
    found = load_questions(lab(tmp_path, questions=QUESTIONS, numbers='[grid]\n"blocks" = "1/8"\n'))
    assert found is not None
    assert found.numbers == {("grid", "blocks"): Fraction(1, 8)}
    assert (found.questions[0].wants_words, found.seals) == (False, {})


WRONG = {
    "no question": ("", "", "question"),
    "no TOML": ("[[question", "", "questions.toml"),
    "an unknown field": (QUESTIONS + 'answer = "35"\n', "", "answer"),
    "two with one id": (QUESTIONS + QUESTIONS, "", "the id 'grid'"),
    "two numbers with one label": (QUESTIONS + '[[question.number]]\nlabel = "Blocks"\n', "", "same label"),
    "an empty text": (QUESTIONS.replace("How many blocks?", " "), "", "no text"),
    "nothing that is wanted": ('[[question]]\nid = "a"\ntext = "b"\nwords = false\n', "", "neither words nor a number"),
    "a right number that is missing": (QUESTIONS, "[grid]\n", "is missing"),
    "a right number that nobody asks for": (QUESTIONS, "[grid]\nblocks = 1\nthreads = 2\n", "no question asks"),
    "a right number that is text": (QUESTIONS, '[grid]\nblocks = "many"\n', "plain number"),
    "a right number that is read in two ways": (QUESTIONS, '[grid]\nblocks = "8,960"\n', "plain number"),
    "a right number that is true": (QUESTIONS, "[grid]\nblocks = true\n", "plain number"),
    "no table": (QUESTIONS, "grid = 3\n", "a table"),
    "something counted at no shape": (QUESTIONS + 'counted = "sectors"\n', "", "`counted` and `shape`"),
    "something counted in a lab that starts itself": (
        QUESTIONS + 'counted = "sectors"\nshape = "8"\n',
        "",
        "contract = 'kernel'",
    ),
    "digits that make right answers wrong": (QUESTIONS + "digits = 2\n", "[grid]\nblocks = 2.449\n", "half-way"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_told_with_its_file(what: str, tmp_path: Path) -> None:
    questions, numbers, said = WRONG[what]
    files = {"questions": questions, **({"numbers": numbers} if numbers else {})}
    with pytest.raises(LabError, match=r"\.toml") as error:
        load_questions(lab(tmp_path, **files))
    assert said in str(error.value)


@pytest.mark.parametrize(
    "text",
    ["", "128", "scrypt-14:zz:00", "scrypt-20:" + "0" * 32 + ":" + "0" * 32, "scrypt-14:" + "0" * 32 + ":" + "0" * 31],
)
def test_a_seal_that_is_none_is_told(text: str, tmp_path: Path) -> None:
    with pytest.raises(LabError, match="tilelab starters"):
        load_questions(lab(tmp_path, questions=QUESTIONS, seals=f'[grid]\nblocks = "{text}"\n'))
