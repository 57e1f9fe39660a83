"""Finds pieces of model solutions in what students are given: starters, write-ups, handouts.

A line in a SOLUTION region is secret, unless the same line is also outside all SOLUTION regions of all labs. Two consecutive
secret lines are a leak, and so is one secret indexing expression. A short index such as `[i + 1]` is a secret of its own lab only:
another lab's write-up may need it. Pure: callers read the files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from pathlib import PurePosixPath

from grader.course.markers import Line, Region

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_INDEXED = re.compile(r"([A-Za-z_]\w*)((?:\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\])+)")
_INDEX = re.compile(r"\[([^\[\]]+)\]")
_COMPUTED = re.compile(r"\w[-+*/%]")
_WORD = re.compile(r"\w")
_NAME = re.compile(r"[A-Za-z_]\w*")
# `in[i]`, `in[row*N+column]` and the latter's index alone: every oracle of a row-major matrix has them.
_ORDINARY = re.compile(r"(?:\w*\[)?(?:\w+\*\w+\+)?\w+\]?")
_NAMES_OF_CHANCE = 2  # two labs can use an expression with so few names without knowing of each other


@dataclass(frozen=True)
class Secrets:
    """What must not be given to students: pairs of lines, and indexing expressions, both without white space."""

    pairs: frozenset[tuple[str, str]] = field(default_factory=frozenset)
    expressions: frozenset[str] = field(default_factory=frozenset)

    def outside_of_labs(self) -> Secrets:
        """What files of no lab must not show, such as the kit's and problems': everything but the place of an
        element in a row or in a row-major matrix.
        """
        return Secrets(self.pairs, frozenset(one for one in self.expressions if not _ORDINARY.fullmatch(one)))

    def beyond_chance(self) -> Secrets:
        """What no other lab writes by chance: pairs of lines, and expressions of more than two names. They are secret everywhere."""
        long = (one for one in self.expressions if one[0] != "[" and len(set(_NAME.findall(one))) > _NAMES_OF_CHANCE)
        return Secrets(self.pairs, frozenset(long))


@dataclass(frozen=True)
class CourseSecrets:
    """The secrets of each lab."""

    of_labs: Mapping[str, Secrets]
    _joined: dict[str | None, Secrets] = field(default_factory=dict, init=False, repr=False, compare=False)  # by lab

    def for_file(self, path: str) -> Secrets:
        """What the handout's file `path` must not show. A file that belongs to no lab must show no lab's secrets, but
        may say `in[i]` and `in[row * N + column]`.
        """
        parts = PurePosixPath(path).parts
        lab = parts[1] if parts[0] == "assignments" and len(parts) > 2 else None  # noqa: PLR2004  assignments/<lab>/...
        return self.for_lab(lab)

    def for_lab(self, lab_id: str | None) -> Secrets:
        """What the files of this lab must not show."""
        if lab_id not in self._joined:
            self._joined[lab_id] = self._join(lab_id)
        return self._joined[lab_id]

    def _join(self, lab_id: str | None) -> Secrets:
        if lab_id is None:
            held = [one.outside_of_labs() for one in self.of_labs.values()]
        else:
            held = [one if lab_id == own else one.beyond_chance() for own, one in self.of_labs.items()]
        return Secrets(
            frozenset(chain.from_iterable(one.pairs for one in held)),
            frozenset(chain.from_iterable(one.expressions for one in held)),
        )


@dataclass(frozen=True)
class Leak:
    line: int  # 1-based, in the text that was searched
    text: str  # the secret that was found, without white space


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _statements(lines: list[str]) -> list[tuple[int, str]]:
    """Position and text of the lines that contain a word, without comments and white space. A line with only `}` does not count."""
    bare = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), "\n".join(lines)).split("\n")
    squeezed = ((position, _squeezed(text)) for position, text in enumerate(bare))
    return [(position, text) for position, text in squeezed if _WORD.search(text)]


def _expressions(text: str) -> set[str]:
    """`x[y][z]` and `x[y + z]` without white space. A computed index counts with any array too, so that renaming the array does not
    hide it; an index of three names or more counts without its brackets as well.
    """
    found: set[str] = set()
    for array, indices in _INDEXED.findall(text):
        if not re.search(r"[A-Za-z_]", indices):
            continue  # a[0] is no secret
        found.add(_squeezed(array + indices))
        computed = [index for index in _INDEX.findall(_squeezed(indices)) if _COMPUTED.search(index)]
        found |= {f"[{index}]" for index in computed}
        found |= {index for index in computed if len(set(_NAME.findall(index))) > _NAMES_OF_CHANCE}
    return found


def secrets_of(solutions: Mapping[str, Sequence[list[Line]]]) -> CourseSecrets:
    """What is in the SOLUTION regions of each lab's files and nowhere outside of them. `solutions`: a lab's name to its files."""
    public_lines: set[str] = set()
    public: set[str] = set()
    for line in chain.from_iterable(chain.from_iterable(solutions.values())):
        if line.region is not Region.SOLUTION:
            public_lines |= {text for _, text in _statements([line.text])}
            public |= _expressions(line.text)
    return CourseSecrets({lab: _secrets(files, public_lines, public) for lab, files in solutions.items()})


def _secrets(files: Iterable[list[Line]], public_lines: set[str], public: set[str]) -> Secrets:
    pairs: set[tuple[str, str]] = set()
    secret: set[str] = set()
    for lines in files:
        inside = [line.text for line in lines if line.region is Region.SOLUTION]
        for text in inside:
            secret |= _expressions(_COMMENT.sub("", text))
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
        here = [one for one in held if _stands(one, squeezed)]
        found += [Leak(number, one) for one in here if not any(one != other and one in other for other in here)]
    return sorted(found, key=lambda leak: (leak.line, leak.text))


def _stands(expression: str, squeezed: str) -> bool:
    """Whether `expression` is there as a whole: `n-i` is not part of `n-i2`, nor of `2*n-i`."""
    if "[" in expression:
        before, after = ("" if expression[0] == "[" else r"(?<!\w)"), ""
    else:  # a bare index
        before, after = r"(?<![\w.*/%+-])(?<!->)", r"(?![\w(*/%+-])"
    return re.search(f"{before}{re.escape(expression)}{after}", squeezed) is not None
