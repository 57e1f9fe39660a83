"""Finds the answers in a text that was once `answers.md`: below which question each stands, without what the form itself says. Pure.

The text is hostile, or was edited by somebody in a hurry: headings may be missing, twice, or in another order. The text of a question
counts for more than the heading above it. Every line is looked at once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from grader.course.number_text import SEVERAL, read_number
from grader.course.question_file import LabQuestions, NumberSpec, QuestionSpec, heading_number
from grader.course.starters import BLANK, PLACE, heading, introduction, label_of
from grader.model.visible_text import counted

# Finds the line of an `answers.md` that gives a number: its label, as an editor or a hand has changed it, and what stands behind it. Pure.
#
# What the text behind it means is number_text's.

SHORT = 60  # characters of a number that stands alone on a line
_MARKS = re.compile(r"^(?:[\s>|*_`~•·–+-]|\[[ xX]?\]\s|[0-9]{1,2}[.)]\s|[a-f][.)]\s)*")  # noqa: RUF001 -- of lists, tables, emphasis
_BEFORE = re.compile(r"(?:(?:my )?answers?\s*[:=]\s*|the\s+)?", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_CLOSING = re.compile(r"[\s\])*_`~'\"]*(?:\([^()]{0,20}\)[\s*_`~]*)?")
_SIGN = re.compile(r"(?::=|[:=|→⇒]|[-=]>|[-–—](?=\s)|(?:is|are|was)\b)", re.IGNORECASE)  # noqa: RUF001
_NUMBER = re.compile(r"[~≈+\-−.,]?\s?[0-9]")  # noqa: RUF001
_COMMENT = re.compile(r"<!--.{0,400}?-->")
_PLAIN = str.maketrans({"：": ":", "\\": None, "＝": "="})  # noqa: RUF001


def labelled_number(line: str, specs: Sequence[NumberSpec]) -> tuple[int, str] | None:
    """Which of the numbers the line names, and what follows: nothing if only the blank does. None: the line is none of theirs."""
    plain = _COMMENT.sub(" ", line.translate(_PLAIN)[:1_000])
    head = plain[_MARKS.match(plain).end() :]  # type: ignore[union-attr]  # it matches nothing as well
    labels = [(at, label) for at, spec in enumerate(specs) for label in (label_of(spec), spec.label)]
    for start in dict.fromkeys((0, _BEFORE.match(head).end())):  # type: ignore[union-attr]  # it matches an empty text as well
        longest = 0
        found: tuple[int, str] | None = None
        for at, label in labels:
            words = _WORD.findall(label.casefold())
            end = _end_of(words, head[start:]) if len(words) > longest else None
            if end is not None and (given := _behind(head[start + end :])) is not None:
                longest, found = len(words), (at, given)
        if found is not None:
            return found
    return None


def alone(line: str) -> str:
    """What stands on a line, without the mark of a list, a quotation or a block of code around it."""
    plain = line.strip()
    mark = re.match(r"(?:>\s?|[-*+•]\s+|\[[ xX]?\]\s+|[0-9]{1,2}\)\s+)*", plain)
    return plain[mark.end() if mark else 0 :].strip("`| \t")


def is_number_alone(line: str, spec: NumberSpec) -> bool:
    text = alone(line)
    return 0 < len(text) <= SHORT and bool(read_number(text, spec.unit).values)


def _end_of(words: Sequence[str], text: str) -> int | None:
    """Where `text` goes on behind these words, if it begins with them."""
    place = 0
    for word in words:
        match = _WORD.search(text, place)
        if match is None or match[0].casefold() != word or re.search(r"[:=|]", text[place : match.start()]):
            return None
        place = match.end()
    return place


def _behind(rest: str) -> str | None:
    """What follows a label. None: a sentence that begins with its words."""
    rest = rest[_CLOSING.match(rest).end() :]  # type: ignore[union-attr]  # it matches nothing as well
    sign = _SIGN.match(rest)
    if sign is None:
        bare = rest.replace(BLANK, " ").strip(" \t_|*")
        return bare if not bare or _NUMBER.match(bare) else None
    bare = rest[sign.end() :].replace(BLANK, " ").strip().strip("_|").strip().lstrip("*_ ")
    if sign[0].isalpha() and not _NUMBER.match(bare):  # "blocks are ..." may be a sentence
        return None
    return bare


_MOST_LINES = 4_000
_LONG_LINE = 100
_RULE = re.compile(r"\s*(?:-{3,}|={3,}|\*{3,}|_{5,})\s*")  # also what some write below a heading
_ITEM = re.compile(r"\s{0,3}(?P<number>[0-9]{1,2})[.)]\s+(?P<rest>.*\S.*)")
_QUOTED = re.compile(r"\s{0,3}>\s?")
_LEAST_WORDS = 6  # of a question that stand alone on a line without a mark: no answer of so few words is taken for it
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
        return words_of(self.text) not in _NOTHING


@dataclass
class AnswerText:
    """By the question's number, from 1. `strays`: text that stands below no question."""

    written: dict[int, Written]
    strays: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)

    @property
    def answers_something(self) -> bool:
        return any(one.has_words or any(one.numbers.values()) for one in self.written.values())


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
        _take_numbers_below(number, one, reading.found)
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
        self._waiting: tuple[int, int] | None = None  # a question's number that stood empty on its line
        self._first = {words_of(one.text_lines[0]): number for number, one in enumerate(lab.questions, start=1)}
        told = (line for one in lab.questions for line in one.lines if line not in one.text_lines)
        self._form = {words_of(line) for line in (heading(lab), *introduction(lab), PLACE, *told)}
        self._asked = [f" {words_of(' '.join(one.lines))} " for one in lab.questions]

    def take(self, line: str) -> None:
        if (number := heading_number(line)) is not None:
            self._heading = number
            self._move(number)
            return
        if _RULE.fullmatch(line):
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
        if not (words and (words in self._form or self._is_question(line, words))):
            self.answer(self._at, line)

    def answer(self, number: int, line: str) -> None:
        """A line that the student wrote, below this question; 0: below none."""
        if not number:
            self._stray(line)
            return
        written = self.found.written[number]
        specs = self.lab.questions[number - 1].number
        if (found := labelled_number(line, specs)) is not None:
            self._number(number, *found)
            return
        if self._waiting is not None and alone(line):
            waiting, self._waiting = self._waiting, None
            if waiting[0] == number and is_number_alone(line, specs[waiting[1]]):
                self._number(number, waiting[1], alone(line))
                return
        written.words.append(line.replace(PLACE, ""))

    def _number(self, number: int, at: int, given: str) -> None:
        numbers, label = self.found.written[number].numbers, self.lab.questions[number - 1].number[at].label
        if says_nothing(given):
            numbers[at], self._waiting = numbers.get(at, ""), (number, at)
            return
        self._waiting = None
        if numbers.get(at) not in {None, "", given}:
            self.found.notices.append(f"question {number} has “{label}” twice: the last one is taken")
        numbers[at] = given

    def _stray(self, line: str) -> None:
        """A line below no question. The label of a number may still say whose it is."""
        named = [
            (number, *found)
            for number, one in enumerate(self.lab.questions, start=1)
            if (found := labelled_number(line, one.number)) is not None
        ]
        if len(named) == 1 and not says_nothing(named[0][2]):
            self._number(*named[0])
            return
        if self._unknown and line.strip():
            self.found.notices.append(f"there is a heading for question {self._unknown}, which this lab does not have")
            self._unknown = 0
        self.found.strays.append(line)

    def _move(self, number: int) -> None:
        self._at = number if number in self.found.written else 0
        self.placed = self.placed or self._at > 0
        self._unknown = 0 if self._at else number
        self._waiting = None

    def _is_question(self, line: str, words: str) -> bool:
        """Whether the line is a piece of the question, as the form or an editor has wrapped it."""
        asked = self._asked[self._at - 1 : self._at] if self._at else self._asked
        if not any(f" {words} " in one for one in asked):
            return False
        return _QUOTED.match(line) is not None or words.count(" ") + 1 >= _LEAST_WORDS


