"""Makes small mistakes in a kernel's text. The mutation operators know the tokens of CUDA C++, and no lab. Pure.

A mutant is one mistake in one place. `mutant_proofs.py` finds out whether the tests notice it. Some mutants do not compile, and some
compute the same as the original.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from grader.engines.checks.token_stream import tokens_of

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_BARRIERS = frozenset({"__syncthreads", "__syncwarp"})
_INDICES = frozenset({"threadIdx", "blockIdx"})
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_OTHER_AXIS = {"x": "y", "y": "x"}


@dataclass(frozen=True)
class Mutant:
    operator: str  # "drop-barrier"
    line: int  # where the mistake begins in the source
    before: str  # the lines that changed, without comments
    after: str
    text: str  # the whole source with the mistake


@dataclass(frozen=True)
class _Edit:
    start: int
    end: int
    text: str


def mutants_of(source: str) -> list[Mutant]:
    """Every mistake that the operators can make in `source`, each once, ordered by operator and place."""
    kernel = _Kernel(source)
    made: dict[str, Mutant] = {}
    for name, operator in _OPERATORS.items():
        for edit in operator(kernel):
            mutant = _mutant(name, source, edit)
            if mutant.text != source:
                made.setdefault(mutant.text, mutant)
    return list(made.values())


def _mutant(operator: str, source: str, edit: _Edit) -> Mutant:
    text = source[: edit.start] + edit.text + source[edit.end :]
    first, last = source.rfind("\n", 0, edit.start) + 1, source.find("\n", edit.end)
    last = len(source) if last < 0 else last
    after = source[first : edit.start] + edit.text + source[edit.end : last]
    return Mutant(operator, source.count("\n", 0, edit.start) + 1, _bare(source[first:last]), _bare(after), text)


def _bare(lines: str) -> str:
    return _COMMENT.sub("", lines).strip()


class _Kernel:
    """A source's tokens, without comments and directives."""

    def __init__(self, source: str) -> None:
        self.source = source
        bare = _COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), source)
        self.tokens = [token for token in tokens_of(bare, "") if token.kind != "directive"]

    def text(self, index: int) -> str:
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def places(self, *texts: str) -> Iterator[int]:
        """Where these tokens follow each other, with no white space between them."""
        for index, token in enumerate(self.tokens):
            row = self.tokens[index : index + len(texts)]
            if [one.text for one in row] == list(texts) and row[-1].start == token.start + sum(map(len, texts[:-1])):
                yield index

    def end(self, index: int) -> int:
        """Where the token ends in the source."""
        return self.tokens[index].start + len(self.tokens[index].text)

    def between(self, first: int, last: int) -> str:
        """The source from the token `first` to the token `last`, including both."""
        return self.source[self.tokens[first].start : self.end(last)]

    def closing(self, index: int) -> int:
        """The bracket that closes the one at `index`, or the last token where none does."""
        depth = 0
        for at in range(index, len(self.tokens)):
            depth += (self.text(at) in _PAIRS) - (self.text(at) in _PAIRS.values())
            if depth == 0:
                return at
        return len(self.tokens) - 1

    def operand_before(self, index: int, stops: frozenset[str]) -> int:
        """The first token of the operand before `index`. The operand ends at one of `stops` or at an open bracket."""
        depth = 0
        for at in range(index - 1, -1, -1):
            depth += (self.text(at) in _PAIRS.values()) - (self.text(at) in _PAIRS)
            if depth < 0 or (depth == 0 and self._stops(at, stops)):
                return at + 1
        return 0

    def operand_after(self, index: int, stops: frozenset[str]) -> int:
        """The last token of the operand after `index`. The operand ends at one of `stops` or at a closing bracket."""
        depth = 0
        for at in range(index + 1, len(self.tokens)):
            depth += (self.text(at) in _PAIRS) - (self.text(at) in _PAIRS.values())
            if depth < 0 or (depth == 0 and self._stops(at, stops)):
                return at - 1
        return len(self.tokens) - 1

    def _stops(self, index: int, stops: frozenset[str]) -> bool:
        """Whether the token is one of `stops`. A `=` that belongs to `<=` or `==` is not."""
        compares = self.text(index) == "=" and ({self.text(index - 1), self.text(index + 1)} & {"<", ">", "!", "="})
        return self.text(index) in stops and not compares

    def replaced(self, first: int, last: int, text: str) -> _Edit:
        return _Edit(self.tokens[first].start, self.end(last), text)

    def comparisons(self) -> Iterator[int]:
        """Each `<` and `<=` that compares. A `<` that opens template arguments follows the name of a type or a cast, and is left out."""
        for index in self.places("<"):
            before, after = self.text(index - 1), self.text(index + 1)
            if "<" in {before, after} or before == "template" or before.endswith("_cast"):
                continue
            yield index

    def kernel_sizes(self) -> list[str]:
        """The names of the __global__ function's `int` parameters."""
        for index, token in enumerate(self.tokens):
            if token.text == "__global__":
                opened = next((at for at in range(index, len(self.tokens)) if self.text(at) == "("), index)
                inside = range(opened, self.closing(opened))
                return [
                    self.text(at + 1) for at in inside if self.text(at) == "int" and self.text(at + 2) in {",", ")"}
                ]
        return []


def _drop_barrier(kernel: _Kernel) -> Iterator[_Edit]:
    for index, token in enumerate(kernel.tokens):
        if token.text in _BARRIERS and kernel.text(index + 1) == "(":
            yield kernel.replaced(index, kernel.closing(index + 1), "")


