"""What was answered is told apart: open, no number, not right, right. Seals say the same as the numbers that they stand for."""

from __future__ import annotations

import pytest
from lab_with_questions import filled, lab, other_lab

from grader.course.answer_check import check_answers, no_answers
from grader.course.starters import answer_form


@pytest.mark.parametrize("known", [True, False])
def test_each_number_is_open_unclear_wrong_or_right(known: bool) -> None:
    text = (
        filled()
        .replace(": 150", ": many")
        .replace("arrivals: 128", "arrivals: 64")
        .replace("- part (%): 21.9 %", "- part (%): ____")
    )
    found = check_answers(text, lab(known=known))
    assert [one.state for one in found.numbers] == ["right", "unclear", "wrong", "right", "open"]
    assert [one.answered for one in found.questions] == [False, True, True, False]
    assert (found.answered, found.right, found.all_right) == (2, 2, False)


def test_a_number_without_its_words_is_no_whole_answer() -> None:
    found = check_answers("## Question 2\n- arrivals: 128\n", lab())
    assert (found.questions[1].answered, found.questions[1].begun) == (False, True)


def test_without_numbers_and_seals_nothing_is_called_wrong() -> None:
    text = filled(answer_form(other_lab()))
    assert check_answers(text, other_lab()).answered == 1
    unknown = lab()
    unknown.numbers.clear()
    assert {one.state for one in check_answers(filled(), unknown).numbers} == {"unchecked"}


def test_long_answers_are_cut_and_the_rest_is_counted() -> None:
    found = check_answers(f"## Question 3\n{'word ' * 2_000}", lab())
    assert len(found.questions[2].text) == 4_000
    assert found.questions[2].more > 0


def test_a_file_that_cannot_be_read_leaves_all_open_and_says_why() -> None:
    found = no_answers(lab(), "answers.md is no plain text", "a/answers.md")
    assert (found.found, found.trouble, found.answered) == (True, "answers.md is no plain text", 0)
    assert not no_answers(lab()).found
