"""The story of a wrong element of a product of matrices: which of its products the sum lacks, has twice, or took from a wrong place. Pure.

It says nothing where the reads of the thread cannot be put together to products.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.explain.guard_reason import GuardReason, load_reason
from grader.explain.product_sum import Element, ProductSum, element_text, product_sum
from grader.explain.recording import Moment, Recording, Telling, asked, known
from grader.explain.story import Mark, Question, Story, ranges
from grader.run.launches.trace_phases import CHANGES, StepKind

# Of a product that a sum lacks: what the thread multiplied in its place, which is in shared memory and was never loaded. Pure.

_MOST = 64  # that are looked at


@dataclass(frozen=True)
class UnloadedFactor:
    k: int
    wanted: str  # "A[0][1]"
    read: Moment
    write: Moment
    brought: str  # what the writing thread had read of the wanted element: "3.25"; empty: it had not read it
    reason: GuardReason | None

    @property
    def value(self) -> str:
        return f"{self.read.value:.6g}"

    @property
    def words(self) -> str:
        there = f"For k = {self.k} it multiplies {self.read.name}, and {self.wanted} is not there: thread {self.write.who} has"
        if self.brought:
            return f"{there} read {self.brought} and put {self.value} there in line {self.write.line}."
        said = f"{there} put {self.value} there in line {self.write.line}."
        return f"{said} {self.reason.words}" if self.reason is not None else said


def _unloaded_factor(found: ProductSum) -> UnloadedFactor | None:
    for operand in found.unloaded[:_MOST]:
        read, write = operand.at, operand.at.writer
        if not read.is_shared or write is None or write.kind != StepKind.WRITE or write.step[6] != read.step[6]:
            continue
        brought = _brought(write, operand.factor)
        index = brought.cell if brought is not None else None
        is_first = operand.factor == found.names[0]
        beside = found.k_beside(operand)
        k = beside if beside is not None or index is None else index[-1] if is_first else index[0]
        if k is None or k not in found.missing:
            continue
        wanted = found.own[k][0 if is_first else 1]
        if beside is None and index != wanted:
            continue
        value = f"{brought.value:.6g}" if brought is not None and index == wanted else ""
        reason = None if value else _reason(write, found)
        return UnloadedFactor(k, element_text(operand.factor, wanted), read, write, value, reason)
    return None


def _brought(write: Moment, factor: str) -> Moment | None:
    """The last read of the factor that the writer had made before it wrote, between the same barriers."""
    for one in reversed(write.recording.of_thread(write.thread)):
        if one < write and one.kind == StepKind.READ and (one.interval, one.array.name) == (write.interval, factor):
            return one
    return None


def _reason(write: Moment, found: ProductSum) -> GuardReason | None:
    """Beside a write of the same array, between the same barriers, of what its thread has read of an input."""
    recording = write.recording
    for one in recording.find(CHANGES, array=write.step[3]):
        load = one.load
        if load is not None and one.interval == write.interval and load.array.name in found.names[:2]:
            missing, other = recording.place(write.thread), recording.place(one.thread)
            return load_reason(recording.source, write.line, one.line, missing, other)
    return None


_MOST_PRODUCTS = 48  # that are shown
_MOST_MARKS = 12
_MOST_STORES = 64
_FAR = 1e6  # from the right sum: a difference that says nothing


def sum_story(recording: Recording) -> Story | None:
    found = product_sum(recording)
    mistake = next(_mistakes(found), None) if found is not None else None
    if found is None or mistake is None:
        return None
    category, said = mistake
    unloaded = _unloaded_factor(found) if category == "lacks" else None
    if unloaded is not None:
        said = f"{_lacks(found)}. {unloaded.words}"
    elif category == "twice":
        said = f"{said} {_again(found)}".strip()
    store, chosen = found.store, _chosen(found, unloaded)
    marks = list(_marks(found, chosen, unloaded, said))
    bad = min((mark.step for mark in marks if mark.tone == "bad"), default=chosen[-1])
    wrong = chosen[max(1, chosen.index(bad))] if len(chosen) > 1 else chosen[0]
    stores = f"Thread {store.who} stores {store.value:.6g} in {found.name} in line {store.line}."
    return Telling(
        recording,
        title=f"the sum in {found.name}",
        summary=f"{stores} {said} {_definition(found)}{_tile(found)}",
        steps=chosen,
        schedule="What the thread multiplies and adds, and where the values came from that stand in a wrong place.",
        marks=marks,
        questions=_questions(found, unloaded, wrong, chosen, (category, said)),
        before=2,
    ).story


def _mistakes(found: ProductSum) -> Iterator[tuple[str, str]]:
    """What is wrong with the sum, the likeliest first: which of `_choices`, and a sentence. Nothing where the reads show nothing."""
    missing, twice = found.missing, [k for k, times in enumerate(found.times) if times > 1]
    if (of := found.whole_of) is not None:
        across = ", on the other side of the diagonal" if of == (found.column, found.row) else ""
        yield "other", f"This is the whole sum for {element_text(found.names[2], of)}{across}: {_instead(found, of)}"
    if found.strangers:
        yield from _strangers(found)
    if twice:
        yield "twice", f"It has the product{_s(twice)} of k = {ranges(twice)} more than once."
    if missing and len(found.counted) < len(found.products):
        yield "lacks", f"{_lacks(found)}: the thread reads them, but they are not in what it stores."
    if missing and any(None in one.indices and one.value for one in found.counted):
        inputs = " or ".join(found.names[:2])
        yield "lacks", f"{_lacks(found)}: some of what it multiplies is no element of {inputs}."
    if missing:
        yield "lacks", f"{_lacks(found)}: the thread never reads them."
    elif found.kept is None:
        yield "stored", _stored(found)


def _strangers(found: ProductSum) -> Iterator[tuple[str, str]]:
    first, second, _ = found.names
    one, own = found.strangers[0], found.own
    for k in found.missing:
        mine, theirs = own[k]
        right = f"{element_text(first, mine)} * {element_text(second, theirs)}"
        sides = (("second", second, one.first.index == mine), ("first", first, one.second.index == theirs))
        for kind, name in ((kind, name) for kind, name, fits in sides if fits):
            yield kind, f"Its elements of {name} come from a wrong place: it has {one.name}, where {right} belongs."
    yield "both", f"It has {one.name}, which does not belong to {found.name}."


def _stored(found: ProductSum) -> str:
    """Where all products are there."""
    total = math.fsum(one.value for one in found.products)
    said = f"The thread reads all {found.depth} products, but what it stores is not their sum, {total:.6g}"
    difference = found.store.value - total
    if not math.isfinite(difference) or abs(difference) > _FAR * max(1.0, abs(total)):
        return f"{said}."
    return f"{said}: it is {abs(difference):.6g} {'more' if difference > 0 else 'less'}."


def _again(found: ProductSum) -> str:
    """Why a product is there once more: its factor in shared memory is an old one, or was loaded once more. Empty: it is neither."""
    k = next(at for at, times in enumerate(found.times) if times > 1)
    first, *_, last = [one for one in found.counted if one.indices == found.own[k]]
    for one, other in ((first.first, last.first), (first.second, last.second)):
        if one.stored is None or other.stored is None:
            continue
        held, by = other.at.name, f"thread {other.stored.who}"
        if one.stored == other.stored:
            since = f"no thread has written it since {by} in line {other.stored.line}"
            return f"For k = {k} it reads {held} again, which still holds {one.name}: {since}."
        return f"For k = {k}, {one.name} comes once more: {by} has put it in {held} again, in line {other.stored.line}."
    return ""


def _lacks(found: ProductSum) -> str:
    return f"It lacks the product{_s(found.missing)} of k = {ranges(found.missing)}"


def _instead(found: ProductSum, of: Element) -> str:
    """A thread with several sums may have the sum of a neighbour twice."""
    first, second, _ = found.names
    if of in found.elements and of[0] == found.row:
        return f"its elements of {second} come from column {of[1]}, and column {found.column} belongs here."
    if of in found.elements and of[1] == found.column:
        return f"its elements of {first} come from row {of[0]}, and row {found.row} belongs here."
    return "it is stored in the wrong place."


def _chosen(found: ProductSum, unloaded: UnloadedFactor | None) -> list[int]:
    """The reads of products, around the first wrong one where there are many; the loads of what stands in a wrong place; the store."""
    strange = found.strangers[:_MOST_MARKS]
    at = found.products.index(strange[0]) if strange else 0
    if unloaded is not None:
        at = next(place for place, one in enumerate(found.products) if unloaded.read in {one.first.at, one.second.at})
    first = max(0, min(at - _MOST_PRODUCTS // 4, len(found.products) - _MOST_PRODUCTS))
    shown = found.products[first : first + _MOST_PRODUCTS]
    chosen = {place for one in shown for place in (one.first.at, one.second.at)} | {found.store}
    stored = known(*(operand.stored for one in strange[:4] for operand in (one.first, one.second)))
    chosen |= stored | known(*(one.load for one in stored))
    if unloaded is not None:
        chosen |= {unloaded.read, unloaded.write}
    if len(found.elements) > 1:  # the thread's other elements show where its part of the result lies
        store = found.store
        chosen.update(store.recording.find(CHANGES, array=store.step[3], thread=store.thread)[-_MOST_STORES:])
    return sorted(chosen)


def _tile(found: ProductSum) -> str:
    """The thread's part of the result, where it is more than one element."""
    if len(found.elements) < 2:  # noqa: PLR2004 -- several sums
        return ""
    rows, columns = (ranges(sorted({element[axis] for element in found.elements})) for axis in (0, 1))
    part = f"rows {rows} and columns {columns} of {found.names[2]}"
    sums = f" The thread has {len(found.elements)} sums, one for each element that it stores: {part}."
    return f"{sums} It reads an element once and multiplies it for several of them."


