"""A submission's text as a compiler takes it apart before macros: without comments, and without what stands in strings or in `#if 0`.
Pure.

It reads as GCC's preprocessor does. What it might read in another way (a raw string over several lines, a header's name with a quote
in it) is told by `unclear_line`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from grader.source.lexer import Lexeme, pieces

_SPLICE = re.compile(r"\\[ \t\f\v\0]*\n")
_END = "\ue000"  # stands where a line ended that goes on in the next; written as @ in the expression
# Comments, strings and characters, with such ends inside. One that is not closed ends with its line. Words and numbers are here
# because of quotes inside them: 1'000 contains no character constant.
_PIECE = re.compile(
    r"""(?P<comment>/@*\*.*?(?:\*@*/|\Z)|/@*/[^\n]*)"""
    r"""|(?P<raw>(?:u8|[uUL])?R"(?P<mark>[^()\\\s"@]{0,16})\()"""
    r"""|(?P<unclear>(?:(?:u@*8|[uUL])@*)?R@*")"""
    r"""|(?P<string>"(?:\\@*[^@\n]|[^"\\\n])*"|'(?:\\@*[^@\n]|[^'\\\n])*')"""
    r"""|(?P<open>["'][^\n]*)"""
    r"""|(?P<number>\.?\d(?:[eEpP]@*[+-]|'?[\w.@])*)|(?P<word>[^\W\d][\w@]*)""".replace("@", _END),
    re.DOTALL,
)
_ODD_HEADER = re.compile(r"""(?:include|include_next|import|embed|dependency)\b[^\n]*<[^>\n]*(?:/[*/]|["'])[^>\n]*>""")
_DIRECTIVE = re.compile(r"[\s\0]*(?:#|%:)[\s\0]*(\w*)[\s\0]*(.*)")
# `#line 7`, `# 33 "stdio.h" 1 3`; and what may be one where comments and strings cannot be told from code.
_MARKER = re.compile(r"[\s\0]*(?:#|%:|\?\?=)[\s\0]*(?:line\b|\d)")
_MAY_BE_MARKER = re.compile(r"(?:^|\*/)[\s\0]*(?:#|%:|\?\?=)[\s\0]*(?:\d|/\*)")
_CONDITIONS = frozenset({"if", "ifdef", "ifndef"})  # `#iffy` is none: in skipped text, a compiler passes over it
_CHOICES = frozenset({"else", "elif", "elifdef", "elifndef", "endif"})


class CodeLine(NamedTuple):
    """One line, with those that it goes on in, without comments."""

    number: int  # of the first
    text: str

    @property
    def bare(self) -> str:
        """Its strings are empty."""
        return _changed(self.text, lambda piece: '""' if piece.kind in {"string", "raw"} else piece.text)


def unclear_line(source: str) -> int:
    """The first line where comments and strings cannot be told from code for certain; 0 where there is none."""
    marked = _SPLICE.sub(_END, source)
    unclear = (piece.at for piece in _pieces(marked) if piece.kind in {"unclear", "unclosed"})
    names = (match.start() for match in (_ODD_HEADER.search(marked.replace(_END, "")),) if match)
    at = next(unclear, next(names, -1))
    foreign = source.find(_END)
    first = foreign if at < 0 else at
    return 0 if first < 0 else 1 + sum(marked.count(end, 0, first) for end in ("\n", _END))


def live_lines(source: str) -> list[CodeLine]:
    """The lines of a file, without those that `#if 0` keeps from every compiler."""
    return [line for line, dead in _told(source) if not dead]


def hand_written_marker(source: str) -> int:
    """The line of the first line marker that a submission writes itself; 0 where there is none.

    The compiler's own markers tell which text comes from a system header: with one of its own, a submission's text could pass for such.
    One in a comment or in `#if 0` is allowed, except where we might read comments and strings in another way than the compiler.
    """
    unclear = unclear_line(source) > 0
    for line, dead in _told(source):
        if (unclear or not dead) and _MARKER.match(line.text):
            return line.number
    lines = _numbered(_SPLICE.sub(_END, source)) if unclear else ()
    return next((line.number for line in lines if _MAY_BE_MARKER.search(line.text)), 0)


def plain_text(source: str) -> str:
    """The same program, with its line numbers, for a preprocessor that decides conditions only: GCC's then reads quotes otherwise, in
    numbers and where nobody closes them.
    """
    lines = [""] * (source.count("\n") + 1)
    for number, text in live_lines(source):
        lines[number - 1] = text
    return "\n".join(lines) + "\n"


def _told(source: str) -> Iterator[tuple[CodeLine, bool]]:
    """The lines that hold anything besides comments, and whether `#if 0` keeps them from every compiler."""
    depth = 0
    for number, text in _numbered(_changed(_SPLICE.sub(_END, source), _without_comment)):
        if not text.strip():
            continue
        line = CodeLine(number, text.rstrip())
        found = _DIRECTIVE.fullmatch(line.bare)
        word, rest = found.groups() if found else ("", "")
        if not depth:
            depth = int(word == "if" and rest.strip() == "0")
            yield line, False
            continue
        if word == "endif" or (word in _CHOICES and depth == 1):
            depth -= 1
        elif word in _CONDITIONS:
            depth += 1
        yield line, depth > 0


def _numbered(marked: str) -> Iterator[CodeLine]:
    number = 1
    for line in marked.split("\n"):
        yield CodeLine(number, line.replace(_END, ""))
        number += 1 + line.count(_END)


def _pieces(text: str) -> Iterator[Lexeme]:
    return pieces(_PIECE, text, stop="\n" + _END)


def _changed(text: str, change: Callable[[Lexeme], str]) -> str:
    """The text with each piece as `change` gives it."""
    parts, at = [], 0
    for piece in _pieces(text):
        parts += [text[at : piece.at], change(piece)]
        at = piece.at + len(piece.text)
    return "".join([*parts, text[at:]])


def _without_comment(piece: Lexeme) -> str:
    if piece.kind == "comment":
        return " " + _END * (piece.text.count("\n") + piece.text.count(_END))
    if piece.kind == "open":
        return _END * piece.text.count(_END)
    return piece.text.replace("'", "") if piece.kind == "number" else piece.text
