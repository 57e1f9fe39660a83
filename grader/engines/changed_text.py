"""A submission's text on its way to the compiler: what our steps have made of it so far, and what they learned from it.

Not here: which steps there are (`text_steps.py`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from grader.engines.proof.barrier_paths import LEAVES
from grader.engines.refusal import Refusal
from grader.engines.token_scan import Tokens, code_tokens
from grader.source.lexer import CLOSING


@dataclass(frozen=True)
class TextOrigin:
    """Where the text comes from, and what is asked of it."""

    file: str  # the name of the submission's file
    folder: str  # where it was preprocessed: nothing in it is a system header
    kernel: str  # as `EntrySignatures` has it
    functions: tuple[str, ...] = ()  # names of functions that the caller passes to the kernel
    beside: tuple[str, ...] = ()  # other kernels of the same program
    by_name: bool = False  # the kernel is one of any file, and not a lab's
    is_clang: bool = False
    scanned: bool = True  # false for a file of ours that shows what the checks behind the scan refuse


@dataclass(frozen=True)
class ChangedText:
    expanded: str  # as the preprocessor wrote it, and as its author is to hear of it
    text: str  # with the changes so far
    behind: str = ""  # lines of ours behind the text, which are compiled with it and belong to nobody
    assembly: Mapping[int, Refusal | None] = field(default_factory=dict)  # by places in `expanded`: as `scan` wants it
    launched: tuple[str, ...] = ()  # kernels that kernels of the text launch
    mended: bool = False  # what a compiler says of `expanded` is not about this text
    refusal: Refusal | None = None  # why the text is not compiled

    @property
    def whole(self) -> str:
        """What the compiler gets."""
        return self.text + self.behind


# Puts text of ours into the preprocessed text. A line marker behind each piece brings back the line and the column of what follows.

_MARKER = re.compile(r'^#\s+(?P<line>\d+)\s+(?P<file>"(?:[^"\\\n]|\\.)*")(?P<flags>[ \d]*)$', re.MULTILINE)


_MOST_COLUMNS = 1_000  # of a line with many pieces: nobody is shown a place in a longer one


@dataclass(frozen=True, order=True)
class Replacement:
    at: int  # where it comes to stand
    end: int  # what stands there until here is left out
    text: str


def with_pieces(text: str, pieces: Iterable[Replacement]) -> str:
    parts, place = list[str](), _Place(text)
    for piece in sorted(pieces):
        parts += [text[place.at : piece.at], piece.text, "\n", place.back_to(piece.end)]
    return "".join([*parts, text[place.at :]])


class _Place:
    """Goes once through the text, from piece to piece."""

    def __init__(self, text: str) -> None:
        self.at = 0
        self._text, self._markers = text, list(_MARKER.finditer(text))
        self._next = 0
        self._line, self._name, self._flags = 1, '""', ""
        self._column = 0  # in bytes

    def back_to(self, at: int) -> str:
        """A line marker and blanks, behind which the compiler believes to be where `at` is."""
        while self._next < len(self._markers) and self._markers[self._next].start() < at:
            marker = self._markers[self._next]
            self._next += 1
            self._name, self._flags = (
                marker["file"],
                "".join(f" {one}" for one in marker["flags"].split() if one in "34"),
            )
            self._line, self.at, self._column = int(marker["line"]), max(self.at, marker.end() + 1), 0
        if ends := self._text.count("\n", self.at, at):
            self._line += ends
            self._column, self.at = 0, self._text.rfind("\n", self.at, at) + 1
        self._column += len(self._text[self.at : at].encode())
        self.at = at
        return f"# {self._line} {self._name}{self._flags}\n{' ' * min(self._column, _MOST_COLUMNS)}"


# Puts `alignas(…)` before the other words of a declaration, where C++ wants it: nvcc also takes `__shared__ alignas(16) float tile[64];`.
#
# Works on the preprocessed text, where CUDA's qualifiers are words of the host's compiler. Its length and its lines stay. Repetitions are
# bounded: the text may be hostile.

_NESTED = r"\((?:[^()]|\([^()]{0,200}\)){0,200}\)"
_QUALIFIERS = rf"(?:(?:static|extern|const|volatile|thread_local|__attribute__ ?\({_NESTED}\))\s+){{0,4}}"
_LATE = re.compile(
    rf"(?<![\w:])(?P<before>{_QUALIFIERS}(?:thread_local|__attribute__ ?\(\(retain[^()]*(?:{_NESTED})?\)\))"
    rf"(?:\s+(?:static|extern|const|volatile)){{0,4}})(?P<gap>\s+)(?P<alignment>alignas\s*{_NESTED})"
)


def with_alignment_first(preprocessed: str) -> str:
    if "alignas" not in preprocessed:
        return preprocessed
    return _LATE.sub(r"\g<alignment>\g<gap>\g<before>", preprocessed)


# Takes the marks of `__device__` and `__host__` from lambdas: Clang does not parse attributes there, and a lambda is on both sides.

_MARK = r"__attribute__\(\((?:retain|aligned\(64\))\)\)"  # as in kit/executor/device/cuda_on_cpu.hpp
_MARKED = re.compile(rf"(\]\s*)((?:{_MARK}\s*)+)(?=\()")


def unmarked_lambdas(preprocessed: str) -> str:
    """The same text with the same lines."""
    return _MARKED.sub(lambda found: found[1] + "\n" * found[2].count("\n"), preprocessed)


# Finds the return statements of a kernel in the preprocessed text, and puts a call before each: so the executor knows which thread
# left the kernel by which return. A compiler makes the same code of `if (x) return;` and of an `if` around all that follows.
#
# Lines and columns of the rest stay as they are. Not here: returns of other functions, of lambdas and of classes inside the kernel.

_BARRIER = re.compile(r"\w*(?:sync|barrier|wait)\w*")
_MOST_RETURNS = 2_000  # of one file: nobody needs to know the others
_MOST_IN_HEAD = 200  # tokens between a name and its body
_BEFORE_LAMBDA = frozenset({"return", "case", "else", "do", "co_return", "co_yield", "throw", "and", "or", "not"})
_CLASSES = frozenset({"struct", "class", "union", "enum"})


def with_marked_returns(preprocessed: str, kernels: Collection[str], file_name: str, folder: str = "") -> str:
    """`kernels`: their names in C++, with or without scope, template arguments and parameters. The text itself, if there is nothing to
    mark: no barrier, or no return.
    """
    tokens = code_tokens(preprocessed, file_name, folder)
    if not any(token.kind == "word" and _BARRIER.fullmatch(token.text) for token in tokens):
        return preprocessed
    names = sorted({plain_name(kernel) for kernel in kernels})
    bodies = [body for name in names for body in _bodies(tokens, name)]
    marked = [index for body in bodies for index in islice(_returns(tokens, *body), _MOST_RETURNS)]
    return _with_calls(preprocessed, sorted(set(marked))[:_MOST_RETURNS], tokens)


def plain_name(kernel: str) -> str:
    """`scale` of `ns::scale<float>(float*)`."""
    name = kernel.partition("(")[0].partition("<")[0]
    return name.rpartition("::")[2].strip()


def _bodies(tokens: Tokens, name: str) -> Iterator[tuple[int, int]]:
    """Where the bodies of functions with this name begin and end."""
    for index, token in enumerate(tokens):
        if token.text != name or token.kind != "word":
            continue
        at = index + 1
        if tokens.text(at) == "<":
            at = next((i for i in range(at, min(at + _MOST_IN_HEAD, len(tokens))) if tokens[i].text in "({;"), at)
        if tokens.text(at) != "(":
            continue
        at = tokens.closing(at) + 1
        while tokens.text(at) in {"noexcept", "__attribute__", "requires", "[", "("}:
            at = tokens.closing(at) + 1 if tokens.text(at) in CLOSING else at + 1
        if tokens.text(at) == "{":
            yield at, tokens.closing(at)


def _returns(tokens: Tokens, begin: int, end: int) -> Iterator[int]:
    at = begin + 1
    while at < end:
        text = tokens[at].text
        if text in _CLASSES:
            at = _behind_class(tokens, at, end)
        elif text == "[" and _begins_lambda(tokens, at):
            at = _behind_lambda(tokens, at, end)
        else:
            if text == "return" and tokens.text(at + 1) != "{":
                yield at
            at += 1


def _behind_class(tokens: Tokens, at: int, end: int) -> int:
    """Behind the body of a class, or behind the word where it only names a type."""
    for index in range(at + 1, min(end, at + _MOST_IN_HEAD)):
        if tokens[index].text == "{":
            return tokens.closing(index) + 1
        if tokens[index].text in {";", "(", ")", "=", ",", "*", "&"}:
            break
    return at + 1


def _begins_lambda(tokens: Tokens, at: int) -> bool:
    before = tokens[at - 1]
    if tokens.text(at + 1) == "[":
        return False
    return before.text in _BEFORE_LAMBDA or (before.kind == "sign" and before.text not in {")", "]"})


def _behind_lambda(tokens: Tokens, at: int, end: int) -> int:
    index = tokens.closing(at) + 1
    if tokens.text(index) == "<":
        index = next((i for i in range(index, min(end, index + _MOST_IN_HEAD)) if tokens[i].text in "({;"), index)
    if tokens.text(index) == "(":
        index = tokens.closing(index) + 1
    for one in range(index, min(end, index + _MOST_IN_HEAD)):
        if tokens[one].text == "{":
            return tokens.closing(one) + 1
        if tokens[one].text in {";", ",", ")"}:
            break
    return index


def _with_calls(text: str, marked: Iterable[int], tokens: Tokens) -> str:
    pieces = list[Replacement]()
    for at in marked:
        end = tokens[at].start + len(tokens[at].text)
        pieces.append(Replacement(end, end, f" ::{LEAVES}()" + ("" if tokens.text(at + 1) == ";" else ",")))
    return with_pieces(text, pieces)
