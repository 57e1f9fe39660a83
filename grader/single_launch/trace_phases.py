"""Makes sense of a trace: which thread loaded which element where, what it read between two barriers, and what sum that makes.

Pure. A load is a read of global memory and the same thread's later write of that very value to shared memory: first
come, first served, reads on the same line before others. A product is two reads in a row, one of each factor. That holds for
plain sums of products; `Outcome.reproduced` says for each thread whether what it stored is indeed that sum.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from grader.single_launch.trace_steps import StepKind, Trace

Index3 = tuple[int, int, int]


@dataclass(frozen=True)
class Touch:
    """One element that a thread read or wrote, and what was there."""

    array: str
    index: tuple[int, ...]
    value: float
    line: int  # 0: not in the file that is traced

    @property
    def name(self) -> str:
        return self.array + "".join(f"[{one}]" for one in self.index)


@dataclass(frozen=True)
class Load:
    """What a thread put into shared memory; `source` None: nothing it had read, a zero for one."""

    source: Touch | None
    target: Touch


@dataclass
class Stay:
    """One thread between two barriers."""

    thread: Index3
    loads: list[Load] = field(default_factory=list)
    reads: list[Touch] = field(default_factory=list)  # those that went into no load
    products: list[tuple[Touch, Touch]] = field(default_factory=list)  # in the factors' order
    stores: list[Touch] = field(default_factory=list)  # to global memory
    sum_after: float = 0.0  # of all products up to the end of this interval

    @property
    def added(self) -> float:
        return math.fsum(first.value * second.value for first, second in self.products)


@dataclass
class Interval:
    """What a block did between two of its barriers; `barrier` is the line of the one that ends it, None: the block's end."""

    stays: list[Stay]
    barrier: int | None
    tiles: dict[str, dict[tuple[int, ...], float]]  # shared arrays that were written in it, as they are at its end


@dataclass(frozen=True)
class Outcome:
    """What a thread stored, against the sum of the products it read."""

    thread: Index3
    stores: tuple[Touch, ...]  # the last to each element
    total: float
    reproduced: bool


@dataclass(frozen=True)
class BlockTrace:
    intervals: tuple[Interval, ...]
    outcomes: tuple[Outcome, ...]  # of the threads that stored something
    factors: tuple[str, ...]
    shapes: dict[str, tuple[int, ...]]  # of every array
    unpaired: int  # reads of a factor that belong to no product
    complete: bool


@dataclass(frozen=True)
class _Event:
    kind: StepKind
    thread: int
    interval: int
    space: str
    touch: Touch


def block_trace(trace: Trace, factors: Sequence[str], block: Index3, file: str) -> BlockTrace:
    """`block`: how many threads there are in x, y and z. `file`: only its lines are told."""
    events = list(_events(trace, file))
    count = block[0] * block[1] * block[2]
    ends = {step[2]: _line(trace, step[7], file) for step in trace.steps if step[0] == StepKind.BARRIER}
    last = max([event.interval for event in events] + [end + 1 for end in ends], default=0)
    stays = [[Stay(_index(thread, block)) for thread in range(count)] for _ in range(last + 1)]
    loaders: list[_Loader] = [_Loader() for _ in range(count)]
    events = [event for event in events if event.thread < count]
    for event in events:
        loaders[event.thread].take(event, stays[event.interval][event.thread])
    origins = _Origins(events, [load for row in stays for stay in row for load in stay.loads], factors)
    unpaired = 0
    for thread in range(count):
        used = loaders[thread].used
        unpaired += _multiply([row[thread] for row in stays], [e for e in events if e.thread == thread], used, origins)
    tiles = _tiles(events, last)
    return BlockTrace(
        intervals=tuple(Interval(stays[i], ends.get(i), tiles[i]) for i in range(last + 1)),
        outcomes=tuple(_outcomes(stays)),
        factors=tuple(factors),
        shapes={array.name: array.dimensions for array in trace.arrays},
        unpaired=unpaired,
        complete=trace.complete,
    )


def _events(trace: Trace, file: str) -> Iterator[_Event]:
    for kind, thread, interval, array, offset, size, bits, place in trace.steps:
        if kind != StepKind.BARRIER:
            known = trace.arrays[array]
            touch = Touch(known.name, known.index(offset, size), known.value(bits, size), _line(trace, place, file))
            yield _Event(StepKind(kind), thread, interval, known.space, touch)


def _line(trace: Trace, place: int, file: str) -> int:
    where = trace.places[place]
    return where.line if where.file == file else 0


