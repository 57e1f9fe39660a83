"""The small changes that have to do with loops: what moves on with them, their steps, and what they reset. Pure. See small_edits.py."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.suspects.kernel_names import KernelNames
from grader.suspects.kernel_tokens import Edit

Edits = Iterator[Sequence[Edit]]


def follow_the_loop(names: KernelNames) -> Edits:
    """A subscript moves on with the loop around it: by its variable, or by a tile for each of its passes; and for each thread."""
    for first, last in names.subscripts():
        if names.text(first - 1) not in names.inputs:
            continue
        for variable in names.loop_variables(first):
            here = [at for at in range(first, last) if names.text(at) == variable]
            steps = [variable, *(f"{variable} * {side}" for side in names.tile_sides)]
            for at in here:
                yield from ([names.replaced(at, at, step)] for step in steps[1:] if names.text(at + 1) != "*")
            for at in range(first, last) if not here else ():
                if names.text(at) in names.thread_indices:
                    yield from ([names.replaced(at, at, f"({names.text(at)} + {step})")] for step in steps)
            yield from _follow_the_thread(names, first, last, here)


def _follow_the_thread(names: KernelNames, first: int, last: int, here: Sequence[int]) -> Edits:
    """`(start + tx)` for `start`, where no such index is beside it."""
    for at in here:
        beside = {names.text(one) for one in range(max(at - 4, first), min(at + 5, last))}
        for index in names.thread_indices:
            if index not in beside:
                yield [names.replaced(at, at, f"({names.text(at)} + {index})")]


def step_by_one(names: KernelNames) -> Edits:
    """The step of a loop without a factor."""
    for index, token in enumerate(names.tokens):
        if token.text == "*" and names.in_head(index):
            if names.tokens[index - 1].kind == "number":
                yield [names.replaced(index - 1, index, "")]
            if names.tokens[index + 1].kind == "number":
                yield [Edit(names.end(index - 1), names.end(index + 1), "")]


def follow_in_declarations(names: KernelNames) -> Edits:
    """The same for a variable in the loop that is declared to be one of the two."""
    steps = [(variable, first, last) for variable, first, last in names.loops if variable]
    for name, at in names.declared.items():
        for variable, first, last in steps:
            if not first <= at <= last or len(names.value(name)) != 1 or name == variable:
                continue
            value = names.text(at + 2)
            if value in names.thread_indices:
                yield [names.replaced(at + 2, at + 2, f"{variable} + {value}")]
            if value == variable:
                yield from ([names.replaced(at + 2, at + 2, f"{value} + {one}")] for one in names.thread_indices)


def drop_reset(names: KernelNames) -> Edits:
    """Without an assignment of a literal in a loop."""
    for index in names.assignments():
        first, always = names.statement(index), names.text(names.statement(index)) not in {"if", "else"}
        if (
            always
            and names.in_loop(index)
            and names.tokens[index + 1].kind == "number"
            and names.text(index + 2) == ";"
        ):
            yield [names.replaced(first, index + 1, "")]
