"""Interprets a trace: which thread loaded which element to where, what it read between two barriers, and the sum of its products.

Pure. A load is a read of global memory and a later write of the same value to shared memory by the same thread. Each read is used
once, the earliest first, and reads on the same line as the write before others. A product is two consecutive reads, one of each
factor. This is right for plain sums of products. `Outcome.reproduced` says for each thread whether it stored that sum.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from grader.single_launch.trace_steps import ACCESSES, StepKind, Trace

Index3 = tuple[int, int, int]
_MOST_THREADS = 1024
_MOST_STAYS = 1 << 17  # threads in intervals; intervals after these are left out
_TOO_MANY_BARRIERS = "This is only the beginning: the block passes more barriers than can be shown."


@dataclass(frozen=True)
class Access:
    """A thread's access to one element, with the value that was read or written."""

    array: str
    index: tuple[int, ...]
    value: float
    line: int  # 0: in another file than the traced one

    @property
    def name(self) -> str:
        return self.array + "".join(f"[{one}]" for one in self.index)


@dataclass(frozen=True)
class Load:
    """What a thread wrote to shared memory. `source` is None where it did not read the value, as with a zero."""

    source: Access | None
    target: Access


@dataclass
class ThreadInterval:
    """What one thread did between two barriers."""

    thread: Index3
    loads: list[Load] = field(default_factory=list)
    reads: list[Access] = field(default_factory=list)  # reads that are no part of a load
    products: list[tuple[Access, Access]] = field(default_factory=list)  # each in the order of the factors
    stores: list[Access] = field(default_factory=list)  # to global memory
    sum_after: float = 0.0  # the sum of all products up to the end of this interval

    @property
    def added(self) -> float:
        return math.fsum(first.value * second.value for first, second in self.products)


@dataclass
class BarrierInterval:
    """What a block did between two barriers. `barrier` is the line of the barrier at its end; None at the block's end."""

    stays: list[ThreadInterval]
    barrier: int | None
    tiles: dict[
        str, dict[tuple[int, ...], float]
    ]  # the shared arrays that were written in it, with their contents at its end


@dataclass(frozen=True)
class Outcome:
    """What a thread stored, and the sum of the products that it read."""

    thread: Index3
    stores: tuple[Access, ...]  # the last store to each element
    total: float
    reproduced: bool


@dataclass(frozen=True)
class BlockTrace:
    intervals: tuple[BarrierInterval, ...]
    outcomes: tuple[Outcome, ...]  # one for each thread that stored something
    factors: tuple[str, ...]
    shapes: dict[str, tuple[int, ...]]  # of every array
    unpaired: int  # how many reads of a factor belong to no product
    left_out: str  # what the recording does not show; empty: nothing


@dataclass(frozen=True)
class _Event:
    kind: StepKind
    thread: int
    interval: int
    space: str
    access: Access


def block_trace(trace: Trace, factors: Sequence[str], block: Index3, file: str, missing: str = "") -> BlockTrace:
    """`block`: the number of threads in x, y and z. `file`: only lines of this file are shown. `missing`: of the recording."""
    count = min(block[0] * block[1] * block[2], _MOST_THREADS)
    most = _MOST_STAYS // max(1, count)
    cut = any(step[2] >= most for step in trace.steps)
    events = [event for event in _events(trace, file) if event.interval < most]
    ends = {
        step[2]: _line(trace, step[7], file)
        for step in trace.steps
        if step[0] == StepKind.BARRIER and step[2] < most - 1
    }
    last = max([event.interval for event in events] + [end + 1 for end in ends], default=0)
    stays = [[ThreadInterval(_index(thread, block)) for thread in range(count)] for _ in range(last + 1)]
    pairings: list[_LoadPairing] = [_LoadPairing() for _ in range(count)]
    events = [event for event in events if event.thread < count]
    for event in events:
        pairings[event.thread].take(event, stays[event.interval][event.thread])
    origins = _Origins(events, [load for row in stays for stay in row for load in stay.loads], factors)
    unpaired = 0
    of_thread: dict[int, list[_Event]] = defaultdict(list)
    for event in events:
        of_thread[event.thread].append(event)
    for thread in range(count):
        used = pairings[thread].used
        unpaired += _pair_factors([row[thread] for row in stays], of_thread[thread], used, origins)
    tiles = _tiles(events, last)
    return BlockTrace(
        intervals=tuple(BarrierInterval(stays[i], ends.get(i), tiles[i]) for i in range(last + 1)),
        outcomes=tuple(_outcomes(stays)),
        factors=tuple(factors),
        shapes={array.name: array.dimensions for array in trace.arrays},
        unpaired=unpaired,
        left_out=missing or (_TOO_MANY_BARRIERS if cut else ""),
    )


