"""Follows the values of a recorded block: which elements of the inputs are in what each thread stores. Pure.

Only sums are followed. Where something else was computed, or another block had a part in it, nothing is known.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate, takewhile

from grader.explain.recording import Key, Moment, Recording
from grader.explain.story import LANES
from grader.model.result import Mismatch, WrongElement
from grader.run.launches.trace_phases import CHANGES, StepKind, TracedArray, TracedInput

# A number of a run, and which elements of the inputs were added up to it. Pure.
#
# Registers are not recorded. What a thread stores or gives away is held against the sums of what it has read before; where two different
# sums fit, or none, nothing is known.

Origin = tuple[str, int]  # an input, and the flat index of its element
_EXACT = float(1 << 24)  # whole numbers below are exact in fp32


@dataclass(frozen=True, eq=False)
class Term:
    """`parts`: what was added up in the step `at` of the trace; none for an element of an input, or a plain number."""

    value: float
    counts: Counter[Origin]  # how often each element is in it; elements that are 0 are left out: nobody can tell
    size: float  # of all that was added, without signs
    at: int
    parts: tuple[Term, ...] = field(default=(), repr=False)


Terms = Sequence[Term | None]  # None: nobody knows


def plain(value: float, at: int) -> Term:
    return Term(value, Counter(), abs(value), at)


def element(value: float, origin: Origin, at: int) -> Term:
    return Term(value, Counter({origin: 1} if value else {}), abs(value), at)


def total(terms: Sequence[Term], at: int) -> Term:
    counts: Counter[Origin] = Counter()
    for one in terms:
        counts.update(one.counts)
    return Term(math.fsum(one.value for one in terms), counts, math.fsum(one.size for one in terms), at, tuple(terms))


def explained(value: float, terms: Terms, at: int, before: Term | None = None, *, older: Terms = ()) -> Term | None:
    """Of which of the thread's terms, in the order in which it got them, `value` is the sum. `before`: what it was added to. `older`: what
    the thread had before it stored or gave something, of which a register may have kept one.
    """
    if not math.isfinite(value):
        return None
    sums = list(_matching(value, terms, before))
    sums = sums or [found for one in older for found in _matching(value, [one], before) if found]
    if sums:
        found = [total((*((before,) if before is not None else ()), *chosen), at) for chosen in sums]
        return found[0] if all(one.counts == found[0].counts for one in found) else None
    if before is None and not any(one is None or one.counts for one in (*terms, *older)):
        return plain(value, at)  # a number of the kernel's own
    return None


def _matching(value: float, terms: Terms, before: Term | None) -> Iterator[tuple[Term, ...]]:
    known = [one if one is not None else plain(math.nan, 0) for one in terms]
    sums = list(accumulate((one.value for one in known), initial=0.0))
    back = list(accumulate((one.value for one in reversed(known)), initial=0.0))
    sizes = list(accumulate((one.size for one in known), initial=0.0))
    base, extra = (before.value, before.size) if before is not None else (0.0, 0.0)
    end = len(known)
    whole = all(one.is_integer() for one in (value, base, *(one.value for one in known)) if one == one)  # noqa: PLR0124 -- not NaN
    ranges = dict.fromkeys(
        [
            *((start, end, back[end - start]) for start in range(end)),
            *((0, stop, sums[stop]) for stop in range(end - 1, 0, -1)),
            *((one, one + 1, known[one].value) for one in range(end)),
            (0, 0, 0.0),
        ]
    )
    for start, stop, found in ranges:
        if math.isnan(found):
            continue
        size = sizes[stop] - sizes[start]
        size = extra + (math.fsum(one.size for one in known[start:stop]) if math.isnan(size) else max(0.0, size))
        bound = 0.0 if whole and size < _EXACT else 4 * math.sqrt(stop - start + 1) * 2**-24 * size
        if abs(value - base - found) <= bound:
            yield tuple(known[start:stop])


_MOST_STEPS = 60_000
_MOST_TERMS = 4096  # that a thread has read and not yet used
_MOST_OLDER = 64  # of what it had before; of a thread with more, numbers of its own cannot be told from others
_LONGEST = 2_000_000  # elements in all sums together


@dataclass
class FollowedSums:
    """`stored`: each change of an element, and what the element holds then; None: nobody knows."""

    inputs: dict[int, TracedInput]  # by the number of the array
    stored: dict[Key, list[tuple[Moment, Term | None]]] = field(default_factory=lambda: defaultdict(list))
    read: dict[Key, list[Moment]] = field(default_factory=lambda: defaultdict(list))
    # Of each thread, as it got them; and what it had before that.
    _terms: dict[int, list[Term | None]] = field(default_factory=lambda: defaultdict(list))
    _older: dict[int, list[Term | None]] = field(default_factory=lambda: defaultdict(list))
    elements: int = 0  # in all sums together

    def last(self, key: Key) -> Term | None:
        return self.stored[key][-1][1] if self.stored.get(key) else None

    def take_read(self, at: Moment) -> None:
        self.read[at.key].append(at)
        term: Term | None = None
        if self.stored.get(at.key):
            term = self.last(at.key)
            term = term if term is not None and term.value == at.value else None
        elif (given := self.inputs.get(at.key[0])) is not None and given.values[at.flat : at.flat + 1] == (at.value,):
            term = element(at.value, (given.name, at.flat), at)
        own = self._terms[at.thread]
        if len(own) < _MOST_TERMS:
            own.append(term)
        else:
            own[:] = [None]

    def take_change(self, at: Moment) -> None:
        if at.kind == StepKind.ATOMIC:
            before = self.last(at.key) if self.stored.get(at.key) else plain(0.0, at)
            term = self._explained(at.thread, at.value, at, before) if before is not None else None
        else:
            term = self._settled(at.thread, at.value, at)
        self.stored[at.key].append((at, term))

    def take_exchange(self, lanes: Sequence[Moment]) -> None:
        """What each lane gives is explained before any gets something."""
        brought: list[tuple[int, Term | None]] = []
        for at in lanes:
            _, thread, _, _, lane, size, bits, place, _, _ = at.step
            where = at.recording.trace.places[place]
            if "shuffle" in where.calls and size:
                source = thread // LANES * LANES + lane
                brought.append((thread, self._settled(source, _value(bits, size, where.element), at)))
            elif "__syncwarp" not in where.calls:
                brought.append((thread, None))  # a vote, or what a lane gives that takes no part
        for thread, term in brought:
            self._terms[thread].append(term)

    def _explained(self, thread: int, value: float | None, at: int, before: Term | None = None) -> Term | None:
        if value is None:
            return None
        term = explained(value, self._terms[thread], at, before, older=self._older[thread])
        self.elements += len(term.counts) if term is not None else 0
        return term

    def _settled(self, thread: int, value: float | None, at: int) -> Term | None:
        """The thread shows that it has this; a register may still hold something older."""
        term = self._explained(thread, value, at)
        kept = [*self._older[thread], *self._terms[thread]]
        self._older[thread] = kept if len(kept) <= _MOST_OLDER else [None]
        self._terms[thread] = [term]
        return term


def followed_sums(recording: Recording) -> FollowedSums | None:
    """None where it would take too long."""
    if len(recording.trace.steps) > _MOST_STEPS:
        return None
    moments = recording.moments()
    by_name = {one.name: one for one in recording.report.inputs}
    arrays = enumerate(recording.trace.arrays)
    found = FollowedSums({at: by_name[one.name] for at, one in arrays if one.space == "global" and one.name in by_name})
    at = 0
    while at < len(moments):
        one, taken = moments[at], 1
        if one.kind == StepKind.EXCHANGE:
            lanes = _together(moments, at)
            found.take_exchange(lanes)
            taken = len(lanes)
        elif one.kind == StepKind.READ:
            found.take_read(one)
        elif one.kind in CHANGES:
            found.take_change(one)
        if found.elements > _LONGEST:
            return None
        at += taken
    return found


def _together(moments: Sequence[Moment], at: int) -> list[Moment]:
    """Lanes of one warp operation follow each other."""
    first, seen = moments[at], set[int]()

    def is_alike(one: Moment) -> bool:
        alike = one.kind == StepKind.EXCHANGE and one.step[8] == first.step[8]
        is_new = one.thread // LANES == first.thread // LANES and one.thread not in seen
        seen.add(one.thread)
        return alike and is_new

    return list(takewhile(is_alike, moments[at : at + LANES + 1]))


def _value(bits: int, size: int, element_type: str) -> float | None:
    if element_type not in {"float", "double", "int", "unsigned", "unsigned int"}:
        return None
    return TracedArray(name="", space="", element=element_type, element_bytes=size).value(bits, size)


# Which elements of an input belong in an element of the result: read off what is expected of the wrong elements. Pure.
#
# Only what fits every wrong element that is told is believed. Nothing here knows a lab.

_NEAR = 1e-6  # of a sum, relative to the sizes of what is added
_MOST = 1 << 16
_FEWEST = 2  # a single element of many might be anything


@dataclass(frozen=True)
class Belonging:
    """`of(flat)`: the elements of the input whose sum belongs in the result's element, as a range."""

    given: TracedInput
    of: Callable[[int], range]

    def words(self, flat: int) -> str:
        """`in[0] to in[39]`."""
        one = self.of(flat)
        first, last = (self.name(at) for at in (one.start, max(one.start, one.stop - 1)))
        return first if len(one) == 1 else f"{first} to {last}" if len(one) else f"nothing of {self.given.name}"

    def name(self, flat: int) -> str:
        return element_of(self.given, flat)


