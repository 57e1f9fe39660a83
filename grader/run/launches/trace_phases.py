"""Interprets a trace: which thread loaded which element to where, what it read between two barriers, and the sum of its products.

Pure. A load is a read of global memory and a later write of the same value to shared memory by the same thread. Each read is used
once, the earliest first, and reads on the same line as the write before others. A product is two consecutive reads, one of each
factor. This is right for plain sums of products. `Outcome.reproduced` says for each thread whether it stored that sum.
"""

from __future__ import annotations

import json
import math
import struct
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import islice
from typing import Annotated, get_args

from pydantic import BeforeValidator, Field

from grader.model.result import Launch, Model
from grader.model.verdicts import Verdict

# The tracer's report as plain data: one launch, and the steps of one of its blocks. Nothing here does input or output.
#
# The steps come from the process that runs the submission, so they are only what that process claims. The tracer limits their number.
# trace_phases.py interprets them.


class StepKind(IntEnum):
    READ = 0
    WRITE = 1
    ATOMIC = 2
    BARRIER = 3
    OUTSIDE = 4  # an access that no array contains: it is told as one of the array that it missed, and nothing is known of its value
    WAIT = 5  # at a barrier or a warp operation that some threads do not reach
    LEAVE = 6  # the thread has returned; told where others wait for it
    STOP = 7  # a finding has ended the thread
    EXCHANGE = 8  # a warp operation: its array is none, its offset is the lane whose value it brings; 0 bytes: it brings nothing


ACCESSES = frozenset({StepKind.READ, StepKind.WRITE, StepKind.ATOMIC})  # to an element that there is
CHANGES = frozenset({StepKind.WRITE, StepKind.ATOMIC})


_WHOLE = frozenset({"int", "unsigned", "char", "long", "short", "signed", "bool"})


class TracedArray(Model):
    name: str  # "A", "As"
    space: str  # "global", "shared", "module"
    element: str
    element_bytes: int = Field(gt=0, le=1 << 29)
    dimensions: tuple[int, ...] = ()  # rows and columns of a matrix in global memory; empty: unknown
    base: int = Field(default=0, ge=0, lt=128)  # its first byte's address, modulo the 128 bytes of a row of banks

    def index(self, offset: int, size: int) -> tuple[int, ...]:
        """The subscripts of the element at a byte offset. One flat subscript where the access is no whole element."""
        flat = offset // self.element_bytes
        if size != self.element_bytes or not self.dimensions:
            return (flat,)
        subscripts = []
        for extent in reversed(self.dimensions[1:]):
            subscripts.append(flat % extent)
            flat //= extent
        return (flat, *reversed(subscripts))

    def named(self, offset: int, size: int = 0) -> str:
        """`As[3][17]`. `size`: of the access; 0: of a whole element."""
        return self.name + "".join(f"[{one}]" for one in self.index(offset, size or self.element_bytes))

    def value(self, bits: int, size: int) -> float:
        """The number in `size` bytes of this array. It is floating-point unless the array's type says otherwise."""
        words, raw = self.element.split(), bits.to_bytes(8, "little")[:size]
        if size == self.element_bytes and not _WHOLE.isdisjoint(words[:1]):
            return float(int.from_bytes(raw, "little", signed="unsigned" not in words))
        return float(struct.unpack("<f" if size == 4 else "<d", raw)[0] if size in {4, 8} else bits)  # noqa: PLR2004


class TracedPlace(Model):
    file: str
    function: str
    line: int
    calls: str = ""  # of an exchange: "__syncwarp()", "a shuffle"
    element: str = ""  # of an exchange: the type of what it brings


BESIDE_FROM = 1024  # a step's thread from here on belongs to the second block, where two were recorded
# kind, thread, interval, array, offset, bytes, bits, place, slot, part. Lanes of a warp with the same slot do a step together, as one
# request. Parts count the elements of one access.
Step = tuple[int, int, int, int, int, int, int, int, int, int]


def _steps(told: object) -> object:
    """Of a report, where they are one text of numbers."""
    if not isinstance(told, str):
        return told
    numbers = iter(json.loads(f"[{told}]"))
    return tuple(zip(*[numbers] * len(get_args(Step)), strict=True))


