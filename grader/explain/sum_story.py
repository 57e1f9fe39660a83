"""The stories of a wrong sum: of an element of a product of matrices, and of any other sum. Pure.

They tell only what follows from the recorded values. Where these can be put together in several ways, or in none, there is no story.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from grader.explain.followed_sums import Belonging, FollowedSums, Term, flat_of, followed_sums, plain, summed_inputs
from grader.explain.guard_reason import GuardReason, load_reason
from grader.explain.product_sum import Element, ProductSum, element_text, product_sum
from grader.explain.recording import READS, Key, Moment, Recording, Telling, asked, known
from grader.explain.story import LANES, Mark, Question, Story, ranges
from grader.model.result import WrongElement
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
    for one in reversed(write.recording.of_thread[write.thread]):
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
            since = f"nobody has written it since {by} in line {other.stored.line}"
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
        others = unloaded.wanted, "nothing that anybody wrote", "what was there before the last barrier"
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


# The story of a sum that is no product of matrices: which elements of the input are in it too often, or not at all, and where that
# happens.

_MOST_STEPS = 40
_FEW = 3


class _Addends:
    """Of the element `key` of the result."""

    def __init__(
        self, recording: Recording, belonging: Belonging, followed: FollowedSums, key: Key, wrong: WrongElement
    ) -> None:
        self.recording, self.belonging, self.followed, self.wrong = recording, belonging, followed, wrong
        array, given = recording.trace.arrays[key[0]], belonging.given
        self.name, self.flat = array.named(key[1]), key[1] // array.element_bytes
        belongs = belonging.of(self.flat)
        self.term = followed.last(key) or plain(0.0, 0)  # what the element holds in the end
        self.others = self.term.value != wrong.got  # other blocks change it too: `term` is what this block has brought
        # How often each element is in it that belongs there: without those that are 0, which nobody can tell.
        self.times = {at: self.term.counts[given.name, at] for at in belongs if given.values[at]}
        self.missing = [at for at, times in self.times.items() if times == 0]
        self.repeated = [at for at, times in self.times.items() if times > 1]
        self.strangers = sorted(at for _, at in self.term.counts if at not in belongs)
        self.is_right = not (self.missing or self.repeated or self.strangers)
        # The element whose way is shown: of those that are in it too often, one of the fewest times, which has the shortest way.
        shortest = sorted(self.repeated, key=lambda at: self.times[at])
        self.told = next(iter([*shortest, *self.strangers, *self.missing, *self.times]), 0)
        self.element = belonging.name(self.told)
        self.blocks = math.prod(recording.grid)

    @property
    def is_all_here(self) -> bool:
        """Whether one block brings each element once, and so nothing is left for others."""
        return self.moment(self.term).kind == StepKind.ATOMIC and self.is_right and len(self.times) > 1

    def moment(self, term: Term) -> Moment:
        return self.recording.moments[term.at]

    def often(self, term: Term) -> int:
        return term.counts[self.belonging.given.name, self.told]

    def _within(self, term: Term) -> list[Term]:
        """The term and what became a part of it, as far as these have the told element; each once."""
        terms, waiting = {}, [term]
        while waiting:
            one = waiting.pop()
            if id(one) not in terms and self.often(one):
                terms[id(one)] = one
                waiting.extend(one.parts)
        return list(terms.values())

    @cached_property
    def way(self) -> list[Term]:
        """Every sum with the told element that became a part of the result, in the order in which they were made."""
        return sorted((one for one in self._within(self.term) if not self._only_stays(one)), key=lambda one: one.at)

    def _only_stays(self, term: Term) -> bool:
        """Whether something else was added to the element that holds it."""
        return term is not self.term and any(
            self.often(part) == self.often(term) and self._place(part) == self._place(term) for part in term.parts
        )

    def _place(self, term: Term) -> Key:
        """The element that a step changes."""
        at = self.moment(term)
        return at.key if at.kind in CHANGES else (-1, at)

    def reads_in(self, term: Term) -> list[Moment]:
        """Which reads brought the told element."""
        return sorted({self.moment(one) for one in self._within(term) if not one.parts})

    @property
    def meeting(self) -> Term | None:
        """The first sum that has the told element more than once."""
        return next((one for one in self.way if self.often(one) > 1), None)

    @cached_property
    def kept(self) -> tuple[Moment, Term] | None:
        """Where an element that is missing was stored last, and what was stored there."""
        stored = (one for changes in self.followed.stored.values() for one in changes)
        held = [(at, term) for at, term in stored if term and self.often(term)]
        return max(held, key=lambda one: one[0], default=None)

    def readers(self, at: Moment) -> list[Moment]:
        """Who reads the element after this store."""
        return [one for one in self.followed.read[at.key] if one > at]

    def reads_of_told(self) -> list[Moment]:
        return self.recording.find(READS, array=self.belonging.given.name, flat=self.told)


def _addends_of(recording: Recording) -> _Addends | None:
    """Of the first wrong element whose value is what this block stored, and is known as a sum; None: there is none."""
    trace, mismatch = recording.trace, recording.launch.mismatch
    if not trace.complete or mismatch is None:
        return None
    belonging, array = summed_inputs(recording.report.inputs, mismatch), recording.number_of(mismatch.output)
    followed = followed_sums(recording) if belonging is not None and array is not None else None
    if belonging is None or array is None or followed is None:
        return None
    for wrong in mismatch.first:
        key = array, flat_of(wrong, mismatch) * trace.arrays[array].element_bytes
        term = followed.last(key)
        if term is None or wrong.got is None or any(name != belonging.given.name for name, _ in term.counts):
            continue
        found = _Addends(recording, belonging, followed, key, wrong)
        if not found.others or found.is_all_here:
            return found
    return None


def addends_story(recording: Recording) -> Story | None:
    found = _addends_of(recording)
    if found is None or (found.is_right and not (found.others and found.blocks > 1)):
        return None
    chosen, where, statement = _addends_steps(found), _where(found), _statement(found)
    holds = f"{found.name} holds {found.wrong.got or 0.0:.9g} in the end, and {found.wrong.expected or 0.0:.9g} belongs there:"
    holds = f"{holds} the sum of {found.belonging.words(found.flat)}."
    return Telling(
        recording,
        title=f"the sum in {found.name}",
        summary=" ".join(filter(None, (holds, statement, where))),
        steps=chosen,
        schedule="The way of one element of the input: who reads it, where it is stored, and which sums it becomes a part of.",
        marks=_addends_marks(found, chosen, where, statement),
        questions=_addends_questions(found, chosen, where, statement),
    ).story


def _addends_steps(found: _Addends) -> list[int]:
    meeting = found.meeting
    chosen = {one.at for one in found.way}
    if found.often(found.term) == 0:
        chosen.update(found.reads_of_told()[:_FEW])
        if found.kept is not None:
            chosen.update([found.kept[0], *found.readers(found.kept[0])[:_FEW]])
    elif meeting is not None:
        before = [at for at in sorted(chosen) if at <= meeting.at][-_MOST_STEPS // 2 :]
        after = [at for at in sorted(chosen) if at > meeting.at][: _MOST_STEPS // 2]
        chosen = {*before, *after, meeting.at, *(one.at for one in meeting.parts)}
    return found.recording.with_barriers({*chosen, found.term.at})


def _statement(found: _Addends) -> str:
    repeated, missing, strangers = found.repeated, found.missing, found.strangers
    said = []
    if repeated:
        many = sorted(Counter(found.times[at] for at in repeated).items())
        often = ", ".join(f"{count} of them {times} times" for times, count in many[:_FEW])
        more = ", …" if len(many) > _FEW else ""
        said.append(f"{_elements_are(repeated)} in it more than once ({often}{more}).")
    if missing:
        said.append(f"{_elements_are(missing)} not in it: {_listed(found, missing)}.")
    if strangers:
        do = "do" if len(strangers) > 1 else "does"
        said.append(f"It has {_listed(found, strangers)}, which {do} not belong there.")
    return " ".join(said)


def _elements_are(many: Sequence[int]) -> str:
    return f"{len(many):,} elements are" if len(many) > 1 else "1 element is"


def _listed(found: _Addends, flats: Sequence[int]) -> str:
    names = [found.belonging.name(at) for at in flats]
    if len(names) > _FEW and flats[-1] - flats[0] == len(flats) - 1:
        return f"{names[0]} to {names[-1]}"
    return ", ".join(names[:_FEW]) + (f" and {len(names) - _FEW} more" if len(names) > _FEW else "")


def _where(found: _Addends) -> str:
    """Where it happens to the told element."""
    meeting, element = found.meeting, found.element
    if found.others:
        brings = f"This block alone brings {found.term.value:.9g}, all of them once"
        return f"{brings}, and the grid has {found.blocks:,} blocks: nothing is left that another one could add."
    if found.often(found.term) == 0:
        return _lost(found)
    if meeting is None:
        return ""
    reads = found.reads_in(meeting)
    if len(reads) > 1:
        return f"{_met(found, meeting)} {element} is read more than once: by {reads[0].doer} and {reads[1].doer}."
    return f"{_met(found, meeting)} {element} was read once."


def _met(found: _Addends, meeting: Term) -> str:
    at, times = found.moment(meeting), f"{found.element} {found.often(meeting)} times"
    if at.kind == StepKind.ATOMIC and found.often(meeting.parts[0]):
        return f"{found.element} is in {at.name} already when {at.doer} adds a sum that has it too."
    if at.kind == StepKind.ATOMIC:
        return f"What {at.doer} adds to {at.name} has {times}."
    if at.kind == StepKind.EXCHANGE:
        return f"What thread {_giver(at)} gives to {at.doer} has {times}."
    return f"What {at.doer} stores in {at.name} has {times}."


def _giver(at: Moment) -> str:
    """The thread whose value an exchange brings."""
    return at.recording.who(at.thread // LANES * LANES + at.step[4])


def _lost(found: _Addends) -> str:
    reads = found.reads_of_told()
    if not reads:
        return f"No thread of this block reads {found.element}."
    if found.kept is None:
        said = f"Thread {reads[0].who} reads {found.element} in line {reads[0].line}"
        return f"{said}, and what it makes of it is in no sum that is known here."
    at, term = found.kept
    later, name = found.readers(at), at.array.named(at.key[1])
    what = found.element if len(term.counts) == 1 else f"a sum with {found.element}"
    held = f"Thread {at.who} stores {what} in {name} in line {at.line}"
    if not later:
        return f"{held}, and nobody reads {name} after that."
    return f"{held}. Thread {later[0].who} reads that in line {later[0].line}, but it is not in {found.name}."


def _addends_marks(found: _Addends, chosen: Sequence[int], where: str, statement: str) -> Iterator[Mark]:
    by_step: dict[int, Term] = {}
    for term in found.way:
        if term.at not in by_step or found.often(term) > found.often(by_step[term.at]):
            by_step[term.at] = term
    kept = found.kept if found.often(found.term) == 0 else None
    turns = {kept[0] if kept else None, found.meeting.at if found.meeting else None}
    for at in chosen:
        one = found.recording.moments[at]
        is_end = at == chosen[-1]
        if is_end or at in turns:
            holds = f"{found.name} holds {found.term.value:.9g} now. {statement}"
            mark = one.remark(holds if is_end and not found.others else where)
        elif at in by_step:
            mark = one.remark(_passes(found, one, found.often(by_step[at])), "note")
        else:
            continue
        has_element = one.key[0] >= 0 and one.kind != StepKind.EXCHANGE
        yield mark if has_element else Mark(at, mark.text, mark.tone, mark.threads)


def _passes(found: _Addends, at: Moment, times: int) -> str:
    has = f"has {found.element}" + (f" {times} times" if times > 1 else "")
    if at.kind == StepKind.READ:
        return f"Thread {at.who} reads {found.element}."
    return f"What thread {_giver(at)} gives {has}." if at.kind == StepKind.EXCHANGE else f"{at.name} {has} now."


def _addends_questions(found: _Addends, chosen: Sequence[int], where: str, statement: str) -> Iterator[Question | None]:
    every, end, meeting, kept = len(found.times), chosen[-1], found.meeting, found.kept
    if found.others:
        if len(chosen) > 1:
            text = f"The grid has {found.blocks:,} blocks. How many of the {every} elements that belong in {found.name} does this one add?"
            yield asked(end, text, every, (0, -(-every // found.blocks), every // 2), where)
        return
    times = found.often(found.term)
    turn = meeting.at if meeting is not None else kept[0] if kept is not None else end
    first = turn if turn in chosen else end
    text = f"How often is {found.element} in what {found.name} holds in the end?"
    yield asked(first, text, times, (0, 1, 2, times + 1), f"{statement} {where}".strip())
    once = sum(one == 1 for one in found.times.values())
    if every > 1 and first < end:
        text = f"{every} elements of {found.belonging.given.name} belong in {found.name}. How many of them are in it exactly once?"
        yield asked(end, text, once, (0, every, every // 2, max(0, every - 1)), statement)
