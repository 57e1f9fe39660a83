"""Splits the preprocessor's output into tokens, each with its line in the submission. Text of system headers is left out."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""(?P<string>(?:u8|[uUL])?R"(?P<delimiter>[^()\\\s]{0,16})\(.*?\)(?P=delimiter)"|(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*")"""
    r"""|(?P<character>(?:u8|[uUL])?'(?:[^'\\\n]|\\.)*')"""
    r"""|(?P<directive>^\#[^\n]*)"""
    r"""|(?P<word>[^\W\d][\w$]*)"""
    r"""|(?P<number>\.?\d(?:[eEpP][+-]|'?[\w.])*)"""
    r"""|(?P<newline>\n)"""
    r"""|(?P<sign>&&|::|->|<:(?!:[^:>])|:>|[^\s\w])""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_DIGRAPHS = {"<:": "[", ":>": "]"}
_LINE_MARKER = re.compile(r'#\s+(\d+)\s+"((?:[^"\\]|\\.)*)"([ \d]*)$')
# A submission could write files into these folders. They are no system headers, whatever a marker says.
_NEVER_SYSTEM = ("/proc/", "/dev/", "/sys/", "/run/")


@dataclass(frozen=True)
class Token:
    kind: str  # string, character, directive, word, number, sign
    text: str
    line: int  # in the submission; 0: in another file
    start: int  # where the token begins in the preprocessed text


@dataclass(frozen=True)
class _Place:
    """What a line marker says about the text after it."""

    line: int
    ours: bool
    system: bool


def tokens_of(preprocessed: str, file_name: str, folder: str = "") -> Iterator[Token]:
    """`folder`: where the submission was preprocessed. Nothing in it is a system header.

    The submission's own file is no system header either, even where `#pragma GCC system_header` or a system header's macro made
    the compiler mark its text as one.
    """
    place = _Place(1, ours=True, system=False)
    line = 1
    for match in _TOKEN.finditer(preprocessed):
        kind, text = match.lastgroup or "", match.group()
        if kind == "newline":
            line += 1
            continue
        if kind == "directive" and (marker := _LINE_MARKER.match(text.strip())):
            place = _place(marker, file_name, folder)
            line = place.line - 1  # the marker gives the number of the next line; its own newline comes before that
            continue
        if not place.system:
            yield Token(kind, _DIGRAPHS.get(text, text), line if place.ours else 0, match.start())
        line += text.count("\n")


def _place(marker: re.Match[str], file_name: str, folder: str) -> _Place:
    path = posixpath.normpath(marker[2]) if marker[2] else ""
    ours = path.rsplit("/", 1)[-1] == file_name
    reachable = (
        not path.startswith("/") or path.startswith(_NEVER_SYSTEM) or (folder != "" and path.startswith(folder + "/"))
    )
    return _Place(int(marker[1]), ours, system="3" in marker[3].split() and not ours and not reachable)