def words_of(line: str) -> str:
    """The words alone: what is left when an editor changes marks, spaces and wrapping."""
    return " ".join(re.findall(r"[^\W_]+", line.casefold()))


def says_nothing(text: str) -> bool:
    """Whether a text is only what the form says, or `TODO` and signs."""
    return words_of(text) in _NOTHING and not re.search(r"[0-9]", text)


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


def _take_numbers_below(number: int, one: QuestionSpec, found: AnswerText) -> None:
    """Numbers that stand alone on lines, without their labels: taken where there are as many of them as are open."""
    written = found.written[number]
    still_open = [at for at in range(len(one.number)) if not written.numbers.get(at)]
    if not still_open:
        return
    lines = [line for line in written.words if alone(line)]
    given = list(takewhile(lambda line: is_number_alone(line, one.number[still_open[0]]), lines))
    if not given:
        if lines and len(still_open) > 1 and read_number(alone(lines[0])[:_LONG_LINE]).trouble == SEVERAL:
            found.notices.append(
                f"question {number} asks for {counted(len(still_open), 'number')}: write each behind its label, on its line"
            )
        return
    if len(given) != len(still_open):
        found.notices.append(
            f"question {number} asks for {counted(len(still_open), 'number')} more, and {counted(len(given), 'number')} without a label "
            "stands below it: write each number behind its label"
        )
        return
    for at, line in zip(still_open, given, strict=True):
        written.numbers[at] = alone(line)
        written.words.remove(line)