def element_of(given: TracedInput, flat: int) -> str:
    if 0 < given.columns < len(given.values):
        return f"{given.name}[{flat // given.columns}][{flat % given.columns}]"
    return f"{given.name}[{flat}]"


def summed_inputs(inputs: Sequence[TracedInput], wrong: Mismatch) -> Belonging | None:
    """The sum of all, of each row, or of all up to this one, with it or without: the only one of these that fits."""
    expected = [one for one in wrong.first if one.expected is not None]
    if not expected:
        return None
    found = [one for one in _possible(inputs, wrong) if all(_fits(one, element, wrong) for element in expected)]
    ranges = {tuple((one.given.name, one.of(flat_of(element, wrong))) for element in expected) for one in found}
    return found[0] if len(ranges) == 1 else None


def flat_of(element: WrongElement, wrong: Mismatch) -> int:
    return element.row * wrong.columns + element.column


def _possible(inputs: Sequence[TracedInput], wrong: Mismatch) -> Iterator[Belonging]:
    size = wrong.rows * wrong.columns
    for given in inputs:
        count = len(given.values)
        if not _FEWEST <= count <= _MOST:
            continue
        if size == 1:
            yield Belonging(given, partial(_row, count))
        elif size == count:
            yield Belonging(given, lambda flat: range(flat + 1))
            yield Belonging(given, range)
        elif given.columns > 1 and size * given.columns == count:
            yield Belonging(given, partial(_row, given.columns))


def _row(columns: int, flat: int) -> range:
    return range(flat * columns, (flat + 1) * columns)


def _fits(belonging: Belonging, element: WrongElement, wrong: Mismatch) -> bool:
    values = [belonging.given.values[at] for at in belonging.of(flat_of(element, wrong))]
    return abs(math.fsum(values) - (element.expected or 0.0)) <= _NEAR * math.fsum(map(abs, values))


def copied_input(inputs: Sequence[TracedInput], wrong: Mismatch) -> tuple[TracedInput, dict[int, int]] | None:
    """Where each element of the result is a copy of one of an input: of the wrong ones that are told, which one belongs there. Only where
    no other element of the input has that value.
    """
    expected = {flat_of(one, wrong): one.expected for one in wrong.first if one.expected is not None}
    for given in inputs:
        if len(given.values) != wrong.rows * wrong.columns or len(given.values) > _MOST or len(expected) < _FEWEST:
            continue
        times = Counter(given.values)
        if not all(value in times for value in expected.values()):
            continue
        places = {value: at for at, value in enumerate(given.values)}
        found = {flat: places[value] for flat, value in expected.items() if value is not None and times[value] == 1}
        if len(found) >= _FEWEST and len(set(found.values())) == len(found):
            return given, found
    return None
