"""The story of a wrong element of a product of matrices: which of its products the sum lacks, has twice, or took from a wrong place. Pure.

It says nothing where the reads of the thread cannot be put together to products.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.explain.guard_reason import GuardReason, load_reason
from grader.explain.product_sum import ProductSum, factors_of, product_sum
from grader.explain.recording import Recording, Shown, asked, asked_number, told
from grader.explain.story import Mark, Question, Story, ranges
from grader.run.launches.trace_phases import CHANGES, StepKind

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


def _unloaded_factor(recording: Recording, found: ProductSum) -> UnloadedFactor | None:
    steps = recording.steps
    for operand in found.unloaded[:_MOST]:
        write = recording.index.writer.get(operand.at)
        if not recording.is_shared(operand.at) or write is None:
            continue
        if steps[write][0] != StepKind.WRITE or steps[write][6] != steps[operand.at][6]:
            continue
        brought = _brought(recording, write, operand.factor)
        index = recording.cell(brought) if brought is not None else None
        is_first = operand.factor == found.names[0]
        beside = found.k_beside(operand)
        k = beside if beside is not None or index is None else index[-1] if is_first else index[0]
        if k is None or found.times[k : k + 1] != [0]:
            continue
        wanted = (found.row, k) if is_first else (k, found.column)
        if beside is None and index != wanted:
            continue
        value = f"{recording.value(brought):.6g}" if brought is not None and index == wanted else ""
        return UnloadedFactor(
            k=k,
            name=recording.name(operand.at),
            wanted=_element(operand.factor, wanted),
            value=f"{operand.value:.6g}",
            read=operand.at,
            write=write,
            thread=recording.thread(write),
            line=recording.line(write),
            brought=value,
            reason=None if value else _reason(recording, write, found),
        )
    return None


def _brought(recording: Recording, write: int, factor: str) -> int | None:
    """The last read of the factor that the writer had made before it wrote, between the same barriers."""
    interval = recording.steps[write][2]
    for at in reversed(recording.of_thread[recording.steps[write][1]]):
        step = recording.steps[at]
        if at < write and step[0] == StepKind.READ and step[2] == interval and recording.array(at).name == factor:
            return at
    return None


def _reason(recording: Recording, write: int, found: ProductSum) -> GuardReason | None:
    """Beside a write of the same array, between the same barriers, of what its thread has read of an input."""
    for at in recording.find(CHANGES, array=recording.steps[write][3]):
        load = recording.index.loaded.get(at)
        if (
            load is not None
            and recording.steps[at][2] == recording.steps[write][2]
            and recording.array(load).name in found.names[:2]
        ):
            missing, other = (recording.place(recording.steps[one][1]) for one in (write, at))
            return load_reason(recording.source, recording.line(write), recording.line(at), missing, other)
    return None


_MOST_PRODUCTS = 48  # that are shown
_MOST_MARKS = 12
_MOST_STORES = 64
_FAR = 1e6  # from the right sum: a difference that says nothing


def sum_story(recording: Recording) -> Story | None:
    factors = factors_of(recording.report)
    found = product_sum(recording, factors) if len(factors) == 2 else None  # noqa: PLR2004 -- a product
    mistake = next(_mistakes(found), None) if found is not None else None
    if found is None or mistake is None:
        return None
    (category, said), name = mistake, recording.who(found.thread)
    unloaded = _unloaded_factor(recording, found) if category == "lacks" else None
    if unloaded is not None:
        said = f"{_lacks(found)}. {unloaded.words}"
    elif category == "twice":
        said = f"{said} {_again(recording, found)}".strip()
    chosen = _chosen(recording, found, unloaded)
    marks = list(_marks(recording, found, chosen, unloaded, said))
    bad = min((mark.step for mark in marks if mark.tone == "bad"), default=chosen[-1])
    wrong = chosen[max(1, chosen.index(bad))] if len(chosen) > 1 else chosen[0]
    line = recording.line(found.store)
    return told(
        Shown(
            recording,
            chosen,
            "What the thread multiplies and adds, and where the values came from that stand in a wrong place.",
            before=2,
        ),
        title=f"the sum in {found.name}",
        summary=f"Thread {name} stores {_number(found.stored)} in {found.name} in line {line}. {said} {_definition(found)}{_tile(found)}",
        marks=marks,
        questions=_questions(found, unloaded, wrong, chosen, (category, said), name),
    )


def _mistakes(found: ProductSum) -> Iterator[tuple[str, str]]:
    """What is wrong with the sum, the likeliest first: which of `_choices`, and a sentence. Nothing where the reads show nothing."""
    missing, twice = _missing(found), [k for k, times in enumerate(found.times) if times > 1]
    if (of := found.whole_of) is not None:
        across = ", on the other side of the diagonal" if of == (found.column, found.row) else ""
        yield "other", f"This is the whole sum for {found.names[2]}[{of[0]}][{of[1]}]{across}: {_instead(found, of)}"
    if found.strangers:
        yield from _strangers(found, missing)
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


def _strangers(found: ProductSum, missing: Sequence[int]) -> Iterator[tuple[str, str]]:
    (first, second, _), (one, other) = found.names, found.strangers[0].indices
    has = f"{_element(first, one)} * {_element(second, other)}"
    for k in missing:
        right = f"{first}[{found.row}][{k}] * {second}[{k}][{found.column}]"
        for kind, name, fits in (
            ("second", second, one == (found.row, k)),
            ("first", first, other == (k, found.column)),
        ):
            if fits:
                yield kind, f"Its elements of {name} come from a wrong place: it has {has}, where {right} belongs."
    yield "both", f"It has {has}, which does not belong to {found.name}."


def _stored(found: ProductSum) -> str:
    """Where all products are there."""
    total = math.fsum(one.value for one in found.products)
    said = f"The thread reads all {found.depth} products, but what it stores is not their sum, {_number(total)}"
    difference = found.stored - total
    if not math.isfinite(difference) or abs(difference) > _FAR * max(1.0, abs(total)):
        return f"{said}."
    return f"{said}: it is {_number(abs(difference))} {'more' if difference > 0 else 'less'}."


def _missing(found: ProductSum) -> list[int]:
    return [k for k, times in enumerate(found.times) if times == 0]


def _again(recording: Recording, found: ProductSum) -> str:
    """Why a product is there once more: its factor in shared memory is an old one, or was loaded once more. Empty: it is neither."""
    k = next(at for at, times in enumerate(found.times) if times > 1)
    first, *_, last = [one for one in found.counted if found.belongs(one, k)]
    for one, other in ((first.first, last.first), (first.second, last.second)):
        if one.stored_at is None or other.stored_at is None or one.loaded_at is None:
            continue
        element, held = _element(one.factor, one.index), recording.name(other.at)
        by, line = recording.thread(other.stored_at), recording.line(other.stored_at)
        if one.stored_at == other.stored_at:
            since = f"nobody has written it since thread {by} in line {line}"
            return f"For k = {k} it reads {held} again, which still holds {element}: {since}."
        return f"For k = {k}, {element} comes once more: thread {by} has put it in {held} again, in line {line}."
    return ""


def _lacks(found: ProductSum) -> str:
    return f"It lacks the product{_s(_missing(found))} of k = {ranges(_missing(found))}"


def _instead(found: ProductSum, of: tuple[int, int]) -> str:
    """A thread with several sums may have the sum of a neighbour twice."""
    first, second, _ = found.names
    if of in found.elements and of[0] == found.row:
        return f"its elements of {second} come from column {of[1]}, and column {found.column} belongs here."
    if of in found.elements and of[1] == found.column:
        return f"its elements of {first} come from row {of[0]}, and row {found.row} belongs here."
    return "it is stored in the wrong place."


def _chosen(recording: Recording, found: ProductSum, unloaded: UnloadedFactor | None) -> list[int]:
    """The reads of products, around the first wrong one where there are many; the loads of what stands in a wrong place; the store."""
    strange = found.strangers[:_MOST_MARKS]
    at = found.products.index(strange[0]) if strange else 0
    if unloaded is not None:
        at = next(place for place, one in enumerate(found.products) if unloaded.read in {one.first.at, one.second.at})
    first = max(0, min(at - _MOST_PRODUCTS // 4, len(found.products) - _MOST_PRODUCTS))
    shown = found.products[first : first + _MOST_PRODUCTS]
    chosen = {place for one in shown for place in (one.first.at, one.second.at)} | {found.store}
    wrong = [operand for one in strange[:4] for operand in (one.first, one.second)]
    chosen |= {at for operand in wrong for at in (operand.loaded_at, operand.stored_at) if at is not None}
    if unloaded is not None:
        chosen |= {unloaded.read, unloaded.write}
    if len(found.elements) > 1:  # the thread's other elements show where its part of the result lies
        stores = recording.find(CHANGES, array=recording.steps[found.store][3], thread=found.thread)
        chosen.update(stores[-_MOST_STORES:])
    return sorted(chosen)


def _tile(found: ProductSum) -> str:
    """The thread's part of the result, where it is more than one element."""
    if len(found.elements) < 2:  # noqa: PLR2004 -- several sums
        return ""
    rows, columns = sorted({row for row, _ in found.elements}), sorted({column for _, column in found.elements})
    return (
        f" The thread has {len(found.elements)} sums, one for each element that it stores: rows {ranges(rows)} and columns"
        f" {ranges(columns)} of {found.names[2]}. It reads an element once and multiplies it for several of them."
    )


