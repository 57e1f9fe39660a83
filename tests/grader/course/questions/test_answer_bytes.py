"""Which files hold answers, which of them are text, and whose they are."""

from __future__ import annotations

import pytest
from lab_with_questions import filled, lab, other_lab

from grader.course.answer_text import ANSWER_BYTES, NoAnswersError, answer_text, is_named_answers, lab_of
from grader.course.starters import answer_form

LABS = [lab(), other_lab()]


@pytest.mark.parametrize(
    "name",
    [
        "answers.md",
        "Answers.MD",
        "answers (1).md",
        "answers.md.txt",
        "answers.txt",
        "my_answers_final.md",
        "02-tiled-answers.markdown",
        "answer.md",
        "answers.docx",
    ],
)
def test_a_name_says_that_a_file_holds_answers(name: str) -> None:
    assert is_named_answers(name)


@pytest.mark.parametrize(
    "name", ["README.md", "matmul.cu", "answersheet", "unanswered.md", "answers.cu", "answers", "answers.zip", "a.md"]
)
def test_other_names_do_not(name: str) -> None:
    assert not is_named_answers(name)


@pytest.mark.parametrize(
    "data",
    [b"PK\x03\x04rest", b"%PDF-1.7", b"\x7fELF", b"a\0b", b"{\\rtf1", b"\x1f\x8b\x08", b"x" * (ANSWER_BYTES + 1)],
)
def test_what_is_no_text_or_too_large_is_refused_by_its_name(data: bytes) -> None:
    with pytest.raises(NoAnswersError, match=r"^answers\.md "):
        answer_text(data, "answers.md")


def test_the_encoding_of_an_old_editor_is_read() -> None:
    assert answer_text("größer".encode("cp1252"), "answers.md") == "größer"
    assert answer_text(b"\x81\x8d", "answers.md") != ""


def test_the_text_of_the_questions_says_whose_they_are_before_any_title_or_place() -> None:
    text = filled().replace("# Answers: 02-tiled", "# Answers: 03-boundary")
    assert lab_of(text, ("03-boundary", "answers.md"), LABS) == (LABS[0], True)


def test_then_the_title_the_folder_and_the_name_say_it() -> None:
    assert lab_of("# Answers: 03-boundary\n17", ("02-tiled", "answers.md"), LABS) == (LABS[1], True)
    assert lab_of("17", ("assignments", "03-Boundary", "answers.md"), LABS) == (LABS[1], False)
    assert lab_of("17", ("02-tiled_answers.md",), LABS) == (LABS[0], False)
    assert lab_of("17", ("answers.md",), LABS) == (None, False)
    assert lab_of("17", ("answers.md",), LABS[:1]) == (LABS[0], False)


def test_a_file_with_the_questions_of_two_labs_is_told_by_its_place() -> None:
    both = answer_form(LABS[1]) + answer_form(LABS[1]) + "> " + LABS[0].questions[0].text_lines[0]
    assert lab_of(both, ("02-tiled", "answers.md"), LABS)[0] == LABS[1]
