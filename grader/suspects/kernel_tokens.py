"""The tokens of a CUDA source as it was written, and changes of them. It knows brackets and operands, and no meaning. Pure.

`small_edits.py` looks for a student's mistake with it, and the proof by mutation makes mistakes with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.engines.checks.token_stream import tokens_of

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_PAIRS = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True)
class Edit:
    """Characters of the source, from `start` up to `end`, and what they become."""

    start: int
    end: int
    text: str


def with_edits(source: str, edits: Sequence[Edit]) -> str:
    """The source after edits that do not overlap."""
    for edit in sorted(edits, key=lambda one: one.start, reverse=True):
        source = source[: edit.start] + edit.text + source[edit.end :]
    return source


def changed_lines(source: str, edits: Sequence[Edit]) -> tuple[str, str]:
    """The lines that the edits touch, before and after them, without comments."""
    begin, end = min(edit.start for edit in edits), max(edit.end for edit in edits)
    first, last = source.rfind("\n", 0, begin) + 1, source.find("\n", end)
    last = len(source) if last < 0 else last
    moved = [Edit(edit.start - first, edit.end - first, edit.text) for edit in edits]
    lines = source[first:last]
    return _bare(lines), _bare(with_edits(lines, moved))


def _bare(lines: str) -> str:
    return _COMMENT.sub("", lines).strip()


def _blank(comment: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", comment[0])


class KernelTokens:
    """A source's tokens, without comments and directives."""

    def __init__(self, source: str) -> None:
        self.source = source
        bare = _COMMENT.sub(_blank, source)
        self.tokens = [token for token in tokens_of(bare, "") if token.kind != "directive"]

    def text(self, index: int) -> str:
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def places(self, *texts: str) -> Iterator[int]:
        """Where these tokens follow each other, with no white space between them."""
        for index, token in enumerate(self.tokens):
            row = self.tokens[index : index + len(texts)]
            if [one.text for one in row] == list(texts) and row[-1].start == token.start + sum(map(len, texts[:-1])):
                yield index

    def end(self, index: int) -> int:
        """Where the token ends in the source."""
        return self.tokens[index].start + len(self.tokens[index].text)

    def between(self, first: int, last: int) -> str:
        """The source from the token `first` to the token `last`, including both."""
        return self.source[self.tokens[first].start : self.end(last)]

    def closing(self, index: int) -> int:
        """The bracket that closes the one at `index`, or the last token where none does."""
        depth = 0
        for at in range(index, len(self.tokens)):
            depth += (self.text(at) in _PAIRS) - (self.text(at) in _PAIRS.values())
            if depth == 0:
                return at
        return len(self.tokens) - 1

    def operand_before(self, index: int, stops: frozenset[str]) -> int:
        """The first token of the operand before `index`. The operand ends at one of `stops` or at an open bracket."""
        depth = 0
        for at in range(index - 1, -1, -1):
            depth += (self.text(at) in _PAIRS.values()) - (self.text(at) in _PAIRS)
            if depth < 0 or (depth == 0 and self._stops(at, stops)):
                return at + 1
        return 0

    def operand_after(self, index: int, stops: frozenset[str]) -> int:
        """The last token of the operand after `index`. The operand ends at one of `stops` or at a closing bracket."""
        depth = 0
        for at in range(index + 1, len(self.tokens)):
            depth += (self.text(at) in _PAIRS) - (self.text(at) in _PAIRS.values())
            if depth < 0 or (depth == 0 and self._stops(at, stops)):
                return at - 1
        return len(self.tokens) - 1

    def _stops(self, index: int, stops: frozenset[str]) -> bool:
        """Whether the token is one of `stops`. A `=` that belongs to `<=` or `==` is not."""
        compares = self.text(index) == "=" and ({self.text(index - 1), self.text(index + 1)} & {"<", ">", "!", "="})
        return self.text(index) in stops and not compares

    def replaced(self, first: int, last: int, text: str) -> Edit:
        return Edit(self.tokens[first].start, self.end(last), text)

    def comparisons(self) -> Iterator[int]:
        """Each `<` and `<=` that compares. A `<` that opens template arguments follows the name of a type or a cast, and is left out."""
        for index in self.places("<"):
            before, after = self.text(index - 1), self.text(index + 1)
            if "<" in {before, after} or before == "template" or before.endswith("_cast"):
                continue
            yield index

    def kernel_sizes(self) -> list[str]:
        """The names of the __global__ function's `int` parameters."""
        for index, token in enumerate(self.tokens):
            if token.text == "__global__":
                opened = next((at for at in range(index, len(self.tokens)) if self.text(at) == "("), index)
                inside = range(opened, self.closing(opened))
                return [
                    self.text(at + 1) for at in inside if self.text(at) == "int" and self.text(at + 2) in {",", ")"}
                ]
        return []
