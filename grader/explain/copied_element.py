"""A wrong element that is a copy of the wrong element of an input: where its value came from, and where the right one is. Pure.

It is told only where values say it without doubt: no two elements of the input that matter here are alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.explain.followed_sums import (
    Belonging,
    FollowedSums,
    Key,
    Origin,
    Term,
    copied_input,
    element_of,
    flat_of,
    followed_sums,
    summed_inputs,
)
from grader.model.result import Mismatch, WrongElement
from grader.run.launches.trace_phases import ACCESSES, CHANGES, Step, StepKind, Trace, TracedInput, TraceReport


@dataclass(frozen=True)
class Held:
    """An input's element in shared memory: who put it there, and when, by places in the trace."""

    array: int
    offset: int
    load: int
    write: int


@dataclass(frozen=True)
class CopiedElement:
    given: str  # the input
    output: str
    element: str  # "out[0][1]"
    got: str  # "in[0][1]": what it holds a copy of
    right: str  # "in[1][0]": what belongs there
    expected: float
    store: int  # all of these by their places in the trace
    read: int  # what the thread read last of that value
    held: Held | None  # None: the thread read it from the input itself
    right_held: Held | None  # where the right value is at that moment, in the array that was read
    right_load: int | None  # the first read of the right element in this block


def copied_element(report: TraceReport) -> CopiedElement | None:
    """Of the first wrong element that this block has stored."""
    trace, wrong = report.trace, report.launch.mismatch
    if trace is None or wrong is None or (copied := copied_input(report.inputs, wrong)) is None:
        return None
    given, belongs = copied
    times = Counter(given.values)
    places = {value: at for at, value in enumerate(given.values) if times[value] == 1}
    for one in wrong.first:
        flat = flat_of(one, wrong)
        if flat not in belongs or one.got not in places:
            continue
        store = _last_store(trace, wrong, flat)
        if store is None or (read := _read_of_value(trace, store)) is None:
            continue
        value = _value(trace, trace.steps[store])
        held, first_load = _held(trace, read, given.name)
        source = trace.steps[read]
        direct = trace.arrays[source[3]].space != "shared"
        if (
            value != one.got
            or (direct and _flat(source) != places[value])
            or (direct and trace.arrays[source[3]].name != given.name)
        ):
            continue
        if not direct and (
            (own := held.get((source[3], source[4]))) is None or _flat(trace.steps[own.load]) != places[value]
        ):
            continue
        right = belongs[flat]
        return CopiedElement(
            given.name,
            wrong.output,
            f"{wrong.output}[{one.row}][{one.column}]" if wrong.rows > 1 else f"{wrong.output}[{one.column}]",
            element_of(given, places[value]),
            element_of(given, right),
            one.expected or 0.0,
            store,
            read,
            None if direct else held[source[3], source[4]],
            None if direct else next(_holding(trace, held, source[3], right), None),
            first_load.get(right),
        )
    return None


def _last_store(trace: Trace, wrong: Mismatch, flat: int) -> int | None:
    """None where several threads of the block store it: then who wins is another question."""
    found = [
        at
        for at, step in enumerate(trace.steps)
        if step[0] in CHANGES and trace.arrays[step[3]].name == wrong.output and _flat(step) == flat
    ]
    alone = len({trace.steps[at][1] for at in found}) == 1
    return found[-1] if alone and trace.steps[found[-1]][0] == StepKind.WRITE else None


def _read_of_value(trace: Trace, store: int) -> int | None:
    thread, size, bits = trace.steps[store][1], *trace.steps[store][5:7]
    before = range(store - 1, -1, -1)
    return next(
        (
            at
            for at in before
            if trace.steps[at][:2] == (StepKind.READ, thread) and trace.steps[at][5:7] == (size, bits)
        ),
        None,
    )


