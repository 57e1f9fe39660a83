"""Changes of a submission's preprocessed text, each by itself: pieces of ours in it, `alignas` at its place, lambdas without marks, returns
of a kernel with a call.

Not here: which changes there are in all, and their order (`text_steps.py`).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from grader.engines.device_functions import LEAVES
from grader.engines.token_scan import Tokens, code_tokens
from grader.source.lexer import CLOSING, with_changes

# Puts text of ours into the preprocessed text. A line marker behind each piece brings back the line and the column of what follows.

_MARKER = re.compile(r'^#\s+(\d+)\s+("(?:[^"\\\n]|\\.)*")([ \d]*)$', re.MULTILINE)
_MOST_COLUMNS = 1_000  # of a line with many pieces: nobody is shown a place in a longer one


@dataclass(frozen=True, order=True)
class Replacement:
    at: int  # where it comes to stand
    end: int  # what stands there until here is left out
    text: str


def with_pieces(text: str, pieces: Iterable[Replacement]) -> str:
    markers = LineMarkers(text)
    return with_changes(text, ((one.at, one.end, f"{one.text}\n{markers.back_to(one.end)}") for one in pieces))


class LineMarkers:
    def __init__(self, text: str) -> None:
        found = list(_MARKER.finditer(text))
        self._text, self._ends = text, [end.start() for end in re.finditer("\n", text)]
        self._begins = [0, *(one.end() + 1 for one in found)]
        self._said = [(1, '""', ""), *((int(one[1]), one[2], one[3]) for one in found)]

    def back_to(self, at: int) -> str:
        """A line marker and blanks, behind which the compiler believes to be where `at` is."""
        index = bisect_right(self._begins, at) - 1
        (line, name, flags), begin = self._said[index], self._begins[index]
        ends = bisect_left(self._ends, at)
        line += ends - bisect_left(self._ends, begin)
        start = max(begin, self._ends[ends - 1] + 1 if ends else 0)
        column = len(self._text[start : min(at, start + _MOST_COLUMNS)].encode())
        kept = "".join(f" {one}" for one in flags.split() if one in "34")
        return f"# {line} {name}{kept}\n{' ' * min(column, _MOST_COLUMNS)}"


# Puts `alignas(…)` before the other words of a declaration, where C++ wants it: nvcc also takes `__shared__ alignas(16) float tile[64];`.
#
# Works on the preprocessed text, where CUDA's qualifiers are words of the host's compiler. Its length and its lines stay. Repetitions are
# bounded: the text may be hostile.

_NESTED = r"\((?:[^()]|\([^()]{0,200}\)){0,200}\)"
_QUALIFIERS = rf"(?:(?:static|extern|const|volatile|thread_local|__attribute__ ?\({_NESTED}\))\s+){{0,4}}"
_LATE = re.compile(
    rf"(?<![\w:])(?P<before>{_QUALIFIERS}(?:thread_local|__attribute__ ?\(\(retain[^()]*(?:{_NESTED})?\)\))"
    rf"(?:\s+(?:static|extern|const|volatile)){{0,4}})(?P<gap>\s+)(?P<alignment>alignas\s*{_NESTED})"
)


def with_alignment_first(preprocessed: str) -> str:
    if "alignas" not in preprocessed:
        return preprocessed
    return _LATE.sub(r"\g<alignment>\g<gap>\g<before>", preprocessed)


# Takes the marks of `__device__` and `__host__` from lambdas: Clang does not parse attributes there, and a lambda is on both sides.

_MARK = r"__attribute__\(\((?:retain|aligned\(64\))\)\)"  # as in kit/executor/device/cuda_on_cpu.hpp
_MARKED = re.compile(rf"(\]\s*)((?:{_MARK}\s*)+)(?=\()")


def unmarked_lambdas(preprocessed: str) -> str:
    """The same text with the same lines."""
    return _MARKED.sub(lambda found: found[1] + "\n" * found[2].count("\n"), preprocessed)


# Finds the return statements of a kernel in the preprocessed text, and puts a call before each: so the executor knows which thread
# left the kernel by which return. A compiler makes the same code of `if (x) return;` and of an `if` around all that follows.
#
# Lines and columns of the rest stay as they are. Not here: returns of other functions, of lambdas and of classes inside the kernel.

_BARRIER = re.compile(r"\w*(?:sync|barrier|wait)\w*")
_MOST_RETURNS = 2_000  # of one file: nobody needs to know the others
_MOST_IN_HEAD = 200  # tokens between a name and its body
_BEFORE_LAMBDA = frozenset({"return", "case", "else", "do", "co_return", "co_yield", "throw", "and", "or", "not"})
_CLASSES = frozenset({"struct", "class", "union", "enum"})


def with_marked_returns(preprocessed: str, kernels: Collection[str], file_name: str, folder: str = "") -> str:
    """`kernels`: their names in C++, with or without scope, template arguments and parameters. The text itself, if there is nothing to
    mark: no barrier, or no return.
    """
    tokens = code_tokens(preprocessed, file_name, folder)
    if not any(token.kind == "word" and _BARRIER.fullmatch(token.text) for token in tokens):
        return preprocessed
    names = sorted({plain_name(kernel) for kernel in kernels})
    bodies = [body for name in names for body in _bodies(tokens, name)]
    marked = {index for body in bodies for index in islice(_returns(tokens, *body), _MOST_RETURNS)}
    pieces = list[Replacement]()
    for at in sorted(marked)[:_MOST_RETURNS]:
        end = tokens[at].start + len(tokens[at].text)
        pieces.append(Replacement(end, end, f" ::{LEAVES}()" + ("" if tokens.text(at + 1) == ";" else ",")))
    return with_pieces(preprocessed, pieces)


def plain_name(kernel: str) -> str:
    """`scale` of `ns::scale<float>(float*)`."""
    name = kernel.partition("(")[0].partition("<")[0]
    return name.rpartition("::")[2].strip()


def _bodies(tokens: Tokens, name: str) -> Iterator[tuple[int, int]]:
    """Where the bodies of functions with this name begin and end."""
    for index, token in enumerate(tokens):
        if token.text != name or token.kind != "word":
            continue
        at = index + 1
        if tokens.text(at) == "<":
            at = next((i for i in range(at, min(at + _MOST_IN_HEAD, len(tokens))) if tokens[i].text in "({;"), at)
        if tokens.text(at) != "(":
            continue
        at = tokens.closing(at) + 1
        while tokens.text(at) in {"noexcept", "__attribute__", "requires", "[", "("}:
            at = tokens.closing(at) + 1 if tokens.text(at) in CLOSING else at + 1
        if tokens.text(at) == "{":
            yield at, tokens.closing(at)


def _returns(tokens: Tokens, begin: int, end: int) -> Iterator[int]:
    at = begin + 1
    while at < end:
        text = tokens[at].text
        if text in _CLASSES:  # behind the word where it only names a type
            at = _behind_body(tokens, at + 1, end, {";", "(", ")", "=", ",", "*", "&"})
        elif text == "[" and _begins_lambda(tokens, at):
            at = _behind_lambda(tokens, at, end)
        else:
            if text == "return" and tokens.text(at + 1) != "{":
                yield at
            at += 1


def _behind_body(tokens: Tokens, first: int, end: int, stops: Collection[str]) -> int:
    """Behind the next body, or `first` where a stop comes before it."""
    for index in range(first, min(end, first + _MOST_IN_HEAD)):
        if tokens[index].text == "{":
            return tokens.closing(index) + 1
        if tokens[index].text in stops:
            break
    return first


def _begins_lambda(tokens: Tokens, at: int) -> bool:
    before = tokens[at - 1]
    if tokens.text(at + 1) == "[":
        return False
    return before.text in _BEFORE_LAMBDA or (before.kind == "sign" and before.text not in {")", "]"})


def _behind_lambda(tokens: Tokens, at: int, end: int) -> int:
    index = tokens.closing(at) + 1
    if tokens.text(index) == "<":
        index = next((i for i in range(index, min(end, index + _MOST_IN_HEAD)) if tokens[i].text in "({;"), index)
    if tokens.text(index) == "(":
        index = tokens.closing(index) + 1
    return _behind_body(tokens, index, end, {";", ",", ")"})