def _marks(
    recording: Recording, found: ProductSum, chosen: Sequence[int], unloaded: UnloadedFactor | None, said: str
) -> Iterator[Mark]:
    first, second, _ = found.names
    strange = found.strangers[:_MOST_MARKS] if found.whole_of is None else []
    for one in strange:
        if one.at in chosen:
            product = f"{_element(first, one.first.index)} * {_element(second, one.second.index)}"
            text = f"It adds {product}, which does not belong to {found.name}."
            yield Mark(one.at, text, "bad", (found.thread,))
    for operand in (operand for one in strange[:4] for operand in (one.first, one.second)):
        if operand.stored_at is not None and operand.stored_at in chosen:
            by, element = recording.thread(operand.stored_at), _element(operand.factor, operand.index)
            yield Mark(operand.stored_at, f"Thread {by} stores {element} here.", "note")
    yield recording.remark(found.store, said)
    if unloaded is not None:
        text = (
            f"Thread {unloaded.thread} puts {unloaded.value} in {unloaded.name}, and {unloaded.wanted} belongs there."
        )
        text += f" {unloaded.reason.words}" if unloaded.reason is not None else ""
        yield recording.remark(unloaded.write, text)
        yield recording.remark(unloaded.read, f"{unloaded.name} holds {unloaded.value}, and not {unloaded.wanted}.")


