"""The lines of a submission around a finding, with the lines of the finding marked. Pure.

The text comes only from the submission's own files. A finding in another file has no excerpt.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from grader.model import visible_text
from grader.model.result import Finding, Site
from grader.model.visible_text import index
from grader.source.lexer import closing_bracket

_AROUND = 2  # lines of context on either side
_VERBS = {
    "read": "reads",
    "write": "writes",
    "atomic": "updates atomically",
    "barrier": "waits here",
    "skip": "goes past the barrier",
    "return": "returns here",
}
_NAME = re.compile(r"[A-Za-z_]\w*")
_OPENED = re.compile(r"\s*\[")

Role = Literal["", "first", "second"]


@dataclass(frozen=True)
class Fragment:
    text: str
    marked: bool


@dataclass(frozen=True)
class Note:
    """What a thread does on the line above the note."""

    role: Role
    text: str


@dataclass(frozen=True)
class Row:
    number: int
    pieces: tuple[Fragment, ...]
    role: Role = ""
    caret: str = ""  # for a terminal: spaces, and carets under the marked pieces
    notes: tuple[Note, ...] = ()
    after_gap: bool = False  # whether lines between this row and the one above are left out


def excerpt(finding: Finding, sources: Mapping[str, str], *, around: int = _AROUND) -> tuple[Row, ...]:
    """The finding's lines with the lines around them. Empty where the submission has no such line."""
    text = sources.get(finding.file or "")
    if text is None or finding.line is None:
        return ()
    lines = text.split("\n")
    if not 1 <= finding.line <= len(lines):
        return ()
    sites = _sites(finding, len(lines))
    wanted = sorted({n for line in sites for n in range(line - around, line + around + 1) if 1 <= n <= len(lines)})
    told = [at for at, number in enumerate(wanted) if number in sites or lines[number - 1].strip()]
    shown = wanted[told[0] : told[-1] + 1]  # no blank lines at either end
    gaps = {after for before, after in pairwise(shown) if after > before + 1}
    return tuple(_row(number, lines[number - 1], sites, finding, after_gap=number in gaps) for number in shown)


def _sites(finding: Finding, last: int) -> dict[int, list[tuple[Role, Site]]]:
    """What happened on each marked line: the finding itself, then the other side of a race or a divergence."""
    sites: dict[int, list[tuple[Role, Site]]] = {finding.line or 0: [("first", finding)]}
    other = finding.other
    if other and other.line and other.file in {None, finding.file} and 1 <= other.line <= last:
        sites.setdefault(other.line, []).append(("second", other))
    return sites


def _row(
    number: int, line: str, sites: dict[int, list[tuple[Role, Site]]], finding: Finding, *, after_gap: bool
) -> Row:
    text = visible_text.code(line.rstrip())
    here = sites.get(number, [])
    if not here:
        return Row(number, (Fragment(text, marked=False),), after_gap=after_gap)
    told = [span for _, site in here if (span := _told(line.rstrip(), site))]
    spans = told or _spans(text, finding.array)
    several = sum(len(each) for each in sites.values()) > 1
    notes = [Note(role, note) for role, site in here if (note := _note(site, finding, named=several))]
    return Row(number, _pieces(text, spans), here[0][0], _caret(spans), tuple(notes), after_gap)


def _note(site: Site, finding: Finding, *, named: bool) -> str:
    """`thread (1,0,0) reads As[0][1]`."""
    verb = _VERBS.get(site.access or "", "")
    if not verb or site.thread is None:
        return ""
    # Where both threads are in the same block, it is stated once beside the excerpt.
    differ = site.block is not None and finding.other is not None and finding.block != finding.other.block
    whose = f" of block {index(site.block)}" if differ else ""
    what = finding.element or finding.array or ""
    what = "" if site.access in {"barrier", "skip", "return"} else f" {visible_text.line(what, 60)}"
    return f"thread {index(site.thread)}{whose} {verb}{what}" if named or what.strip() else ""


def _told(line: str, site: Site) -> tuple[int, int] | None:
    """The columns that the finding itself names, as they are shown: a tab is several blanks, a control character has a name."""
    if site.columns is None or not 0 <= site.columns[0] < site.columns[1] <= len(line):
        return None
    start, end = (len(visible_text.code(line[:at])) for at in site.columns)
    return (start, end) if start < end <= len(visible_text.code(line)) else None


def _spans(text: str, array: str | None) -> list[tuple[int, int]]:
    """Where the array is subscripted on this line. Where it is not, the line's code without its comment."""
    found = [
        (name.start(), end)
        for name in _NAME.finditer(text)
        if array and name.group() == array and (end := _subscripts(text, name.end())) > name.end()
    ]
    if found:
        return found
    start, end = len(text) - len(text.lstrip()), len(text.split("//", 1)[0].rstrip())
    return [(start, end)] if start < end else [(0, len(text))]


def _subscripts(text: str, position: int) -> int:
    """The end of the `[…]`s that follow `position`, or `position` where there are none."""
    while opened := _OPENED.match(text, position):
        closed = closing_bracket(text, opened.end() - 1, "[]")
        if closed == len(text):
            break
        position = closed + 1
    return position


def _pieces(text: str, spans: list[tuple[int, int]]) -> tuple[Fragment, ...]:
    pieces, at = [], 0
    for start, end in spans:
        if start < at:  # As[As[0]]: the outer subscript includes the inner one
            continue
        pieces += [Fragment(text[at:start], marked=False), Fragment(text[start:end], marked=True)]
        at = end
    pieces.append(Fragment(text[at:], marked=False))
    return tuple(piece for piece in pieces if piece.text)


def _caret(spans: list[tuple[int, int]]) -> str:
    under = [" "] * max((end for _, end in spans), default=0)
    for start, end in spans:
        under[start:end] = "^" * (end - start)
    return "".join(under)
