"""Finds the declarations of local variables in the preprocessed text: those that are statements of their own in a block.

Not in the head of a loop or behind a label. What is not understood is left out, and so are static variables, which lie elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.engines.checks.token_stream import Token

IN_BRACKETS = frozenset({"alignas", "__attribute__", "decltype", "__align__"})
_CLASSES = {"struct", "class", "union", "enum"}
_OPENED = {"(": ")", "[": "]", "{": "}"}
_NO_FIRST_WORDS = """
    static thread_local extern constexpr constinit consteval typedef using return goto case default if for while do switch else
    break continue delete new throw asm namespace template struct class union enum friend operator public private protected
    co_return co_yield co_await static_assert sizeof try catch auto concept requires this
"""
_NO_DECLARATION = frozenset(_NO_FIRST_WORDS.split())


@dataclass(frozen=True)
class Declaration:
    """A statement that declares variables."""

    first: int  # tokens
    name: int
    end: int  # its semicolon
    commas: tuple[int, ...]  # between its variables


def declarations(tokens: Sequence[Token]) -> Iterator[Declaration]:
    """Of all blocks of all functions, where a statement begins behind `{`, `}` or `;`."""
    blocks = list[str]()  # of the brackets that are open: "block", "class", "other"; "(" and "[" as they are
    head = 0  # where what may be the head of a body began
    at = 0
    while at < len(tokens):
        text = tokens[at].text
        if text == "{":
            blocks.append(_kind_of_body(tokens, head, at, blocks))
            head = at + 1
        elif text in _OPENED:
            blocks.append(text)
        elif text in {"}", ")", "]"}:
            if blocks:
                blocks.pop()
            if text == "}":
                head = at + 1
        elif text == ";":
            head = at + 1
        if text in {"{", "}", ";"} and blocks and blocks[-1] == "block" and (one := _declaration(tokens, at + 1)):
            yield one
        at += 1


def _kind_of_body(tokens: Sequence[Token], head: int, at: int, around: Sequence[str]) -> str:
    words, depth, index = set[str](), 0, head
    while index < at:
        text = tokens[index].text
        if text == "template":
            index = _behind_angles(tokens, index + 1, at)
            continue
        depth += (text in {"(", "["}) - (text in {")", "]"})
        if depth == 0:
            words.add(text)
        index += 1
    if words & _CLASSES:
        return "class"
    if around and around[-1] in {"block", "(", "["}:
        return "block"
    if "namespace" in words or (head == at and not around) or tokens[at - 1].kind == "string":
        return "class"  # as in a class, functions may follow
    return "block" if ")" in words and ("=" not in words or "operator" in words) else "other"


def _declaration(tokens: Sequence[Token], first: int) -> Declaration | None:
    """The declaration that begins with this token, if it is one."""
    name = _first_name(tokens, first)
    if name is None:
        return None
    end, commas, angles = _end_of_statement(tokens, name)
    if end is None:
        return None
    are_clear = not angles and all(name_behind(tokens, comma) for comma in commas)
    return Declaration(first, name, end, commas if are_clear else ())


def _first_name(tokens: Sequence[Token], first: int) -> int | None:
    """The name of the first variable: the last word before what can follow a name, with a type before it."""
    at, words, last = first, 0, -1
    while at < min(first + 200, len(tokens) - 1):
        token = tokens[at]
        if token.text in _NO_DECLARATION:
            return None
        if token.text in IN_BRACKETS and tokens[at + 1].text == "(":
            at = closing_of(tokens, at + 1) + 1
            continue
        if token.text == "[" and tokens[at + 1].text == "[" and words == 0:
            at = closing_of(tokens, at) + 1
        elif token.text == "<" and words:
            at = _behind_angles(tokens, at, first + 200)
        elif token.kind == "word":
            words, last, at = words + 1, at, at + 1
        elif token.text in {"::", "*", "&", "&&"} and words:
            at += 1
        else:
            break
    is_name = words > 1 and last == at - 1 and tokens[at].text in {"[", "=", "{", ",", ";", "("}
    return last if is_name and tokens[last - 1].text != "::" else None


def _end_of_statement(tokens: Sequence[Token], name: int) -> tuple[int | None, tuple[int, ...], bool]:
    """Its semicolon, the commas between variables, and whether there is a `<` that makes these doubtful."""
    commas, angles, at = list[int](), False, name + 1
    while at < len(tokens):
        text = tokens[at].text
        if text in _OPENED:
            at = closing_of(tokens, at)
        elif text == ";":
            return at, tuple(commas), angles
        elif text in {"}", ")", "]"}:
            break
        elif text == ",":
            commas.append(at)
        elif text == "<":
            angles = True
        at += 1
    return None, (), False


def end_of_type(tokens: Sequence[Token], one: Declaration) -> int:
    """Where the first variable begins: at its name, or at the signs of a pointer before it."""
    at = one.name
    while at > one.first and tokens[at - 1].text in {"*", "&", "&&", "const", "__restrict__", "__restrict", "volatile"}:
        at -= 1
        if tokens[at].text in {"const", "volatile"} and tokens[at - 1].text != "*":
            return at + 1
    return at


def name_behind(tokens: Sequence[Token], comma: int) -> int:
    """Of the next variable; 0: it has none where it should be."""
    at = comma + 1
    while tokens[at].text in {"*", "&", "const", "__restrict__", "__restrict"}:
        at += 1
    return at if tokens[at].kind == "word" else 0


def _behind_angles(tokens: Sequence[Token], at: int, limit: int) -> int:
    """Behind the `>` that closes the `<` at `at`."""
    depth = 0
    for index in range(at, min(limit, len(tokens))):
        depth += (tokens[index].text == "<") - (tokens[index].text == ">")
        if depth == 0:
            return index + 1
        if tokens[index].text in {";", "{", "}"}:
            break
    return at + 1


def closing_of(tokens: Sequence[Token], at: int) -> int:
    """The token that closes the bracket `at`."""
    opened, closed, depth = tokens[at].text, _OPENED[tokens[at].text], 0
    for index in range(at, len(tokens)):
        depth += (tokens[index].text == opened) - (tokens[index].text == closed)
        if depth == 0:
            return index
    return len(tokens) - 1
