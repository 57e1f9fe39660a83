"""Finds pieces of model solutions in what students are given: starters, write-ups, handouts.

A line in a SOLUTION region is secret, unless the same line is also outside all SOLUTION regions of all labs. Two consecutive
secret lines are a leak, and so is one secret indexing expression. Pure: callers read the files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from grader.course.markers import Line, Region

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_INDEXED = re.compile(r"([A-Za-z_]\w*)((?:\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\])+)")
_INDEX = re.compile(r"\[([^\[\]]+)\]")
_COMPUTED = re.compile(r"\w[-+*/%]")
_WORD = re.compile(r"\w")


@dataclass(frozen=True)
class Secrets:
    """What must not be given to students: pairs of lines, and indexing expressions, both without white space."""

    pairs: frozenset[tuple[str, str]] = field(default_factory=frozenset)
    expressions: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True)
class Leak:
    line: int  # 1-based, in the text that was searched
    text: str  # the secret that was found, without white space


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def _statements(lines: list[str]) -> list[tuple[int, str]]:
    """Position and text of the lines that contain a word, without comments and white space. A line with only `}` does not count."""
    bare = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), "\n".join(lines)).split("\n")
    squeezed = ((position, _squeezed(text)) for position, text in enumerate(bare))
    return [(position, text) for position, text in squeezed if _WORD.search(text)]


def _expressions(text: str) -> set[str]:
    """`x[y][z]` and `x[y + z]` without white space. A computed index counts by itself too, so that renaming the array does not hide it."""
    found: set[str] = set()
    for array, indices in _INDEXED.findall(text):
        if not re.search(r"[A-Za-z_]", indices):
            continue  # a[0] is no secret
        found.add(_squeezed(array + indices))
        found |= {index for index in _INDEX.findall(_squeezed(indices)) if _COMPUTED.search(index)}
    return found


def secrets_of(solutions: Iterable[list[Line]]) -> Secrets:
    """What is in the SOLUTION regions of the labs and nowhere outside of them."""
    pairs: set[tuple[str, str]] = set()
    secret: set[str] = set()
    public_lines: set[str] = set()
    public: set[str] = set()
    for lines in solutions:
        for line in lines:
            if line.region is not Region.SOLUTION:
                public_lines |= {text for _, text in _statements([line.text])}
                public |= _expressions(line.text)
            else:
                secret |= _expressions(_COMMENT.sub("", line.text))
        inside = [line.text for line in lines if line.region is Region.SOLUTION]
        pairs |= {(one, other) for (_, one), (_, other) in pairwise(_statements(inside))}
    kept = {pair for pair in pairs if not (pair[0] in public_lines and pair[1] in public_lines)}
    return Secrets(frozenset(kept), frozenset(secret - public))


def leaks(text: str, secrets: Secrets) -> list[Leak]:
    """Every place in `text` that shows a secret. Expressions count in comments and prose too."""
    lines = text.splitlines()
    found = [
        Leak(position + 1, f"{one} {other}")
        for (position, one), (_, other) in pairwise(_statements(lines))
        if (one, other) in secrets.pairs
    ]
    for number, line in enumerate(lines, start=1):
        squeezed = _squeezed(line)
        held = [one for one in secrets.expressions if one in squeezed]
        here = [one for one in held if re.search(rf"(?<!\w){re.escape(one)}(?!\w)", squeezed)]
        found += [Leak(number, one) for one in here if not any(one != other and one in other for other in here)]
    return sorted(found, key=lambda leak: (leak.line, leak.text))
