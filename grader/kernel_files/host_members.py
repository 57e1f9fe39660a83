"""Takes the bodies of host functions out of classes: `Lock() { cudaMalloc(…); }` becomes `Lock();`. A kernel that is given such an object
needs its members, and not what host code does with them. Lines stay. Reads brackets and words, as host_code.py does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from grader.kernel_files.host_code import items_of, macros_of

_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|^[ \t]*\#(?:\\\n|[^\n])*|(?P<word>[^\W\d]\w*)|(?P<sign>[{}();:=])""",
    re.DOTALL | re.MULTILINE,
)
_CLASSES = frozenset({"struct", "class", "union"})
_KEPT = frozenset({"__device__", "__global__", "constexpr", "consteval", "enum", "namespace"})


def without_host_members(source: str) -> str:
    """The source with `;` in place of each such body."""
    kept = _KEPT | {name for name, words in macros_of(source).items() if words & {"__device__", "__global__"}}
    cuts: list[tuple[int, int]] = []
    for item in items_of(source):
        if not item.is_function and item.words & _CLASSES:
            cuts += _bodies(source, item.first, item.end, kept)
    pieces, done = list[str](), 0
    for first, end in sorted(cuts):
        inside = re.sub(r"[^\n]", " ", source[first:end])
        pieces += [source[done:first], ";", inside[1:]]
        done = end
    return "".join([*pieces, source[done:]])


@dataclass
class _Head:
    """What was read of one member so far."""

    words: set[str] = field(default_factory=set)
    parentheses: int = 0
    has_parameters: bool = False
    initialisers: int = -1  # where a constructor's `:` is

    def take(self, token: re.Match[str]) -> None:
        sign = token["sign"]
        if token["word"] and self.parentheses == 0:
            self.words.add(token["word"])
        elif sign == "(":
            self.parentheses += 1
        elif sign == ")":
            self.parentheses -= 1
            self.has_parameters = True
        elif sign == ":" and self.parentheses == 0 and self.has_parameters and self.initialisers < 0:
            self.initialisers = token.start()


def _bodies(source: str, first: int, end: int, kept: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Where what belongs to a host function's definition begins behind its parameters, and where it ends."""
    head, at = _Head(), first
    while (token := _TOKEN.search(source, at, end)) is not None:
        at = token.end()
        head.take(token)
        if head.parentheses or token["sign"] not in {"{", "}", ";"}:
            continue
        if token["sign"] != "{" or (head.words & _CLASSES and not head.has_parameters):
            head = _Head()  # the next member begins, or the first of a class
            continue
        at = _closing(source, token.start(), end)
        if head.initialisers >= 0 and re.match(r"\s*[,{]", source[at:end]):
            continue  # a member's initialiser, such as n{3}
        if head.has_parameters and not head.words & kept:
            yield (head.initialisers if head.initialisers >= 0 else token.start(), at)
        head = _Head()


def _closing(source: str, opening: int, end: int) -> int:
    """Behind the } of the { at `opening`."""
    depth = 0
    for token in _TOKEN.finditer(source, opening, end):
        depth += (token["sign"] == "{") - (token["sign"] == "}")
        if depth == 0:
            return token.end()
    return end