def _index(thread: int, block: Index3) -> Index3:
    return thread % block[0], thread // block[0] % block[1], thread // block[0] // block[1]


class _Loader:
    """Pairs one thread's reads of global memory with its writes to shared memory, in its program's order."""

    def __init__(self) -> None:
        self.used: set[int] = set()  # ids of the reads that became loads
        self._waiting: list[_Event] = []

    def take(self, event: _Event, stay: Stay) -> None:
        if event.kind is StepKind.READ and event.space == "global":
            self._waiting.append(event)
        elif event.kind is not StepKind.READ and event.space == "shared":
            same = [one for one in self._waiting if _equal(one.touch.value, event.touch.value)]
            near = [one for one in same if one.touch.line == event.touch.line] or same
            source = near[0] if near and event.kind is StepKind.WRITE else None
            if source:
                self._waiting.remove(source)
                self.used.add(id(source))
            stay.loads.append(Load(source.touch if source else None, event.touch))
        elif event.kind is not StepKind.READ:
            stay.stores.append(event.touch)


def _equal(one: float, other: float) -> bool:
    return one == other or (math.isnan(one) and math.isnan(other))


class _Origins:
    """Which factor an element that is read comes from: itself in global memory, or what was loaded there."""

    def __init__(self, events: Sequence[_Event], loads: Sequence[Load], factors: Sequence[str]) -> None:
        self._factors = factors
        self._of_array: dict[str, set[str]] = defaultdict(set)
        self._of_element: dict[str, str] = {}
        self._shared = {event.touch.array for event in events if event.space == "shared"}
        for load in loads:
            if load.source and load.source.array in factors:
                self._of_array[load.target.array].add(load.source.array)
                self._of_element[load.target.name] = load.source.array

    def factor(self, touch: Touch) -> str | None:
        if touch.array not in self._shared:
            return touch.array if touch.array in self._factors else None
        whole = self._of_array[touch.array]
        return next(iter(whole)) if len(whole) == 1 else self._of_element.get(touch.name)


def _multiply(stays: Sequence[Stay], events: Sequence[_Event], used: set[int], origins: _Origins) -> int:
    """Fills in one thread's reads, products and sums; returns how many reads of a factor no product takes."""
    waiting: tuple[str, Touch] | None = None
    unpaired = 0
    for event in events:
        if event.kind is not StepKind.READ or id(event) in used:
            continue
        stay = stays[event.interval]
        stay.reads.append(event.touch)
        factor = origins.factor(event.touch)
        if factor is None:
            continue
        if waiting and waiting[0] != factor:
            pair = sorted([waiting, (factor, event.touch)], key=lambda one: origins._factors.index(one[0]))  # noqa: SLF001
            stay.products.append((pair[0][1], pair[1][1]))
            waiting = None
        else:
            unpaired += waiting is not None
            waiting = (factor, event.touch)
    total = 0.0
    for stay in stays:
        stay.sum_after = total = total + stay.added
    return unpaired + (waiting is not None)


def _tiles(events: Sequence[_Event], last: int) -> list[dict[str, dict[tuple[int, ...], float]]]:
    """For each interval the shared arrays that were written in it, whole, as they are at its end."""
    now: dict[str, dict[tuple[int, ...], float]] = defaultdict(dict)
    shown: list[dict[str, dict[tuple[int, ...], float]]] = []
    for interval in range(last + 1):
        written = [
            e.touch for e in events if e.interval == interval and e.space == "shared" and e.kind is not StepKind.READ
        ]
        for touch in written:
            now[touch.array][touch.index] = touch.value
        shown.append({name: dict(now[name]) for name in dict.fromkeys(touch.array for touch in written)})
    return shown


def _outcomes(stays: Sequence[Sequence[Stay]]) -> Iterator[Outcome]:
    for of_thread in zip(*stays, strict=True):
        stores = {store.name: store for stay in of_thread for store in stay.stores}
        if not stores:
            continue
        products = [first.value * second.value for stay in of_thread for first, second in stay.products]
        total = math.fsum(products)
        # As wide as rounding can be: exact for whole numbers, see kit/problems for the bound.
        bound = 4 * math.sqrt(len(products) or 1) * 2**-24 * math.fsum(abs(one) for one in products)
        stored = math.fsum(store.value for store in stores.values())
        reproduced = bool(products) and abs(stored - total) <= bound
        yield Outcome(of_thread[0].thread, tuple(stores.values()), total, reproduced)
