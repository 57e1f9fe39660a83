"""Declares guards around local variables that a pointer may run out of: arrays, objects that hold arrays, and what `&` is applied to.

A guard is a local array of bytes that nothing uses. Compilers lay out the locals of a function in the order of their declarations if
they do not optimise, so it lies next to its variable. Where it came to lie is read from the debug information (`frame_guards.py`),
so a guard in another place finds less, but nothing false. A declaration that is not understood gets none. Lines and columns stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from grader.engines.checks.token_stream import Token, tokens_of
from grader.engines.object_code.frame_guards import GUARD_NAME
from grader.engines.text_changes.inserted_text import Piece, with_pieces
from grader.engines.text_changes.local_declarations import (
    IN_BRACKETS,
    closing_of,
    declarations,
    end_of_type,
    name_behind,
)

_BYTES = 128
_NEXT_TO_IT = 15  # so many bytes need no alignment, and leave no gap
_NO_ADDRESS_BEHIND = frozenset({")", "]", ">", "&", "*"})
_MOST = 400  # guarded variables: no kernel has more


def with_guards(preprocessed: str, file_name: str, folder: str = "") -> str:
    """The text itself, if it declares no such variable."""
    tokens = [
        token
        for token in tokens_of(preprocessed, file_name, folder)
        if token.kind in {"word", "sign", "number", "string", "character"}
    ]
    if not any(token.text in {"[", "&", "array"} for token in tokens):
        return preprocessed
    holders, pointed = _holders(tokens), _pointed_at(tokens)
    pieces, count = list[Piece](), 0
    for one in declarations(tokens):
        names = [one.name, *(name_behind(tokens, comma) for comma in one.commas)]
        spec = [token.text for token in tokens[one.first : end_of_type(tokens, one)]]
        wanted = bool(holders & set(spec)) or any(
            tokens[at + 1].text == "[" or tokens[at].text in pointed for at in names
        )
        if not wanted or count > _MOST:
            continue
        for before, at in zip((None, *one.commas), names, strict=True):
            guards = _guards(count, tokens[at].text)
            start = tokens[one.first].start
            if before is None:
                pieces.append(Piece(start, start, guards))
            else:
                comma = tokens[before].start
                pieces.append(Piece(comma, comma + 1, f";{guards} {' '.join(spec)} "))
            count += 1
        end = tokens[one.end].start + 1
        pieces.append(Piece(end, end, _guards(count, tokens[names[-1]].text)))
        count += 1
    return with_pieces(preprocessed, pieces) if pieces else preprocessed


def _guards(number: int, name: str) -> str:
    one = f"{GUARD_NAME}{number}_{name}"
    return f" [[maybe_unused]] __attribute__((uninitialized)) char {one}[{_NEXT_TO_IT}], {one}_[{_BYTES}];"


# --- Types that hold arrays, variables that are pointed at.


def _holders(tokens: Sequence[Token]) -> set[str]:
    """Names of types, as the file writes them, whose objects hold arrays. `array` is the standard library's."""
    bodies = dict[str, list[str]]()
    for at, token in enumerate(tokens):
        if token.text in {"struct", "class", "union"}:
            name, begin = _class_head(tokens, at)
            if begin:
                bodies.setdefault(name, []).extend(one.text for one in tokens[begin : closing_of(tokens, begin)])
        elif token.text in {"using", "typedef"}:
            end = next((index for index in range(at, min(at + 60, len(tokens))) if tokens[index].text in "{;"), at)
            names = [one.text for one in tokens[at + 1 : end]]
            if names and (name := names[0] if token.text == "using" else _last_word(names)):
                bodies.setdefault(name, []).extend(names)
    found = {"array"}
    while more := {
        name
        for name, body in bodies.items()
        if name not in found and (_declares_an_array(body) or found & (set(body) - {name}))
    }:
        found |= more
    return found


def _class_head(tokens: Sequence[Token], at: int) -> tuple[str, int]:
    """The class's name and the bracket that opens its body; 0: none."""
    name, index = "", at + 1
    while index < min(at + 80, len(tokens) - 1):
        text = tokens[index].text
        if text == "{":
            return name, index
        if text in IN_BRACKETS and tokens[index + 1].text == "(":
            index = closing_of(tokens, index + 1)
        elif text in {";", ")", "=", ">", "*", "&"} or (text == "," and not name):
            break
        elif tokens[index].kind == "word" and not name and tokens[index + 1].text in {"{", ":", "final", "<"}:
            name = text
        index += 1
    return "", 0


def _declares_an_array(body: Sequence[str]) -> bool:
    """`float a[4];` and not `return a[i];`: a type stands before the name, or another variable."""
    depth = 0
    for before, name, sign in zip(body, body[1:], body[2:], strict=False):
        depth += (before in {"(", "["}) - (before in {")", "]"})
        is_type = _is_word(before) and before not in {"return", "operator", "delete"}
        if sign == "[" and _is_word(name) and (is_type or before in {">", "*"} or (before == "," and depth == 0)):
            return True
    return False


def _is_word(text: str) -> bool:
    return text[0].isalpha() or text[0] == "_"


def _last_word(names: Sequence[str]) -> str:
    words = [one for one, other in pairwise([*names, ";"]) if _is_word(one) and other in {"[", ";"}]
    return words[-1] if words else ""


def _pointed_at(tokens: Sequence[Token]) -> set[str]:
    """`x` of `&x`, and not of `a & x`."""
    return {
        after.text
        for before, sign, after in zip(tokens, tokens[1:], tokens[2:], strict=False)
        if sign.text == "&"
        and after.kind == "word"
        and (before.text == "return" or (before.kind == "sign" and before.text not in _NO_ADDRESS_BEHIND))
    }
