"""Finds line markers that a submission writes itself: `#line 7`, `# 33 "stdio.h" 1 3`.

The compiler's own markers tell the scan which text comes from a system header. A marker written by hand could present the
submission's text as a system header. A comment that looks like a marker is allowed, and so is a marker in `#if 0`, except where
we might read comments and strings in another way than the compiler.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from grader.engines.checks.bare_code import dead_numbers

# The # of a directive is at the start of a line or after the end of a comment.
_HASH = re.compile(r"(?:^|\*/)(?:[^\S\n]|\0)*(?:\#|%:|\?\?=)", re.MULTILINE)
_IN_CODE = re.compile(r"line\b|\d")
_NUMBER = re.compile(r"\d[\d']*")
_NAME = re.compile(r"[A-Za-z_\"]")

_SPLICE = re.compile(r"\\[ \t\f\v\0]*\n")
_SPLICED_LINE = re.compile(rf"^(?:[^\n]*{_SPLICE.pattern})+", re.MULTILINE)
# Comments, strings and characters as the compiler reads them. One that is not closed ends with its line. Words and numbers are
# here because of quotes inside them: 1'000 contains no character constant.
_HIDDEN = re.compile(
    r"""(?P<comment>/\*.*?(?:\*/|\Z)|//[^\n]*)"""
    r"""|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?"""
    r"""|(?P<kept>[^\W\d]\w*|\.?\d(?:[eEpP][+-]|'?[\w.])*)""",
    re.DOTALL,
)
# In a raw string or a header's name, quotes and slashes have another meaning than `_HIDDEN` assumes.
_AMBIGUOUS = re.compile(r'R"|__has_|##|<[^<>\n]*/[*/]')


def hand_written_marker(source: str) -> int:
    """The line of the first marker, or 0."""
    joined = _SPLICED_LINE.sub(_join, source)
    bare = _HIDDEN.sub(_blank, joined)
    blanks, dead = _Blanks(bare), None
    for found in _HASH.finditer(bare):
        at = blanks.skip(found.end())
        if _IN_CODE.match(bare, at):
            line = bare.count("\n", 0, at) + 1
            dead = dead_numbers(source) if dead is None else dead
            if line not in dead:
                return line
    return _marker_anywhere(joined) if _AMBIGUOUS.search(joined) else 0


def _marker_anywhere(joined: str) -> int:
    """Like above, but reads comments and strings too. It looks only for what could mark a system header: a number and a name."""
    blanks = _Blanks(joined)
    for found in _HASH.finditer(joined):
        number = _NUMBER.match(joined, blanks.skip(found.end()))
        if number and _NAME.match(joined, blanks.skip(number.end())):
            return joined.count("\n", 0, number.start()) + 1
    return 0


class _Blanks:
    """Skips blanks and comments. No text makes the time quadratic."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._ends = [match.end() for match in re.finditer(r"\*/", text)]

    def skip(self, at: int) -> int:
        """The first position from `at` on that is neither a blank nor in a comment."""
        while at < len(self._text):
            if self._text[at].isspace() or self._text[at] == "\0":
                at += 1
            elif self._text.startswith("/*", at) and (end := bisect_left(self._ends, at + 4)) < len(self._ends):
                at = self._ends[end]
            else:
                break
        return at


def _join(match: re.Match[str]) -> str:
    """Joins spliced lines, and puts their line ends before the joined line: line numbers stay, and a # stays first in its line."""
    return "\n" * match.group().count("\n") + _SPLICE.sub("", match.group())


def _blank(match: re.Match[str]) -> str:
    if match["kept"] is not None:
        return match["kept"]
    return "\n" * match.group().count("\n") or " " if match["comment"] is not None else '""'
