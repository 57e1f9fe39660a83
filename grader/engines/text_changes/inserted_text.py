"""Puts text of ours into the preprocessed text. A line marker behind each piece brings back the line and the column of what follows."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable
from dataclasses import dataclass

_MARKER = re.compile(r'^#\s+(?P<line>\d+)\s+(?P<file>"(?:[^"\\\n]|\\.)*")(?P<flags>[ \d]*)$', re.MULTILINE)


@dataclass(frozen=True, order=True)
class Piece:
    at: int  # where it comes to stand
    end: int  # what stands there until here is left out
    text: str


def with_pieces(text: str, pieces: Iterable[Piece]) -> str:
    markers = list(_MARKER.finditer(text))
    begins = [marker.start() for marker in markers]
    parts, done = list[str](), 0
    for piece in sorted(pieces):
        before = bisect.bisect_left(begins, piece.end)
        back = _back_to(text, piece.end, markers[before - 1] if before else None)
        parts += [text[done : piece.at], piece.text, "\n", back]
        done = piece.end
    return "".join([*parts, text[done:]])


def _back_to(text: str, at: int, marker: re.Match[str] | None) -> str:
    """A line marker and blanks, behind which the compiler believes to be where `at` is. `marker`: the last one before."""
    line, name, flags = 1 + text.count("\n", 0, at), '""', ""
    if marker is not None:
        line = int(marker["line"]) + text.count("\n", marker.end() + 1, at)
        name, flags = marker["file"], "".join(f" {one}" for one in marker["flags"].split() if one in "34")
    column = len(text[text.rfind("\n", 0, at) + 1 : at].encode())
    return f"# {line} {name}{flags}\n{' ' * column}"
