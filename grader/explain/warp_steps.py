"""Groups a recorded trace into what warps did: lanes of a warp that execute an instruction on the same control path are one step, as they
are one request on a GPU. Pure.

The executor runs the threads of a block one after another, so a trace is in another order than the page. Between two barriers the page
shows one warp after the other, in the order in which they began. The steps of each thread stay in program order.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set  # noqa: PYI025 -- any set
from dataclasses import dataclass, field
from itertools import chain, repeat

from grader.explain.page_block import page_arrays, page_places
from grader.explain.story import LANES, Index3, StoryArray, StoryRun, WarpCost, WarpStep
from grader.run.launches.trace_phases import ACCESSES, Step, StepKind, Trace

# What one request of a warp costs, by the rules by which kit/executor/observers/request_counter.hpp counts a launch: distinct sectors of
# 32 bytes of global memory, or passes over the 32 banks of shared memory. Pure. Addresses count from a multiple of 128.

SECTOR_BYTES = 32
WORD_BYTES = 4
_WORDS_OF_A_SECTOR = SECTOR_BYTES // WORD_BYTES


def global_cost(addresses: Iterable[int], size: int) -> WarpCost:
    """`addresses`: one of each lane. `size`: bytes that each of them accesses."""
    words = _words(addresses, size)
    sectors = {word // _WORDS_OF_A_SECTOR for word in words}
    return WarpCost(len(sectors), max(1, -(-len(words) // _WORDS_OF_A_SECTOR)))


def shared_cost(addresses: Mapping[int, int], size: int, *, reads: bool) -> WarpCost:
    """`addresses`: by lane. Lanes with the same word of a bank count once; wide accesses are served by half or quarter warps."""
    if size <= WORD_BYTES:
        return WarpCost(_passes(_words(addresses.values(), size)), 1)
    together = 16 if size <= 2 * WORD_BYTES else 8
    if reads and (_paired(addresses, 1) or _paired(addresses, 2)):
        together *= 2
    groups = [
        [addresses[lane] for lane in range(first, first + together) if lane in addresses]
        for first in range(0, LANES, together)
    ]
    served = [group for group in groups if group]
    return WarpCost(sum(_passes(_words(group, size)) for group in served), len(served))


def _words(addresses: Iterable[int], size: int) -> set[int]:
    each = list(addresses)
    if 0 < size <= WORD_BYTES:  # in one word or in two neighbours
        return {one // WORD_BYTES for one in each} | {(one + size - 1) // WORD_BYTES for one in each}
    return {word for one in each for word in range(one // WORD_BYTES, (one + size - 1) // WORD_BYTES + 1)}


def _passes(words: Collection[int]) -> int:
    if len({word % LANES for word in words}) == len(words) > 0:
        return 1
    return max(Counter(word % LANES for word in words).values())


def _paired(addresses: Mapping[int, int], bit: int) -> bool:
    """Whether each lane has the address of the lane whose number differs in this bit, or that lane is inactive."""
    return all(addresses.get(lane ^ bit, one) == one for lane, one in addresses.items())


def run_of_trace(trace: Trace, block: Index3, file: str, *, title: str, schedule: str) -> StoryRun:
    """`block`: threads in x, y and z. `file`: the shown source; other files' lines are not told."""
    threads = block[0] * block[1] * block[2]
    steps = [step for step in trace.steps if step[1] < threads]
    arrays = page_arrays(trace.model_copy(update={"steps": steps}), range(len(steps)))
    unset = _reads_of_nothing(steps, arrays)
    return StoryRun(
        title=title,
        schedule=schedule,
        arrays=arrays,
        places=page_places(trace, file),
        steps=tuple(_warp_steps(steps, arrays, unset)),
        complete=trace.complete,
    )


# Plain numbers: comparing with a member of an enumeration is slow, and a trace has tens of thousands of steps.
_BARRIER, _EXCHANGE, _OUTSIDE, _READ = map(int, (StepKind.BARRIER, StepKind.EXCHANGE, StepKind.OUTSIDE, StepKind.READ))
_ACCESSES = frozenset(map(int, ACCESSES))
Bits = tuple[int | None, ...]  # of the neighbouring elements of one access


@dataclass(frozen=True)
class _Access:
    """One thread's access: a step, or several of neighbouring elements."""

    key: tuple[int, ...]  # what lanes have in common that access together
    offset: int
    bits: Bits


@dataclass
class _Lane:
    """What a thread does from one barrier to the next: a column for each field of its accesses."""

    order: int  # in the trace: where it begins
    keys: list[tuple[int, ...]] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    bits: list[Bits] = field(default_factory=list)

    def accesses(self) -> Iterator[_Access]:
        return map(_Access, self.keys, self.offsets, self.bits)


@dataclass
class _Joined:
    key: tuple[int, ...]  # with the number of parts, and how often the lane has done it before
    lanes: dict[int, _Access]


@dataclass(frozen=True)
class _Row:
    """What lanes of a warp do together."""

    key: tuple[int, ...]
    parts: int
    lanes: tuple[int, ...]
    offsets: tuple[int, ...]
    bits: Bits


