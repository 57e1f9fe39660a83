"""Groups a recorded trace into what warps did: lanes of a warp that execute an instruction on the same control path are one step, as they
are one request on a GPU. Pure.

The executor runs the threads of a block one after another, so a trace is in another order than the page. Between two barriers the page
shows one warp after the other, in the order in which they began. The steps of each thread stay in program order.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set  # noqa: PYI025 -- any set
from dataclasses import dataclass

from grader.single_launch.trace_steps import ACCESSES, Step, StepKind, Trace
from grader.step_page.page_arrays import page_arrays, page_places
from grader.step_page.story import LANES, Index3, PageStepKind, StoryArray, StoryRun, WarpCost, WarpStep
from grader.step_page.warp_request import global_cost, shared_cost


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
        kind, thread, interval, _array, offset, size, bits, place, slot, part = step
        if kind == StepKind.BARRIER:
            barriers[interval] = step
            continue
        known = kind in ACCESSES or (kind == StepKind.EXCHANGE and size)
        value = bits if known and order not in unset else None
        lane = chunks[interval, thread // LANES][thread % LANES]
        if part and lane:
            lane[-1].bits.append(value)
        else:
            lane.append(_Access((slot, kind, place, *_of_memory(step)), offset, [value], order))
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


def _of_memory(step: Step) -> tuple[int, int]:
    """The array and how many bytes of it; what accesses none has neither."""
    return (step[3], step[5]) if step[0] in ACCESSES or step[0] == StepKind.OUTSIDE else (-1, 0)


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
        cost=_cost(arrays[array], offsets, size * parts, reads=kind == StepKind.READ) if kind in ACCESSES else None,
    )


def _cost(array: StoryArray, offsets: Mapping[int, int], size: int, *, reads: bool) -> WarpCost:
    addresses = {lane: array.base + offset for lane, offset in offsets.items()}
    return (
        shared_cost(addresses, size, reads=reads) if array.space == "shared" else global_cost(addresses.values(), size)
    )


def _reads_of_nothing(steps: Sequence[Step], arrays: Sequence[StoryArray]) -> set[int]:
    """Which steps read an element of a shared array that no thread has written: what it holds is no value."""
    written: set[tuple[int, int]] = set()
    found = set()
    for order, (kind, _, _, array, offset, size, *_) in enumerate(steps):
        if kind not in ACCESSES or arrays[array].space != "shared":
            continue
        unit = arrays[array].element_bytes
        touched = [(array, cell) for cell in range(offset // unit, (offset + size - 1) // unit + 1)]
        if kind != StepKind.READ:
            written.update(touched)
        elif written.isdisjoint(touched):
            found.add(order)
    return found
