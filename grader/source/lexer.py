"""Takes C++ apart: tokens with their places, comments blanked, brackets matched. No text makes any of it slower than linear. Pure.

It parses nothing, and it expands nothing. `bare_code.py` reads a file as the preprocessor does, with `#if 0` and lines that go on in the
next. What refuses a submission reads the preprocessed text, in which there are no comments.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

_COMMENT = r"(?P<comment>//(?:\\\n|[^\n])*|/\*.*?(?:\*/|\Z))"
_DIRECTIVE = r"(?P<directive>^[ \t]*\#(?:\\\n|/\*.*?(?:\*/|\Z)|[^\n])*)"
_DIRECTIVE_OF_PREPROCESSED = r"(?P<directive>^\#[^\n]*)"
_QUOTED = {
    '"': r"""|(?P<string>(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*")""",
    "'": r"""|(?P<character>(?:u8|[uUL])?'(?:[^'\\\n]|\\.)*')""",
}
_CODE = rf"""(?P<raw>(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{{0,16}})\()
{"".join(_QUOTED.values())}
|(?P<word>[^\W\d][\w$]*)
|(?P<number>\.?\d(?:[eEpP][+-]|'?[\w.])*)
|(?P<sign>&&|::|->|<:(?!:[^:>])|:>|[^\s\w])"""
_UNCLOSED = {quote: re.compile(rf"(?:[^{quote}\\\n]|\\.)*", re.DOTALL) for quote in _QUOTED}
_FLAGS = re.VERBOSE | re.DOTALL | re.MULTILINE
_SOURCE = re.compile(f"{_COMMENT}|{_DIRECTIVE}|{_CODE}", _FLAGS)
_PREPROCESSED = re.compile(f"{_DIRECTIVE_OF_PREPROCESSED}|{_CODE}", _FLAGS)
_WITHOUT_DIRECTIVES = re.compile(f"{_COMMENT}|{_CODE}", _FLAGS)  # a comment may stand behind one
_DIGRAPHS = {"<:": "[", ":>": "]"}
CLOSING = {"(": ")", "[": "]", "{": "}"}
_CLOSING_OF_RAW = re.compile(r"\)([^()\\\s]{0,17})")


class Lexeme(NamedTuple):
    """A match of a pattern. A raw string's text reaches to its end."""

    kind: str  # the group that matched; "" without one; "unclosed" for a raw string's opening up to its quote
    text: str
    at: int


class Lexer:
    """Kinds: comment, directive, string, character, word, number, sign. `preprocessed`: a text without comments. Who reads may set `at`,
    to go on behind what it need not see.
    """

    def __init__(self, text: str, *, preprocessed: bool = False) -> None:
        self.at = 0
        self._text, self._pattern = text, _PREPROCESSED if preprocessed else _SOURCE

    def __iter__(self) -> Iterator[Lexeme]:
        ends = _RawStringEnds(self._text, "")
        # Behind a quote that nobody closes, no other one up to there is closed: who looks again for each takes the square of the time.
        unclosed = dict.fromkeys(_QUOTED, 0)
        last = 0  # of where they end
        while match := (self._pattern if self.at >= last else self._without(unclosed)).search(self._text, self.at):
            if self.at < last and any(self.at < end <= match.start() for end in unclosed.values()):
                self.at = match.start()
                continue
            kind, self.at = match.lastgroup or "", match.end()
            if match.start() >= unclosed.get(match[0], self.at):
                rest = _UNCLOSED[match[0]].match(self._text, self.at)
                unclosed[match[0]] = rest.end() if rest else self.at
                last = max(unclosed.values())
            if kind == "raw":
                end = ends.after(match["mark"], self.at)
                kind, self.at = ("string", end) if end else ("word", match.start("mark") - 1)  # the compiler refuses it
            word = self._text[match.start() : self.at]
            yield Lexeme(kind, _DIGRAPHS.get(word, word) if kind == "sign" else word, match.start())

    def _without(self, unclosed: Mapping[str, int]) -> re.Pattern[str]:
        """The pattern in which no quote begins anything that would have to end behind where `unclosed` ends."""
        pattern = self._pattern.pattern
        for quote, end in unclosed.items():
            pattern = pattern.replace(_QUOTED[quote], "") if self.at < end else pattern
        return re.compile(pattern, _FLAGS)


def closings(texts: Iterable[str]) -> dict[int, int]:
    """The place of each bracket that is closed, and of the bracket of its kind that closes it."""
    found: dict[int, int] = {}
    open_: dict[str, list[int]] = {closing: [] for closing in CLOSING.values()}
    for at, text in enumerate(texts):
        if text in CLOSING:
            open_[CLOSING[text]].append(at)
        elif open_.get(text):
            found[open_[text].pop()] = at
    return found


def without_comments(text: str, *, in_place: bool = True) -> str:
    """`in_place`: blanks take their place, so lines and columns stay."""
    if "/" not in text:
        return text
    comments = (one for one in pieces(_WITHOUT_DIRECTIVES, text) if one.kind == "comment")
    return with_changes(
        text, ((at, at + len(word), _NO_LINE_END.sub(" ", word) if in_place else "") for _, word, at in comments)
    )


_NO_LINE_END = re.compile(r"[^\n]")


def closing_bracket(text: str, at: int, brackets: str = "()[]{}") -> int:
    """The bracket that closes the one at `at`; the text's end where none does. For a text without strings and comments."""
    depth = 0
    for match in re.compile(f"[{re.escape(brackets)}]").finditer(text, at):
        depth += 1 if match[0] in brackets[::2] else -1
        if depth == 0:
            return match.start()
    return len(text)


def parts_between(text: str, sign: str = ",", brackets: str = "()[]{}") -> list[str]:
    """What stands between these signs outside brackets."""
    found, depth, begin = list[str](), 0, 0
    for match in re.compile(f"[{re.escape(brackets)}]|{re.escape(sign)}").finditer(text):
        if match[0] != sign:
            depth += 1 if match[0] in brackets[::2] else -1
        elif depth == 0:
            found.append(text[begin : match.start()])
            begin = match.end()
    return [*found, text[begin:]]


def with_changes(text: str, changes: Iterable[tuple[int, int, str]]) -> str:
    """`changes`: from where to where, and what stands there instead. They do not overlap."""
    kept, done = list[str](), 0
    for first, end, new in sorted(changes):
        kept += [text[done:first], new]
        done = end
    return "".join([*kept, text[done:]])


def pieces(pattern: re.Pattern[str], text: str, stop: str = "") -> Iterator[Lexeme]:
    """Takes `text` apart with any pattern. Its group `raw` is a raw string up to its parenthesis, `mark` the word before that one. A raw
    string must not contain a character of `stop`.

    A pattern that looks for a raw string's end itself reads up to the text's end for each opening without one.
    """
    ends, at = _RawStringEnds(text, stop), 0
    while match := pattern.search(text, at):
        kind, at = match.lastgroup or "", match.end()
        if kind == "raw":
            end = ends.after(match["mark"], at)
            kind, at = ("raw", end) if end else ("unclosed", match.start("mark"))
        yield Lexeme(kind, text[match.start() : at], match.start())


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
        for match in _CLOSING_OF_RAW.finditer(self._text):
            for index, sign in enumerate(match[1]):
                if sign == '"':
                    found[match[1][:index]].append(match.start())
        return found

    @cached_property
    def _stops(self) -> list[int]:
        return [at for at, sign in enumerate(self._text) if sign in self._stop] if self._stop else []
