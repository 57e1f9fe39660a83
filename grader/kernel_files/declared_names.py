"""The names that one declaration of C++ introduces, read from its words and signs. Nothing is parsed: where the names are not certain, the
answer is None, and the declaration has to stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

_TYPES = frozenset({"class", "struct", "union", "enum"})
_WITH_ARGUMENTS = frozenset(
    {
        "__align__",
        "__attribute__",
        "__builtin_align__",
        "alignas",
        "__declspec",
        "decltype",
        "__launch_bounds__",
        "noexcept",
    }
)
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_AFTER_A_NAME = frozenset({";", "=", "[", ",", "{", ":"})
_WORD = re.compile(r"[^\W\d]\w*")
_SPECIFIERS = frozenset(
    {"static", "inline", "extern", "const", "constexpr", "constinit", "volatile", "typename", "final"}
)


def declared_names(texts: Sequence[str]) -> frozenset[str] | None:
    """`texts`: the declaration's words and signs. An empty set: nothing that another declaration could name."""
    head = _outer(texts)
    if not head or "operator" in head or head[:2] == ["using", "namespace"]:
        return None
    if head[0] in {"static_assert", "asm", "__asm__"}:
        return frozenset()
    if head[0] in {"using", "typedef"}:
        return frozenset(_of_alias(texts, head))
    kinds = _TYPES & set(head)
    if kinds and "{" in head and "(" not in head[: head.index("{")]:
        return frozenset(_of_type(texts, head))
    if "(" in head and ("=" not in head or head.index("(") < head.index("=")):
        return _of_function(texts, head)
    # `struct Body;` and `struct Body* all;` name the struct as well.
    return frozenset([*_declarators(head), *(word for word in head if kinds and _is_name(word))]) or None


def _of_alias(texts: Sequence[str], head: Sequence[str]) -> Iterator[str]:
    """A name for a type, or a name of another namespace."""
    if head[0] == "typedef":
        yield from filter(_is_name, [*head, *_inside(texts, "(", "[")])
    else:
        yield head[1] if "=" in head else next((word for word in reversed(head) if _is_name(word)), "")


def _of_type(texts: Sequence[str], head: Sequence[str]) -> Iterator[str]:
    """A class or an enumeration with its body, and the variables after it."""
    body = head.index("{")
    yield from filter(_is_name, head[:body])
    if "enum" in head:
        yield from filter(_is_name, _inside(texts, "{"))
    yield from _declarators(head[body + 1 :])


def _of_function(texts: Sequence[str], head: Sequence[str]) -> frozenset[str] | None:
    """A function, or an object that is made with parentheses: the word before the first `(`, and the classes that it is a member of."""
    at = head.index("(")
    inside = _inside(texts, "(")
    if at == 0 or not _is_name(head[at - 1]) or inside[:1] in (["*"], ["&"]):  # such as `int (*table[4])(int)`
        return frozenset(word for word in [*head, *inside] if _is_name(word))
    names, place = {head[at - 1]}, at - 1
    while place >= 2 and head[place - 1] == "::" and _is_name(head[place - 2]):  # noqa: PLR2004 -- a class and the `::` after it
        place -= 2
        names.add(head[place])
    if place == 0 and head[-1] == ";":
        return None  # a macro that stands for a declaration
    return frozenset(names)


def _declarators(head: Sequence[str]) -> Iterator[str]:
    for before, after in pairwise(head):
        if after in _AFTER_A_NAME | {"("} and _is_name(before):
            yield before


def _is_name(text: str) -> bool:
    return _WORD.fullmatch(text) is not None and text not in _TYPES and text not in _SPECIFIERS


def _outer(texts: Sequence[str]) -> list[str]:
    """The words and signs outside brackets, `template <…>`, `<…>` after a name, and attributes. Each bracket leaves its opening sign."""
    found: list[str] = []
    at = 0
    while at < len(texts):
        text = texts[at]
        if text == "<" and found and (found[-1] == "template" or _is_name(found[-1])) and "=" not in found:
            at = _past_angles(texts, at)
        elif text in _WITH_ARGUMENTS and at + 1 < len(texts) and texts[at + 1] == "(":
            at = _past(texts, at + 1)
        elif text == "[" and at + 1 < len(texts) and texts[at + 1] == "[":
            at = _past(texts, at)
        elif text in _OPENING:
            found.append(text)
            at = _past(texts, at)
        else:
            if text != "template":
                found.append(text)
            elif at + 1 < len(texts) and texts[at + 1] == "<":
                at = _past_angles(texts, at + 1)
                continue
            at += 1
    return found


def _past(texts: Sequence[str], opening: int) -> int:
    depth = 0
    for at in range(opening, len(texts)):
        depth += (texts[at] in _OPENING) - (texts[at] in _CLOSING)
        if depth == 0:
            return at + 1
    return len(texts)


def _past_angles(texts: Sequence[str], opening: int) -> int:
    depth, at = 0, opening
    while at < len(texts):
        if texts[at] in _OPENING:
            at = _past(texts, at)
            continue
        if texts[at] in {";", ")", "}"}:
            return opening + 1  # a comparison
        depth += (texts[at] == "<") - (texts[at] == ">")
        at += 1
        if depth == 0:
            return at
    return opening + 1


def _inside(texts: Sequence[str], *openings: str) -> list[str]:
    """What stands in brackets of these kinds."""
    found: list[str] = []
    at = 0
    while at < len(texts):
        if texts[at] in _OPENING:
            end = _past(texts, at)
            if texts[at] in openings:
                found += texts[at + 1 : end - 1]
            at = end
        else:
            at += 1
    return found
