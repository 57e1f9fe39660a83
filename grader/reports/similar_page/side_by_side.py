"""Two files beside each other, with the lines marked where passages begin that few others of the class have. Pure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from grader.reports.text import visible

_MOST_LINES = 400
_COLUMNS = 160


@dataclass(frozen=True)
class TextLine:
    number: int
    text: str
    marked: bool


@dataclass(frozen=True)
class ShownText:
    lines: tuple[TextLine, ...]
    more: int


def shown_text(text: str, marked: Collection[int]) -> ShownText:
    """`marked`: numbers of lines, from 1."""
    block = visible.block(text, lines=_MOST_LINES, columns=_COLUMNS)
    lines = (TextLine(number, line, number in marked) for number, line in enumerate(block.lines, start=1))
    return ShownText(tuple(lines), block.more)
