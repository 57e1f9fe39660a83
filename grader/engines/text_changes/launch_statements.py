"""Finds `child<<<grid, block, shared, stream>>>(…)` in a preprocessed text and puts C++ in its place: a call of the kit, with the same
expressions in the same order and lines. Neither the text nor what it names is believed: it is compiled, scanned and proved like any other.

This is for `tilelab check` alone. A lab's kernel launches no other one: nvcc would have to link it in another way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.engines.checks.token_stream import Token, tokens_of

_PAIRS = {"(": ")", "[": "]", "{": "}"}
_CLOSING = {closing: opening for opening, closing in _PAIRS.items()}
_BEHIND_NO_NAME = frozenset({"return", "else", "do", "case", "operator"})
_MOST_ARGUMENTS = 200  # tokens of a template's arguments


@dataclass(frozen=True)
class WithLaunches:
    text: str
    kernels: tuple[str, ...] = ()  # what is launched, as the text names it: with scope and template arguments


def with_launch_calls(preprocessed: str, file_name: str, folder: str = "") -> WithLaunches:
    """`folder`: as for `tokens_of`. What is not understood stays as it is, and the compiler refuses it."""
    if "<<<" not in preprocessed:
        return WithLaunches(preprocessed)
    tokens = [token for token in tokens_of(preprocessed, file_name, folder) if token.kind != "directive"]
    changes: list[tuple[int, int, str]] = []  # from, to, new text
    kernels: list[str] = []
    for index in range(len(tokens) - 4):
        if not _is_triple(tokens, index, "<"):
            continue
        first, closing = _kernel_before(tokens, index), _closing_triple(tokens, index + 3)
        if first is None or closing is None:
            continue
        end = _closing(tokens, closing + 3)
        if end is None:
            continue
        kernels.append(preprocessed[tokens[first].start : tokens[index].start].strip())
        opening, behind = tokens[index].start, tokens[closing].start
        changes += [
            (tokens[first].start, tokens[first].start, "::cuda_on_cpu::__child_launch([=](auto... __arguments) { "),
            (opening, opening + 3, "(__arguments...); }, "),
            (behind, behind + 3, ")"),
            *(
                (token.start, token.start + len(token.text), "nullptr")
                for token in tokens[closing + 4 : end]
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
    """Three of these signs with nothing between them."""
    some = tokens[at : at + 3]
    return len(some) == 3 and all(one.text == sign and one.start == some[0].start + n for n, one in enumerate(some))  # noqa: PLR2004


def _kernel_before(tokens: Sequence[Token], at: int) -> int | None:
    """Where the expression begins that names the kernel: `name`, `scope::name`, `name<arguments>`, `(expression)`."""
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
    if tokens[at].kind != "word" or tokens[at].text in _BEHIND_NO_NAME:
        return None
    while at > 0 and tokens[at - 1].text == "::":
        at -= 1
        if at > 0 and tokens[at - 1].kind == "word" and tokens[at - 1].text not in _BEHIND_NO_NAME:
            at -= 1
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
