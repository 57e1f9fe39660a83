"""Finds the line of an `answers.md` that gives a number: its label, as an editor or a hand has changed it, and what stands behind it. Pure.

What the text behind it means is number_text's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.questions.answer_form import BLANK, label_of
from grader.questions.number_text import read_number
from grader.questions.question_file import NumberSpec

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
    for start in dict.fromkeys((0, _BEFORE.match(head).end())):  # type: ignore[union-attr]  # it matches an empty text as well
        longest = 0
        found: tuple[int, str] | None = None
        for at, spec in enumerate(specs):
            for label in dict.fromkeys((label_of(spec), spec.label)):
                words = _WORD.findall(label.casefold())
                end = _end_of(words, head[start:])
                if end is not None and len(words) > longest:
                    given = _behind(head[start + end :])
                    if given is not None:
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
    return bool(text) and len(text) <= SHORT and bool(read_number(text, spec.unit).values)


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