def _marks(found: ProductSum, chosen: Sequence[int], unloaded: UnloadedFactor | None, said: str) -> Iterator[Mark]:
    strange = found.strangers[:_MOST_MARKS] if found.whole_of is None else []
    for one in strange:
        if one.at in chosen:
            text = f"It adds {one.name}, which does not belong to {found.name}."
            yield Mark(one.at, text, "bad", (found.store.thread,))
    for operand in (operand for one in strange[:4] for operand in (one.first, one.second)):
        if operand.stored is not None:
            yield Mark(operand.stored, f"Thread {operand.stored.who} stores {operand.name} here.", "note")
    yield found.store.remark(said)
    if unloaded is not None:
        read, write = unloaded.read, unloaded.write
        text = f"Thread {write.who} puts {unloaded.value} in {read.name}, and {unloaded.wanted} belongs there."
        text += f" {unloaded.reason.words}" if unloaded.reason is not None else ""
        yield write.remark(text)
        yield read.remark(f"{read.name} holds {unloaded.value}, and not {unloaded.wanted}.")


def _definition(found: ProductSum) -> str:
    first, second, _ = found.names
    term = f"{first}[{found.row}][k] * {second}[k][{found.column}]"
    return f"It should be the sum of {term} for k = 0 to {found.depth - 1}."


