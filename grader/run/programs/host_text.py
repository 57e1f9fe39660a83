"""What the host compiler gets of a CUDA source: each kernel's body becomes a stub, `k<<<grid, block>>>(…)` becomes C++, and bodies of
functions that are for the device alone go. Lines stay. The result is compiled, and nothing of it is believed. Beside it, what the same
words tell of kernels: which pointers they only read through, and whether they may leave each other the addresses of code.

It reads words and brackets, and does not parse C++.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from grader.engines.changed_text import LineMarkers, Replacement
from grader.engines.text_steps import launches_in
from grader.engines.token_scan import Token, Tokens, code_tokens
from grader.run.kernels.kernel_source import KernelSource
from grader.source.lexer import with_changes

# Finds what a preprocessed text marks with __global__ and __device__: the words are still in it, under names of the kit's. What it does
# not understand stays, and the compiler decides.

GLOBAL, DEVICE, HOST = "__tilelab_global__", "__tilelab_device__", "__tilelab_host__"
# Before a ( that is not of parameters.
_NO_NAME = frozenset({
    GLOBAL, DEVICE, HOST, "__attribute__", "__launch_bounds__", "alignas", "noexcept", "decltype", "requires", "throw", "operator",
    "if", "sizeof", "]",
})  # fmt: skip
_ENDS = frozenset({";", "{", "}"})
OPENING, CLOSING = frozenset("([{<"), frozenset(")]}>")
_MOST_BEFORE = 200  # words between the start of a declaration and a mark in it, and from there to its parameters
_MOST_BEHIND = 2_000  # and behind its parameters, initialisers of members among them
_MOST_IN_STATEMENT = 1_000  # tokens of a statement before what is read in it
_MOST_POINTERS = 100  # parameters of a kernel that are looked at
_KEPT = frozenset({"constexpr", "consteval", "auto"})  # without its body, such a function would be another one


@dataclass(frozen=True)
class MarkedFunction:
    """A definition. Positions in the list of tokens."""

    is_kernel: bool  # otherwise it is for the device alone
    opening: int  # the ( of its parameters
    body: int  # its {
    end: int  # its }


def marked_functions(tokens: Tokens) -> list[MarkedFunction]:
    """The kernels, and the functions that are for the device alone, whose bodies nothing on the host may need."""
    found: dict[int, MarkedFunction] = {}
    marks = (at for at, token in enumerate(tokens) if token.text in {GLOBAL, DEVICE})
    for function in filter(None, (_definition(tokens, mark) for mark in marks)):
        found.setdefault(function.body, function)
    return [found[body] for body in sorted(found)]


def _definition(tokens: Tokens, mark: int) -> MarkedFunction | None:
    opening = _parameters(tokens, mark)
    body = None if opening is None else _body(tokens, closing(tokens, opening))
    if opening is None or body is None:
        return None
    farthest = max(0, mark - _MOST_BEFORE)
    first = next((at for at in range(mark, farthest, -1) if tokens[at - 1].text in _ENDS), farthest)
    head = {one.text for one in tokens[first:opening]}
    if GLOBAL not in head and (HOST in head or head & _KEPT):
        return None
    return MarkedFunction(GLOBAL in head, opening, body, closing(tokens, body))


def _parameters(tokens: Tokens, mark: int) -> int | None:
    """The ( of the parameters; None where the mark is a variable's or a lambda's."""
    if mark > 0 and tokens[mark - 1].text == "]":
        # `[=] __device__ (int i) {…}`; behind an attribute, `[[…]]`, there is a declaration
        at = tokens.opening(mark - 1) or 0
        if not (at > 0 and tokens[at - 1].text == "[") and not (at + 1 < mark and tokens[at + 1].text == "["):
            return None
    at = mark + 1
    while at < min(mark + _MOST_BEFORE, len(tokens)):
        text, before = tokens[at].text, [one.text for one in tokens[max(0, at - 3) : at]]
        if text == "(":
            if before[-1] not in _NO_NAME:
                return at
            at = closing(tokens, at)
        elif (
            text in {"[", "{", ";", "=", "}"} and "operator" not in before[-3 if text == "=" else -1 :]
        ):  # `operator==`
            return None
        at += 1
    return None


def _body(tokens: Tokens, behind: int) -> int | None:
    """The { of the body, behind the parameters; None where there is none."""
    at, initialisers = behind + 1, False
    while at < min(len(tokens), behind + _MOST_BEHIND):
        text = tokens[at].text
        if text == "{" and (not initialisers or tokens[at - 1].text in {")", "}"}):
            return at
        if text in {";", "=", "}"}:
            return None
        initialisers = initialisers or text == ":"
        at = closing(tokens, at) + 1 if text in {"(", "{"} else at + 1  # of a member: `member{value}`
    return None


def closing(tokens: Tokens, opening: int) -> int:
    """The sign that closes the bracket at `opening`; the last token where none does."""
    return min(tokens.closing(opening), len(tokens) - 1)


# The C++ that takes the place of a kernel's body in host code: it passes the addresses of its parameters on to the kit's library.

MARK = "tilelab_kernel_mark"  # a variable inside each stub: its symbol names the kernel exactly
_NO_TYPES = frozenset({"const", "volatile", "typename", "struct", "class", "enum", "union", "register"})
_TYPE_WORDS = _NO_TYPES.union(
    ("void", "bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "auto", "wchar_t"),
    ("__restrict__", "__restrict"),
)
_POINTS = frozenset({">", "*", "&", "&&"})


@dataclass(frozen=True)
class StubParameter:
    expression: str  # as an argument: "n", "rest..."
    added: str = ""  # a name for a parameter that has none
    place: int = 0  # where it goes in the text


def stub_parameters(tokens: Sequence[Token]) -> list[StubParameter]:
    """`tokens`: those between the parentheses."""
    parts = [part for part in parts_of(tokens) if part]
    if [one.text for part in parts for one in part] == ["void"]:
        return []
    return [_parameter(part, number) for number, part in enumerate(parts)]


def _parameter(part: Sequence[Token], number: int) -> StubParameter:
    head = _before_default(part)
    # `Rest... rest`: three signs in a row.
    dots = "..." if any(all(one.text == "." for one in head[at : at + 3]) for at in range(len(head) - 2)) else ""
    if (inner := _in_parentheses(head)) is not None:  # float (*operation)(float), float (&rows)[4]
        words = [one for one in inner if one.kind == "word" and one.text not in _TYPE_WORDS]
        if words:
            return StubParameter(words[-1].text + dots)
        return _named(number, inner[-1].start + len(inner[-1].text), dots)
    outer = _outer(head)
    end = next((index for index, one in enumerate(outer) if one.text == "["), len(outer))
    last = outer[end - 1]
    is_name = last.kind == "word" and last.text not in _TYPE_WORDS and _is_behind_a_type(outer[: end - 1])
    if is_name:
        return StubParameter(last.text + dots)
    return _named(number, last.start + len(last.text), dots)


def _named(number: int, place: int, dots: str) -> StubParameter:
    name = f"tilelab_parameter_{number}"
    return StubParameter(name + dots, f" {name}", place)


def _before_default(part: Sequence[Token]) -> Sequence[Token]:
    depth = 0
    for index, token in enumerate(part):
        depth += (token.text in OPENING) - (token.text in CLOSING)
        if token.text == "=" and depth <= 0 and index > 0:
            return part[:index]
    return part


def _in_parentheses(head: Sequence[Token]) -> Sequence[Token] | None:
    """What stands in `(*…)` or `(&…)`."""
    for at, token in enumerate(head[:-1]):
        if token.text == "(" and head[at + 1].text in {"*", "&", "&&"}:
            return head[at + 1 : closing(Tokens(head), at)]
    return None


def _outer(head: Sequence[Token]) -> list[Token]:
    """Without what stands in <…> and (…); the closing signs stay."""
    found, depth = list[Token](), 0
    for token in head:
        depth += (token.text in {"<", "("}) - (token.text in {">", ")"})
        if depth == 0:
            found.append(token)
    return found


def _is_behind_a_type(words: Sequence[Token]) -> bool:
    """Whether a whole type stands before the last word, which is a name then."""
    if words and words[-1].text == "::":
        return False
    return any(one.text in _POINTS if one.kind != "word" else one.text not in _NO_TYPES for one in words)


_MARKER = re.compile(r'^#\s+\d+\s+"(?:[^"\\\n]|\\.)*"(?P<flags>[ \d]*)$', re.MULTILINE)
_SET_ASIDE = "#tilelab_set_aside "
_INSTEAD = {GLOBAL: "__attribute__((__noinline__, __noclone__))", DEVICE: "", HOST: ""}
_EMPTIED = "{ __builtin_unreachable(); }"


def host_text(preprocessed: str, file: str, *, keeps_device_bodies: bool = False) -> str:
    """`file`: the source's name for the compiler. `keeps_device_bodies`: a library runs functions of the device here."""
    kept, aside = _without_system_headers(preprocessed)
    changed = _with_stubs(_with_calls(kept, file), file, keeps_device_bodies=keeps_device_bodies)
    return re.sub(rf"^{_SET_ASIDE}(\d+)\n", lambda match: aside[int(match[1])], changed, flags=re.MULTILINE)


def _without_system_headers(text: str) -> tuple[str, list[str]]:
    """Marks stand in their places."""
    kept, aside = list[str](), list[str]()
    begins = [0, *(match.start() for match in _MARKER.finditer(text))]
    for first, end in zip(begins, [*begins[1:], len(text)], strict=True):
        marker = _MARKER.match(text, first)
        if marker and "3" in marker["flags"].split():
            kept.append(f"{_SET_ASIDE}{len(aside)}\n")
            aside.append(text[first:end])
        else:
            kept.append(text[first:end])
    return "".join(kept), aside


def _with_calls(text: str, file: str) -> str:
    changes: list[tuple[int, int, str]] = []
    tokens = code_tokens(text, file)
    for one in launches_in(tokens):
        callee = text[tokens[one.callee].start : tokens[one.opening].start]
        opened, closed = (tokens[at + 2].start + 1 for at in (one.opening, one.closing))
        config = text[opened : tokens[one.closing].start]
        lines = "\n" * callee.count("\n")
        behind = tokens[one.end].start + 1
        call = f"(::tilelab_host::configure({config}){lines}, {' '.join(callee.split())}"
        changes += [(tokens[one.callee].start, closed, call), (behind, behind, ")")]
    return with_changes(text, changes)


def _with_stubs(text: str, file: str, *, keeps_device_bodies: bool) -> str:
    tokens = code_tokens(text, file)
    pieces = [
        Replacement(one.start, one.start + len(one.text), _INSTEAD[one.text]) for one in tokens if one.text in _INSTEAD
    ]
    bodies: list[Replacement] = []
    for function in marked_functions(tokens):
        first, end, new = tokens[function.body].start, tokens[function.end].start + 1, _EMPTIED
        if function.is_kernel:
            parameters = stub_parameters(tokens[function.opening + 1 : closing(tokens, function.opening)])
            pieces += [Replacement(one.place, one.place, one.added) for one in parameters if one.added]
            listed = "".join(f", {one.expression}" for one in parameters)
            new = f"{{ static char {MARK}; ::tilelab_host::launch_kernel(&{MARK}{listed}); }}"
        if function.is_kernel or not keeps_device_bodies:
            bodies.append(Replacement(first, end, new))
    outer: list[Replacement] = []
    for body in sorted(bodies):
        if not outer or body.at >= outer[-1].end:
            outer.append(body)
    begins = [one.at for one in outer]
    last = (bisect_right(begins, one.at) - 1 for one in pieces)
    outside = [one for one, at in zip(pieces, last, strict=True) if at < 0 or one.at >= outer[at].end]
    markers = LineMarkers(text)
    pieced = [(one.at, one.end, f"{one.text}\n{markers.back_to(one.end)}") for one in outer]
    return with_changes(text, [*((one.at, one.end, one.text) for one in outside), *pieced])


# Which pointer parameters a kernel only reads through, although their type does not say const.
#
# The detectors are many times faster for memory that a launch cannot change. So "only reads" is said where every use of the name is of a
# form that is known: an element whose value is used. Anything else counts as a write.

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


def read_only_parameters(preprocessed: str, file: str) -> dict[str, frozenset[str]]:
    """Of each kernel, by its bare name, the parameters that it only reads through. Kernels of one name count together. `file`: as above."""
    return read_only_in(code_tokens(_without_system_headers(preprocessed)[0], file))


def read_only_in(tokens: Tokens) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for function in marked_functions(tokens):
        if not function.is_kernel:
            continue
        name = _name(tokens, function.opening)
        inside = Tokens(tokens[function.body : function.end + 1])
        names = _pointers(tokens[function.opening + 1 : closing(tokens, function.opening)])
        once = [one for one, count in Counter(names).items() if count == 1]
        only = frozenset(one for one in once[:_MOST_POINTERS] if _only_reads(inside, one))
        found[name] = found[name] & only if name in found else only
    return found


def _name(tokens: Tokens, opening: int) -> str:
    """The word before the parameters, without template arguments."""
    at = opening - 1
    if tokens[at].text == ">":
        depth = 0
        while at > max(0, opening - _MOST_BEFORE):
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
    texts = [one.text for one in body]
    if not {"asm", "__asm__", "decltype"}.isdisjoint(texts) or ("&", "{") in pairwise(texts):
        return False
    uses = (at for at, one in enumerate(body) if one.text == name and body[at - 1].text not in {".", "->", "::"})
    return all(_is_value(body, at) for at in uses)


def _is_value(body: Tokens, at: int) -> bool:
    """Whether this use of a pointer is an element whose value is taken."""
    first, last = _element(body, at)
    while first > 1 and body[first - 1].text == "(" and body[last + 1].text == ")" and not _is_operand(body[first - 2]):
        first, last = first - 1, last + 1  # `&(x[i])`, `(x[i])++`
    return (
        first > 0
        and not _changes(body, last + 1)
        and body[last + 1].text not in {"(", "->"}
        and not _is_taken(body, first - 1)
        and not _binds_reference(body, at)
        and (around := _around(body, first)) is not None
        and all(_is_plain(body, opening) for opening in around)
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
        begin > max(0, at - _MOST_IN_STATEMENT)
        and body[begin - 1].text not in {";", "}"}
        and not (body[begin - 1].text == "{" and body[begin - 2].text in {")", "{", "}", ";"})
    ):
        begin -= 1
    return at - begin >= _MOST_IN_STATEMENT or any(
        body[i].text in {"&", "&&"}
        and body[i + 1].kind == "word"
        and body[i + 2].text in {"=", "{"}
        and body[i + 3].text != "="
        for i in range(begin, at - 2)
    )


def _around(body: Tokens, at: int) -> list[int] | None:
    """The parentheses of the statement that `at` lies in, from the inside: what goes before it ends them. None: it is too long."""
    found, depth = list[int](), 0
    for i in range(at - 1, max(0, at - _MOST_IN_STATEMENT), -1):
        text = body[i].text
        if text in ")]}":
            depth += 1
        elif text in "([{" and depth > 0:
            depth -= 1
        elif text == "(":
            found.append(i)
        elif text in {"{", ";"} and depth == 0:
            return found
    return found if at <= _MOST_IN_STATEMENT else None


def _is_plain(body: Tokens, opening: int) -> bool:
    """Whether the bracket takes the value of what is in it."""
    before = body[opening - 1]
    if _changes(body, closing(body, opening) + 1):
        return False
    if before.kind == "word":
        return before.text in _STATEMENTS or before.text in _TYPES or before.text in _FUNCTIONS
    if before.text == ">":
        begin = opening - 1
        while begin > max(0, opening - _MOST_BEFORE) and body[begin].text != "<":
            begin -= 1
        return body[begin - 1].text in {"static_cast", "max", "min"} and all(
            one.text != "&" for one in body[begin:opening]
        )
    if before.text == ")":
        return all(one.text != "&" for one in body[(body.opening(opening - 1) or 0) : opening])
    return before.kind == "sign" and before.text != "]"


# Whether kernels of a file may leave each other the addresses of code: objects with virtual functions, or pointers to functions. Where it
# says yes too often, kernels that need it not are built into one program.

_POINTER = re.compile(
    r"\(\s*(?:\w+\s*::\s*)*\*\s*(?:const\s*)?\w*\s*(?:\[[^\]]*\]\s*)*\)\s*\("
)  # (*name[3])(, (Class::*)(


def passes_code(source: KernelSource) -> bool:
    return any(
        "virtual" in item.words or _POINTER.search(text)
        for item, text in source.items()
        if item.on_device or not item.is_function
    )
