"""A source's statements, each as the part that it plays: tokens with a role in place of each name that the author chose. Pure.

Its roles are finer than those of `line_shape.py`, which makes keys that must last: here a parameter of a kernel is its position, and a
tile is what it is loaded from. Like those, they follow from words alone, may be wrong, and prove nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.clusters.line_shape import LineShapes
from grader.similarity.file_tokens import FileToken, file_tokens

_MOST = 1500  # statements of a file; no kernel of a course has so many
_LONGEST_HEAD = 300  # tokens of a kernel's parameters
_HEADS = frozenset({"for", "while", "if", "switch"})
# As people write them, also where they do not compile.
_BUILT_IN = {one.lower(): one for one in ("threadIdx", "blockIdx", "blockDim", "gridDim")} | {"threadid": "threadIdx"}
_OPEN, _CLOSE = frozenset("(["), frozenset(")]")


@dataclass(frozen=True)
class Statement:
    first: int  # lines, 1-based
    last: int
    words: frozenset[str]  # as they were written
    shape: tuple[str, ...]

    @property
    def is_barrier(self) -> bool:
        return self.shape[0] == "__syncthreads"


def statements_of(source: str) -> list[Statement]:
    """Those of the file, in its order. The head of a loop or a condition is one of its own."""
    tokens = list(_joined([one for one in file_tokens(source) if one.kind not in {"comment", "include"}]))
    roles = _Roles(tokens, LineShapes(source))
    return [
        Statement(part[0].line, part[-1].line, frozenset(one.text for one in part if one.kind == "word"), shape)
        for part in _parts(tokens)
        if (shape := tuple(roles.shown(one) for one in part))
    ][:_MOST]


def _joined(tokens: Sequence[FileToken]) -> Iterator[FileToken]:
    """`threadIdx . x` as one token."""
    at = 0
    while at < len(tokens):
        name = _BUILT_IN.get(tokens[at].text.lower())
        if name and [one.text for one in tokens[at + 1 : at + 2]] == ["."]:
            axis = tokens[at + 2].text if at + 2 < len(tokens) else ""
            yield FileToken("built-in", f"{name}.{axis}", tokens[at].line)
            at += 3
        else:
            yield tokens[at]
            at += 1


def _parts(tokens: Sequence[FileToken]) -> Iterator[list[FileToken]]:
    part: list[FileToken] = []
    depth = 0
    for token in tokens:
        if part and part[0].text == "#" and token.line != part[0].line:
            yield part
            part, depth = [], 0
        depth += (token.text in _OPEN) - (token.text in _CLOSE)
        ends = token.text in {"{", "}"} or (token.text == ";" and not (part and part[0].text == "for" and depth > 0))
        if ends or (depth <= 0 and token.text == ","):  # each name of a declaration is one of its own
            if part:
                yield part
            part, depth = [], 0
            continue
        part.append(token)
        head = part[0].text in _HEADS and token.text == ")" and depth <= 0
        if head or token.text == "else":
            yield part
            part, depth = [], 0
    if part:
        yield part


class _Roles:
    def __init__(self, tokens: Sequence[FileToken], shapes: LineShapes) -> None:
        self._shapes = shapes
        self._parameters = dict(_parameters(tokens))
        self._finer: dict[str, str] = {}
        for _ in range(2):  # an index may be made of indices that are made further down
            for part in _parts(tokens):
                self._finer |= dict(self._of_assignment(part))
        self._texts: dict[str, str] = {}

    def shown(self, token: FileToken) -> str:
        if token.kind == "built-in":
            return _index([token.text])
        if token.text not in self._texts:
            self._texts[token.text] = self._shown(token)
        return self._texts[token.text]

    def _shown(self, token: FileToken) -> str:
        if token.kind == "word" and (role := self._finer.get(token.text) or self._parameters.get(token.text)):
            return role
        return self._shapes.shape(token.text) or token.text

    def _of_assignment(self, part: Sequence[FileToken]) -> Iterator[tuple[str, str]]:
        """What the name before the first `=` is, by what it is made of."""
        at = next((n for n, one in enumerate(part) if one.text == "="), None)
        if at is None:
            return
        if part[0].text in _HEADS:
            if part[0].text == "for" and not any(one.kind == "built-in" for one in part):
                yield part[at - 1].text, "loop"
            return
        made_of = part[at + 1 :]
        name = part[at - 1].text if at else ""
        if name == "]":
            name = next((part[n - 1].text for n in range(1, at) if part[n].text == "["), "")
            source = next((self._parameters[one.text] for one in made_of if one.text in self._parameters), "")
            if self._shapes.role(name) == "tile":
                yield name, f"tile of {source}"
            return
        places = [one.text for one in made_of if one.kind == "built-in"]
        places += [where for one in made_of for where in self._finer.get(one.text, "").split() if "." in where]
        if places and self._shapes.role(name) in {"index", "local", "name"}:
            yield name, _index(places)


def _index(places: Sequence[str]) -> str:
    return " ".join(["index", *sorted(set(places))])


def _parameters(tokens: Sequence[FileToken]) -> Iterator[tuple[str, str]]:
    """Those of each kernel, by their positions."""
    for start in (n for n, one in enumerate(tokens) if one.text == "__global__"):
        begin = next((n for n in range(start, min(start + 40, len(tokens))) if tokens[n].text == "("), None)
        if begin is None:
            continue
        position = 0
        for n in range(begin + 1, min(begin + _LONGEST_HEAD, len(tokens) - 1)):
            if tokens[n + 1].text in {",", ")"} and tokens[n].kind == "word":
                yield tokens[n].text, f"parameter {position}"
            if tokens[n].text in {")", "{", ";"}:
                break
            position += tokens[n].text == ","


def by_line(statements: Sequence[Statement]) -> Mapping[int, list[int]]:
    """The numbers of the statements that have a part in each line."""
    found: dict[int, list[int]] = {}
    for at, one in enumerate(statements):
        for line in range(one.first, one.last + 1):
            found.setdefault(line, []).append(at)
    return found
