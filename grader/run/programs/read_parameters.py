"""Which pointer parameters a kernel only reads through, although their type does not say const. Reads words, and does not parse C++.

The detectors are many times faster for memory that a launch cannot change. So "only reads" is said where every use of the name is of a
form that is known: an element whose value is used. Anything else counts as a write.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from grader.engines.token_scan import Token, Tokens
from grader.run.kernels.kernel_source import KernelSource

# Finds what a preprocessed text marks with __global__ and __device__: the words are still in it, under names of the kit's. Reads words and
# brackets, and does not parse C++. What it does not understand stays, and the compiler decides.

GLOBAL, DEVICE, HOST = "__tilelab_global__", "__tilelab_device__", "__tilelab_host__"
MARKS = frozenset({GLOBAL, DEVICE, HOST})
_NO_NAME = frozenset(
    [
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
    ]
)
_ENDS = frozenset({";", "{", "}"})
OPENING, CLOSING = frozenset("([{<"), frozenset(")]}>")
_MOST_BEFORE = 200  # words between the start of a declaration and a mark in it, and from there to its parameters
_KEPT = frozenset({"constexpr", "consteval", "auto"})  # without its body, such a function would be another one


@dataclass(frozen=True)
class MarkedFunction:
    """A definition. Positions in the list of tokens."""

    space: Literal["global", "device"]
    opening: int  # the ( of its parameters
    body: int  # its {
    end: int  # its }


def marked_functions(tokens: Tokens) -> list[MarkedFunction]:
    """The kernels, and the functions that are for the device alone, whose bodies nothing on the host may need."""
    found: dict[int, MarkedFunction] = {}
    for index, token in enumerate(tokens):
        if token.text not in {GLOBAL, DEVICE}:
            continue
        function = _definition(tokens, index)
        if function is not None:
            found.setdefault(function.body, function)
    return [found[body] for body in sorted(found)]


def _definition(tokens: Tokens, mark: int) -> MarkedFunction | None:
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


def _start(tokens: Tokens, mark: int) -> int:
    """Where the declaration around a mark begins."""
    at = mark
    while at > max(0, mark - _MOST_BEFORE) and tokens[at - 1].text not in _ENDS:
        at -= 1
    return at


def _parameters(tokens: Tokens, mark: int) -> int | None:
    """The ( of the parameters; None where the mark is a variable's or a lambda's."""
    if mark > 0 and tokens[mark - 1].text in {"]", ")"} and _is_lambda(tokens, mark):
        return None
    at = mark + 1
    while at < min(mark + _MOST_BEFORE, len(tokens)):
        text = tokens[at].text
        if text == "(":
            before = tokens[at - 1].text
            if before not in _NO_NAME and before not in MARKS and before != "]":
                return at
            at = closing(tokens, at) + 1
        elif text in {"[", "{"} or text in {";", "=", "}"}:
            is_operator = (
                tokens[at - 1].text == "operator"
                or (  # of `operator==`, `operator+=` the = belongs to the name
                    text == "=" and any(one.text == "operator" for one in tokens[max(0, at - 3) : at])
                )
            )
            if not is_operator:
                return None
            at += 1
        else:
            at += 1
    return None


def _is_lambda(tokens: Tokens, mark: int) -> bool:
    """`[=] __device__ (int i) {…}`; behind an attribute there is a declaration."""
    at = mark - 1
    if tokens[at].text == "]":
        at = tokens.opening(at) or 0
        return not (at > 0 and tokens[at - 1].text == "[") and not (at + 1 < mark and tokens[at + 1].text == "[")
    return False


def _body(tokens: Tokens, behind: int) -> int | None:
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


def closing(tokens: Tokens, opening: int) -> int:
    """The sign that closes the bracket at `opening`; the last token where none does."""
    return min(tokens.closing(opening), len(tokens) - 1)


_STATEMENTS = frozenset({"if", "while", "for", "switch", "return"})
_TYPES = frozenset(
    {"bool", "char", "short", "int", "long", "unsigned", "signed", "float", "double", "size_t", "half", "__half"}
)
# They take numbers by value.
_FUNCTIONS = frozenset(
    f"{name}{end}"
    for name in (
        "sqrt", "rsqrt", "exp", "exp2", "log", "log2", "log10", "sin", "cos", "tan", "tanh", "pow", "fabs", "fma", "fmax", "fmin",
        "floor", "ceil", "round",
    )
    for end in ("", "f")
) | {"abs", "max", "min", "__expf", "__logf", "__powf", "__sinf", "__cosf", "__fdividef", "__half2float", "__float2half", "make_float2",
     "make_float4", "make_int2", "make_uchar4", "printf", "sizeof", "atomicAdd", "atomicSub", "atomicMax", "atomicMin", "atomicExch",
     "atomicCAS", "__shfl_sync", "__shfl_down_sync", "__shfl_up_sync", "__shfl_xor_sync"}  # fmt: skip
_COMPOUND = frozenset("+-*/%&|^")


def read_parameters(tokens: Tokens) -> dict[str, frozenset[str]]:
    """Of each kernel, by its bare name, the parameters that it only reads through. Kernels of one name count together."""
    found: dict[str, frozenset[str]] = {}
    for function in marked_functions(tokens):
        if function.space != "global":
            continue
        name = _name(tokens, function.opening)
        inside = Tokens(tokens[function.body : function.end + 1])
        names = _pointers(tokens[function.opening + 1 : closing(tokens, function.opening)])
        only = frozenset(one for one in names if names.count(one) == 1 and _only_reads(inside, one))
        found[name] = found[name] & only if name in found else only
    return found


def _name(tokens: Tokens, opening: int) -> str:
    """The word before the parameters, without template arguments."""
    at = opening - 1
    if tokens[at].text == ">":
        depth = 0
        while at > 0:
            depth += (tokens[at].text == ">") - (tokens[at].text == "<")
            at -= 1
            if depth == 0:
                break
    return tokens[at].text


def parts_of(tokens: Sequence[Token]) -> list[list[Token]]:
    """What stands between commas outside brackets."""
    parts: list[list[Token]] = [[]]
    depth, has_default = 0, False
    for token in tokens:
        has_default = has_default or (token.text == "=" and depth <= 0)
        if not (has_default and token.text in {"<", ">"}):  # a comparison, most likely
            depth += (token.text in OPENING) - (token.text in CLOSING)
        if token.text == "," and depth <= 0:
            parts.append([])
            has_default = False
        else:
            parts[-1].append(token)
    return parts


def _pointers(tokens: Sequence[Token]) -> list[str]:
    """Names of parameters that are pointers."""
    found = list[str]()
    for part in parts_of(tokens):
        words = [word.text for word in part if word.kind == "word"]
        signs = {sign.text for sign in part}
        if words and signs & {"*", "["} and not signs & {"=", "(", "&"}:
            found.append(words[-1])
    return found


def _only_reads(body: Tokens, name: str) -> bool:
    # A lambda that returns a reference has a & before its body.
    if any(one.text in {"asm", "__asm__", "decltype"} for one in body) or ("&", "{") in pairwise(
        one.text for one in body
    ):
        return False
    return all(_is_value(body, at) for at, one in enumerate(body) if one.text == name and _is_name(body, at))


def _is_name(body: Tokens, at: int) -> bool:
    return body[at].kind == "word" and body[at - 1].text not in {".", "->", "::"}


def _is_value(body: Tokens, at: int) -> bool:
    """Whether this use of a pointer is an element whose value is taken."""
    first, last = _element(body, at)
    return (
        first > 0
        and not _changes(body, last + 1)
        and body[last + 1].text not in {"(", "->"}
        and not _is_taken(body, first - 1)
        and not _binds_reference(body, at)
        and all(_is_plain(body, opening) for opening in _around(body, first))
    )


def _element(body: Tokens, at: int) -> tuple[int, int]:
    """The first and last word of `name[…]`, `*name` or `*(name + …)`; (0, 0): it is something else."""
    following = body[at + 1].text
    if following == "[":
        last = at
        while body[last + 1].text in {"[", "."}:
            last = closing(body, last + 1) if body[last + 1].text == "[" else last + 2
        return at, last
    if body[at - 1].text == "*" and not _is_operand(body[at - 2]):
        return at - 1, at
    is_sum = following in {"+", "-"} and body[at + 2].text not in {following, "="}
    if body[at - 1].text == "(" and body[at - 2].text == "*" and not _is_operand(body[at - 3]) and is_sum:
        return at - 2, closing(body, at - 1)
    return 0, 0


def _is_operand(token: Token) -> bool:
    """A sign behind it takes two operands."""
    return (token.kind in {"word", "number"} and token.text not in _STATEMENTS) or token.text in {")", "]"}


def _changes(body: Tokens, at: int) -> bool:
    """Whether what stands before `at` is assigned to, counted up or down."""
    texts = [one.text for one in body[at : at + 3]] + ["", "", ""]
    if texts[0] == "=":
        return texts[1] != "="
    if texts[0] in "+-" and texts[0] == texts[1] and body[at + 1].start == body[at].start + 1:
        return True
    return (texts[0] in _COMPOUND and texts[1] == "=") or (
        texts[0] in "<>" and texts[0] == texts[1] and texts[2] == "="
    )


def _is_taken(body: Tokens, at: int) -> bool:
    """`&element`, `++element`, and a cast to a reference."""
    text, before = body[at].text, body[at - 1]
    if text == "&":
        return not _is_operand(before)
    if text in {"+", "-"}:
        return before.text == text and body[at].start == before.start + 1
    return text == ")" and any(one.text == "&" for one in body[(body.opening(at) or 0) : at])


def _binds_reference(body: Tokens, at: int) -> bool:
    """The statement declares a reference: `float& x = …`."""
    begin = at
    while (
        begin > 0
        and body[begin - 1].text not in {";", "}"}
        and not (body[begin - 1].text == "{" and body[begin - 2].text in {")", "{", "}", ";"})
    ):
        begin -= 1
    return any(
        body[i].text in {"&", "&&"}
        and body[i + 1].kind == "word"
        and body[i + 2].text in {"=", "{"}
        and body[i + 3].text != "="
        for i in range(begin, at - 2)
    )


def _around(body: Tokens, at: int) -> Iterator[int]:
    """The brackets ( and { of the statement that `at` lies in, from the inside; those of blocks end it."""
    depth = 0
    for i in range(at - 1, 0, -1):
        text = body[i].text
        if text in ")]}":
            depth += 1
        elif text in "([{" and depth > 0:
            depth -= 1
        elif text == "(":
            yield i
        elif text == "{" and depth == 0:
            return


def _is_plain(body: Tokens, opening: int) -> bool:
    """Whether the bracket takes the value of what is in it."""
    before = body[opening - 1]
    if _changes(body, closing(body, opening) + 1):
        return False
    if before.kind == "word":
        return before.text in _STATEMENTS or before.text in _TYPES or before.text in _FUNCTIONS
    if before.text == ">":
        begin = opening - 1
        while begin > 0 and body[begin].text != "<":
            begin -= 1
        return body[begin - 1].text in {"static_cast", "max", "min"} and all(
            one.text != "&" for one in body[begin:opening]
        )
    if before.text == ")":
        return all(one.text != "&" for one in body[(body.opening(opening - 1) or 0) : opening])
    return before.kind == "sign" and before.text != "]"


# Whether kernels of a file may leave each other the addresses of code: objects with virtual functions, or pointers to functions.
#
# It reads words, and does not parse C++. Where it says yes too often, kernels that need it not are built into one program.

_POINTER = re.compile(
    r"\(\s*(?:\w+\s*::\s*)*\*\s*(?:const\s*)?\w*\s*(?:\[[^\]]*\]\s*)*\)\s*\("
)  # (*name[3])(, (Class::*)(


def passes_code(source: KernelSource) -> bool:
    return any(
        "virtual" in item.words or _POINTER.search(text)
        for item, text in source.items()
        if item.on_device or not item.is_function
    )
