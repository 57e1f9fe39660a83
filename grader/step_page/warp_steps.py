"""Groups a recorded trace into what warps did: lanes of a warp that execute an instruction on the same control path are one step, as they
are one request on a GPU. Pure.

The executor runs the threads of a block one after another, so a trace is in another order than the page. Between two barriers the page
shows one warp after the other, in the order in which they began. The steps of each thread stay in program order.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set  # noqa: PYI025 -- any set
from dataclasses import dataclass, replace

from grader.single_launch.trace_steps import Step, StepKind, Trace, TracedArray
from grader.step_page.story import LANES, Index3, PageStepKind, StoryArray, StoryPlace, StoryRun, WarpCost, WarpStep
from grader.step_page.warp_request import global_cost, shared_cost

_WIDEST = 8  # bytes of the largest number


def run_of_trace(trace: Trace, block: Index3, file: str, *, title: str, schedule: str) -> StoryRun:
    """`block`: threads in x, y and z. `file`: the shown source; other files' lines are not told."""
    threads = block[0] * block[1] * block[2]
    steps = [step for step in trace.steps if step[1] < threads]
    of_array = by_array(steps)
    arrays = [unit_array(array, of_array.get(number, ())) for number, array in enumerate(trace.arrays)]
    unset = _reads_of_nothing(steps, arrays)
    return StoryRun(
        title=title,
        schedule=schedule,
        arrays=tuple(
            replace(array, initial=_first_reads(of_array.get(number, ()))) if array.space != "shared" else array
            for number, array in enumerate(arrays)
        ),
        places=tuple(StoryPlace(one.line if one.file == file else 0, one.function) for one in trace.places),
        steps=tuple(_warp_steps(steps, arrays, unset)),
        complete=trace.complete,
    )


@dataclass
class _Access:
    """One thread's access: a step, or several of neighbouring elements."""

    key: tuple[int, ...]  # what lanes have in common that access together
    offset: int
    bits: list[int | None]
    order: int  # in the trace


@dataclass
class _Row:
    key: tuple[int, ...]
    lanes: dict[int, _Access]


def _warp_steps(steps: Sequence[Step], arrays: Sequence[StoryArray], unset: Set[int]) -> Iterator[WarpStep]:
    chunks: dict[tuple[int, int], dict[int, list[_Access]]] = defaultdict(lambda: defaultdict(list))
    barriers: dict[int, Step] = {}
    for order, step in enumerate(steps):
        kind, thread, interval, array, offset, size, bits, place, slot, part = step
        if kind == StepKind.BARRIER:
            barriers[interval] = step
            continue
        value = None if order in unset or kind == StepKind.OUTSIDE else bits
        lane = chunks[interval, thread // LANES][thread % LANES]
        if part and lane:
            lane[-1].bits.append(value)
        else:
            lane.append(_Access((slot, kind, place, array, size), offset, [value], order))
    begun = {chunk: min(one[0].order for one in lanes.values()) for chunk, lanes in chunks.items()}
    by_interval = defaultdict(list)
    for chunk in sorted(chunks, key=lambda one: begun[one]):
        by_interval[chunk[0]].append(chunk)
    for interval in sorted({*by_interval, *barriers}):  # never a range: their numbers are only claimed
        for chunk in by_interval.get(interval, ()):
            for row in _merged(chunks[chunk]):
                yield _step_of(row, chunk[1], interval, arrays)
        if interval in barriers:
            yield WarpStep(PageStepKind.BARRIER, -1, interval, barriers[interval][7])


def _merged(lanes: Mapping[int, Sequence[_Access]]) -> list[_Row]:
    """The accesses of a warp's lanes as rows. Each lane's own order is kept. What earlier lanes did not do comes as late as it may."""
    rows: list[_Row] = []
    index: dict[tuple[int, ...], int] = {}
    for lane, accesses in sorted(lanes.items()):
        at = -1
        seen: Counter[tuple[int, ...]] = Counter()
        new: list[_Row] = []
        before: dict[int, list[_Row]] = {}  # what stands before a row
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
                new.append(_Row(key, {lane: access}))
        if new or before:
            rows = [one for place, row in enumerate(rows) for one in (*before.get(place, ()), row)] + new
            index = {row.key: place for place, row in enumerate(rows)}
    return rows


def _step_of(row: _Row, warp: int, interval: int, arrays: Sequence[StoryArray]) -> WarpStep:
    _, kind, place, array, size, parts, _ = row.key
    offsets = {lane: one.offset for lane, one in row.lanes.items()}
    return WarpStep(
        kind=PageStepKind(kind),
        warp=warp,
        interval=interval,
        place=place,
        array=array,
        bytes=size,
        parts=parts,
        lanes=tuple(offsets),
        offsets=tuple(offsets.values()),
        bits=tuple(bits for one in row.lanes.values() for bits in one.bits),
        cost=None
        if kind == StepKind.OUTSIDE
        else _cost(arrays[array], offsets, size * parts, reads=kind == StepKind.READ),
    )


def _cost(array: StoryArray, offsets: Mapping[int, int], size: int, *, reads: bool) -> WarpCost:
    addresses = {lane: array.base + offset for lane, offset in offsets.items()}
    return (
        shared_cost(addresses, size, reads=reads) if array.space == "shared" else global_cost(addresses.values(), size)
    )


def by_array(steps: Iterable[Step]) -> dict[int, list[Step]]:
    """The accesses inside each array, by its number."""
    found: dict[int, list[Step]] = defaultdict(list)
    for step in steps:
        if step[0] not in {StepKind.BARRIER, StepKind.OUTSIDE}:
            found[step[3]].append(step)
    return found


def unit_array(array: TracedArray, accesses: Iterable[Step]) -> StoryArray:
    """An array of bytes that is only used as floats is shown as floats. One of structs is shown by the smallest access."""
    sizes = {step[5] for step in accesses}
    is_struct = array.element_bytes > _WIDEST
    size = min(sizes) if len(sizes) == 1 or (sizes and is_struct) else array.element_bytes
    plain = StoryArray(array.name, array.space, array.element, array.element_bytes, array.dimensions, array.base)
    if size == array.element_bytes:
        return plain
    return replace(plain, element="float" if size in {4, 8} else "", element_bytes=size, dimensions=())


def _reads_of_nothing(steps: Sequence[Step], arrays: Sequence[StoryArray]) -> set[int]:
    """Which steps read an element of a shared array that no thread has written: what it holds is no value."""
    written: set[tuple[int, int]] = set()
    found = set()
    for order, (kind, _, _, array, offset, size, *_) in enumerate(steps):
        if kind in {StepKind.BARRIER, StepKind.OUTSIDE} or arrays[array].space != "shared":
            continue
        unit = arrays[array].element_bytes
        touched = [(array, cell) for cell in range(offset // unit, (offset + size - 1) // unit + 1)]
        if kind != StepKind.READ:
            written.update(touched)
        elif written.isdisjoint(touched):
            found.add(order)
    return found


def _first_reads(accesses: Iterable[Step]) -> dict[int, tuple[int, int]]:
    """What elements held before the block wrote them, where it read them first: bits, and how many bytes were read."""
    known: dict[int, tuple[int, int]] = {}
    written: set[int] = set()
    for kind, _, _, _, offset, size, bits, *_ in accesses:
        if kind == StepKind.READ:
            if offset not in written:
                known.setdefault(offset, (bits, size))
        else:
            written.add(offset)
    return known
