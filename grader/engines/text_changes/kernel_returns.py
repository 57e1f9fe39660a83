"""Finds the return statements of a kernel in the preprocessed text, and puts a call before each: so the executor knows which thread
left the kernel by which return. A compiler makes the same code of `if (x) return;` and of an `if` around all that follows.

Lines and columns of the rest stay as they are. Not here: returns of other functions, of lambdas and of classes inside the kernel.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from grader.engines.announcements.barrier_paths import LEAVES
from grader.engines.checks.token_stream import Token, tokens_of
from grader.engines.text_changes.inserted_text import Piece, with_pieces

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