def _held(trace: Trace, read: int, given: str) -> tuple[dict[tuple[int, int], Held], dict[int, int]]:
    """What shared memory holds of the input when that read happens; and the first read of each of its elements in the whole block."""
    held: dict[tuple[int, int], Held] = {}
    first: dict[int, int] = {}
    last: dict[tuple[int, int], int] = {}  # a thread's last read of the input that brought these bits
    for at, step in enumerate(trace.steps):
        if step[0] not in ACCESSES:
            continue
        array = trace.arrays[step[3]]
        if step[0] == StepKind.READ and array.name == given and array.space == "global":
            first.setdefault(_flat(step), at)
            last[step[1], step[6]] = at
        elif step[0] in CHANGES and array.space == "shared" and at < read:
            load = last.get((step[1], step[6]))
            if load is not None and step[0] == StepKind.WRITE:
                held[step[3], step[4]] = Held(step[3], step[4], load, at)
            else:
                held.pop((step[3], step[4]), None)
    return held, first


def _holding(trace: Trace, held: dict[tuple[int, int], Held], array: int, flat: int) -> Iterator[Held]:
    for one in held.values():
        if one.array == array and _flat(trace.steps[one.load]) == flat:
            yield one


def _value(trace: Trace, step: Step) -> float:
    return trace.arrays[step[3]].value(step[6], step[5])


def _flat(step: Step) -> int:
    return step[4] // step[5] if step[5] else -1


# A wrong element of the result that is a sum of elements of an input: how often each is in it, and where that happened. Pure.


@dataclass(frozen=True)
class Addends:
    trace: Trace
    wrong: WrongElement
    key: Key  # of the wrong element
    belonging: Belonging
    belongs: range
    term: Term  # what the element holds in the end
    followed: FollowedSums
    others: bool = False  # other blocks change it too: `term` is what this block has brought

    @property
    def name(self) -> str:
        return self.named(self.key)

    def named(self, key: Key) -> str:
        array = self.trace.arrays[key[0]]
        return array.name + "".join(f"[{one}]" for one in array.index(key[1], array.element_bytes))

    def input_name(self, flat: int) -> str:
        return self.belonging.name(flat)

    @property
    def times(self) -> dict[int, int]:
        """How often each element is in it that belongs there: without those that are 0, which nobody can tell."""
        given = self.belonging.given
        return {at: self.term.counts[given.name, at] for at in self.belongs if given.values[at]}

    @property
    def missing(self) -> list[int]:
        return [at for at, times in self.times.items() if times == 0]

    @property
    def repeated(self) -> list[int]:
        return [at for at, times in self.times.items() if times > 1]

    @property
    def strangers(self) -> list[int]:
        return sorted(at for _, at in self.term.counts if at not in self.belongs)

    @property
    def is_all_here(self) -> bool:
        """Whether one block brings each element once, and so nothing is left for others."""
        step = self.trace.steps[self.term.at]
        return (
            step[0] == StepKind.ATOMIC and not (self.missing or self.repeated or self.strangers) and len(self.times) > 1
        )

    @property
    def told(self) -> int:
        """The element whose way is shown: of those that are in it too often, one of the fewest times, which has the shortest way."""
        if self.repeated:
            return min(self.repeated, key=lambda at: self.times[at])
        return (self.strangers or self.missing or list(self.times))[0]

    def often(self, term: Term) -> int:
        return term.counts[self.belonging.given.name, self.told]

    def way(self) -> list[Term]:
        """Every sum with the told element that became a part of the result, in the order in which they were made."""
        terms, waiting = {}, [self.term]
        while waiting:
            one = waiting.pop()
            if id(one) not in terms and self.often(one):
                terms[id(one)] = one
                waiting.extend(one.parts)
        return sorted((one for one in terms.values() if not self._only_stays(one)), key=lambda one: one.at)

    def _only_stays(self, term: Term) -> bool:
        """Whether something else was added to the element that holds it."""
        return term is not self.term and any(
            self.often(part) == self.often(term) and self._place(part) == self._place(term) for part in term.parts
        )

    def _place(self, term: Term) -> tuple[int, ...]:
        """The element that a step changes."""
        step = self.trace.steps[term.at]
        return step[3:5] if step[0] in CHANGES else (-1, term.at)

    def reads_in(self, term: Term) -> list[int]:
        """Which reads brought the told element."""
        found, waiting = set(), [term]
        seen: set[int] = set()
        while waiting:
            one = waiting.pop()
            if id(one) not in seen and self.often(one):
                seen.add(id(one))
                waiting.extend(one.parts)
                if not one.parts:
                    found.add(one.at)
        return sorted(found)

    def meeting(self, way: Sequence[Term]) -> Term | None:
        """The first sum that has the told element more than once."""
        return next((one for one in way if self.often(one) > 1), None)

    def kept(self) -> tuple[int, Key] | None:
        """Where an element that is missing was stored last: the place in the trace, and the element that holds it."""
        origin = self.belonging.given.name, self.told
        held = [
            (at, key)
            for key, changes in self.followed.stored.items()
            for at, term in changes
            if term and term.counts[origin]
        ]
        return max(held, default=None)

    def held(self, kept: tuple[int, Key]) -> Counter[Origin]:
        term = next(term for at, term in self.followed.stored[kept[1]] if at == kept[0])
        return term.counts if term is not None else Counter()

    def reads_of_told(self) -> list[int]:
        given = self.belonging.given.name
        return [
            at
            for (array, offset), reads in self.followed.read.items()
            for at in reads
            if self.trace.arrays[array].name == given and offset // self.trace.arrays[array].element_bytes == self.told
        ]