class Trace(Model):
    arrays: tuple[TracedArray, ...]
    places: tuple[TracedPlace, ...]
    steps: Annotated[tuple[Step, ...], BeforeValidator(_steps)]  # in the order in which they happened
    complete: bool  # False: the block did not end, or did more steps than are kept
    full: bool = False  # it did more steps than are kept: the recording stopped before the block


class TracedInput(Model):
    name: str
    columns: int
    values: tuple[float, ...]


class TraceReport(Model):
    """The file that the tracer writes."""

    factors: tuple[str, ...]  # the two inputs of a sum of products; empty: the problem is none
    inputs: tuple[TracedInput, ...]
    launch: Launch
    trace: Trace | None = None  # None: the grid has no such block, or nothing was launched


def left_out(trace: Trace, launch: Launch) -> str:
    """What the recording does not show, for a reader who has come to its end; empty: it shows all."""
    if trace.complete:
        return ""
    is_endless = launch.verdict is Verdict.TIMEOUT
    if not trace.full:
        return "It goes on like this: the block did not end." if is_endless else "The block came no further than this."
    stops = f"the recording stops after {len(trace.steps):,} steps"
    if is_endless:
        return f"It goes on like this: the loop did not end; {stops}."
    return f"This is only the beginning: the block does more, and {stops}."


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
    # The shared arrays that were written in it, with their contents at its end.
    tiles: dict[str, dict[tuple[int, ...], float]]


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


_MOST_WAITING = 64  # reads that are looked at for one write


class TraceIndex:
    """Which change each access of a trace follows, and which read brought what a thread writes to shared memory. Built once, in time linear
    in the steps. Everything is told by places in the trace.

    A write to shared memory has the value of an earlier read of other memory by the same thread. Each read is used once: one of the same
    line before others, the earliest first.
    """

    def __init__(self, trace: Trace) -> None:
        self.writer: dict[int, int] = {}  # of an access: the last change of its element before it
        self.loaded: dict[int, int] = {}  # of a write to shared memory: the read that brought its value
        self.made_of: dict[int, int] = {}  # of another change there: the only read that waits in its line
        self.used: set[int] = set()  # reads that are in one of these
        self._waiting: dict[tuple[object, ...], deque[int]] = defaultdict(deque)
        last: dict[tuple[int, int], int] = {}
        for at, (kind, thread, _, array, offset, size, bits, place, _, _) in enumerate(trace.steps):
            if kind not in ACCESSES:
                continue
            if (array, offset) in last:
                self.writer[at] = last[array, offset]
            if kind != StepKind.READ:
                last[array, offset] = at
            value, line = trace.arrays[array].value(bits, size), trace.places[place].line
            same = thread, "NaN" if math.isnan(value) else value
            shared = trace.arrays[array].space == "shared"
            if kind == StepKind.READ and not shared:
                for key in ((*same, line), same, (thread, "line", line)):
                    self._waiting[key].append(at)
            elif kind != StepKind.READ and shared:
                brought = self._unused(*same, line) or self._unused(*same) if kind == StepKind.WRITE else []
                here = self._unused(thread, "line", line) if bits and not brought else []
                if brought:
                    self.loaded[at] = brought[0]
                elif len(here) == 1:
                    self.made_of[at] = here[0]
                self.used.update(brought[:1] or here if len(here) < 2 else ())  # noqa: PLR2004 -- nobody can tell which

    def _unused(self, *key: object) -> list[int]:
        waiting = self._waiting[key]
        while waiting and waiting[0] in self.used:
            waiting.popleft()
        return [one for one in islice(waiting, _MOST_WAITING) if one not in self.used]


