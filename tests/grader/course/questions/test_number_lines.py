"""The line of a number is found as students leave it: other marks, other signs, no colon; a sentence is none."""

from __future__ import annotations

import pytest
from lab_with_questions import filled, lab

from grader.course.answer_text import labelled_number, read_answers
from grader.course.question_file import NumberSpec

FIRST, SECOND = "- As[0][0]: 17", "- sum of thread (1,0): 150"
SPECS = [NumberSpec(label="blocks"), NumberSpec(label="blocks for 257"), NumberSpec(label="part", unit="%")]
WAYS = {
    "bold": ("- **As[0][0]:** 17", "- **sum of thread (1,0)**: 150"),
    "without a colon": ("- As[0][0] 17", "- sum of thread (1,0) 150"),
    "with dashes": ("- As[0][0] - 17", "- sum of thread (1,0) \u2013 150"),
    "with arrows": ("- As[0][0] -> 17", "- sum of thread (1,0) → 150"),
    "with equals signs": ("- As[0][0] = 17", "- sum of thread (1,0) := 150"),
    "with other colons": ("- As[0][0]\uff1a17", "- sum of thread (1,0)\uff1a150"),
    "as sentences": ("As[0][0] is 17", "The sum of thread (1,0) is 150"),
    "behind the word answer": ("Answer: As[0][0] = 17", "My answer: sum of thread (1,0) = 150"),
    "in a table": ("| As[0][0] | 17 |\n|---|---|", "| sum of thread (1,0) | 150 |"),
    "ticked": ("- [x] As[0][0]: 17", "- [ ] sum of thread (1,0): 150"),
    "in a numbered list": ("1. As[0][0]: 17", "2. sum of thread (1,0): 150"),
    "in a block of code": ("```\nAs[0][0]: 17", "sum of thread (1,0): 150\n```"),
    "as a quotation": ("> - As[0][0]: 17", "> - sum of thread (1,0): 150"),
    "as an editor escapes it": ("- As\\[0\\]\\[0\\]: 17", "\\- sum of thread \\(1,0\\): 150"),
    "with tabs": ("-\tAs[0][0]:\t17", "\t-\tsum of thread (1,0):\t150"),
    "without spaces": ("-As[0][0]:17", "-sum of thread (1,0):150"),
    "with remarks of HTML": ("- As[0][0]: 17 <!-- sure -->", "- sum of thread (1,0): 150"),
    "below their lines": ("- As[0][0]:\n  17", "- sum of thread (1,0): ____\n\n  150\n"),
    "below their lines as a list": ("- As[0][0]: ____\n  - 17", "- sum of thread (1,0): ____\n  - 150"),
    "below their lines as code": ("- As[0][0]:\n```\n17\n```", "- sum of thread (1,0):\n```\n150\n```"),
    "alone, in their order": ("17", "150"),
    "alone, in a list": ("- 17", "- 150"),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_numbers_are_found_as_they_are_written(way: str) -> None:
    text = filled().replace(FIRST, "@1").replace(SECOND, "@2").replace("@1", WAYS[way][0]).replace("@2", WAYS[way][1])
    found = read_answers(text, lab())
    assert found.written[1].numbers == {0: "17", 1: "150"}
    assert (found.written[1].has_words, found.notices, "".join(found.strays)) == (False, [], "")


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("- blocks: 4", (0, "4")),
        ("blocks for 257: 2", (1, "2")),
        ("- blocks for 257 = 2", (1, "2")),
        ("part (%): 21,9 %", (2, "21,9 %")),
        ("part: 0.219", (2, "0.219")),
        ("- blocks: -3", (0, "-3")),
        ("- blocks: many", (0, "many")),
        ("- blocks: ____", (0, "")),
        ("blocks", (0, "")),
        ("Blocks of 16 threads cannot share it.", None),
        ("blocks are 16 by 16 in size", (0, "16 by 16 in size")),
        ("blocks are what shares an array", None),
        ("blocks for 1: 1", None),
        ("blocks: for 257: 2", (0, "for 257: 2")),
        ("more blocks: 4", None),
        ("", None),
        ("- " * 500, None),
    ],
)
def test_the_longest_label_counts_and_a_sentence_is_none(line: str, found: tuple[int, str] | None) -> None:
    assert labelled_number(line, SPECS) == found


@pytest.mark.parametrize("given", ["- 17, 150", "17 and 150"])
def test_numbers_that_cannot_be_told_apart_are_told(given: str) -> None:
    found = read_answers(filled().replace(FIRST, given).replace(SECOND, ""), lab())
    assert not any(found.written[1].numbers.values())
    assert found.notices == ["question 1 asks for 2 numbers: write each behind its label, on its line"]


def test_one_number_for_two_places_is_told() -> None:
    found = read_answers(filled().replace(FIRST, "17").replace(f"{SECOND}\n", ""), lab())
    assert "question 1 asks for 2 numbers more, and 1 number without a label stands" in found.notices[0]


def test_two_different_numbers_behind_one_label_are_told_and_the_last_is_taken() -> None:
    found = read_answers(filled().replace(FIRST, f"{FIRST}\n- As[0][0]: 18"), lab())
    assert found.written[1].numbers[0] == "18"
    assert found.notices == ["question 1 has “As[0][0]” twice: the last one is taken"]


def test_without_any_heading_and_question_the_labels_still_say_where_numbers_belong() -> None:
    bare = "\n".join(line for line in filled().splitlines() if not line.startswith(("#", ">")))
    found = read_answers(bare, lab())
    assert [found.written[number].numbers for number in (1, 2, 4)] == [
        {0: "17", 1: "150"},
        {0: "128"},
        {0: "8 KiB", 1: "21.9 %"},
    ]
    assert any("below no question" in one for one in found.notices)
