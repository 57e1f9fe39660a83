"""A submission's text as a person reads it: code without comments and strings at its own place, names, declarations. Pure.

Nothing here decides whether a file is accepted. It only helps to find words, and a wrong guess costs a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

_HIDDEN = re.compile(r"""//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'(?!\w)""", re.DOTALL)
_WORD = re.compile(r"[^\W\d]\w*")
_TOKEN = re.compile(r"\w+|\S")
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_MOST_CHARACTERS, _LONGEST_LINE = 200_000, 1_000  # what lies beyond was not written by hand
_TYPE_NAMES = """
    float double int unsigned signed long short char bool auto void size_t dim3 half __half half2 __half2 const constexpr volatile static
    __restrict__ int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t LaunchConfig struct class enum typename
    float1 float2 float3 float4 int1 int2 int3 int4 uint1 uint2 uint3 uint4 double1 double2 double3 double4
"""
_TYPES = frozenset(_TYPE_NAMES.split())


@dataclass(frozen=True)
class Place:
    """A part of one line. `line` counts from 1; `start` and `end` count characters from 0, and are equal where only a point is meant."""

    line: int
    start: int
    end: int

    @property
    def columns(self) -> tuple[int, int] | None:
        return (self.start, self.end) if self.start < self.end else None


@dataclass(frozen=True)
class StudentCode:
    text: str

    @cached_property
    def lines(self) -> list[str]:
        return [line if len(line) <= _LONGEST_LINE else "" for line in self.text[:_MOST_CHARACTERS].split("\n")]

    @cached_property
    def bare(self) -> list[str]:
        """The lines with blanks in place of comments and of what stands in strings: every column stays."""
        return _HIDDEN.sub(_blanked, "\n".join(self.lines)).split("\n")

    def line(self, number: int) -> str:
        return self.bare[number - 1] if 0 < number <= len(self.bare) else ""

    def raw(self, number: int) -> str:
        """The line with comments and strings; empty where there is none."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""

    def word_at(self, number: int, column: int, word: str = "") -> Place:
        """The occurrence of `word` that is nearest to the column, else the token at the column."""
        bare = self.line(number)
        if word:
            found = [match.start() for match in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", bare)]
            if found:
                start = min(found, key=lambda at: abs(at - column))
                return Place(number, start, start + len(word))
        match = re.compile(r"\w+|\S").search(bare, min(max(column, 0), len(bare)))
        return Place(number, match.start(), match.end()) if match else Place(number, 0, 0)

    def before(self, number: int, column: int) -> Place:
        """The last token of code before that point, on that line or above it. Lines of the preprocessor do not count."""
        bare = self.line(number)[: max(column, 0)]
        while number > 0:
            if bare.strip() and not bare.lstrip().startswith("#"):
                last = re.search(r"(\w+|\S)\s*$", bare)
                assert last is not None
                return Place(number, last.start(1), last.end(1))
            number -= 1
            bare = self.line(number)
        return Place(0, 0, 0)

    def token(self, place: Place) -> str:
        return self.line(place.line)[place.start : place.end]

    @cached_property
    def words(self) -> dict[str, list[int]]:
        """Each name of the file and the lines that use it."""
        found: dict[str, list[int]] = {}
        for number, bare in enumerate(self.bare, 1):
            for match in _WORD.finditer(bare):
                found.setdefault(match[0], []).append(number)
        return found

    def declarations(self, name: str) -> list[int]:
        """The lines that seem to declare it: as a variable, a parameter, a macro, a type or a function."""
        return self.declared.get(name, [])

    @cached_property
    def declared(self) -> dict[str, list[int]]:
        """Each declared name and the lines of its declarations."""
        found: dict[str, list[int]] = {}
        state = _Declaration()
        for number, bare in enumerate(self.bare, 1):
            if macro := re.match(r"\s*#\s*define\s+(\w+)", bare):
                found.setdefault(macro[1], []).append(number)
            elif not bare.lstrip().startswith("#"):
                for token in _TOKEN.findall(bare):
                    if state.declares(token):
                        found.setdefault(token, []).append(number)
        return found

    def macros(self) -> Iterator[tuple[int, str, str]]:
        """Line, name and body of each macro without parameters."""
        for number, bare in enumerate(self.bare, 1):
            if match := re.match(r"\s*#\s*define\s+(\w+)\s+(.*\S)", bare):
                yield number, match[1], match[2]


class _Declaration:
    """Reads tokens one by one: after a type comes a name, and after a comma of the same statement another one."""

    def __init__(self) -> None:
        self._types = set(_TYPES)
        self._awaits = self._list = False
        self._depth = self._at = 0
        self._last = ""

    def declares(self, word: str) -> bool:
        last, self._last = self._last, word
        named = self._awaits and word not in self._types and _WORD.fullmatch(word) is not None
        if word in self._types:
            self._awaits = True
        elif named:
            self._awaits, self._list, self._at = False, True, self._depth
            if last in {"struct", "class", "enum"}:
                self._types.add(word)
        elif word not in {"*", "&"}:
            self._depth += (word in _OPENING) - (word in _CLOSING)
            self._list = self._list and word not in {";", ":"}
            self._awaits = word == "," and self._list and self._depth == self._at
        return named


def _blanked(match: re.Match[str]) -> str:
    text = match[0]
    inner = re.sub(r"[^\n]", " ", text)
    return text[0] + inner[1:-1] + text[-1] if text[0] in "\"'" else inner
