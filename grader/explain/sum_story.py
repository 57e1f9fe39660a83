"""The story of a wrong element of a product of matrices: which of its products the sum lacks, has twice, or took from a wrong place. Pure.

It says nothing where the reads of the thread cannot be put together to products.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from grader.explain.expected_access import thread_index
from grader.explain.guard_reason import GuardReason, Place, load_reason
from grader.explain.product_sum import Product, ProductSum, factors_of, product_sum, products_of, writer_before
from grader.explain.story import (
    Index3,
    Mark,
    Question,
    Story,
    StoryElement,
    asked,
    element_name,
    framed,
    line_of,
    thread_name,
)
from grader.explain.trace_story import run_of_threads
from grader.run.launches.trace_phases import CHANGES, StepKind, Trace
from grader.run.launches.tracing import TracedLaunch

# Of a product that a sum lacks: what the thread multiplied in its place, which is in shared memory and was never loaded. Pure.

_MOST = 64  # that are looked at


@dataclass(frozen=True)
class UnloadedFactor:
    k: int
    name: str  # "As[0][1]"
    wanted: str  # "A[0][1]"
    value: str  # "0"
    read: int  # by their places in the trace
    write: int
    thread: str  # that wrote it
    line: int
    brought: str  # what that thread had read of the wanted element: "3.25"; empty: it had not read it
    reason: GuardReason | None

    @property
    def words(self) -> str:
        there = f"For k = {self.k} it multiplies {self.name}, and {self.wanted} is not there"
        if self.brought:
            return (
                f"{there}: thread {self.thread} has read {self.brought} and put {self.value} there in line {self.line}."
            )
        said = f"{there}: thread {self.thread} has put {self.value} there in line {self.line}."
        return f"{said} {self.reason.words}" if self.reason is not None else said


def unloaded_factor(traced: TracedLaunch, source: Sequence[str], found: ProductSum) -> UnloadedFactor | None:
    trace, launch = traced.report.trace, traced.report.launch
    if trace is None or launch.block is None:
        return None
    for operand in found.unloaded[:_MOST]:
        step = trace.steps[operand.at]
        write = writer_before(trace, operand.at)
        if trace.arrays[step[3]].space != "shared" or write is None or trace.steps[write][6] != step[6]:
            continue
        brought = _brought(trace, write, operand.factor)
        is_first = operand.factor == found.names[0]
        k = found.k_beside(operand)
        if k is None and brought is not None:
            k = brought[0][-1] if is_first else brought[0][0]
        if k is None or found.times[k : k + 1] != [0]:
            continue
        index = (found.row, k) if is_first else (k, found.column)
        own = brought is not None and brought[0] == index
        if found.k_beside(operand) is None and not own:
            continue
        value = f"{brought[1]:.6g}" if brought is not None and own else ""
        return UnloadedFactor(
            k,
            element_name(trace, step),
            f"{operand.factor}[{index[0]}][{index[1]}]",
            f"{operand.value:.6g}",
            operand.at,
            write,
            thread_name(trace.steps[write][1], launch.block),
            line_of(trace, trace.steps[write], traced.file),
            value,
            None if value else _reason(traced, trace, source, write, found),
        )
    return None


def _brought(trace: Trace, write: int, factor: str) -> tuple[tuple[int, ...], float] | None:
    """The last element of the factor that the writer had read before it wrote, between the same barriers; and its value."""
    _, thread, interval, *_ = trace.steps[write]
    for at in range(write - 1, -1, -1):
        step = trace.steps[at]
        if step[2] != interval:
            return None
        if step[1] == thread and step[0] == StepKind.READ and trace.arrays[step[3]].name == factor:
            array = trace.arrays[step[3]]
            return array.index(step[4], step[5]), array.value(step[6], step[5])
    return None


def _reason(
    traced: TracedLaunch, trace: Trace, source: Sequence[str], write: int, found: ProductSum
) -> GuardReason | None:
    launch, loader = traced.report.launch, _loader(trace, write, found)
    if loader is None or launch.block is None or launch.grid is None:
        return None
    sizes = {name: int(value) for name, value in re.findall(r"\b([A-Za-z]\w{0,30})=(\d{1,9})\b", launch.shape)}
    missing, other = (
        Place(thread_index(trace.steps[at][1], launch.block), traced.request.block, launch.block, launch.grid, sizes)
        for at in (write, loader)
    )
    line, load_line = (line_of(trace, trace.steps[at], traced.file) for at in (write, loader))
    return load_reason(source, line, load_line, missing, other)


def _loader(trace: Trace, write: int, found: ProductSum) -> int | None:
    """A write of the same array, between the same barriers, of a value that its thread had just read from an input."""
    _, _, interval, array, *_ = trace.steps[write]
    read: dict[int, int] = {}  # the bits that a thread read last from global memory
    for step_at, step in enumerate(trace.steps):
        if step[2] != interval or step[3] < 0:
            continue
        if step[0] in CHANGES:
            if step[3] == array and read.get(step[1]) == step[6]:
                return step_at
        elif trace.arrays[step[3]].name in found.names[:2]:
            read[step[1]] = step[6]
    return None


def unloaded_marks(trace: Trace, chosen: Sequence[int], unloaded: UnloadedFactor | None) -> Iterator[Mark]:
    if unloaded is None:
        return
    write, read = trace.steps[unloaded.write], trace.steps[unloaded.read]
    element = (StoryElement(read[3], read[4]),)
    text = f"Thread {unloaded.thread} puts {unloaded.value} in {unloaded.name}, and {unloaded.wanted} belongs there."
    if unloaded.reason is not None:
        text += f" {unloaded.reason.words}"
    yield Mark(chosen.index(unloaded.write), text, "bad", (write[1],), element)
    text = f"{unloaded.name} holds {unloaded.value}, and not {unloaded.wanted}."
    yield Mark(chosen.index(unloaded.read), text, "bad", (read[1],), element)


def unloaded_question(chosen: Sequence[int], unloaded: UnloadedFactor | None, name: str) -> Iterator[Question]:
    if unloaded is None:
        return
    ask = asked(
        chosen.index(unloaded.read),
        f"What does thread {name} find in {unloaded.name} for k = {unloaded.k}?",
        f"{unloaded.value}, which thread {unloaded.thread} has put there",
        (unloaded.wanted, "nothing that anybody wrote", "what was there before the last barrier"),
        unloaded.words,
    )
    if ask is not None and chosen.index(unloaded.read) > 0:
        yield ask


_MOST_PRODUCTS = 48  # that are shown
_MOST_MARKS = 12
_MOST_STORES = 64
_FAR = 1e6  # from the right sum: a difference that says nothing
_SCHEDULE = "What the thread multiplies and adds, and where the values came from that stand in a wrong place."


def sum_story(traced: TracedLaunch, source: Sequence[str]) -> Story | None:
    trace, launch, factors = traced.report.trace, traced.report.launch, factors_of(traced.report)
    if trace is None or launch.block is None or launch.mismatch is None or len(factors) != 2:  # noqa: PLR2004 -- a product
        return None
    found = product_sum(trace, launch.mismatch, (factors[0], factors[1]), products_of(trace, factors))
    if found is None:
        return None
    said = _statement(found)
    if said is None:
        return None
    unloaded = unloaded_factor(traced, source, found) if _category(found) == "lacks" else None
    if unloaded is not None:
        said = f"{_lacks(found)}. {unloaded.words}"
    if _category(found) == "twice":
        said = f"{said} {_again(traced, trace, found)}".strip()
    chosen = _chosen(trace, found, unloaded)
    run = run_of_threads(trace, chosen, traced.file, title="As it ran", schedule=_SCHEDULE)
    marks = [*_marks(trace, found, chosen, launch.block, said), *unloaded_marks(trace, chosen, unloaded)]
    marks.sort(key=lambda mark: mark.step)
    wrong = max(1, min((mark.step for mark in marks if mark.tone == "bad"), default=len(chosen) - 1))
    file = traced.file
    line = line_of(trace, trace.steps[found.store], file)
    name = thread_name(found.thread, launch.block)
    return framed(
        traced,
        source,
        replace(run, marks=tuple(marks)),
        title=f"the sum in {found.name}",
        summary=f"Thread {name} stores {_number(found.stored)} in {found.name} in line {line}. {said} {_definition(found)}{_tile(found)}",
        questions=[
            *unloaded_question(chosen, unloaded, name),
            *_questions(found, wrong if unloaded is None else len(chosen) - 1, chosen.index(found.store), said, name),
        ],
        start=max(0, wrong - 2),
    )


def _statement(found: ProductSum) -> str | None:
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
    return _missing(found) if missing else _stored(found)


def _missing(found: ProductSum) -> str:
    if len(found.counted) < len(found.products):
        return f"{_lacks(found)}: the thread reads them, but they are not in what it stores."
    if any(None in one.indices and one.value for one in found.counted):
        return f"{_lacks(found)}: some of what it multiplies is no element of {found.names[0]} or {found.names[1]}."
    return f"{_lacks(found)}: the thread never reads them."


def _stored(found: ProductSum) -> str | None:
    """Where all products are there."""
    if found.kept is not None:
        return None
    total = math.fsum(one.value for one in found.products)
    said = f"The thread reads all {found.depth} products, but what it stores is not their sum, {_number(total)}"
    difference = found.stored - total
    if not math.isfinite(difference) or abs(difference) > _FAR * max(1.0, abs(total)):
        return f"{said}."
    return f"{said}: it is {_number(abs(difference))} {'more' if difference > 0 else 'less'}."


def _again(traced: TracedLaunch, trace: Trace, found: ProductSum) -> str:
    """Why a product is there once more: its factor in shared memory is an old one, or was loaded once more. Empty: it is neither."""
    k = next(at for at, times in enumerate(found.times) if times > 1)
    first, *_, last = [one for one in found.counted if found.belongs(one, k)]
    block = traced.report.launch.block or (1, 1, 1)
    for one, other in ((first.first, last.first), (first.second, last.second)):
        if one.stored_at is None or other.stored_at is None or one.loaded_at is None:
            continue
        element = _element(one.factor, one.index)
        by, line = (
            thread_name(trace.steps[other.stored_at][1], block),
            line_of(trace, trace.steps[other.stored_at], traced.file),
        )
        held = element_name(trace, trace.steps[other.at])
        if one.stored_at == other.stored_at:
            since = f"nobody has written it since thread {by} in line {line}"
            return f"For k = {k} it reads {held} again, which still holds {element}: {since}."
        return f"For k = {k}, {element} comes once more: thread {by} has put it in {held} again, in line {line}."
    return ""


def _lacks(found: ProductSum) -> str:
    missing = [k for k, times in enumerate(found.times) if times == 0]
    return f"It lacks the product{_s(missing)} of k = {_ranges(missing)}"


def _instead(found: ProductSum, of: tuple[int, int]) -> str:
    """A thread with several sums may have the sum of a neighbour twice."""
    first, second, _ = found.names
    if of in found.elements and of[0] == found.row:
        return f"its elements of {second} come from column {of[1]}, and column {found.column} belongs here."
    if of in found.elements and of[1] == found.column:
        return f"its elements of {first} come from row {of[0]}, and row {found.row} belongs here."
    return "it is stored in the wrong place."


def _wrong_place(found: ProductSum, stranger: Product, missing: Sequence[int]) -> str:
    (first, second, _), (one, other) = found.names, stranger.indices
    for k in missing:
        right = f"{first}[{found.row}][{k}] * {second}[{k}][{found.column}]"
        has = f"{_element(first, one)} * {_element(second, other)}"
        if one == (found.row, k):
            return f"Its elements of {second} come from a wrong place: it has {has}, where {right} belongs."
        if other == (k, found.column):
            return f"Its elements of {first} come from a wrong place: it has {has}, where {right} belongs."
    return f"It has {_element(first, one)} * {_element(second, other)}, which does not belong to {found.name}."


def _chosen(trace: Trace, found: ProductSum, unloaded: UnloadedFactor | None) -> list[int]:
    """The reads of products, around the first wrong one where there are many; the loads of what stands in a wrong place; the store."""
    strange = found.strangers[:_MOST_MARKS]
    at = found.products.index(strange[0]) if strange else 0
    if unloaded is not None:
        at = next(place for place, one in enumerate(found.products) if unloaded.read in {one.first.at, one.second.at})
    first = max(0, min(at - _MOST_PRODUCTS // 4, len(found.products) - _MOST_PRODUCTS))
    shown = found.products[first : first + _MOST_PRODUCTS]
    chosen = {place for one in shown for place in (one.first.at, one.second.at)} | {found.store}
    wrong = [operand for one in strange[:4] for operand in (one.first, one.second)]
    loads = [at for operand in wrong for at in (operand.loaded_at, operand.stored_at)]
    if unloaded is not None:
        chosen |= {unloaded.read, unloaded.write}
    return sorted(chosen | {one for one in loads if one is not None} | set(_other_stores(trace, found)))


def _other_stores(trace: Trace, found: ProductSum) -> Iterator[int]:
    """Of the thread's other elements: they show where its part of the result lies."""
    if len(found.elements) > 1:
        number = trace.steps[found.store][3]
        own = [
            at
            for at, one in enumerate(trace.steps)
            if one[0] in CHANGES and one[1] == found.thread and one[3] == number
        ]
        yield from own[-_MOST_STORES:]


def _tile(found: ProductSum) -> str:
    """The thread's part of the result, where it is more than one element."""
    if len(found.elements) < 2:  # noqa: PLR2004 -- several sums
        return ""
    rows, columns = sorted({row for row, _ in found.elements}), sorted({column for _, column in found.elements})
    return (
        f" The thread has {len(found.elements)} sums, one for each element that it stores: rows {_ranges(rows)} and columns"
        f" {_ranges(columns)} of {found.names[2]}. It reads an element once and multiplies it for several of them."
    )


def _marks(trace: Trace, found: ProductSum, chosen: Sequence[int], block: Index3, said: str) -> Iterator[Mark]:
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


def _definition(found: ProductSum) -> str:
    first, second, _ = found.names
    return (
        f"It should be the sum of {first}[{found.row}][k] * {second}[k][{found.column}] for k = 0 to {found.depth - 1}."
    )


def _questions(found: ProductSum, wrong: int, end: int, said: str, name: str) -> Iterator[Question]:
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


def _category(found: ProductSum) -> str:
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


def _choices(found: ProductSum) -> dict[str, str]:
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