def _include_bound(kernel: _Kernel) -> Iterator[_Edit]:
    """`<` for `<=` and the other way round; `>=` for `>`."""
    for index in kernel.comparisons():
        if kernel.text(index + 1) == "=":
            yield kernel.replaced(index, index + 1, "<")
        else:
            yield kernel.replaced(index, index, "<=")
    for index in kernel.places(">", "="):
        yield kernel.replaced(index, index + 1, ">")


def _shorten_loop(kernel: _Kernel) -> Iterator[_Edit]:
    """The bound in the head of a `for`, minus one."""
    for index in kernel.places("for"):
        closing = kernel.closing(index + 1)
        for at in kernel.comparisons():
            if index < at < closing:
                last = kernel.operand_after(at, frozenset({";"}))
                yield _Edit(kernel.end(last), kernel.end(last), " - 1")


def _swap_indices(kernel: _Kernel) -> Iterator[_Edit]:
    """`x[b][a]` for `x[a][b]`, where an array is used and not declared."""
    for first in kernel.places("["):
        middle = kernel.closing(first)
        if kernel.text(middle + 1) != "[" or (
            kernel.tokens[first - 2].kind == "word" and kernel.text(first - 2) != "return"
        ):
            continue
        last = kernel.closing(middle + 1)
        one, other = kernel.between(first, middle), kernel.between(middle + 1, last)
        yield kernel.replaced(first, last, other + one)


def _drop_condition(kernel: _Kernel) -> Iterator[_Edit]:
    """One side of `&&` or `||` only."""
    stops = frozenset({"&&", "|", "?", ":", ";", ",", "=", "return"})
    for index, token in enumerate(kernel.tokens):
        width = 1 if token.text == "&&" else 2 if token.text == "|" and kernel.text(index + 1) == "|" else 0
        if not width:
            continue
        first, last = kernel.operand_before(index, stops), kernel.operand_after(index + width - 1, stops)
        yield kernel.replaced(first, last, kernel.between(first, index - 1))
        yield kernel.replaced(first, last, kernel.between(index + width, last))


def _drop_guard(kernel: _Kernel) -> Iterator[_Edit]:
    """`if (true)` for a condition. A condition of two parts is left out: `_drop_condition` drops each part."""
    for index in kernel.places("if"):
        closing = kernel.closing(index + 1)
        inside = {kernel.text(at) for at in range(index + 2, closing)}
        if not {"&&", "|"} & inside:
            yield kernel.replaced(index + 2, closing - 1, "true")
        if kernel.text(closing + 1) == "return":
            yield kernel.replaced(index + 2, closing - 1, "false")


def _drop_zero_fill(kernel: _Kernel) -> Iterator[_Edit]:
    """`if (inside) x = load;` for `x = inside ? load : 0;`."""
    stops = frozenset({";", "{", "}"})
    for index in kernel.places("?"):
        first, last = kernel.operand_before(index, stops), kernel.operand_after(index, stops)
        if kernel.text(last - 1) != ":" or not re.fullmatch(r"0(\.0*)?f?", kernel.text(last)):
            continue
        assigned = next((at for at in range(first, index) if kernel.text(at) == "="), None)
        if assigned is None:
            continue
        target, condition = kernel.between(first, assigned - 1), kernel.between(assigned + 1, index - 1)
        yield kernel.replaced(first, last, f"if ({condition}) {target} = {kernel.between(index + 1, last - 2)}")


def _assign(kernel: _Kernel) -> Iterator[_Edit]:
    """`=` for `+=`, except in the heads of loops, where the loop would never end."""
    heads = [(index, kernel.closing(index + 1)) for index in kernel.places("for")]
    for index in kernel.places("+", "="):
        if not any(first < index < last for first, last in heads):
            yield kernel.replaced(index, index + 1, "=")


def _another_row_length(kernel: _Kernel) -> Iterator[_Edit]:
    """`* N` for `* K` in an index, where N and K are among the kernel's sizes."""
    sizes = kernel.kernel_sizes()
    for index in kernel.places("["):
        for at in range(index, kernel.closing(index)):
            if kernel.text(at) == "*" and kernel.text(at + 1) in sizes:
                other = sizes[(sizes.index(kernel.text(at + 1)) + 1) % len(sizes)]
                yield kernel.replaced(at + 1, at + 1, other)


def _round_down(kernel: _Kernel) -> Iterator[_Edit]:
    """`N / tile` for `(N + tile - 1) / tile`."""
    for index in kernel.places(")"):
        if kernel.text(index + 1) != "/" or kernel.text(index - 1) != "1" or kernel.text(index - 2) != "-":
            continue
        plus = next((at for at in range(index - 3, 0, -1) if kernel.text(at) in {"+", "("}), 0)
        if kernel.text(plus) == "+":
            yield _Edit(kernel.end(plus - 1), kernel.end(index - 1), "")


def _exchange_axes(kernel: _Kernel) -> Iterator[_Edit]:
    for index, token in enumerate(kernel.tokens):
        if token.text in _INDICES and kernel.text(index + 2) in _OTHER_AXIS:
            yield kernel.replaced(index + 2, index + 2, _OTHER_AXIS[kernel.text(index + 2)])


_OPERATORS: dict[str, Callable[[_Kernel], Iterator[_Edit]]] = {
    "drop-barrier": _drop_barrier,
    "include-bound": _include_bound,
    "shorten-loop": _shorten_loop,
    "swap-indices": _swap_indices,
    "drop-condition": _drop_condition,
    "drop-guard": _drop_guard,
    "drop-zero-fill": _drop_zero_fill,
    "assign": _assign,
    "another-row-length": _another_row_length,
    "round-down": _round_down,
    "exchange-axes": _exchange_axes,
}
