"""Finds `child<<<grid, block, shared, stream>>>(…)` in a preprocessed text and puts C++ in its place: a call of the kit, with the same
expressions in the same order and lines. Neither the text nor what it names is believed: it is compiled, scanned and proved like any other.

This is for `tilelab check` alone. A lab's kernel launches no other one: nvcc would have to link it in another way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.engines.checks.token_stream import Token, tokens_of

_OPENING_TRIPLE = re.compile(r"<\s*<\s*<")
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_CLOSING = {closing: opening for opening, closing in _PAIRS.items()}
_BEHIND_NO_NAME = frozenset({"return", "else", "do", "case", "operator"})
_JOINS = frozenset({"::", ".", "->"})
_MOST_ARGUMENTS = 200  # tokens of a template's arguments


@dataclass(frozen=True)
class WithLaunches:
    text: str
    kernels: tuple[str, ...] = ()  # what is launched, as the text names it: with scope and template arguments


@dataclass(frozen=True)
class LaunchStatement:
    """Positions in the list of tokens."""

    callee: int  # where the expression begins that names the kernel
    opening: int  # the first < of <<<
    closing: int  # the first > of >>>
    end: int  # the ) behind the arguments


def launches_in(tokens: Sequence[Token]) -> Iterator[LaunchStatement]:
    """`tokens`: without directives."""
    for index in range(len(tokens) - 4):
        if not _is_triple(tokens, index, "<"):
            continue
        callee, closing = _kernel_before(tokens, index), _closing_triple(tokens, index + 3)
        end = None if closing is None else _closing(tokens, closing + 3)
        if callee is not None and closing is not None and end is not None:
            yield LaunchStatement(callee, index, closing, end)


def with_launch_calls(preprocessed: str, file_name: str, folder: str = "") -> WithLaunches:
    """`folder`: as for `tokens_of`. What is not understood stays as it is, and the compiler refuses it."""
    if not _OPENING_TRIPLE.search(preprocessed):
        return WithLaunches(preprocessed)
    tokens = [token for token in tokens_of(preprocessed, file_name, folder) if token.kind != "directive"]
    changes: list[tuple[int, int, str]] = []  # from, to, new text
    kernels: list[str] = []
    for one in launches_in(tokens):
        callee, opening, behind = (tokens[at].start for at in (one.callee, one.opening, one.closing))
        kernels.append(preprocessed[callee:opening].strip())
        changes += [
            (callee, callee, "::cuda_on_cpu::__child_launch([=](auto... __arguments) { "),
            (opening, tokens[one.opening + 2].start + 1, "(__arguments...); }, "),
            (behind, tokens[one.closing + 2].start + 1, ")"),
            *(
                (token.start, token.start + len(token.text), "nullptr")
                for token in tokens[one.closing + 4 : one.end]
                if token.text == "__null"
            ),
        ]
    return WithLaunches(_changed(preprocessed, changes), tuple(dict.fromkeys(kernels)))


def _changed(text: str, changes: Sequence[tuple[int, int, str]]) -> str:
    pieces, done = list[str](), 0
    for first, end, new in sorted(changes):
        pieces += [text[done:first], new]
        done = end
    return "".join([*pieces, text[done:]])


def _is_triple(tokens: Sequence[Token], at: int, sign: str) -> bool:
    """Three of these signs. Editors write `<< <` too, and nvcc takes it."""
    some = tokens[at : at + 3]
    return len(some) == 3 and all(one.text == sign for one in some)  # noqa: PLR2004


def _kernel_before(tokens: Sequence[Token], at: int) -> int | None:
    """Where the expression begins that names the kernel: `name`, `scope::name`, `name<arguments>`, `(expression)`, `table[i]`,
    `object.name`.
    """
    at -= 1
    if at < 0:
        return None
    if tokens[at].text == ")":
        return _opening(tokens, at)
    if tokens[at].text == ">":
        arguments = _template_before(tokens, at)
        if arguments is None or arguments == 0:
            return None
        at = arguments - 1
    while at > 0 and tokens[at].text == "]":
        opening = _opening(tokens, at)
        if opening is None or opening == 0:
            return None
        at = opening - 1
    if tokens[at].kind != "word" or tokens[at].text in _BEHIND_NO_NAME:
        return None
    return _first_of_joined(tokens, at)


def _first_of_joined(tokens: Sequence[Token], at: int) -> int:
    """Where `a::b`, `a.b` and `a->b` begin that end with the word at this place."""
    while at > 0 and tokens[at - 1].text in _JOINS:
        is_scope = tokens[at - 1].text == "::"
        at -= 1
        if at > 0 and tokens[at - 1].kind == "word" and tokens[at - 1].text not in _BEHIND_NO_NAME:
            at -= 1
        elif at > 0 and is_scope and tokens[at - 1].text == ">" and (scope := _template_before(tokens, at - 1)):
            at = scope - 1
        else:
            break
    return at


def _template_before(tokens: Sequence[Token], at: int) -> int | None:
    """The `<` that the `>` at this place closes."""
    depth, brackets = 0, 0
    for index in range(at, max(at - _MOST_ARGUMENTS, -1), -1):
        text = tokens[index].text
        brackets += (text in _CLOSING) - (text in _PAIRS)
        if text in {";", "{", "}"} or brackets < 0:
            return None
        depth += 0 if brackets else (text == ">") - (text == "<")
        if depth == 0:
            return index
    return None


def _closing_triple(tokens: Sequence[Token], at: int) -> int | None:
    """The `>>>(` that ends a launch's configuration."""
    depth = 0
    for index in range(at, len(tokens) - 3):
        text = tokens[index].text
        depth += (text in _PAIRS) - (text in _CLOSING)
        if depth < 0 or text == ";":
            return None
        if depth == 0 and _is_triple(tokens, index, ">") and tokens[index + 3].text == "(":
            return index
    return None


def _closing(tokens: Sequence[Token], at: int) -> int | None:
    depth = 0
    for index in range(at, len(tokens)):
        depth += (tokens[index].text in _PAIRS) - (tokens[index].text in _CLOSING)
        if depth == 0:
            return index
    return None


def _opening(tokens: Sequence[Token], at: int) -> int | None:
    depth = 0
    for index in range(at, -1, -1):
        depth += (tokens[index].text in _CLOSING) - (tokens[index].text in _PAIRS)
        if depth == 0:
            return index
    return None
