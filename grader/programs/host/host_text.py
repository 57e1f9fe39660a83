"""What the host compiler gets of a CUDA source: each kernel's body becomes a stub, `k<<<grid, block>>>(…)` becomes C++, and bodies of
functions that are for the device alone go. Lines stay. The result is compiled, and nothing of it is believed.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from grader.engines.checks.token_stream import Token, tokens_of
from grader.engines.text_changes.inserted_text import Piece, with_pieces
from grader.engines.text_changes.launch_statements import launches_in
from grader.programs.host.kernel_stub import stub, stub_parameters
from grader.programs.host.marked_functions import DEVICE, GLOBAL, HOST, closing, marked_functions
from grader.programs.host.read_parameters import read_parameters

_MARKER = re.compile(r'^#\s+\d+\s+"(?:[^"\\\n]|\\.)*"(?P<flags>[ \d]*)$', re.MULTILINE)
_SET_ASIDE = "#tilelab_set_aside "
_INSTEAD = {GLOBAL: "__attribute__((__noinline__, __noclone__))", DEVICE: "", HOST: ""}
_EMPTIED = "{ __builtin_unreachable(); }"


def host_text(preprocessed: str, file: str, *, keeps_device_bodies: bool = False) -> str:
    """`file`: the source's name, as the compiler was given it. `keeps_device_bodies`: a library runs functions of the device here."""

    def changed(text: str) -> str:
        return _with_stubs(_with_calls(text, file), file, keeps_device_bodies=keeps_device_bodies)

    return _beside_system_headers(preprocessed, changed)


def read_only_parameters(preprocessed: str, file: str) -> dict[str, frozenset[str]]:
    """See read_parameters()."""
    own, _ = _without_system_headers(preprocessed)
    return read_parameters(_tokens(own, file))


def _beside_system_headers(text: str, change: Callable[[str], str]) -> str:
    """Changes a text without the text of system headers, which is most of it, and puts that back."""
    kept, aside = _without_system_headers(text)
    return re.sub(rf"^{_SET_ASIDE}(\d+)\n", lambda match: aside[int(match[1])], change(kept), flags=re.MULTILINE)


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


def _tokens(text: str, file: str) -> list[Token]:
    return [token for token in tokens_of(text, file) if token.kind != "directive"]


def _with_calls(text: str, file: str) -> str:
    changes: list[tuple[int, int, str]] = []
    tokens = _tokens(text, file)
    for one in launches_in(tokens):
        callee = text[tokens[one.callee].start : tokens[one.opening].start]
        opened, closed = (tokens[at + 2].start + 1 for at in (one.opening, one.closing))
        config = text[opened : tokens[one.closing].start]
        lines = "\n" * callee.count("\n")
        behind = tokens[one.end].start + 1
        call = f"(::tilelab_host::configure({config}){lines}, {' '.join(callee.split())}"
        changes += [(tokens[one.callee].start, closed, call), (behind, behind, ")")]
    return _changed(text, changes)


def _with_stubs(text: str, file: str, *, keeps_device_bodies: bool) -> str:
    tokens = _tokens(text, file)
    pieces = [Piece(one.start, one.start + len(one.text), _INSTEAD[one.text]) for one in tokens if one.text in _INSTEAD]
    bodies: list[Piece] = []
    for function in marked_functions(tokens):
        first, end = tokens[function.body].start, tokens[function.end].start + 1
        if function.space == "device":
            if not keeps_device_bodies:
                bodies.append(Piece(first, end, _EMPTIED))
            continue
        behind = closing(tokens, function.opening)
        parameters = stub_parameters(tokens[function.opening + 1 : behind])
        pieces += [Piece(one.place, one.place, one.added) for one in parameters if one.added]
        bodies.append(Piece(first, end, stub(parameters)))
    outside = [one for one in pieces if not any(body.at <= one.at < body.end for body in bodies)]
    inner = [(one.at, one.end, one.text) for one in outside]
    return _changed_and_pieced(text, inner, _outermost(bodies))


def _outermost(bodies: list[Piece]) -> list[Piece]:
    return [one for one in bodies if not any(other.at < one.at < other.end for other in bodies)]


def _changed_and_pieced(text: str, changes: list[tuple[int, int, str]], bodies: list[Piece]) -> str:
    """Bodies go first, from behind: what stands before them does not move."""
    moved = sorted(changes)
    shifted: list[Piece] = []
    for body in bodies:
        shift = sum(len(new) - (end - first) for first, end, new in moved if end <= body.at)
        shifted.append(Piece(body.at + shift, body.end + shift, body.text))
    return with_pieces(_changed(text, moved), shifted)


def _changed(text: str, changes: list[tuple[int, int, str]]) -> str:
    pieces, done = list[str](), 0
    for first, end, new in sorted(changes):
        pieces += [text[done:first], new]
        done = end
    return "".join([*pieces, text[done:]])
