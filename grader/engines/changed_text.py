"""A submission's text on its way to the compiler: what our steps have made of it so far, and what they learned from it.

Not here: which steps there are (`text_steps.py`).
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from grader.engines.proof.barrier_paths import LEAVES
from grader.engines.refusal import Refusal
from grader.engines.token_scan import Token, tokens_of


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


# Puts `alignas(…)` before the other words of a declaration, where C++ wants it: nvcc also takes `__shared__ alignas(16) float tile[64];`.
#
# Works on the preprocessed text, where CUDA's qualifiers are words of the host's compiler. Its length and its lines stay. Repetitions are
# bounded: the text may be hostile.

_NESTED = r"\((?:[^()]|\([^()]*\))*\)"
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

_MARK = r"__attribute__\(\((?:retain|aligned\(64\))\)\)"  # as in kit/simt/device/qualifiers.hpp
_MARKED = re.compile(rf"(\]\s*)((?:{_MARK}\s*)+)(?=\()")


def unmarked_lambdas(preprocessed: str) -> str:
    """The same text with the same lines."""
    return _MARKED.sub(lambda found: found[1] + "\n" * found[2].count("\n"), preprocessed)


# Finds the return statements of a kernel in the preprocessed text, and puts a call before each: so the executor knows which thread
# left the kernel by which return. A compiler makes the same code of `if (x) return;` and of an `if` around all that follows.
#
# Lines and columns of the rest stay as they are. Not here: returns of other functions, of lambdas and of classes inside the kernel.

_BARRIER = re.compile(r"\w*(?:sync|barrier|wait)\w*")
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_BEFORE_LAMBDA = frozenset({"return", "case", "else", "do", "co_return", "co_yield", "throw", "and", "or", "not"})
_CLASSES = frozenset({"struct", "class", "union", "enum"})


def with_marked_returns(preprocessed: str, kernels: Collection[str], file_name: str, folder: str = "") -> str:
    """`kernels`: their names in C++, with or without scope, template arguments and parameters. The text itself, if there is nothing to
    mark: no barrier, or no return.
    """
    tokens = [
        token
        for token in tokens_of(preprocessed, file_name, folder)
        if token.kind in {"word", "sign", "number", "string"}
    ]
    if not any(token.kind == "word" and _BARRIER.fullmatch(token.text) for token in tokens):
        return preprocessed
    names = sorted({plain_name(kernel) for kernel in kernels})
    bodies = [body for name in names for body in _bodies(tokens, name)]
    marked = [tokens[index] for body in bodies for index in _returns(tokens, *body)]
    return _with_calls(preprocessed, marked, tokens)


def plain_name(kernel: str) -> str:
    """`scale` of `ns::scale<float>(float*)`."""
    name = kernel.partition("(")[0].partition("<")[0]
    return name.rpartition("::")[2].strip()


def _bodies(tokens: Sequence[Token], name: str) -> Iterator[tuple[int, int]]:
    """Where the bodies of functions with this name begin and end."""
    for index, token in enumerate(tokens):
        if token.text != name or token.kind != "word":
            continue
        at = index + 1
        if _text(tokens, at) == "<":
            at = next((i for i in range(at, min(at + 200, len(tokens))) if tokens[i].text in "({;"), at)
        if _text(tokens, at) != "(":
            continue
        at = _closing(tokens, at) + 1
        while _text(tokens, at) in {"noexcept", "__attribute__", "requires", "[", "("}:
            at = _closing(tokens, at) + 1 if _text(tokens, at) in _PAIRS else at + 1
        if _text(tokens, at) == "{":
            yield at, _closing(tokens, at)


def _returns(tokens: Sequence[Token], begin: int, end: int) -> Iterator[int]:
    at = begin + 1
    while at < end:
        text = tokens[at].text
        if text in _CLASSES:
            at = _behind_class(tokens, at, end)
        elif text == "[" and _begins_lambda(tokens, at):
            at = _behind_lambda(tokens, at, end)
        else:
            if text == "return" and _text(tokens, at + 1) != "{":
                yield at
            at += 1


def _behind_class(tokens: Sequence[Token], at: int, end: int) -> int:
    """Behind the body of a class, or behind the word where it only names a type."""
    for index in range(at + 1, end):
        if tokens[index].text == "{":
            return _closing(tokens, index) + 1
        if tokens[index].text in {";", "(", ")", "=", ",", "*", "&"}:
            break
    return at + 1


def _begins_lambda(tokens: Sequence[Token], at: int) -> bool:
    before = tokens[at - 1]
    if _text(tokens, at + 1) == "[":
        return False
    return before.text in _BEFORE_LAMBDA or (before.kind == "sign" and before.text not in {")", "]"})


def _behind_lambda(tokens: Sequence[Token], at: int, end: int) -> int:
    index = _closing(tokens, at) + 1
    if _text(tokens, index) == "<":
        index = next((i for i in range(index, end) if tokens[i].text in "({;"), index)
    if _text(tokens, index) == "(":
        index = _closing(tokens, index) + 1
    for one in range(index, end):
        if tokens[one].text == "{":
            return _closing(tokens, one) + 1
        if tokens[one].text in {";", ",", ")"}:
            break
    return index


def _closing(tokens: Sequence[Token], at: int) -> int:
    """The token that closes the bracket `at`."""
    opened, closed, depth = tokens[at].text, _PAIRS[tokens[at].text], 0
    for index in range(at, len(tokens)):
        depth += (tokens[index].text == opened) - (tokens[index].text == closed)
        if depth == 0:
            return index
    return len(tokens)


def _text(tokens: Sequence[Token], index: int) -> str:
    return tokens[index].text if index < len(tokens) else ""


def _with_calls(text: str, marked: Sequence[Token], tokens: Sequence[Token]) -> str:
    following = {one.start: after.text for one, after in pairwise(tokens)}
    pieces = list[Piece]()
    for token in marked:
        end = token.start + len(token.text)
        pieces.append(Piece(end, end, f" ::{LEAVES}()" + ("" if following.get(token.start) == ";" else ",")))
    return with_pieces(text, pieces)
