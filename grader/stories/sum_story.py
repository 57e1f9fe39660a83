"""The story of a wrong element of a product of matrices: which of its products the sum lacks, has twice, or took from a wrong place. Pure.

It says nothing where the reads of the thread cannot be put together to products.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from grader.model.result import Mismatch, WrongElement
from grader.single_launch.trace_steps import CHANGES, Trace
from grader.single_launch.tracing import TracedLaunch
from grader.step_page.story import Index3, Mark, Question, Story, StoryElement
from grader.step_page.thread_run import run_of_threads
from grader.stories.told_story import asked, framed, line_of, thread_name
from grader.value_origins.product_factors import factors_of
from grader.value_origins.product_reads import Product, Products, products_of
from grader.value_origins.thread_sums import stored_elements, sum_in

_MOST_PRODUCTS = 48  # that are shown
_MOST_MARKS = 12
_MOST_STORES = 64
_DEEPEST = 1024  # products of a sum that is followed
_SCHEDULE = "What the thread multiplies and adds, and where the values came from that stand in a wrong place."


@dataclass(frozen=True)
class _Sum:
    """What a thread stored in an element, and what the element needs."""

    names: tuple[str, str, str]  # of both inputs and the output
    row: int
    column: int
    depth: int  # how many products belong to it
    thread: int
    store: int  # the last one, by its place in the trace
    stored: float
    products: tuple[Product, ...]  # that the thread has read
    kept: tuple[Product, ...] | None  # of which the stored value is the sum; None: of none of its beginnings and ends
    elements: tuple[tuple[int, int], ...]  # that the thread stores: with several, each has a sum of its own

    @property
    def name(self) -> str:
        return f"{self.names[2]}[{self.row}][{self.column}]"

    @property
    def counted(self) -> tuple[Product, ...]:
        return self.products if self.kept is None else self.kept

    def belongs(self, product: Product, k: int) -> bool:
        return product.indices == ((self.row, k), (k, self.column))

    @property
    def times(self) -> list[int]:
        """For each k, how often its product is in the sum."""
        found = Counter(one.indices for one in self.counted)
        return [found[(self.row, k), (k, self.column)] for k in range(self.depth)]

    @property
    def strangers(self) -> list[Product]:
        """Products of inputs that do not belong to this element."""
        own = {((self.row, k), (k, self.column)) for k in range(self.depth)}
        return [one for one in self.counted if None not in one.indices and one.indices not in own]

    @property
    def whole_of(self) -> tuple[int, int] | None:
        """The other element whose sum this is, whole."""
        rows = {one.first.index[0] for one in self.counted if one.first.index}
        columns = {one.second.index[-1] for one in self.counted if one.second.index}
        if len(rows) != 1 or len(columns) != 1:
            return None
        (row,), (column,) = rows, columns
        wanted = Counter(((row, k), (k, column)) for k in range(self.depth))
        whole = Counter(one.indices for one in self.counted) == wanted
        return (row, column) if whole and (row, column) != (self.row, self.column) else None


def sum_story(traced: TracedLaunch, source: Sequence[str]) -> Story | None:
    trace, launch, factors = traced.report.trace, traced.report.launch, factors_of(traced.report)
    if trace is None or launch.block is None or launch.mismatch is None or len(factors) != 2:  # noqa: PLR2004 -- a product
        return None
    found = _sum_of(trace, launch.mismatch, (factors[0], factors[1]), products_of(trace, factors))
    if found is None:
        return None
    said = _statement(found)
    if said is None:
        return None
    chosen = _chosen(trace, found)
    run = run_of_threads(trace, chosen, traced.file, title="As it ran", schedule=_SCHEDULE)
    marks = tuple(_marks(trace, found, chosen, launch.block, said))
    wrong = max(1, min((mark.step for mark in marks if mark.tone == "bad"), default=len(chosen) - 1))
    file = traced.file
    line = line_of(trace, trace.steps[found.store], file)
    name = thread_name(found.thread, launch.block)
    return framed(
        traced,
        source,
        replace(run, marks=marks),
        title=f"the sum in {found.name}",
        summary=f"Thread {name} stores {_number(found.stored)} in {found.name} in line {line}. {said} {_definition(found)}{_tile(found)}",
        questions=list(_questions(found, wrong, chosen.index(found.store), said, name)),
        start=max(0, wrong - 2),
    )


def _sum_of(trace: Trace, mismatch: Mismatch, factors: tuple[str, str], products: Products) -> _Sum | None:
    """Of the first wrong element that one thread of this block has stored."""
    by_name = {array.name: array for array in trace.arrays if array.space == "global"}
    first, output = by_name.get(factors[0]), by_name.get(mismatch.output)
    if first is None or output is None or len(first.dimensions) != 2:  # noqa: PLR2004 -- rows and columns
        return None
    if first.dimensions[1] > _DEEPEST:  # also what a submission's process only claims
        return None
    for wrong in mismatch.first:
        stores = [
            at for at, step in enumerate(trace.steps) if step[0] in CHANGES and _is(trace, at, mismatch.output, wrong)
        ]
        writers = {trace.steps[at][1] for at in stores}
        if len(writers) != 1:
            continue
        (thread,) = writers
        groups = [one for one in products.of_thread.get(thread, ()) if one.at < stores[-1]]
        if products.unpaired.get(thread) or not groups:
            continue
        step = trace.steps[stores[-1]]
        stored = output.value(step[6], step[5])
        elements = stored_elements(trace, thread, mismatch.output)
        told = sum_in(groups, (wrong.row, wrong.column), elements, stored, first.dimensions[1])
        if told is None:
            continue
        names = (*factors, mismatch.output)
        return _Sum(
            names,
            wrong.row,
            wrong.column,
            first.dimensions[1],
            thread,
            stores[-1],
            stored,
            told.products,
            told.kept,
            tuple(elements),
        )
    return None


def _is(trace: Trace, at: int, output: str, wrong: WrongElement) -> bool:
    step = trace.steps[at]
    array = trace.arrays[step[3]]
    return array.name == output and array.index(step[4], step[5]) == (wrong.row, wrong.column)


def _statement(found: _Sum) -> str | None:
    """What is wrong with the sum, in a sentence; None: nothing that the reads show."""
    missing = [k for k, times in enumerate(found.times) if times == 0]
    twice = [k for k, times in enumerate(found.times) if times > 1]
    if (of := found.whole_of) is not None:
        across = ", on the other side of the diagonal" if of == (found.column, found.row) else ""
        return f"This is the whole sum for {found.names[2]}[{of[0]}][{of[1]}]{across}: {_instead(found, of)}"
    if found.strangers:
        return _wrong_place(found, found.strangers[0], missing)
    if twice:
        return f"It has the product{_s(twice)} of k = {_ranges(twice)} more than once."
    if missing:
        unread = len(found.counted) == len(found.products)
        return f"It lacks the product{_s(missing)} of k = {_ranges(missing)}" + (
            ": the thread never reads them."
            if unread
            else ": the thread reads them, but they are not in what it stores."
        )
    if found.kept is None:
        total = _number(math.fsum(one.value for one in found.products))
        return f"The thread reads all {found.depth} products, but what it stores is not their sum, {total}."
    return None


def _instead(found: _Sum, of: tuple[int, int]) -> str:
    """A thread with several sums may have the sum of a neighbour twice."""
    first, second, _ = found.names
    if of in found.elements and of[0] == found.row:
        return f"its elements of {second} come from column {of[1]}, and column {found.column} belongs here."
    if of in found.elements and of[1] == found.column:
        return f"its elements of {first} come from row {of[0]}, and row {found.row} belongs here."
    return "it is stored in the wrong place."


def _wrong_place(found: _Sum, stranger: Product, missing: Sequence[int]) -> str:
    (first, second, _), (one, other) = found.names, stranger.indices
    for k in missing:
        right = f"{first}[{found.row}][{k}] * {second}[{k}][{found.column}]"
        has = f"{_element(first, one)} * {_element(second, other)}"
        if one == (found.row, k):
            return f"Its elements of {second} come from a wrong place: it has {has}, where {right} belongs."
        if other == (k, found.column):
            return f"Its elements of {first} come from a wrong place: it has {has}, where {right} belongs."
    return f"It has {_element(first, one)} * {_element(second, other)}, which does not belong to {found.name}."


def _chosen(trace: Trace, found: _Sum) -> list[int]:
    """The reads of products, around the first wrong one where there are many; the loads of what stands in a wrong place; the store."""
    strange = found.strangers[:_MOST_MARKS]
    at = found.products.index(strange[0]) if strange else 0
    first = max(0, min(at - _MOST_PRODUCTS // 4, len(found.products) - _MOST_PRODUCTS))
    shown = found.products[first : first + _MOST_PRODUCTS]
    chosen = {place for one in shown for place in (one.first.at, one.second.at)} | {found.store}
    wrong = [operand for one in strange[:4] for operand in (one.first, one.second)]
    loads = [at for operand in wrong for at in (operand.loaded_at, operand.stored_at)]
    return sorted(chosen | {one for one in loads if one is not None} | set(_other_stores(trace, found)))


def _other_stores(trace: Trace, found: _Sum) -> Iterator[int]:
    """Of the thread's other elements: they show where its part of the result lies."""
    if len(found.elements) > 1:
        number = trace.steps[found.store][3]
        own = [
            at
            for at, one in enumerate(trace.steps)
            if one[0] in CHANGES and one[1] == found.thread and one[3] == number
        ]
        yield from own[-_MOST_STORES:]