def block_trace(trace: Trace, factors: Sequence[str], block: Index3, file: str, missing: str = "") -> BlockTrace:
    """`block`: the number of threads in x, y and z. `file`: only lines of this file are shown. `missing`: of the recording."""
    count = min(math.prod(block), _MOST_THREADS)
    most = _MOST_STAYS // max(1, count)
    shown = [at for at, step in enumerate(trace.steps) if step[0] in ACCESSES and step[2] < most]
    barriers = [step for step in trace.steps if step[0] == StepKind.BARRIER and step[2] < most - 1]
    last = max([trace.steps[at][2] for at in shown] + [step[2] + 1 for step in barriers], default=0)
    stays = [[ThreadInterval(thread_index(thread, block)) for thread in range(count)] for _ in range(last + 1)]
    accesses: dict[int, Access] = {}
    for at in (at for at in shown if trace.steps[at][1] < count):
        _, _, _, number, offset, size, bits, place, _, _ = trace.steps[at]
        of, line = trace.arrays[number], _line(trace, place, file)
        accesses[at] = Access(of.name, of.index(offset, size), of.value(bits, size), line)
    factor_of = _Factors(factors)
    of_global = {at for at in accesses if trace.arrays[trace.steps[at][3]].space == "global"}
    loaded = {at: read for at, read in TraceIndex(trace).loaded.items() if read in of_global}
    changed: dict[int, list[Access]] = defaultdict(list)  # in shared memory, by interval
    for at, access in accesses.items():
        kind, thread, interval, array, *_ = trace.steps[at]
        stay = stays[interval][thread]
        if trace.arrays[array].space != "shared":
            stay.stores += [access] if kind != StepKind.READ else []
        elif kind != StepKind.READ:
            stay.loads.append(Load(accesses.get(loaded.get(at, -1)), access))
            factor_of.take(stay.loads[-1])
            changed[interval].append(access)
        else:
            factor_of.shared.add(access.array)
    of_thread: dict[int, list[tuple[ThreadInterval, Access]]] = defaultdict(list)
    used = set(loaded.values())
    for at, access in accesses.items():
        kind, thread, interval, *_ = trace.steps[at]
        if kind == StepKind.READ and at not in used:
            of_thread[thread].append((stays[interval][thread], access))
    unpaired = sum(_pair_factors(reads, factor_of) for reads in of_thread.values())
    for of_stays in zip(*stays, strict=True):
        total = 0.0
        for stay in of_stays:
            stay.sum_after = total = total + stay.added
    ends = {step[2]: _line(trace, step[7], file) for step in barriers}
    tiles = _tiles(changed, last)
    return BlockTrace(
        intervals=tuple(BarrierInterval(stays[i], ends.get(i), tiles[i]) for i in range(last + 1)),
        outcomes=tuple(_outcomes(stays)),
        factors=tuple(factors),
        shapes={array.name: array.dimensions for array in trace.arrays},
        unpaired=unpaired,
        left_out=missing or (_TOO_MANY_BARRIERS if any(step[2] >= most for step in trace.steps) else ""),
    )


def _line(trace: Trace, place: int, file: str) -> int:
    where = trace.places[place]
    return where.line if where.file == file else 0


def thread_index(thread: int, block: Index3) -> Index3:
    return thread % block[0], thread // block[0] % block[1], thread // block[0] // block[1]


class _Factors:
    """Finds the factor that an element belongs to: its own array in global memory, or the array that was loaded into it."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.shared: set[str] = set()
        self._of_array: dict[str, set[str]] = defaultdict(set)
        self._of_element: dict[str, str] = {}

    def take(self, load: Load) -> None:
        self.shared.add(load.target.array)
        if load.source and load.source.array in self.names:
            self._of_array[load.target.array].add(load.source.array)
            self._of_element[load.target.name] = load.source.array

    def __call__(self, access: Access) -> str | None:
        if access.array not in self.shared:
            return access.array if access.array in self.names else None
        whole = self._of_array[access.array]
        return next(iter(whole)) if len(whole) == 1 else self._of_element.get(access.name)


def _pair_factors(reads: Sequence[tuple[ThreadInterval, Access]], factor_of: _Factors) -> int:
    """Fills in one thread's reads and products. Returns how many reads of a factor belong to no product."""
    waiting: tuple[str, Access] | None = None
    unpaired = 0
    for stay, access in reads:
        stay.reads.append(access)
        factor = factor_of(access)
        if factor is None:
            continue
        if waiting and waiting[0] != factor:
            pair = sorted([waiting, (factor, access)], key=lambda one: factor_of.names.index(one[0]))
            stay.products.append((pair[0][1], pair[1][1]))
            waiting = None
        else:
            unpaired += waiting is not None
            waiting = (factor, access)
    return unpaired + (waiting is not None)


