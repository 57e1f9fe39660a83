"""The steps between the preprocessor and the compiler for the executor, in their order. What is compiled for a GPU, and the host
code of a program, have steps of their own (`grader/engines/`, `grader/run/programs/`).

The lines of the text stay where they are. None of the steps is believed: what they made is compiled, checked and proved like any other
text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from grader.engines.changed_text import unmarked_lambdas, with_alignment_first, with_marked_returns
from grader.engines.entry_points import EntrySignatures, use_of
from grader.engines.local_guards import with_guards
from grader.engines.refusal import Refusal
from grader.engines.token_scan import Tokens, code_tokens, scan, too_much
from grader.source.bare_code import plain_text
from grader.source.lexer import CLOSING, with_changes


@dataclass(frozen=True)
class TextOrigin:
    """Where the text comes from, and what is asked of it."""

    file: str  # the name of the submission's file
    folder: str  # where it was preprocessed: nothing in it is a system header
    entries: EntrySignatures
    is_clang: bool = False
    scanned: bool = True  # false for a file of ours that shows what the checks behind the scan refuse


@dataclass(frozen=True)
class ChangedText:
    text: str  # with the changes
    behind: str = ""  # lines of ours behind the text, which are compiled with it and belong to nobody
    mended: bool = False  # a compiler may refuse the text without them
    refusal: Refusal | None = None  # why the text is not compiled

    @property
    def whole(self) -> str:
        return self.text + self.behind


def in_steps(expanded: str, origin: TextOrigin) -> ChangedText:
    """What becomes of a submission's expanded text. Nothing reads more than a limited text, and the scan reads the author's own text,
    before anything of ours is in it: what comes behind may rely on it.
    """
    entries, place = origin.entries, (origin.file, origin.folder)
    if refusal := too_much(expanded, *place):
        return ChangedText(expanded, refusal=refusal)
    text = expanded
    if origin.scanned:
        assembly: dict[int, Refusal | None] = {}
        if "asm" in text:
            from grader.engines.ptx.asm_statements import rewrite_assembly  # noqa: PLC0415 -- few files have such

            text, assembly = rewrite_assembly(text, *place)
        if refusal := scan(expanded, *place, assembly):
            return ChangedText(expanded, refusal=refusal)
        text = with_alignment_first(text)
    mended = text != expanded
    text = with_guards(unmarked_lambdas(text) if origin.is_clang else text, *place)
    kernels, behind = [entries.kernel, *entries.beside], ""
    if entries.by_name:
        text, launched = with_launch_calls(text, *place)
        kernels += launched
        behind = f"\n{use_of(entries.kernel, entries.functions, entries.beside)}"
    return ChangedText(with_marked_returns(text, kernels, *place), behind, mended)


# Macros of the kit: no variable with one of them is a local one.
_MEMORY = re.compile(r"\b__(?:shared|constant|device|managed)__")


def probably_changed(source: str, origin: TextOrigin) -> bool:
    """Whether it is worth to wait for the steps before anything is compiled: as far as the file itself tells before its macros and
    headers are expanded. A wrong answer costs time alone.
    """
    text = _MEMORY.sub("static", plain_text(source))
    if too_much(text, origin.file):
        return True
    kernels = [origin.entries.kernel, *origin.entries.beside]
    return with_guards(text, origin.file) != text or with_marked_returns(text, kernels, origin.file) != text


# Finds `child<<<grid, block, shared, stream>>>(…)` in a preprocessed text and puts C++ in its place: a call of the kit, with the same
# expressions in the same order and lines. Neither the text nor what it names is believed: it is compiled, scanned and proved like
# any other.
#
# This is for `tilelab check` alone. A lab's kernel launches no other one: nvcc would have to link it in another way.

_OPENING_TRIPLE = re.compile(r"<\s*<\s*<")
_CLOSING = frozenset(CLOSING.values())
_BEHIND_NO_NAME = frozenset({"return", "else", "do", "case", "operator"})
_JOINS = frozenset({"::", ".", "->"})
_MOST_ARGUMENTS = 200  # tokens of a template's arguments, and of a launch's configuration


@dataclass(frozen=True)
class LaunchStatement:
    """Positions in the list of tokens."""

    callee: int  # where the expression begins that names the kernel
    opening: int  # the first < of <<<
    closing: int  # the first > of >>>
    end: int  # the ) behind the arguments


def launches_in(tokens: Tokens) -> Iterator[LaunchStatement]:
    """`tokens`: without directives."""
    for index in range(len(tokens) - 4):
        if not _is_triple(tokens, index, "<"):
            continue
        callee, closing = _kernel_before(tokens, index), _closing_triple(tokens, index + 3)
        end = len(tokens) if closing is None else tokens.closing(closing + 3)
        if callee is not None and closing is not None and end < len(tokens):
            yield LaunchStatement(callee, index, closing, end)


def with_launch_calls(preprocessed: str, file_name: str, folder: str = "") -> tuple[str, list[str]]:
    """The text, and what is launched, as the text names it: with scope and template arguments. `folder`: as for `tokens_of`. What is not
    understood stays as it is, and the compiler refuses it.
    """
    if not _OPENING_TRIPLE.search(preprocessed):
        return preprocessed, []
    tokens = code_tokens(preprocessed, file_name, folder)
    changes: list[tuple[int, int, str]] = []  # from, to, new text
    kernels: list[str] = []
    for one in launches_in(tokens):
        callee, opening, behind = (tokens[at].start for at in (one.callee, one.opening, one.closing))
        kernels.append(preprocessed[callee:opening].strip())
        changes += [
            (callee, callee, "::cuda_on_cpu::__child_launch([=](auto... __arguments) { "),
            (opening, tokens[one.opening + 2].start + 1, "(__arguments...); }, "),
            (behind, tokens[one.closing + 2].start + 1, ")"),
            *(
                (token.start, token.start + len(token.text), "nullptr")
                for token in tokens[one.closing + 4 : one.end]
                if token.text == "__null"
            ),
        ]
    return with_changes(preprocessed, changes), list(dict.fromkeys(kernels))


def _is_triple(tokens: Tokens, at: int, sign: str) -> bool:
    """Three of these signs. Editors write `<< <` too, and nvcc takes it."""
    some = tokens[at : at + 3]
    return len(some) == 3 and all(one.text == sign for one in some)  # noqa: PLR2004


def _kernel_before(tokens: Tokens, at: int) -> int | None:
    """Where the expression begins that names the kernel: `name`, `scope::name`, `name<arguments>`, `(expression)`, `table[i]`,
    `object.name`.
    """
    at -= 1
    if at < 0:
        return None
    if tokens[at].text == ")":
        return tokens.opening(at)
    if tokens[at].text == ">":
        arguments = _template_before(tokens, at)
        if arguments is None or arguments == 0:
            return None
        at = arguments - 1
    while at > 0 and tokens[at].text == "]":
        opening = tokens.opening(at)
        if opening is None or opening == 0:
            return None
        at = opening - 1
    if tokens[at].kind != "word" or tokens[at].text in _BEHIND_NO_NAME:
        return None
    return _first_of_joined(tokens, at)


def _first_of_joined(tokens: Tokens, at: int) -> int:
    """Where `a::b`, `a.b` and `a->b` begin that end with the word at this place."""
    while at > 0 and tokens[at - 1].text in _JOINS:
        is_scope = tokens[at - 1].text == "::"
        at -= 1
        if at > 0 and tokens[at - 1].kind == "word" and tokens[at - 1].text not in _BEHIND_NO_NAME:
            at -= 1
        elif at > 0 and is_scope and tokens[at - 1].text == ">" and (scope := _template_before(tokens, at - 1)):
            at = scope - 1
        else:
            break
    return at


def _template_before(tokens: Tokens, at: int) -> int | None:
    """The `<` that the `>` at this place closes."""
    depth, brackets = 0, 0
    for index in range(at, max(at - _MOST_ARGUMENTS, -1), -1):
        text = tokens[index].text
        brackets += (text in _CLOSING) - (text in CLOSING)
        if text in {";", "{", "}"} or brackets < 0:
            return None
        depth += 0 if brackets else (text == ">") - (text == "<")
        if depth == 0:
            return index
    return None


def _closing_triple(tokens: Tokens, at: int) -> int | None:
    """The `>>>(` that ends a launch's configuration."""
    depth = 0
    for index in range(at, min(at + _MOST_ARGUMENTS, len(tokens) - 3)):
        text = tokens[index].text
        depth += (text in CLOSING) - (text in _CLOSING)
        if depth < 0 or text == ";":
            return None
        if depth == 0 and _is_triple(tokens, index, ">") and tokens[index + 3].text == "(":
            return index
    return None