def addends_of(report: TraceReport) -> Addends | None:
    """Of the first wrong element whose value is what this block stored, and is known as a sum; None: there is none."""
    trace, mismatch = report.trace, report.launch.mismatch
    if trace is None or not trace.complete or mismatch is None:
        return None
    belonging = summed_inputs(report.inputs, mismatch)
    array = next(
        (at for at, one in enumerate(trace.arrays) if (one.name, one.space) == (mismatch.output, "global")), None
    )
    followed = followed_sums(trace, report.inputs) if belonging is not None and array is not None else None
    if belonging is None or array is None or followed is None:
        return None
    for wrong in mismatch.first:
        flat = flat_of(wrong, mismatch)
        key = array, flat * trace.arrays[array].element_bytes
        term = followed.last(key)
        if term is None or wrong.got is None or any(name != belonging.given.name for name, _ in term.counts):
            continue
        # With another value, other blocks have a part in it, which is not known here.
        found = Addends(trace, wrong, key, belonging, belonging.of(flat), term, followed, term.value != wrong.got)
        if not found.others or found.is_all_here:
            return found
    return None


# A wrong count of a histogram: which values of the input a block has counted where, and what it has passed on. Pure.
#
# A count is an addition to an element by a thread that has just read a value. Where a thread reads several values before it counts, nobody
# can tell which it counts: then nothing is known.

_MOST_STEPS = 100_000


@dataclass(frozen=True)
class Read:
    at: int  # by its place in the trace
    flat: int
    value: float


@dataclass(frozen=True)
class Counted:
    read: Read
    at: int
    key: Key
    bin: int
    added: float


@dataclass(frozen=True)
class Passed:
    """An addition to the result of what a thread has read in shared memory."""

    read: int
    at: int
    bin: int
    held: float
    added: float


@dataclass(frozen=True)
class CountedValues:
    trace: Trace
    given: TracedInput
    output: int  # the number of its array
    bin: int  # the wrong one
    expected: float
    got: float
    reads: tuple[Read, ...]
    counted: tuple[Counted, ...]
    passed: tuple[Passed, ...]

    def place(self, read: Read) -> Counted | None:
        return next((one for one in self.counted if one.read is read), None)

    @property
    def strange(self) -> list[Counted]:
        """Counts in this bin of other values."""
        return [one for one in self.counted if one.bin == self.bin and one.read.value != self.bin]

    @property
    def lost(self) -> list[Read]:
        """Values of this bin that a thread reads and does not count in it."""
        own = {id(one.read) for one in self.counted if one.bin == self.bin}
        return [one for one in self.reads if one.value == self.bin and id(one) not in own]

    @property
    def uneven(self) -> list[Counted]:
        """Counts in this bin that add something else than 1."""
        return [one for one in self.counted if one.bin == self.bin and one.added != 1]

    @property
    def passes(self) -> list[Passed]:
        return [one for one in self.passed if one.bin == self.bin]


