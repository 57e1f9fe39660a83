"""Answers are found below their questions, whatever an editor or a student in a hurry has made of the form."""

from __future__ import annotations

import pytest
from lab_with_questions import filled, lab

from grader.course.answer_text import is_blank, read_answers
from grader.course.starters import answer_form

FORM = answer_form(lab())
PLACE = "_Write your answer here, in one or two sentences._"


def numbers(text: str) -> dict[int, dict[int, str]]:
    return {number: one.numbers for number, one in read_answers(text, lab()).written.items()}


def words(text: str) -> dict[int, str]:
    return {number: one.text.strip() for number, one in read_answers(text, lab()).written.items() if one.has_words}


GIVEN = {1: {0: "17", 1: "150"}, 2: {0: "128"}, 3: {}, 4: {0: "8 KiB", 1: "21.9 %"}}
SAID = {2: "The last one: nobody overwrites the tiles after it.", 3: "A swapped index, and a wrong row length."}


def test_the_form_as_it_is_handed_out_answers_nothing() -> None:
    found = read_answers(FORM, lab())
    assert is_blank(found)
    assert (words(FORM), "".join(found.strays), found.notices) == ({}, "", [])
    assert not any(value for one in numbers(FORM).values() for value in one.values())


def test_a_form_that_was_filled_in_answers_all() -> None:
    assert (numbers(filled()), words(filled())) == (GIVEN, SAID)


def without(marks: str, text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.startswith(marks))


CHANGED = {
    "no headings, but the questions": without("#", filled()),
    "no questions, but the headings": without(">", filled()),
    "no marks of quotation": "\n".join(line.removeprefix("> ") for line in filled().splitlines()),
    "no marks of lists": filled().replace("\n- ", "\n"),
    "other marks of lists": filled().replace("\n- ", "\n  * "),
    "headings of another level": filled().replace("## Question", "#### question"),
    "bold headings": filled().replace("## Question 1", "**Question 1**").replace("## Question 2", "**Question 2:**"),
    "headings that are only numbers": filled().replace("## Question ", "## "),
    "the lines of Windows": filled().replace("\n", "\r\n"),
    "one long line for each question": filled().replace("from the tile,\n> and", "from the tile, and"),
    "the form's sentence before the answer": filled().replace("A swapped index", f"{PLACE} A swapped index"),
    "blanks that stayed beside the numbers": filled().replace(": 17", ": ____17____").replace(": 150", ": 150 ____"),
    "a byte-order mark": "\ufeff" + filled(),
    "the lines of an old Mac": filled().replace("\n", "\r"),
    "headings of one letter": filled().replace("## Question ", "## Q"),
    "headings with a number sign": filled().replace("## Question ", "## Question #"),
    "headings in German": filled().replace("## Question ", "## Frage "),
    "headings in words": filled()
    .replace("## Question 1", "## Question one")
    .replace("## Question 2", "## Question two"),
    "underlined headings": filled()
    .replace("## Question 1", "Question 1\n-----")
    .replace("## Question 2", "Question 2\n===="),
    "no empty lines": filled().replace("\n\n", "\n"),
    "spaces at the ends": "\n".join(f"{line}   " for line in filled().splitlines()),
}


@pytest.mark.parametrize("change", CHANGED)
def test_a_form_that_was_changed_still_answers_all(change: str) -> None:
    assert (numbers(CHANGED[change]), words(CHANGED[change])) == (GIVEN, SAID)


def parts(text: str) -> list[str]:
    head, *sections = text.split("## Question ")
    return [head, *(f"## Question {one}" for one in sections)]


def test_sections_may_stand_in_another_order() -> None:
    head, *sections = parts(filled())
    assert numbers(head + "\n".join(reversed(sections))) == GIVEN


def test_the_text_of_a_question_counts_for_more_than_the_heading_above_it() -> None:
    swapped = (
        filled()
        .replace("## Question 1", "## Question X")
        .replace("## Question 2", "## Question 1")
        .replace("## Question X", "## Question 2")
    )
    found = read_answers(swapped, lab())
    assert numbers(swapped) == GIVEN
    assert any("taken as question 2" in one for one in found.notices)


def test_a_heading_that_the_lab_does_not_have_is_told_and_its_text_is_kept_apart() -> None:
    found = read_answers("## Question 9\nwhat is this\n## Question 3\nA swapped index.\n", lab())
    assert found.written[3].text == "A swapped index."
    assert "".join(found.strays) == "what is this"
    assert any("question 9" in one for one in found.notices)


def test_a_wrong_number_above_the_right_question_is_told_once() -> None:
    found = read_answers(filled().replace("## Question 2", "## Question 7"), lab())
    assert found.written[2].numbers == {0: "128"}
    assert found.notices == [
        "the heading says question 7, and below it stands the text of question 2: taken as question 2"
    ]


def test_two_sections_of_one_question_are_put_together() -> None:
    assert words("## Question 3\nfirst\n## Question 3\nsecond\n") == {3: "first\nsecond"}


def test_a_numbered_list_without_headings_is_taken() -> None:
    found = read_answers("My answers\n\n1. 17\n2. arrivals: 128\n   the last one\n3. A swapped index.\n", lab())
    assert found.written[2].numbers == {0: "128"}
    assert found.written[3].text == "A swapped index."
    assert any("numbered list" in one for one in found.notices)


def test_text_without_any_place_is_kept_and_told() -> None:
    found = read_answers("I do not know what to do with this file.", lab())
    assert is_blank(found) is False
    assert any("is a heading missing" in one for one in found.notices)


@pytest.mark.parametrize(
    "text", ["", "  \n", "TODO", "tbd", "n/a", "?", "…", "-", "____", PLACE, "Write your answer here"]
)
def test_what_says_nothing_is_no_answer(text: str) -> None:
    assert words(f"## Question 3\n\n{text}\n") == {}
    assert not any(numbers(f"## Question 2\n\n- arrivals: {text}\n")[2].values())


def test_a_number_below_its_line_or_alone_is_taken() -> None:
    assert numbers("## Question 2\n- arrivals:\n\n  128\n\nThe last one.\n")[2] == {0: "128"}
    assert numbers("## Question 2\n128\n")[2] == {0: "128"}
    assert (
        numbers("## Question 2\nThe last one, after 64 phases with two barriers, which makes no difference\n")[2] == {}
    )


@pytest.mark.parametrize("line", ["128", "**128**", "Answer: 128", "Answer 128"])
def test_a_number_alone_is_no_heading(line: str) -> None:
    assert read_answers(f"## Question 2\n{line}\n", lab()).strays == []


def test_an_answer_may_speak_of_other_questions_and_quote() -> None:
    text = "## Question 3\nQuestion 2 says it already.\n> a quotation of somebody else\n"
    assert words(text) == {3: "Question 2 says it already.\n> a quotation of somebody else"}


@pytest.mark.parametrize(
    "text",
    [
        "#" * 100_000,
        "> " * 50_000,
        "question 1" * 20_000,
        "\n" * 100_000,
        "## Question 1\n" * 20_000,
        "1. " * 50_000,
        "- arrivals:" * 10_000,
    ],
)
def test_no_text_breaks_the_reading(text: str) -> None:
    assert set(read_answers(text, lab()).written) == {1, 2, 3, 4}
    assert len(read_answers(text, lab()).notices) <= 8