def _warp_steps(steps: Sequence[Step], arrays: Sequence[StoryArray], unset: Set[int]) -> Iterator[WarpStep]:
    chunks: dict[tuple[int, int], dict[int, _Lane]] = defaultdict(dict)
    barriers: dict[int, Step] = {}
    running, lane = (-1, -1), _Lane(0)  # the interval and the thread of the step before
    for order, (kind, thread, interval, array, offset, size, bits, place, slot, part) in enumerate(steps):
        if kind == _BARRIER:
            barriers[interval] = steps[order]
            continue
        if running != (interval, thread):
            running = interval, thread
            lane = chunks[interval, thread // LANES].setdefault(thread % LANES, _Lane(order))
        accesses = kind in _ACCESSES
        known = accesses or (kind == _EXCHANGE and size)
        value = bits if known and order not in unset else None
        if part and lane.bits:
            lane.bits[-1] += (value,)
            continue
        of_memory = accesses or kind == _OUTSIDE
        lane.keys.append((slot, kind, place, array, size) if of_memory else (slot, kind, place, -1, 0))
        lane.offsets.append(offset)
        lane.bits.append((value,))
    begun = {chunk: min(one.order for one in lanes.values()) for chunk, lanes in chunks.items()}
    by_interval = defaultdict(list)
    for chunk in sorted(chunks, key=lambda one: begun[one]):
        by_interval[chunk[0]].append(chunk)
    for interval in sorted({*by_interval, *barriers}):  # never a range: their numbers are only claimed
        for chunk in by_interval.get(interval, ()):
            for row in _merged(chunks[chunk]):
                yield _step_of(row, chunk[1], interval, arrays)
        if interval in barriers:
            yield WarpStep(StepKind.BARRIER, -1, interval, barriers[interval][7])


def _merged(lanes: Mapping[int, _Lane]) -> list[_Row]:
    """The accesses of a warp's lanes as rows. Each lane's own order is kept."""
    ordered = sorted(lanes.items())
    numbers, each = tuple(number for number, _ in ordered), [lane for _, lane in ordered]
    first = each[0]
    parts = [len(bits) for bits in first.bits]
    if all(one.keys == first.keys and [len(bits) for bits in one.bits] == parts for one in each):  # most warps
        offsets = zip(*(one.offsets for one in each), strict=True)
        bits = (tuple(chain.from_iterable(of_lanes)) for of_lanes in zip(*(one.bits for one in each), strict=True))
        return list(map(_Row, first.keys, parts, repeat(numbers), offsets, bits))
    return _interleaved({number: list(lane.accesses()) for number, lane in ordered})


def _interleaved(lanes: Mapping[int, Sequence[_Access]]) -> list[_Row]:
    """Of lanes that differ. What earlier lanes did not do comes as late as it may."""
    rows: list[_Joined] = []
    index: dict[tuple[int, ...], int] = {}
    for lane, accesses in lanes.items():
        at = -1
        seen: Counter[tuple[int, ...]] = Counter()
        new: list[_Joined] = []
        before: dict[int, list[_Joined]] = {}  # what stands before a row
        for access in accesses:
            times = seen[access.key]
            seen[access.key] += 1
            key = (*access.key, len(access.bits), times)
            there = index.get(key, -1)
            if there > at:
                rows[there].lanes[lane] = access
                at = there
                if new:
                    before[there], new = new, []
            else:
                new.append(_Joined(key, {lane: access}))
        if new or before:
            rows = [one for place, row in enumerate(rows) for one in (*before.get(place, ()), row)] + new
            index = {row.key: place for place, row in enumerate(rows)}
    return [
        _Row(
            row.key[:-2],
            row.key[-2],
            tuple(row.lanes),
            tuple(one.offset for one in row.lanes.values()),
            tuple(bits for one in row.lanes.values() for bits in one.bits),
        )
        for row in rows
    ]


def _step_of(row: _Row, warp: int, interval: int, arrays: Sequence[StoryArray]) -> WarpStep:
    _, kind, place, array, size = row.key
    return WarpStep(
        kind=StepKind(kind),
        warp=warp,
        interval=interval,
        place=place,
        array=array,
        bytes=size,
        parts=row.parts,
        lanes=row.lanes,
        offsets=row.offsets,
        bits=row.bits,
        cost=_cost(arrays[array], row, size * row.parts, reads=kind == _READ) if kind in _ACCESSES else None,
    )


def _cost(array: StoryArray, row: _Row, size: int, *, reads: bool) -> WarpCost:
    addresses = [array.base + offset for offset in row.offsets]
    if array.space == "shared":
        return shared_cost(dict(zip(row.lanes, addresses, strict=True)), size, reads=reads)
    return global_cost(addresses, size)


def _reads_of_nothing(steps: Sequence[Step], arrays: Sequence[StoryArray]) -> set[int]:
    """Which steps read an element of a shared array that no thread has written: what it holds is no value."""
    written: set[tuple[int, int]] = set()
    found = set()
    units = [one.element_bytes if one.space == "shared" else 0 for one in arrays]
    for order, (kind, _, _, array, offset, size, _, _, _, _) in enumerate(steps):
        if kind not in _ACCESSES or not units[array]:
            continue
        first, last = offset // units[array], (offset + size - 1) // units[array]
        if kind != _READ:
            written.update((array, cell) for cell in range(first, last + 1))
        elif (array, first) not in written and written.isdisjoint((array, cell) for cell in range(first, last + 1)):
            found.add(order)
    return found
