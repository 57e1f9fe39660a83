"""Declares guards around local variables that a pointer may run out of: arrays, objects that hold arrays, and what `&` is applied to.

A guard is a local array of bytes that nothing uses. Compilers lay out the locals of a function in the order of their declarations if
they do not optimise, so it lies next to its variable. Where it came to lie is read from the debug information (`debug_info.py`),
so a guard in another place finds less, but nothing false. A declaration that is not understood gets none. Lines and columns stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from grader.engines.changed_text import Replacement, with_pieces
from grader.engines.device_functions import GUARD_NAME
from grader.engines.token_scan import Tokens, code_tokens
from grader.source.lexer import CLOSING

# Finds the declarations of local variables in the preprocessed text: those that are statements of their own in a block.
#
# Not in the head of a loop or behind a label. What is not understood is left out, and so are static variables, which lie elsewhere.

IN_BRACKETS = frozenset({"alignas", "__attribute__", "decltype", "__align__"})
_CLASSES = {"struct", "class", "union", "enum"}
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


def declarations(tokens: Tokens) -> Iterator[Declaration]:
    """Of all blocks of all functions, where a statement begins behind `{`, `}` or `;`."""
    blocks = list[str]()  # of the brackets that are open: "block", "class", "other"; "(" and "[" as they are
    head = 0  # where what may be the head of a body began
    at = 0
    while at < len(tokens):
        text = tokens[at].text
        if text == "{":
            blocks.append(_kind_of_body(tokens, head, at, blocks))
            head = at + 1
        elif text in CLOSING:
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


def _kind_of_body(tokens: Tokens, head: int, at: int, around: Sequence[str]) -> str:
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


def _declaration(tokens: Tokens, first: int) -> Declaration | None:
    """The declaration that begins with this token, if it is one."""
    name = _first_name(tokens, first)
    if name is None:
        return None
    end, commas, angles = _end_of_statement(tokens, name)
    if end is None:
        return None
    are_clear = not angles and all(name_behind(tokens, comma) for comma in commas)
    return Declaration(first, name, end, commas if are_clear else ())


def _first_name(tokens: Tokens, first: int) -> int | None:
    """The name of the first variable: the last word before what can follow a name, with a type before it."""
    at, words, last = first, 0, -1
    while at < min(first + 200, len(tokens) - 1):
        token = tokens[at]
        if token.text in _NO_DECLARATION:
            return None
        if token.text in IN_BRACKETS and tokens[at + 1].text == "(":
            at = tokens.closing(at + 1) + 1
            continue
        if token.text == "[" and tokens[at + 1].text == "[" and words == 0:
            at = tokens.closing(at) + 1
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


def _end_of_statement(tokens: Tokens, name: int) -> tuple[int | None, tuple[int, ...], bool]:
    """Its semicolon, the commas between variables, and whether there is a `<` that makes these doubtful."""
    commas, angles, at = list[int](), False, name + 1
    while at < len(tokens):
        text = tokens[at].text
        if text in CLOSING:
            at = tokens.closing(at)
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


def end_of_type(tokens: Tokens, one: Declaration) -> int:
    """Where the first variable begins: at its name, or at the signs of a pointer before it."""
    at = one.name
    while at > one.first and tokens[at - 1].text in {"*", "&", "&&", "const", "__restrict__", "__restrict", "volatile"}:
        at -= 1
        if tokens[at].text in {"const", "volatile"} and tokens[at - 1].text != "*":
            return at + 1
    return at


def name_behind(tokens: Tokens, comma: int) -> int:
    """Of the next variable; 0: it has none where it should be."""
    at = comma + 1
    while tokens[at].text in {"*", "&", "const", "__restrict__", "__restrict"}:
        at += 1
    return at if tokens[at].kind == "word" else 0


def _behind_angles(tokens: Tokens, at: int, limit: int) -> int:
    """Behind the `>` that closes the `<` at `at`."""
    depth = 0
    for index in range(at, min(limit, len(tokens))):
        depth += (tokens[index].text == "<") - (tokens[index].text == ">")
        if depth == 0:
            return index + 1
        if tokens[index].text in {";", "{", "}"}:
            break
    return at + 1


_BYTES = 128
_NEXT_TO_IT = 15  # so many bytes need no alignment, and leave no gap
_NO_ADDRESS_BEHIND = frozenset({")", "]", ">", "&", "*"})
_MOST = 400  # guarded variables, and types: no kernel has more
_MOST_IN_BODY = 4_000  # tokens of a type


def with_guards(preprocessed: str, file_name: str, folder: str = "") -> str:
    """The text itself, if it declares no such variable."""
    tokens = code_tokens(preprocessed, file_name, folder)
    if not any(token.text in {"[", "&", "array"} for token in tokens):
        return preprocessed
    holders, pointed = _holders(tokens), _pointed_at(tokens)
    pieces, count = list[Replacement](), 0
    for one in declarations(tokens):
        names = [one.name, *(name_behind(tokens, comma) for comma in one.commas)]
        spec = [token.text for token in tokens[one.first : end_of_type(tokens, one)]]
        noticed = any(tokens[at + 1].text == "[" or tokens[at].text in pointed for at in names)
        if count > _MOST or not (noticed or holders & set(spec)):
            continue
        for before, at in zip((None, *one.commas), names, strict=True):
            guards = _guards(count, tokens[at].text)
            start = tokens[one.first].start
            if before is None:
                pieces.append(Replacement(start, start, guards))
            else:
                comma = tokens[before].start
                pieces.append(Replacement(comma, comma + 1, f";{guards} {' '.join(spec)} "))
            count += 1
        end = tokens[one.end].start + 1
        pieces.append(Replacement(end, end, _guards(count, tokens[names[-1]].text)))
        count += 1
    return with_pieces(preprocessed, pieces) if pieces else preprocessed


def _guards(number: int, name: str) -> str:
    one = f"{GUARD_NAME}{number}_{name}"
    return f" [[maybe_unused]] __attribute__((uninitialized)) char {one}[{_NEXT_TO_IT}], {one}_[{_BYTES}];"


def _holders(tokens: Tokens) -> set[str]:
    """Names of types, as the file writes them, whose objects hold arrays. `array` is the standard library's."""
    bodies = dict[str, list[str]]()
    for at, token in enumerate(tokens):
        if len(bodies) == _MOST:
            break
        if token.text in {"struct", "class", "union"}:
            name, begin = _class_head(tokens, at)
            if begin:
                end = min(tokens.closing(begin), begin + _MOST_IN_BODY)
                bodies.setdefault(name, []).extend(one.text for one in tokens[begin:end])
        elif token.text in {"using", "typedef"}:
            end = next((index for index in range(at, min(at + 60, len(tokens))) if tokens[index].text in "{;"), at)
            names = [one.text for one in tokens[at + 1 : end]]
            if names and (name := names[0] if token.text == "using" else _last_word(names)):
                bodies.setdefault(name, []).extend(names)
    found = {"array", *(name for name, body in bodies.items() if _declares_an_array(body))}
    words = {name: set(body) for name, body in bodies.items()}
    while more := {name for name in words.keys() - found if found & words[name]}:
        found |= more
    return found


def _class_head(tokens: Tokens, at: int) -> tuple[str, int]:
    """The class's name and the bracket that opens its body; 0: none."""
    name, index = "", at + 1
    while index < min(at + 80, len(tokens) - 1):
        text = tokens[index].text
        if text == "{":
            return name, index
        if text in IN_BRACKETS and tokens[index + 1].text == "(":
            index = tokens.closing(index + 1)
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


def _pointed_at(tokens: Tokens) -> set[str]:
    """`x` of `&x`, and not of `a & x`."""
    return {
        after.text
        for before, sign, after in zip(tokens, tokens[1:], tokens[2:], strict=False)
        if sign.text == "&"
        and after.kind == "word"
        and (before.text == "return" or (before.kind == "sign" and before.text not in _NO_ADDRESS_BEHIND))
    }
