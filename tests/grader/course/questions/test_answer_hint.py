"""A number that is not right gets a hint where one can be given without the right number. Seals give the same hints as numbers."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import pytest
from lab_with_questions import filled, lab

from grader.course import answer_check
from grader.course.answer_check import check_answers
from grader.course.question_file import LabQuestions

UNIT = "is it in another unit? bytes are asked for"
HINTS = {
    ("arrivals: 128", "arrivals: 150"): answer_check.OTHER_LINE,
    ("arrivals: 128", "arrivals: 8192"): answer_check.OTHER_LINE,
    ("arrivals: 128", "arrivals: 127"): answer_check.NEARLY,
    ("arrivals: 128", "arrivals: 129"): answer_check.NEARLY,
    ("arrivals: 128", "arrivals: 1280"): answer_check.ZEROS,
    ("arrivals: 128", "arrivals: 1.28"): answer_check.ZEROS,
    ("arrivals: 128", "arrivals: 64"): "",
    ("As[0][0]: 17", "As[0][0]: 1"): "",
    ("8 KiB", "8"): UNIT,
    ("8 KiB", "2048 floats"): UNIT,
    ("8 KiB", "64"): "",
    ("21.9 %", "21 %"): answer_check.ROUNDING,
    ("21.9 %", "0.219 %"): answer_check.SHARE,
    ("21.9 %", "2.2 %"): answer_check.ZEROS,
    ("21.9 %", "40 %"): "",
}


def remarks(text: str, questions: LabQuestions, *, hints: bool = True) -> list[str]:
    return [one.remark for one in check_answers(text, questions, hints=hints).numbers if one.state == "wrong"]


def open_but(right: str, written: str) -> str:
    """The form with everything else open or right, as the hint needs it: a number of another line is told while that line is not right."""
    text = filled().replace("150\n", "____\n") if written.endswith("150") else filled()
    text = text.replace("8 KiB", "____") if written.endswith("8192") else text
    return text.replace(right, written)


@pytest.mark.parametrize(("right", "written"), HINTS)
def test_a_wrong_number_gets_the_hint_that_fits(right: str, written: str) -> None:
    assert remarks(open_but(right, written), lab()) == [HINTS[right, written]]


def test_seals_give_the_same_hints() -> None:
    questions = lab(known=False)
    for right, written in (("arrivals: 128", "arrivals: 127"), ("8 KiB", "8")):
        assert remarks(open_but(right, written), questions) == [HINTS[right, written]]


def test_two_numbers_that_were_exchanged_are_told_of_both() -> None:
    text = filled().replace(": 17\n", ": @\n").replace(": 150\n", ": 17\n").replace(": @\n", ": 150\n")
    assert remarks(text, lab()) == [answer_check.OTHER_LINE] * 2


def test_a_number_that_another_line_has_already_is_just_not_right() -> None:
    assert remarks(filled().replace("arrivals: 128", "arrivals: 17"), lab()) == [""]


def test_a_hint_is_only_looked_for_where_it_is_wanted() -> None:
    assert remarks(filled().replace("arrivals: 128", "arrivals: 127"), lab(), hints=False) == [""]


def test_no_hint_holds_the_right_number() -> None:
    for right, written in HINTS:
        said = " ".join(remarks(open_but(right, written), lab()))
        assert not {"17", "150", "128", "8192", "22"} & set(said.replace(",", " ").split())


def test_hints_try_only_so_many_seals_in_one_file(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[Fraction] = []

    def never(value: Fraction, _: str) -> bool:
        tried.append(value)
        return False

    monkeypatch.setattr(answer_check, "is_sealed", never)
    many = lab()
    spec = many.spec.model_copy(
        update={
            "question": tuple(
                one.model_copy(update={"id": f"{one.id}-{n}"}) for n in range(9) for one in many.questions
            )
        }
    )
    seals = dict.fromkeys([(one.id, number.label) for one in spec.question for number in one.number], "a seal")
    lines = "\n".join(
        f"## Question {at}\n" + "\n".join(f"- {number.label}: {90 + at}" for number in one.number)
        for at, one in enumerate(spec.question, start=1)
    )
    questions = dataclasses.replace(many, spec=spec, seals=seals, numbers={})
    found = check_answers(lines, questions)
    assert all(one.state == "wrong" for one in found.numbers)
    assert len(tried) < 250
