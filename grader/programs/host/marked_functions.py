"""Finds what a preprocessed text marks with __global__ and __device__: the words are still in it, under names of the kit's. Reads words and
brackets, and does not parse C++. What it does not understand stays, and the compiler decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from grader.engines.checks.token_stream import Token

GLOBAL, DEVICE, HOST = "__tilelab_global__", "__tilelab_device__", "__tilelab_host__"
MARKS = frozenset({GLOBAL, DEVICE, HOST})
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_NO_NAME = frozenset(
    {
        "__attribute__",
        "__launch_bounds__",
        "alignas",
        "noexcept",
        "decltype",
        "requires",
        "throw",
        "operator",
        "if",
        "sizeof",
    }
)
_ENDS = frozenset({";", "{", "}"})
_MOST_BEFORE = 200  # words between the start of a declaration and a mark in it
_KEPT = frozenset({"constexpr", "consteval", "auto"})  # without its body, such a function would be another one


@dataclass(frozen=True)
class MarkedFunction:
    """A definition. Positions in the list of tokens."""

    space: Literal["global", "device"]
    opening: int  # the ( of its parameters
    body: int  # its {
    end: int  # its }


def marked_functions(tokens: Sequence[Token]) -> list[MarkedFunction]:
    """The kernels, and the functions that are for the device alone, whose bodies nothing on the host may need."""
    found: dict[int, MarkedFunction] = {}
    for index, token in enumerate(tokens):
        if token.text not in {GLOBAL, DEVICE}:
            continue
        function = _definition(tokens, index)
        if function is not None:
            found.setdefault(function.body, function)
    return [found[body] for body in sorted(found)]


def _definition(tokens: Sequence[Token], mark: int) -> MarkedFunction | None:
    opening = _parameters(tokens, mark)
    if opening is None:
        return None
    first = _start(tokens, mark)
    head = {one.text for one in tokens[first:opening]}
    body = _body(tokens, closing(tokens, opening))
    if body is None:
        return None
    if GLOBAL in head:
        return MarkedFunction("global", opening, body, closing(tokens, body))
    if HOST in head or head & _KEPT:
        return None
    return MarkedFunction("device", opening, body, closing(tokens, body))


def _start(tokens: Sequence[Token], mark: int) -> int:
    """Where the declaration around a mark begins."""
    at = mark
    while at > max(0, mark - _MOST_BEFORE) and tokens[at - 1].text not in _ENDS:
        at -= 1
    return at


def _parameters(tokens: Sequence[Token], mark: int) -> int | None:
    """The ( of the parameters; None where the mark is a variable's or a lambda's."""
    if mark > 0 and tokens[mark - 1].text in {"]", ")"} and _is_lambda(tokens, mark):
        return None
    at = mark + 1
    while at < len(tokens):
        text = tokens[at].text
        if text == "(":
            before = tokens[at - 1].text
            if before not in _NO_NAME and before not in MARKS and before != "]":
                return at
            at = closing(tokens, at) + 1
        elif text in {"[", "{"} or text in {";", "=", "}"}:
            is_operator = tokens[at - 1].text == "operator" or (text == "=" and _names_operator(tokens, at))
            if not is_operator:
                return None
            at += 1
        else:
            at += 1
    return None


def _names_operator(tokens: Sequence[Token], at: int) -> bool:
    """`operator==`, `operator+=`: the = belongs to a name."""
    return any(one.text == "operator" for one in tokens[max(0, at - 3) : at])


def _is_lambda(tokens: Sequence[Token], mark: int) -> bool:
    """`[=] __device__ (int i) {…}`; behind an attribute there is a declaration."""
    at = mark - 1
    if tokens[at].text == "]":
        depth = 0
        while at >= 0:
            depth += (tokens[at].text == "]") - (tokens[at].text == "[")
            if depth == 0:
                break
            at -= 1
        return not (at > 0 and tokens[at - 1].text == "[") and not (at + 1 < mark and tokens[at + 1].text == "[")
    return False


def _body(tokens: Sequence[Token], behind: int) -> int | None:
    """The { of the body, behind the parameters; None where there is none."""
    at, initialisers = behind + 1, False
    while at < len(tokens):
        text = tokens[at].text
        if text == "{":
            before = tokens[at - 1]
            if not initialisers or before.text in {")", "}"}:
                return at
            at = closing(tokens, at) + 1  # member{value}
        elif text == "(":
            at = closing(tokens, at) + 1
        elif text in {";", "=", "}"}:
            return None
        else:
            initialisers = initialisers or text == ":"
            at += 1
    return None


def closing(tokens: Sequence[Token], opening: int) -> int:
    """The sign that closes the bracket at `opening`; the last token where none does."""
    left = tokens[opening].text
    right, depth = _PAIRS[left], 0
    for at in range(opening, len(tokens)):
        depth += (tokens[at].text == left) - (tokens[at].text == right)
        if depth == 0:
            return at
    return len(tokens) - 1
