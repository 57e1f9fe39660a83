"""Finds the answers in a text that was once `answers.md`: below which question each stands, without what the form itself says. Pure.

The text is hostile, or was edited by somebody in a hurry: headings may be missing, twice, or in another order. The text of a question
counts for more than the heading above it. Every line is looked at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from grader.questions.answer_form import BLANK, PLACE, heading, introduction, label_of
from grader.questions.number_text import read_number
from grader.questions.question_file import LabQuestions, QuestionSpec

_MOST_LINES = 4_000
_HEADING = re.compile(
    r"\s{0,3}(?P<mark>#{1,6}\s*|\*\*\s*)?question\s+(?P<number>[0-9]{1,3})\b(?P<rest>.*)", re.IGNORECASE
)
_BARE_HEADING = re.compile(r"\s{0,3}#{1,6}\s*(?P<number>[0-9]{1,3})\s*[.):]?\s*(?P<rest>)")
_ITEM = re.compile(r"\s{0,3}(?P<number>[0-9]{1,2})[.)]\s+(?P<rest>.*\S.*)")
_QUOTED = re.compile(r"\s{0,3}>\s?")
_LEAST_WORDS = 6  # of a question that stand alone on a line without a mark: no answer of so few words is taken for it
_SHORT = 60  # characters of a number that stands below its line
_NOTHING = frozenset({
    "", "todo", "tbd", "n a", "none yet", "write your answer here", "write your answer here in one or two sentences",
    "your answer", "answer", "fill in",
})  # fmt: skip


@dataclass
class Written:
    """What stands below one question: words, and a text for each number that it asks for."""

    words: list[str] = field(default_factory=list)
    numbers: dict[int, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return "\n".join(self.words).strip("\n")

    @property
    def has_words(self) -> bool:
        """Whether it says anything: the form's own words, `TODO` and signs alone are nothing."""
        said = words_of(self.text)
        return said not in _NOTHING


@dataclass
class AnswerText:
    """By the question's number, from 1. `strays`: text that stands below no question."""

    written: dict[int, Written]
    strays: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


def read_answers(text: str, lab: LabQuestions) -> AnswerText:
    """What of `text` answers which question of `lab`."""
    lines = text.splitlines()
    reading = _Reading(lab)
    for line in lines[:_MOST_LINES]:
        reading.take(line)
    if len(lines) > _MOST_LINES:
        reading.found.notices.append(f"only the first {_MOST_LINES:,} lines were read")
    if not reading.placed and any(line.strip() for line in reading.found.strays):
        _by_items(reading)
    for number, one in enumerate(lab.questions, start=1):
        _take_number_below(one, reading.found.written[number])
    _say_what_is_odd(reading.found, lab)
    return reading.found


class _Reading:
    def __init__(self, lab: LabQuestions) -> None:
        self.lab = lab
        self.found = AnswerText({number: Written() for number in range(1, len(lab.questions) + 1)})
        self.placed = False  # whether any question's heading or text was found
        self._at = 0
        self._heading = 0  # the last heading's number, as it was written
        self._unknown = 0  # the same where the lab has no such question
        self._first = {words_of(one.text_lines[0]): number for number, one in enumerate(lab.questions, start=1)}
        told = (line for one in lab.questions for line in one.lines if line not in one.text_lines)
        self._form = {words_of(line) for line in (heading(lab), *introduction(lab), PLACE, *told)}
        self._asked = [f" {words_of(' '.join(one.lines))} " for one in lab.questions]

    def take(self, line: str) -> None:
        if (number := _heading(line)) is not None:
            self._heading = number
            self._move(number)
            return
        words = words_of(line)
        if words in self._first:
            number = self._first[words]
            if number != self._at and self._heading not in {0, number}:
                self.found.notices.append(
                    f"the heading says question {self._heading}, and below it stands the text of question {number}: "
                    f"taken as question {number}"
                )
            self._move(number)
            return
        if words in self._form and words:
            return
        if words and self._is_question(line, words):
            return
        self.answer(self._at, line)

    def answer(self, number: int, line: str) -> None:
        """A line that the student wrote, below this question; 0: below none."""
        if not number:
            if self._unknown and line.strip():
                self.found.notices.append(
                    f"there is a heading for question {self._unknown}, which this lab does not have"
                )
                self._unknown = 0
            self.found.strays.append(line)
            return
        written = self.found.written[number]
        for at, spec in enumerate(self.lab.questions[number - 1].number):
            if (given := _labelled(line, (label_of(spec), spec.label))) is not None:
                written.numbers[at] = given or written.numbers.get(at, "")
                return
        written.words.append(line.replace(PLACE, ""))

    def _move(self, number: int) -> None:
        self._at = number if number in self.found.written else 0
        self.placed = self.placed or self._at > 0
        self._unknown = 0 if self._at else number

    def _is_question(self, line: str, words: str) -> bool:
        """Whether the line is a piece of the question, as the form or an editor has wrapped it."""
        asked = self._asked[self._at - 1 : self._at] if self._at else self._asked
        if not any(f" {words} " in one for one in asked):
            return False
        return _QUOTED.match(line) is not None or words.count(" ") + 1 >= _LEAST_WORDS


