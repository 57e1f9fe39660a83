"""What the host compiler gets of a CUDA source: each kernel's body becomes a stub, `k<<<grid, block>>>(…)` becomes C++, and bodies of
functions that are for the device alone go. Lines stay. The result is compiled, and nothing of it is believed.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from grader.engines.changed_text import LineMarkers, Replacement
from grader.engines.text_steps import launches_in
from grader.engines.token_scan import Token, Tokens, code_tokens
from grader.run.programs.read_parameters import (
    CLOSING,
    DEVICE,
    GLOBAL,
    HOST,
    OPENING,
    closing,
    marked_functions,
    parts_of,
    read_parameters,
)
from grader.source.lexer import with_changes

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


def stub(parameters: Sequence[StubParameter]) -> str:
    listed = "".join(f", {one.expression}" for one in parameters)
    return f"{{ static char {MARK}; ::tilelab_host::launch_kernel(&{MARK}{listed}); }}"


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
        if token.text in {"<", "("}:
            depth += 1
        elif token.text in {">", ")"}:
            depth -= 1
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
    """`file`: the source's name, as the compiler was given it. `keeps_device_bodies`: a library runs functions of the device here. The text
    of system headers, which is most of it, is set aside and put back.
    """
    kept, aside = _without_system_headers(preprocessed)
    changed = _with_stubs(_with_calls(kept, file), file, keeps_device_bodies=keeps_device_bodies)
    return re.sub(rf"^{_SET_ASIDE}(\d+)\n", lambda match: aside[int(match[1])], changed, flags=re.MULTILINE)


def read_only_parameters(preprocessed: str, file: str) -> dict[str, frozenset[str]]:
    """See read_parameters()."""
    own, _ = _without_system_headers(preprocessed)
    return read_parameters(code_tokens(own, file))


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
        first, end = tokens[function.body].start, tokens[function.end].start + 1
        if function.space == "device":
            if not keeps_device_bodies:
                bodies.append(Replacement(first, end, _EMPTIED))
            continue
        behind = closing(tokens, function.opening)
        parameters = stub_parameters(tokens[function.opening + 1 : behind])
        pieces += [Replacement(one.place, one.place, one.added) for one in parameters if one.added]
        bodies.append(Replacement(first, end, stub(parameters)))
    outer = _outermost(bodies)
    begins = [one.at for one in outer]
    last = (bisect_right(begins, one.at) - 1 for one in pieces)
    outside = [one for one, body in zip(pieces, last, strict=True) if body < 0 or one.at >= outer[body].end]
    markers = LineMarkers(text)
    pieced = [(one.at, one.end, f"{one.text}\n{markers.back_to(one.end)}") for one in outer]
    return with_changes(text, [*((one.at, one.end, one.text) for one in outside), *pieced])


def _outermost(bodies: list[Replacement]) -> list[Replacement]:
    """In their order."""
    found: list[Replacement] = []
    for one in sorted(bodies):
        if not found or one.at >= found[-1].end:
            found.append(one)
    return found
