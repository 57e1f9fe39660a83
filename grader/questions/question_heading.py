"""A line of an `answers.md` that is the heading of a question, as a form, an editor or a hand has written it. Pure."""

from __future__ import annotations

import re

_SPELT = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
_HEADING = re.compile(
    r"\s{0,3}(?P<mark>#{1,6}\s*|\*\*\s*)?(?:question|answer|q|frage|aufgabe|antwort)\s*(?:no\.?|nr\.?|#)?\s*"
    rf"(?P<number>[0-9]{{1,3}}|{'|'.join(_SPELT)})\b(?P<rest>.*)",
    re.IGNORECASE,
)
_BARE_HEADING = re.compile(r"\s{0,3}#{1,6}\s*(?P<number>[0-9]{1,3})\s*[.):]?\s*(?P<rest>)")


def heading_number(line: str) -> int | None:
    """From 1. None: the line is no heading, or that of something else."""
    match = _HEADING.fullmatch(line) or _BARE_HEADING.fullmatch(line)
    if match is None:
        return None
    marked = line.lstrip().startswith("#")
    if line.strip(" \t#*").casefold().startswith(("answer", "antwort")) and not line.lstrip().startswith(("#", "**")):
        return None  # "Answer 17" is one
    if not marked and re.search(r"[^\W_]", match["rest"]):  # "Question 2 says that …" is an answer
        return None
    spelt = match["number"].casefold()
    return _SPELT.index(spelt) + 1 if spelt in _SPELT else int(spelt)
