"""Takes a text apart with a pattern, and finds where its raw strings end in a time that grows with the text alone. Pure.

A pattern that looks for the end itself reads up to the text's end for each opening without one.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

_CLOSING = re.compile(r"\)([^()\\\s]{0,17})")


class Piece(NamedTuple):
    """A match of the pattern. A raw string's text reaches to its end."""

    kind: str  # the group that matched; "" without one; "unclosed" for a raw string's opening up to its quote
    text: str
    at: int


def pieces(pattern: re.Pattern[str], text: str, stop: str = "") -> Iterator[Piece]:
    """Takes `text` apart. The pattern's group `raw` is a raw string up to its parenthesis, `mark` the word before that one. A raw string
    must not contain a character of `stop`.
    """
    ends, at = _RawStringEnds(text, stop), 0
    while match := pattern.search(text, at):
        kind, at = match.lastgroup or "", match.end()
        if kind == "raw":
            end = ends.after(match["mark"], at)
            kind, at = ("raw", end) if end else ("unclosed", match.start("mark"))
        yield Piece(kind, text[match.start() : at], match.start())


class _RawStringEnds:
    def __init__(self, text: str, stop: str) -> None:
        self._text, self._stop = text, stop

    def after(self, mark: str, at: int) -> int:
        """The position after the raw string whose contents begin at `at`, or 0."""
        closings = self._closings.get(mark, [])
        index = bisect_left(closings, at)
        if index == len(closings):
            return 0
        stops = bisect_left(self._stops, at)
        if stops < len(self._stops) and self._stops[stops] < closings[index]:
            return 0
        return closings[index] + len(mark) + 2

    @cached_property
    def _closings(self) -> dict[str, list[int]]:
        found: defaultdict[str, list[int]] = defaultdict(list)
        for match in _CLOSING.finditer(self._text):
            for index, sign in enumerate(match[1]):
                if sign == '"':
                    found[match[1][:index]].append(match.start())
        return found

    @cached_property
    def _stops(self) -> list[int]:
        return [at for at, sign in enumerate(self._text) if sign in self._stop] if self._stop else []