def words_of(line: str) -> str:
    """The words alone: what is left when an editor changes marks, spaces and wrapping."""
    return " ".join(re.findall(r"[^\W_]+", line.casefold()))


def _heading(line: str) -> int | None:
    match = _HEADING.fullmatch(line) or _BARE_HEADING.fullmatch(line)
    if match is None:
        return None
    marked = line.lstrip().startswith("#")
    if not marked and words_of(match["rest"]):  # "Question 2 says that …" is an answer
        return None
    return int(match["number"])


def _labelled(line: str, labels: Iterable[str]) -> str | None:
    """What follows one of these labels on its line, without the blank. None: the line has none of them."""
    head, sign, rest = line.partition(":")
    if not sign:
        head, sign, rest = line.partition("=")
    if not sign or words_of(head) not in {words_of(label) for label in labels}:
        return None
    bare = rest.replace(BLANK, " ").strip().strip("_").strip()
    return "" if words_of(bare) in _NOTHING and not re.search(r"[0-9]", bare) else bare


def _by_items(reading: _Reading) -> None:
    """A text without any heading: answers in a numbered list."""
    lines, reading.found.strays = reading.found.strays, []
    at = 0
    for line in lines:
        match = _ITEM.fullmatch(line)
        if match is not None and int(match["number"]) in reading.found.written:
            at, line = int(match["number"]), match["rest"]  # noqa: PLW2901 -- without its number
        reading.answer(at, line)
    if at:
        reading.found.notices.append("no heading of a question was found: the numbered list was taken")


def _take_number_below(one: QuestionSpec, written: Written) -> None:
    """A number that stands alone below its line, or without its label."""
    open_ones = [at for at in range(len(one.number)) if not written.numbers.get(at)]
    lines = [line for line in written.words if line.strip()]
    if len(open_ones) != 1 or not lines or len(lines[0]) > _SHORT:
        return
    if read_number(lines[0], one.number[open_ones[0]].unit).values:
        written.numbers[open_ones[0]] = lines[0].strip()
        written.words.remove(lines[0])


def _say_what_is_odd(found: AnswerText, lab: LabQuestions) -> None:
    if any(line.strip() for line in found.strays):
        what = "some text stands" if any(_is_written(one) for one in found.written.values()) else "the text stands"
        found.notices.append(f"{what} below no question of {lab.lab_id}: is a heading missing?")
    found.notices[:] = list(dict.fromkeys(found.notices))[:8]


def _is_written(one: Written) -> bool:
    return one.has_words or any(one.numbers.values())


def is_blank(found: AnswerText, questions: Sequence[QuestionSpec]) -> bool:
    """Whether nothing of it was filled in."""
    return not any(_is_written(found.written[number]) for number in range(1, len(questions) + 1)) and not any(
        line.strip() for line in found.strays
    )