def _say_what_is_odd(found: AnswerText, lab: LabQuestions) -> None:
    if any(line.strip() for line in found.strays):
        what = "some text stands" if found.answers_something else "the text stands"
        found.notices.append(f"{what} below no question of {lab.lab_id}: is a heading missing?")
    found.notices[:] = list(dict.fromkeys(found.notices))[:8]


def is_blank(found: AnswerText) -> bool:
    """Whether nothing of it was filled in."""
    return not found.answers_something and not any(line.strip() for line in found.strays)


# A file with answers as it was handed in: whether it is text, and which lab's it is. Pure.

ANSWER_BYTES = 128 << 10
_NAMED = re.compile(r"(?:^|[^a-z])answers?(?:[^a-z]|$)")
_TEXTS = (".md", ".markdown", ".txt", ".text", ".mdown")
_DOCUMENTS = (".docx", ".doc", ".odt", ".rtf", ".pdf", ".pages", ".html")
_NO_TEXTS = b"PK\x03\x04", b"%PDF", b"{\\rtf", b"\x7fELF", b"\x1f\x8b", b"\xd0\xcf\x11\xe0"
_TITLE = re.compile(r"\W*answers:\s*(\S+)", re.IGNORECASE)
_TITLE_LINES = 20
_NO_TEXT = "is no plain text: copy the answers into answers.md with a text editor, and save it as UTF-8"


class NoAnswersError(Exception):
    """The file cannot be read as answers. The text says why, and what to do."""


def is_named_answers(name: str) -> bool:
    """Whether a file's name says that it holds answers: `answers.md`, `answers (1).md`, `lab2_Answers.txt`, `answers.docx`."""
    plain = name.casefold()[-80:]
    return plain.endswith((*_TEXTS, *_DOCUMENTS)) and _NAMED.search(plain) is not None


def answer_text(data: bytes, name: str) -> str:
    """The text of such a file; `data` is UTF-8 or what a Windows editor writes. Raises NoAnswersError."""
    if len(data) > ANSWER_BYTES:
        raise NoAnswersError(f"{name} is larger than {ANSWER_BYTES >> 10} KiB, which no answers need")
    if b"\0" in data or data.startswith(_NO_TEXTS):
        raise NoAnswersError(f"{name} {_NO_TEXT}")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def lab_of(text: str, place: Sequence[str], labs: Sequence[LabQuestions]) -> tuple[LabQuestions | None, bool]:
    """Whose answers they are, and whether the text itself says so: by its questions, its title, then its folder and name. None: no lab's
    of `labs`; then true means that another lab's are meant.
    """
    lines = text.splitlines()
    said = {words_of(line) for line in lines[:4_000]}
    counts = {lab.lab_id: sum(words_of(one.text_lines[0]) in said for one in lab.questions) for lab in labs}
    best = max(counts.values(), default=0)
    if best and list(counts.values()).count(best) == 1:
        return next(lab for lab in labs if counts[lab.lab_id] == best), True
    by_id = {lab.lab_id.casefold(): lab for lab in labs}
    titles = [match[1].casefold() for line in lines[:_TITLE_LINES] if (match := _TITLE.match(line)) is not None]
    if titles:  # of a lab that is not among `labs`: nobody's here
        return by_id.get(titles[0]), True
    *folders, name = [part.casefold() for part in place] or [""]
    if within := [by_id[folder] for folder in folders if folder in by_id]:
        return within[-1], False
    if "assignments" in folders[:-1]:
        return None, True
    named = [lab for lab_id, lab in by_id.items() if lab_id in name]
    alone_or_named = named if len(named) == 1 else labs
    return (alone_or_named[0] if len(alone_or_named) == 1 else None), False