def _events(trace: Trace, file: str) -> Iterator[_Event]:
    for kind, thread, interval, array, offset, size, bits, place, _, _ in trace.steps:
        if kind in ACCESSES:
            known = trace.arrays[array]
            access = Access(known.name, known.index(offset, size), known.value(bits, size), _line(trace, place, file))
            yield _Event(StepKind(kind), thread, interval, known.space, access)


def _line(trace: Trace, place: int, file: str) -> int:
    where = trace.places[place]
    return where.line if where.file == file else 0


def _index(thread: int, block: Index3) -> Index3:
    return thread % block[0], thread // block[0] % block[1], thread // block[0] // block[1]


class _LoadPairing:
    """Pairs one thread's reads of global memory with its writes to shared memory, in program order."""

    def __init__(self) -> None:
        self.used: set[int] = set()  # ids of the reads that are part of a load
        self._waiting: list[_Event] = []

    def take(self, event: _Event, stay: ThreadInterval) -> None:
        if event.kind is StepKind.READ and event.space == "global":
            self._waiting.append(event)
        elif event.kind is not StepKind.READ and event.space == "shared":
            same = [one for one in self._waiting if _equal(one.access.value, event.access.value)]
            near = [one for one in same if one.access.line == event.access.line] or same
            source = near[0] if near and event.kind is StepKind.WRITE else None
            if source:
                self._waiting.remove(source)
                self.used.add(id(source))
            stay.loads.append(Load(source.access if source else None, event.access))
        elif event.kind is not StepKind.READ:
            stay.stores.append(event.access)


def _equal(one: float, other: float) -> bool:
    return one == other or (math.isnan(one) and math.isnan(other))


class _Origins:
    """Finds the factor that an element belongs to: its own array in global memory, or the array that was loaded into it."""

    def __init__(self, events: Sequence[_Event], loads: Sequence[Load], factors: Sequence[str]) -> None:
        self._factors = factors
        self._of_array: dict[str, set[str]] = defaultdict(set)
        self._of_element: dict[str, str] = {}
        self._shared = {event.access.array for event in events if event.space == "shared"}
        for load in loads:
            if load.source and load.source.array in factors:
                self._of_array[load.target.array].add(load.source.array)
                self._of_element[load.target.name] = load.source.array

    def factor(self, access: Access) -> str | None:
        if access.array not in self._shared:
            return access.array if access.array in self._factors else None
        whole = self._of_array[access.array]
        return next(iter(whole)) if len(whole) == 1 else self._of_element.get(access.name)


def _pair_factors(stays: Sequence[ThreadInterval], events: Sequence[_Event], used: set[int], origins: _Origins) -> int:
    """Fills in one thread's reads, products and sums. Returns how many reads of a factor belong to no product."""
    waiting: tuple[str, Access] | None = None
    unpaired = 0
    for event in events:
        if event.kind is not StepKind.READ or id(event) in used:
            continue
        stay = stays[event.interval]
        stay.reads.append(event.access)
        factor = origins.factor(event.access)
        if factor is None:
            continue
        if waiting and waiting[0] != factor:
            pair = sorted([waiting, (factor, event.access)], key=lambda one: origins._factors.index(one[0]))  # noqa: SLF001
            stay.products.append((pair[0][1], pair[1][1]))
            waiting = None
        else:
            unpaired += waiting is not None
            waiting = (factor, event.access)
    total = 0.0
    for stay in stays:
        stay.sum_after = total = total + stay.added
    return unpaired + (waiting is not None)


def _tiles(events: Sequence[_Event], last: int) -> list[dict[str, dict[tuple[int, ...], float]]]:
    """For each interval, the shared arrays that were written in it, complete, with their contents at its end."""
    now: dict[str, dict[tuple[int, ...], float]] = defaultdict(dict)
    shown: list[dict[str, dict[tuple[int, ...], float]]] = []
    for interval in range(last + 1):
        written = [
            e.access for e in events if e.interval == interval and e.space == "shared" and e.kind is not StepKind.READ
        ]
        for access in written:
            now[access.array][access.index] = access.value
        shown.append({name: dict(now[name]) for name in dict.fromkeys(access.array for access in written)})
    return shown


def _outcomes(stays: Sequence[Sequence[ThreadInterval]]) -> Iterator[Outcome]:
    for of_thread in zip(*stays, strict=True):
        stores = {store.name: store for stay in of_thread for store in stay.stores}
        if not stores:
            continue
        products = [first.value * second.value for stay in of_thread for first, second in stay.products]
        total = math.fsum(products)
        # The largest possible rounding error. kit/problems explains the bound. Whole numbers are exact.
        bound = 4 * math.sqrt(len(products) or 1) * 2**-24 * math.fsum(abs(one) for one in products)
        stored = math.fsum(store.value for store in stores.values())
        reproduced = bool(products) and abs(stored - total) <= bound
        yield Outcome(of_thread[0].thread, tuple(stores.values()), total, reproduced)