def _questions(
    found: ProductSum, unloaded: UnloadedFactor | None, wrong: int, chosen: Sequence[int], mistake: tuple[str, str]
) -> Iterator[Question | None]:
    (category, said), name = mistake, found.store.who
    if unloaded is not None and unloaded.read > chosen[0]:
        text = f"What does thread {name} find in {unloaded.read.name} for k = {unloaded.k}?"
        right = f"{unloaded.value}, which thread {unloaded.write.who} has put there"
        others = unloaded.wanted, "an unwritten value", "what was there before the last barrier"
        yield asked(unloaded.read, text, right, others, unloaded.words)
    in_it, end = sum(times > 0 for times in found.times), chosen.index(found.store)
    if end > 0 and in_it < found.depth:
        step, every = min(wrong if unloaded is None else chosen[-1], chosen[end - 1]), found.depth
        text = f"{every} products belong to {found.name}. How many of them are in what thread {name} stores?"
        yield asked(step, text, in_it, (every, 0, every // 2, max(0, every - 1)), said)
    choices, what = _choices(found, category), f"What is wrong with the sum in {found.name}?"
    yield asked(found.store, what, choices[category], choices.values(), f"{said} {_definition(found)}")


def _choices(found: ProductSum, category: str) -> dict[str, str]:
    first, second, output = found.names
    of = found.whole_of or (found.column, found.row)
    named = {
        "lacks": "some of its products are not in it",
        "twice": "some of its products are in it more than once",
        "first": f"elements of {first} come from a wrong place",
        "second": f"elements of {second} come from a wrong place",
        "stored": "all its products are read, but something else is stored",
        "other": f"it is the whole sum for {element_text(output, of)}" if of != (found.row, found.column) else "",
    }
    both = {"both": f"elements of both {first} and {second} come from wrong places"}
    return named | (both if category == "both" else {})


def _s(numbers: Sequence[int]) -> str:
    return "s" if len(numbers) > 1 else ""