def _tile(found: _Sum) -> str:
    """The thread's part of the result, where it is more than one element."""
    if len(found.elements) < 2:  # noqa: PLR2004 -- several sums
        return ""
    rows, columns = sorted({row for row, _ in found.elements}), sorted({column for _, column in found.elements})
    return (
        f" The thread has {len(found.elements)} sums, one for each element that it stores: rows {_ranges(rows)} and columns"
        f" {_ranges(columns)} of {found.names[2]}. It reads an element once and multiplies it for several of them."
    )


def _marks(trace: Trace, found: _Sum, chosen: Sequence[int], block: Index3, said: str) -> Iterator[Mark]:
    first, second, _ = found.names
    strange = found.strangers[:_MOST_MARKS] if found.whole_of is None else []
    for one in strange:
        if one.at in chosen:
            product = f"{_element(first, one.first.index)} * {_element(second, one.second.index)}"
            text = f"It adds {product}, which does not belong to {found.name}."
            yield Mark(chosen.index(one.at), text, "bad", (found.thread,))
    for operand in (operand for one in strange[:4] for operand in (one.first, one.second)):
        if operand.stored_at in chosen:
            by = thread_name(trace.steps[operand.stored_at or 0][1], block)
            yield Mark(
                chosen.index(operand.stored_at or 0),
                f"Thread {by} stores {_element(operand.factor, operand.index)} here.",
                "note",
            )
    store = trace.steps[found.store]
    yield Mark(chosen.index(found.store), said, "bad", (found.thread,), (StoryElement(store[3], store[4]),))


