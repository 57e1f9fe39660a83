"""Groups a recorded trace into what warps did: lanes of a warp that execute an instruction on the same control path are one step, as they
are one request on a GPU. Pure.

The executor runs the threads of a block one after another, so a trace is in another order than the page. Between two barriers the page
shows one warp after the other, in the order in which they began. The steps of each thread stay in program order.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set  # noqa: PYI025 -- any set
from dataclasses import dataclass, replace
from itertools import chain

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


def run_of_trace(
    trace: Trace, block: Index3, file: str, *, title: str, schedule: str, chosen: Iterable[int] | None = None
) -> tuple[StoryRun, dict[int, int]]:
    """`block`: threads in x, y and z. `file`: the shown source; other files' lines are not told. `chosen`: steps, rising; none: all. Also
    which step of the run each of the trace's is in.
    """
    threads, every = block[0] * block[1] * block[2], range(len(trace.steps)) if chosen is None else chosen
    shown = [at for at in every if trace.steps[at][1] < threads]
    steps = [trace.steps[at] for at in shown]
    arrays = page_arrays(trace.model_copy(update={"steps": steps}), range(len(steps)))
    rows = list(_warp_steps(steps, arrays, _reads_of_nothing(steps, arrays)))
    run = StoryRun(
        title=title,
        schedule=schedule,
        arrays=arrays,
        places=page_places(trace, file),
        steps=tuple(step for step, _ in rows),
        complete=trace.complete,
    )
    return run, {shown[order]: number for number, (_, orders) in enumerate(rows) for order in orders}


# Plain numbers: comparing with a member of an enumeration is slow, and a trace has tens of thousands of steps.
_BARRIER, _EXCHANGE, _OUTSIDE, _READ = map(int, (StepKind.BARRIER, StepKind.EXCHANGE, StepKind.OUTSIDE, StepKind.READ))
_ACCESSES = frozenset(map(int, ACCESSES))


@dataclass(slots=True)
class _Access:
    """One thread's access: a step, or several of neighbouring elements."""

    key: tuple[
        int, ...
    ]  # slot, kind, place, array, bytes of an element: what lanes that access together have in common
    offset: int
    bits: list[int | None]
    orders: list[int]  # the numbers of these steps


Lanes = dict[int, list[_Access]]  # what each does from one barrier to the next
Row = tuple[tuple[int, ...], dict[int, _Access]]  # what lanes do together: their key, with the number of parts


def _warp_steps(
    steps: Sequence[Step], arrays: Sequence[StoryArray], unset: Set[int]
) -> Iterator[tuple[WarpStep, Iterable[int]]]:
    """Each with the numbers of the steps that it is made of."""
    chunks: dict[tuple[int, int], Lanes] = {}  # by interval and warp, in the order in which they began
    barriers: dict[int, int] = {}
    running, own = (-1, -1), list[_Access]()  # the interval and the thread of the step before
    for order, (kind, thread, interval, array, offset, size, bits, place, slot, part) in enumerate(steps):
        if kind == _BARRIER:
            barriers[interval] = order
            continue
        if running != (interval, thread):
            running = interval, thread
            own = chunks.setdefault((interval, thread // LANES), {}).setdefault(thread % LANES, [])
        accesses = kind in _ACCESSES
        value = bits if (accesses or (kind == _EXCHANGE and size)) and order not in unset else None
        if part and own:
            own[-1].bits.append(value)
            own[-1].orders.append(order)
        else:
            of = (array, size) if accesses or kind == _OUTSIDE else (-1, 0)
            own.append(_Access((slot, kind, place, *of), offset, [value], [order]))
    by_interval: dict[int, list[int]] = defaultdict(list)
    for interval, warp in chunks:
        by_interval[interval].append(warp)
    for interval in sorted({*by_interval, *barriers}):  # never a range: their numbers are only claimed
        for warp in by_interval.get(interval, ()):
            for row in _rows(chunks[interval, warp]):
                orders = chain.from_iterable([one.orders for one in row[1].values()])
                yield _step_of(row, warp, interval, arrays), orders
        if interval in barriers:
            at = barriers[interval]
            yield WarpStep(StepKind.BARRIER, -1, interval, steps[at][7]), (at,)


def _rows(lanes: Lanes) -> list[Row]:
    """The accesses of a warp's lanes. Each lane's own order is kept. What earlier lanes did not do comes as late as it may."""
    ordered = sorted(lanes.items())
    kinds = [[(one.key, len(one.bits)) for one in accesses] for _, accesses in ordered]
    if all(one == kinds[0] for one in kinds):  # most warps
        together = zip(*(accesses for _, accesses in ordered), strict=True)
        return [
            ((*key, parts, 0), dict(zip(sorted(lanes), each, strict=True)))
            for (key, parts), each in zip(kinds[0], together, strict=True)
        ]
    rows: list[Row] = []
    index: dict[tuple[int, ...], int] = {}
    for lane, accesses in ordered:
        at = -1
        seen: Counter[tuple[int, ...]] = Counter()
        new: list[Row] = []
        before: dict[int, list[Row]] = {}  # what stands before a row
        for access in accesses:
            key = (*access.key, len(access.bits), seen[access.key])
            there = index.get(key, -1)
            seen[access.key] += 1
            if there > at:
                rows[there][1][lane] = access
                at = there
                if new:
                    before[there], new = new, []
            else:
                new.append((key, {lane: access}))
        if new or before:
            rows = [one for place, row in enumerate(rows) for one in (*before.get(place, ()), row)] + new
            index = {key: place for place, (key, _) in enumerate(rows)}
    return rows


def _step_of(row: Row, warp: int, interval: int, arrays: Sequence[StoryArray]) -> WarpStep:
    (_, kind, place, array, size, parts, _), lanes = row
    step = WarpStep(
        kind=StepKind(kind),
        warp=warp,
        interval=interval,
        place=place,
        array=array,
        bytes=size,
        parts=parts,
        lanes=tuple(lanes),
        offsets=tuple([one.offset for one in lanes.values()]),
        bits=tuple(chain.from_iterable([one.bits for one in lanes.values()])),
    )
    return replace(step, cost=_cost(arrays[array], step)) if kind in _ACCESSES else step


def _cost(array: StoryArray, step: WarpStep) -> WarpCost:
    addresses, size = [array.base + offset for offset in step.offsets], step.bytes * step.parts
    if array.space == "shared":
        return shared_cost(dict(zip(step.lanes, addresses, strict=True)), size, reads=step.kind == _READ)
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