def _tiles(changed: Mapping[int, Sequence[Access]], last: int) -> list[dict[str, dict[tuple[int, ...], float]]]:
    """For each interval, the shared arrays that were written in it, complete, with their contents at its end."""
    now: dict[str, dict[tuple[int, ...], float]] = defaultdict(dict)
    shown: list[dict[str, dict[tuple[int, ...], float]]] = []
    for interval in range(last + 1):
        written = changed.get(interval, ())
        for access in written:
            now[access.array][access.index] = access.value
        shown.append({name: dict(now[name]) for name in dict.fromkeys(access.array for access in written)})
    return shown


def _outcomes(stays: Sequence[Sequence[ThreadInterval]]) -> Iterator[Outcome]:
    for of_thread in zip(*stays, strict=True):
        if not (stores := {store.name: store for stay in of_thread for store in stay.stores}):
            continue
        products = [first.value * second.value for stay in of_thread for first, second in stay.products]
        stored = math.fsum(store.value for store in stores.values())
        reproduced = bool(products) and is_sum(stored, products)
        yield Outcome(of_thread[0].thread, tuple(stores.values()), math.fsum(products), reproduced)


def is_sum(stored: float, values: Sequence[float]) -> bool:
    """Within the largest possible error of rounding. kit/problems explains the bound. Whole numbers are exact."""
    bound = 4 * math.sqrt(len(values) or 1) * 2**-24 * math.fsum(map(abs, values))
    return abs(stored - math.fsum(values)) <= bound


# The formula of a subscript: `y`, `x + 16`, `4y + x`, where it is the same for all threads of a group. Pure.
#
# A formula is told only if it gives the exact value for every thread of the group. Divisions and remainders are not found.

_NAMES = ("x", "y", "z")


def formula(values: Mapping[Index3, int]) -> str | None:
    """The formula for the value of each thread. None where no sum of multiples of x, y and z gives all of them."""
    found = coefficients(values)
    return None if found is None else _written(found[0], found[1])


def coefficients(values: Mapping[Index3, int]) -> tuple[int, Index3] | None:
    """The constant, and what x, y and z are multiplied by."""
    first, factors = next(iter(values)), [0, 0, 0]
    for axis in range(3):
        seen: dict[tuple[int, ...], Index3] = {}  # a thread for each place on the other axes
        pairs = ((seen.setdefault(one[:axis] + one[axis + 1 :], one), one) for one in values)
        start, end = next(((one, other) for one, other in pairs if one != other), (first, first))
        if start != end:
            factors[axis] = (values[end] - values[start]) // (end[axis] - start[axis])
        elif any(one[axis] != first[axis] for one in values):
            return None
    constant = values[first] - sum(factor * at for factor, at in zip(factors, first, strict=True))
    for thread, value in values.items():
        if value != constant + sum(factor * at for factor, at in zip(factors, thread, strict=True)):
            return None
    return constant, (factors[0], factors[1], factors[2])


def _written(constant: int, factors: Sequence[int]) -> str:
    """`y + 4x` is written `4x + y`: the larger factor first, the constant last."""
    terms = sorted(zip(factors, _NAMES, strict=True), key=lambda one: -one[0])
    words = [(factor, name if abs(factor) == 1 else f"{abs(factor)}{name}") for factor, name in terms if factor]
    words += [(constant, str(abs(constant)))] if constant or not words else []
    text = "".join(f" {'-' if factor < 0 else '+'} {word}" for factor, word in words)
    return f"-{text[3:]}" if text.startswith(" - ") else text[3:]


def ranges(threads: Sequence[Index3]) -> list[tuple[Index3, Index3]]:
    """The threads as boxes, each from its lowest thread to its highest one, in their order."""
    rows: dict[tuple[int, int], list[int]] = {}
    for x, y, z in threads:
        rows.setdefault((z, y), []).append(x)
    boxes: list[tuple[Index3, Index3]] = []
    open_: dict[tuple[int, int], tuple[Index3, Index3]] = {}
    last = (-1, -1)
    for (z, y), found in sorted(rows.items()):
        spans = runs(sorted(found))
        going = {} if last != (z, y - 1) else open_
        boxes += [box for span, box in open_.items() if span not in spans or not going]
        open_ = {span: ((going[span][0] if span in going else (span[0], y, z)), (span[1], y, z)) for span in spans}
        last = (z, y)
    return sorted([*boxes, *open_.values()], key=lambda box: box[0][::-1])


def runs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Rising numbers as runs of neighbours: the first and the last of each."""
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1] = found[-1][0], number
        else:
            found.append((number, number))
    return found
