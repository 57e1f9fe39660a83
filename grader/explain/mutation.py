"""Makes small mistakes in a kernel's text. The mutation operators know the tokens of CUDA C++, and no lab. Pure.

A mutant is one mistake in one place. `kernel_proofs.py` finds out whether the tests notice it. Some mutants do not compile, and some
compute the same as the original.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from grader.explain.kernel_tokens import Edit, KernelTokens, changed_lines, with_edits

_BARRIERS = frozenset({"__syncthreads", "__syncwarp"})
_INDICES = frozenset({"threadIdx", "blockIdx"})
_OTHER_AXIS = {"x": "y", "y": "x"}


@dataclass(frozen=True)
class Mutant:
    operator: str  # "drop-barrier"
    line: int  # where the mistake begins in the source
    before: str  # the lines that changed, without comments
    after: str
    text: str  # the whole source with the mistake


def mutants_of(source: str) -> list[Mutant]:
    """Every mistake that the operators can make in `source`, each once, ordered by operator and place."""
    kernel = KernelTokens(source)
    made: dict[str, Mutant] = {}
    for name, operator in _OPERATORS.items():
        for edit in operator(kernel):
            mutant = _mutant(name, source, edit)
            if mutant.text != source:
                made.setdefault(mutant.text, mutant)
    return list(made.values())


def _mutant(operator: str, source: str, edit: Edit) -> Mutant:
    before, after = changed_lines(source, [edit])
    return Mutant(operator, source.count("\n", 0, edit.start) + 1, before, after, with_edits(source, [edit]))


def _drop_barrier(kernel: KernelTokens) -> Iterator[Edit]:
    for index, token in enumerate(kernel.tokens):
        if token.text in _BARRIERS and kernel.text(index + 1) == "(":
            yield kernel.replaced(index, kernel.closing(index + 1), "")


def _include_bound(kernel: KernelTokens) -> Iterator[Edit]:
    """`<` for `<=` and the other way round; `>=` for `>`."""
    for index in kernel.comparisons():
        if kernel.text(index + 1) == "=":
            yield kernel.replaced(index, index + 1, "<")
        else:
            yield kernel.replaced(index, index, "<=")
    for index in kernel.places(">", "="):
        yield kernel.replaced(index, index + 1, ">")


def _shorten_loop(kernel: KernelTokens) -> Iterator[Edit]:
    """The bound in the head of a `for`, minus one."""
    for index in kernel.places("for"):
        closing = kernel.closing(index + 1)
        for at in kernel.comparisons():
            if index < at < closing:
                last = kernel.operand_after(at, frozenset({";"}))
                yield Edit(kernel.end(last), kernel.end(last), " - 1")


def _swap_indices(kernel: KernelTokens) -> Iterator[Edit]:
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


def _drop_condition(kernel: KernelTokens) -> Iterator[Edit]:
    """One side of `&&` or `||` only."""
    stops = frozenset({"&&", "|", "?", ":", ";", ",", "=", "return"})
    for index, token in enumerate(kernel.tokens):
        width = 1 if token.text == "&&" else 2 if token.text == "|" and kernel.text(index + 1) == "|" else 0
        if not width:
            continue
        first, last = kernel.operand_before(index, stops), kernel.operand_after(index + width - 1, stops)
        yield kernel.replaced(first, last, kernel.between(first, index - 1))
        yield kernel.replaced(first, last, kernel.between(index + width, last))


def _drop_guard(kernel: KernelTokens) -> Iterator[Edit]:
    """`if (true)` for a condition. A condition of two parts is left out: `_drop_condition` drops each part."""
    for index in kernel.places("if"):
        closing = kernel.closing(index + 1)
        inside = {kernel.text(at) for at in range(index + 2, closing)}
        if not {"&&", "|"} & inside:
            yield kernel.replaced(index + 2, closing - 1, "true")
        if kernel.text(closing + 1) == "return":
            yield kernel.replaced(index + 2, closing - 1, "false")


def _drop_zero_fill(kernel: KernelTokens) -> Iterator[Edit]:
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


def _assign(kernel: KernelTokens) -> Iterator[Edit]:
    """`=` for `+=`, except in the heads of loops, where the loop would never end."""
    heads = [(index, kernel.closing(index + 1)) for index in kernel.places("for")]
    for index in kernel.places("+", "="):
        if not any(first < index < last for first, last in heads):
            yield kernel.replaced(index, index + 1, "=")


def _another_row_length(kernel: KernelTokens) -> Iterator[Edit]:
    """`* N` for `* K` in an index, where N and K are among the kernel's sizes."""
    sizes = kernel.kernel_sizes()
    for index in kernel.places("["):
        for at in range(index, kernel.closing(index)):
            if kernel.text(at) == "*" and kernel.text(at + 1) in sizes:
                other = sizes[(sizes.index(kernel.text(at + 1)) + 1) % len(sizes)]
                yield kernel.replaced(at + 1, at + 1, other)


def _round_down(kernel: KernelTokens) -> Iterator[Edit]:
    """`N / tile` for `(N + tile - 1) / tile`."""
    for index in kernel.places(")"):
        if kernel.text(index + 1) != "/" or kernel.text(index - 1) != "1" or kernel.text(index - 2) != "-":
            continue
        plus = next((at for at in range(index - 3, 0, -1) if kernel.text(at) in {"+", "("}), 0)
        if kernel.text(plus) == "+":
            yield Edit(kernel.end(plus - 1), kernel.end(index - 1), "")


def _exchange_axes(kernel: KernelTokens) -> Iterator[Edit]:
    for index, token in enumerate(kernel.tokens):
        if token.text in _INDICES and kernel.text(index + 2) in _OTHER_AXIS:
            yield kernel.replaced(index + 2, index + 2, _OTHER_AXIS[kernel.text(index + 2)])


_OPERATORS: dict[str, Callable[[KernelTokens], Iterator[Edit]]] = {
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