def _definition(found: ProductSum) -> str:
    first, second, _ = found.names
    return (
        f"It should be the sum of {first}[{found.row}][k] * {second}[k][{found.column}] for k = 0 to {found.depth - 1}."
    )


def _questions(
    found: ProductSum,
    unloaded: UnloadedFactor | None,
    wrong: int,
    chosen: Sequence[int],
    mistake: tuple[str, str],
    name: str,
) -> Iterator[Question | None]:
    category, said = mistake
    if unloaded is not None and unloaded.read > chosen[0]:
        yield asked(
            unloaded.read,
            f"What does thread {name} find in {unloaded.name} for k = {unloaded.k}?",
            f"{unloaded.value}, which thread {unloaded.thread} has put there",
            (unloaded.wanted, "nothing that anybody wrote", "what was there before the last barrier"),
            unloaded.words,
        )
    in_it, end = sum(times > 0 for times in found.times), chosen.index(found.store)
    if end > 0 and in_it < found.depth:
        yield asked_number(
            min(wrong if unloaded is None else chosen[-1], chosen[end - 1]),
            f"{found.depth} products belong to {found.name}. How many of them are in what thread {name} stores?",
            in_it,
            (found.depth, 0, found.depth // 2, max(0, found.depth - 1)),
            said,
        )
    choices = _choices(found, category)
    yield asked(
        found.store,
        f"What is wrong with the sum in {found.name}?",
        choices[category],
        choices.values(),
        f"{said} {_definition(found)}",
    )


def _choices(found: ProductSum, category: str) -> dict[str, str]:
    first, second, output = found.names
    of = found.whole_of or (found.column, found.row)
    named = {
        "lacks": "some of its products are not in it",
        "twice": "some of its products are in it more than once",
        "first": f"elements of {first} come from a wrong place",
        "second": f"elements of {second} come from a wrong place",
        "stored": "all its products are read, but something else is stored",
        "other": f"it is the whole sum for {output}[{of[0]}][{of[1]}]" if of != (found.row, found.column) else "",
    }
    return named | (
        {"both": f"elements of both {first} and {second} come from wrong places"} if category == "both" else {}
    )


def _element(name: str, index: tuple[int, ...] | None) -> str:
    return name + "".join(f"[{one}]" for one in index or ())


def _number(value: float) -> str:
    return f"{value:.6g}"


def _s(numbers: Sequence[int]) -> str:
    return "s" if len(numbers) > 1 else ""
