"""Removes the host code from a CUDA source: functions that are neither __global__ nor __device__ become blank lines.

This is for `tilelab check`, which runs one kernel of any file. It does not need main(), cudaMalloc() and <<<…>>>. The code here reads
braces and words, and does not parse C++. Code that it does not understand stays, and the compiler reports it. Line numbers stay too.
Submissions are never changed in this way: the compiler and the scans decide what they may contain.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from grader.engines.checks.raw_strings import pieces
from grader.kernel_files.condition_branches import CONDITION, Branches, SourceToken
from grader.kernel_files.declared_names import declared_names

_TOKEN = re.compile(
    r"""(?P<skip>//(?:\\\n|[^\n])*|/\*.*?(?:\*/|\Z))"""
    r"""|(?P<directive>^[ \t]*\#(?:\\\n|/\*.*?(?:\*/|\Z)|[^\n])*)"""
    r"""|(?P<raw>(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\()"""
    r"""|(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')"""
    r"""|(?P<number>\.?\d(?:[eEpP][+-]|'?[\w.])*)"""
    r"""|(?P<word>[^\W\d]\w*)"""
    r"""|(?P<sign>::|[^\s\w])""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_DEVICE_WORDS = frozenset({"__global__", "__device__"})
_COOPERATIVE = frozenset({"cudaLaunchCooperativeKernel", "cuLaunchCooperativeKernel", "cudaLaunchAttributeCooperative"})
_KEPT_WORDS = frozenset({"constexpr", "consteval"})  # a kernel may use such functions
_TYPES = frozenset({"class", "struct", "union", "enum"})
_WITH_ARGUMENTS = frozenset({"__align__", "__attribute__", "__builtin_align__", "alignas", "__declspec", "decltype"})
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\([^)\n]*\))?[ \t]*((?:\\\n|[^\n])*)", re.MULTILINE)


@dataclass(frozen=True)
class Item:
    """One declaration or definition at the outermost level or in a namespace."""

    first: int  # offsets in the text, here and below
    end: int
    first_line: int  # 1-based
    last_line: int
    is_function: bool  # a function with a body
    on_device: bool  # whether it, or a part of it, is for the GPU
    kernel: str = ""  # its name, where it is a __global__ function
    scope: str = ""  # the namespaces around it: "lab::inner"
    declares: frozenset[str] | None = None  # the names that it introduces; None: they are not certain
    words: frozenset[str] = frozenset()  # every word in it


def items_of(source: str) -> list[Item]:
    """The items of a source, in their order."""
    return list(_Reader(source).items())


def launches_cooperatively(sources: Iterable[str]) -> bool:
    """Whether host code launches some kernel so that its blocks may wait for each other."""
    tokens = (token for source in sources for token in pieces(_TOKEN, source))
    return any(token.kind == "word" and token.text in _COOPERATIVE for token in tokens)


def kernels_in(source: str) -> list[str]:
    """The names of the __global__ functions with their namespaces, each once."""
    return list(dict.fromkeys(qualified(item) for item in items_of(source) if item.kernel))


def qualified(item: Item) -> str:
    return f"{item.scope}::{item.kernel}" if item.scope else item.kernel


def without_host_functions(source: str) -> str:
    return blanked(source, [item for item in items_of(source) if item.is_function and not item.on_device])


def macros_of(source: str) -> dict[str, frozenset[str]]:
    """The words that each macro stands for. A macro that is defined twice has the words of both."""
    found: dict[str, frozenset[str]] = {}
    for name, body in _MACRO.findall(source):
        found[name] = found.get(name, frozenset()) | frozenset(re.findall(r"[^\W\d]\w*", body))
    return found


def without_lines(source: str, lines: Collection[int], *, but: str = "") -> str:
    """Removes the items that contain one of these lines, if they are not for the GPU, or are a kernel other than `but`."""
    return blanked(
        source,
        [
            item
            for item in items_of(source)
            if (not item.on_device or item.kernel not in {"", but})
            and any(item.first_line <= line <= item.last_line for line in lines)
        ],
    )


def blanked(source: str, items: Sequence[Item]) -> str:
    """The source with blanks in place of these items, which are in their order. Conditions (#if) stay: they may begin or end outside."""
    pieces, at = [], 0
    for item in items:
        lines = source[item.first : item.end].split("\n")
        blanks = (line if at_line and CONDITION.match(line) else " " * len(line) for at_line, line in enumerate(lines))
        pieces += [source[at : item.first], "\n".join(blanks)]
        at = item.end
    return "".join([*pieces, source[at:]])


class _Reader:
    def __init__(self, source: str) -> None:
        everything = (
            SourceToken("string" if piece.kind == "raw" else piece.kind, piece.text, piece.at)
            for piece in pieces(_TOKEN, source)
        )
        self._tokens = [token for token in Branches().read(everything) if token.kind != "directive"]
        self._line_ends = list(accumulate(len(line) + 1 for line in source.split("\n")))
        marked = [name for name, words in macros_of(source).items() if _DEVICE_WORDS & words]
        self._device = _DEVICE_WORDS | set(marked)

    def items(self) -> Iterator[Item]:
        at = 0
        scopes: list[str] = []
        while at < len(self._tokens):
            if self._tokens[at].text in {";", "}"}:
                if self._tokens[at].text == "}" and scopes:
                    scopes.pop()
                at += 1  # the `}` of a namespace, or a stray semicolon
                continue
            body = self._body(at)
            if body < len(self._tokens) and self._opens_scope(at, body):
                words = [token.text for token in self._tokens[at:body]]
                scopes.append("".join(words[words.index("namespace") + 1 :]) if "namespace" in words else "")
                at = body + 1
                continue
            end, is_function = self._end(at, body)
            item = self._item(at, end, is_function=is_function)
            yield replace(item, scope="::".join(filter(None, scopes)))
            at = end

    def _body(self, first: int) -> int:
        """The `{` or `;` after the head of the item that begins at `first`."""
        depth = 0
        for at in range(first, len(self._tokens)):
            text = self._tokens[at].text
            depth += (text in {"(", "["}) - (text in {")", "]"})
            if depth <= 0 and text in {"{", ";"} and self._tokens[at].kind == "sign":
                return at
        return len(self._tokens)

    def _opens_scope(self, first: int, body: int) -> bool:
        head = [token.text for token in self._tokens[first:body]]
        if self._tokens[body].text != "{":
            return False
        return "namespace" in head[:2] or (head[:1] == ["extern"] and len(head) == 2 and head[1].startswith('"'))  # noqa: PLR2004

    def _end(self, first: int, body: int) -> tuple[int, bool]:
        """The position after the item's last token, and whether it is a function with a body."""
        if body >= len(self._tokens) or self._tokens[body].text == ";":
            return min(body + 1, len(self._tokens)), False
        is_function = self._is_function(first, body)
        at = self._closing(body) + 1
        if is_function:
            while (
                at < len(self._tokens) and self._tokens[at].text == "{"
            ):  # initialisers of members, which may use braces
                at = self._closing(at) + 1
            return at, True
        while at < len(self._tokens) and self._tokens[at].text != ";":
            at = self._closing(at) + 1 if self._tokens[at].text == "{" else at + 1
        return min(at + 1, len(self._tokens)), False

    def _closing(self, opening: int) -> int:
        depth = 0
        for at in range(opening, len(self._tokens)):
            if self._tokens[at].kind == "sign":
                depth += (self._tokens[at].text == "{") - (self._tokens[at].text == "}")
                if depth == 0:
                    return at
        return len(self._tokens) - 1

    def _is_function(self, first: int, body: int) -> bool:
        """Whether the `{` follows a parameter list. It does not after the head of a class, an initialiser or an enumeration."""
        head = self._outer(first, body)
        texts = [token.text for token in head]
        if "=" in texts and "operator" not in texts:
            return False
        return "(" in texts if not _TYPES & set(texts[:1]) else texts.count("(") > 0

    def _outer(self, first: int, body: int) -> list[SourceToken]:
        """The tokens of the head outside parentheses and template parameters, without alignments and attributes."""
        found: list[SourceToken] = []
        at = first
        while at < body:
            token = self._tokens[at]
            if token.text == "template" and at + 1 < body and self._tokens[at + 1].text == "<":
                at = self._past(at + 1, body, "<", ">")
            elif token.text in _WITH_ARGUMENTS and at + 1 < body and self._tokens[at + 1].text == "(":
                at = self._past(at + 1, body, "(", ")")
            elif token.text == "(":
                found.append(token)
                at = self._past(at, body, "(", ")")
            else:
                found.append(token)
                at += 1
        return found

    def _past(self, opening: int, limit: int, left: str, right: str) -> int:
        depth = 0
        for at in range(opening, limit):
            depth += (self._tokens[at].text == left) - (self._tokens[at].text == right)
            if depth == 0:
                return at + 1
        return limit

    def _item(self, first: int, end: int, *, is_function: bool) -> Item:
        tokens = self._tokens[first:end]
        words = {token.text for token in tokens if token.kind == "word"}
        body = next((index for index, token in enumerate(tokens) if token.text == "{"), len(tokens))
        head = {token.text for token in tokens[:body]} if is_function else words
        last = tokens[-1]
        stop = last.at + len(last.text)
        return Item(
            first=tokens[0].at,
            end=stop,
            first_line=self._line(tokens[0].at),
            last_line=self._line(stop - 1),
            is_function=is_function,
            on_device=bool(self._device & head) or (is_function and bool(_KEPT_WORDS & head)),
            kernel=self._kernel(first, first + body) if is_function and "__global__" in head else "",
            declares=declared_names([token.text for token in tokens]),
            words=frozenset(words),
        )

    def _kernel(self, first: int, body: int) -> str:
        """The word before the parameter list. That is the last pair of parentheses outside attributes."""
        outer = self._outer(first, body)
        named = [before.text for before, after in pairwise(outer) if after.text == "("]
        return next(
            (name for name in reversed(named) if re.fullmatch(r"[^\W\d]\w*", name) and name != "__launch_bounds__"), ""
        )

    def _line(self, at: int) -> int:
        low, high = 0, len(self._line_ends)
        while low < high:
            middle = (low + high) // 2
            if self._line_ends[middle] > at:
                high = middle
            else:
                low = middle + 1
        return low + 1