def counted_values(report: TraceReport) -> CountedValues | None:
    trace, wrong = report.trace, report.launch.mismatch
    if trace is None or wrong is None or not trace.complete or len(trace.steps) > _MOST_STEPS:
        return None
    given = next((one for one in report.inputs if _counts(one, wrong)), None)
    output = next(
        (at for at, one in enumerate(trace.arrays) if (one.name, one.space) == (wrong.output, "global")), None
    )
    if given is None or output is None:
        return None
    walk = _Walk(trace, given, output)
    for at, step in enumerate(trace.steps):
        if step[0] in ACCESSES:
            walk.take(at, step)
    if walk.is_unclear:
        return None
    for one in wrong.first:
        if one.got is not None and one.expected is not None:
            reads, counted, passed = tuple(walk.reads), tuple(walk.counted), tuple(walk.passed)
            flat = flat_of(one, wrong)
            return CountedValues(trace, given, output, flat, one.expected, one.got, reads, counted, passed)
    return None


def _counts(given: TracedInput, wrong: Mismatch) -> bool:
    """Whether each wrong element should hold how often its own number is among the values."""
    if not given.values or not wrong.first or 1 not in {wrong.rows, wrong.columns}:
        return False
    times = Counter(given.values)
    expected = [(flat_of(one, wrong), one.expected) for one in wrong.first]
    return all(value == times[float(flat)] for flat, value in expected) and any(value for _, value in expected)


class _Walk:
    def __init__(self, trace: Trace, given: TracedInput, output: int) -> None:
        self._trace, self._given, self._output = trace, given, output
        self._held: dict[Key, float] = {}  # what an element holds, as far as this block knows
        self._last: dict[int, Read] = {}  # of the input, by thread
        self._shared: dict[int, tuple[int, Key, float]] = {}  # what a thread read last in shared memory
        self.reads: list[Read] = []
        self.counted: list[Counted] = []
        self.passed: list[Passed] = []
        self._is_staged = False  # values come to those who count by way of shared memory

    @property
    def is_unclear(self) -> bool:
        own = {(one.key, one.bin) for one in self.counted}
        keys = [(self._trace.steps[one.read][3:5], one.bin) for one in self.passed if one.held or one.added]
        twice = any(times > 1 for times in Counter(id(one.read) for one in self.counted).values())
        return twice or self._is_staged or any(key not in own for key in keys)

    def take(self, at: int, step: Step) -> None:
        kind, thread, _, array, offset, size, bits, _, _, _ = step
        known = self._trace.arrays[array]
        key, value = (array, offset), known.value(bits, size)
        if kind == StepKind.READ:
            if known.name == self._given.name and known.space == "global":
                self._last[thread] = Read(at, offset // size if size else -1, value)
                self._shared.pop(thread, None)
                self.reads.append(self._last[thread])
            else:
                self._shared[thread] = at, key, value
            return
        before = self._held.get(key, 0.0 if array == self._output else None)
        self._held[key] = value
        source = self._shared.get(thread)
        is_update = kind == StepKind.ATOMIC or (source is not None and source[1] == key)
        if before is None or not is_update:
            return
        flat = offset // size if size else -1
        if array == self._output and source is not None and source[1] != key:
            self.passed.append(Passed(source[0], at, flat, source[2], value - before))
        elif source is not None and source[1] != key:
            self._is_staged = True
        elif (read := self._last.get(thread)) is not None:
            self.counted.append(Counted(read, at, key, flat, value - before))