def _definition(found: _Sum) -> str:
    first, second, _ = found.names
    return (
        f"It should be the sum of {first}[{found.row}][k] * {second}[k][{found.column}] for k = 0 to {found.depth - 1}."
    )


def _questions(found: _Sum, wrong: int, end: int, said: str, name: str) -> Iterator[Question]:
    in_it = sum(times > 0 for times in found.times)
    numbers = sorted({found.depth, in_it, 0, found.depth // 2, max(0, found.depth - 1)})
    how_many = asked(
        min(wrong, end - 1),
        f"{found.depth} products belong to {found.name}. How many of them are in what thread {name} stores?",
        str(in_it),
        map(str, numbers),
        said if in_it < found.depth else "They are all there.",
    )
    if how_many is not None and end > 0 and in_it < found.depth:
        order = sorted(how_many.choices, key=int)
        yield replace(how_many, choices=tuple(order), answer=order.index(str(in_it)))
    choices = _choices(found)
    right = choices[_category(found)]
    what = asked(
        end, f"What is wrong with the sum in {found.name}?", right, choices.values(), f"{said} {_definition(found)}"
    )
    if what is not None:
        yield what


def _category(found: _Sum) -> str:
    missing = [k for k, times in enumerate(found.times) if times == 0]
    if found.whole_of is not None:
        return "other"
    if found.strangers:
        one, other = found.strangers[0].indices
        if any(one == (found.row, k) for k in missing):
            return "second"
        return "first" if any(other == (k, found.column) for k in missing) else "both"
    if any(times > 1 for times in found.times):
        return "twice"
    return "lacks" if missing else "stored"


def _choices(found: _Sum) -> dict[str, str]:
    first, second, output = found.names
    named = {
        "lacks": "some of its products are not in it",
        "twice": "some of its products are in it more than once",
        "first": f"elements of {first} come from a wrong place",
        "second": f"elements of {second} come from a wrong place",
        "stored": "all its products are read, but something else is stored",
    }
    of = found.whole_of or (found.column, found.row)
    if of != (found.row, found.column):
        named["other"] = f"it is the whole sum for {output}[{of[0]}][{of[1]}]"
    if _category(found) == "both":
        named["both"] = f"elements of both {first} and {second} come from wrong places"
    return named


def _element(name: str, index: tuple[int, ...] | None) -> str:
    return name + "".join(f"[{one}]" for one in index or ())


def _number(value: float) -> str:
    return f"{value:.6g}"


def _s(numbers: Sequence[int]) -> str:
    return "s" if len(numbers) > 1 else ""


def _ranges(numbers: Sequence[int]) -> str:
    """`0 to 7, 9`."""
    found: list[list[int]] = []
    for one in numbers:
        if found and found[-1][1] == one - 1:
            found[-1][1] = one
        else:
            found.append([one, one])
    said = [f"{a} to {b}" if b > a else str(a) for a, b in found]
    return ", ".join(said[:4]) + (", …" if len(said) > 4 else "")  # noqa: PLR2004 -- as many as a line holds
