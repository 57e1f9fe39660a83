"""Which elements of the two inputs each thread multiplies: its reads are followed through shared memory to their origin. Pure.

A store to shared memory has the origin of a read of global memory by the same thread with the same value, one of the same line before
others. Reads of one factor and then of the other are a group: all of the first are multiplied with all of the second. With one read of
each that is a plain sum; with several, registers hold them for several sums (thread_sums.py). `unpaired` says where it is not so.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from grader.single_launch.trace_steps import ACCESSES, Step, StepKind, Trace

_MOST_WAITING = 63  # reads of a thread whose values may still be stored
Index = tuple[int, ...]
Origin = tuple[str, Index, int, int]  # the input's element; the read that brought it, and the write


@dataclass(frozen=True)
class Operand:
    factor: str  # "A"
    index: Index | None  # of the element of that input; None: no input's, as a zero past the edge
    at: int  # the read, by its place in the trace
    value: float
    loaded_at: int | None = None  # the read of global memory that brought it, by its place in the trace
    stored_at: int | None = None  # the write to shared memory that followed


@dataclass(frozen=True)
class Product:
    """In the order of the factors."""

    first: Operand
    second: Operand

    @property
    def value(self) -> float:
        return self.first.value * self.second.value

    @property
    def at(self) -> int:
        return max(self.first.at, self.second.at)

    @property
    def indices(self) -> tuple[Index | None, Index | None]:
        return self.first.index, self.second.index


@dataclass(frozen=True)
class Group:
    """Reads that are multiplied with each other, in the order of the factors."""

    first: tuple[Operand, ...]
    second: tuple[Operand, ...]

    @property
    def at(self) -> int:
        return max(self.first[-1].at, self.second[-1].at)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.first), len(self.second)

    def product(self, row: int, column: int) -> Product:
        return Product(self.first[row], self.second[column])


@dataclass(frozen=True)
class Products:
    of_thread: dict[int, list[Group]]
    unpaired: dict[int, int]  # reads of a factor that belong to no group


@dataclass
class _Memory:
    origins: dict[tuple[int, int], Origin | None] = field(default_factory=dict)  # of elements of shared memory
    homes: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))  # which inputs a shared array holds
    waiting: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    unknown: set[int] = field(default_factory=set)  # shared arrays that hold what nobody has read
    used: set[int] = field(default_factory=set)  # reads that were stored in shared memory


def products_of(trace: Trace, factors: Sequence[str]) -> Products:
    memory = _Memory()
    reads: dict[int, list[tuple[int, Origin | None]]] = defaultdict(list)
    for at, step in enumerate(trace.steps):
        if step[0] not in ACCESSES:
            continue
        shared = trace.arrays[step[3]].space == "shared"
        if step[0] == StepKind.READ:
            reads[step[1]].append((at, memory.origins.get((step[3], step[4])) if shared else None))
            if not shared:
                memory.waiting[step[1]] = [*memory.waiting[step[1]][-_MOST_WAITING:], at]
        elif shared:
            _store(trace, memory, at, step, factors)
    of_thread: dict[int, list[Group]] = {}
    unpaired: dict[int, int] = {}
    for thread, own in reads.items():
        operands = _without_dropped(list(_operands(trace, memory, own, factors)))
        of_thread[thread], unpaired[thread] = _grouped(operands, factors)
        unpaired[thread] += sum(trace.steps[at][3] in memory.unknown - memory.homes.keys() for at, _ in own)
    return Products(of_thread, unpaired)


def _store(trace: Trace, memory: _Memory, at: int, step: Step, factors: Sequence[str]) -> None:
    waiting = memory.waiting[step[1]]
    same = [one for one in waiting if trace.steps[one][5:7] == step[5:7]]
    line = trace.places[step[7]].line
    near = [one for one in same if trace.places[trace.steps[one][7]].line == line] or same
    key = step[3], step[4]
    memory.origins[key] = None
    if near and step[0] == StepKind.WRITE:
        read = trace.steps[near[0]]
        array = trace.arrays[read[3]]
        waiting.remove(near[0])
        memory.used.add(near[0])
        memory.origins[key] = array.name, array.index(read[4], read[5]), near[0], at
        memory.homes[step[3]].add(array.name)
    elif step[6]:
        _changed(trace, memory, step, factors)


def _changed(trace: Trace, memory: _Memory, step: Step, factors: Sequence[str]) -> None:
    """A value that no read has brought: it was made of what the thread has read in the same line, or of nobody knows what."""
    line = trace.places[step[7]].line
    here = [one for one in memory.waiting[step[1]] if trace.places[trace.steps[one][7]].line == line]
    names = {trace.arrays[trace.steps[one][3]].name for one in here}
    if len(here) == 1 and names <= set(factors):
        memory.waiting[step[1]].remove(here[0])
        memory.used.add(here[0])
        memory.homes[step[3]] |= names
    else:
        memory.unknown.add(step[3])


def _operands(
    trace: Trace, memory: _Memory, reads: Sequence[tuple[int, Origin | None]], factors: Sequence[str]
) -> Iterator[Operand]:
    for at, origin in reads:
        step = trace.steps[at]
        array = trace.arrays[step[3]]
        value = array.value(step[6], step[5])
        if array.space != "shared":
            if at not in memory.used and array.name in factors:
                yield Operand(array.name, array.index(step[4], step[5]), at, value)
        elif origin is not None and origin[0] in factors:
            yield Operand(origin[0], origin[1], at, value, origin[2], origin[3])
        elif origin is None and len(homes := memory.homes[step[3]] & set(factors)) == 1:
            yield Operand(next(iter(homes)), None, at, value)


def _without_dropped(operands: Sequence[Operand]) -> list[Operand]:
    """A thread that takes a factor from shared memory multiplies nothing that it has read of it directly: that was fetched for a tile that
    never came.
    """
    through_shared = {one.factor for one in operands if one.loaded_at is not None}
    return [
        one for one in operands if one.loaded_at is not None or one.index is None or one.factor not in through_shared
    ]


def _grouped(operands: Sequence[Operand], factors: Sequence[str]) -> tuple[list[Group], int]:
    runs: list[list[Operand]] = []
    for one in operands:
        if runs and runs[-1][0].factor == one.factor:
            runs[-1].append(one)
        else:
            runs.append([one])
    found = []
    for one_run, other in zip(runs[::2], runs[1::2], strict=False):
        first, second = sorted((one_run, other), key=lambda run: factors.index(run[0].factor))
        found.append(Group(tuple(first), tuple(second)))
    return found, len(runs[-1]) if len(runs) % 2 else 0


def agrees(stored: float, products: Sequence[Product]) -> bool:
    """Whether it is their sum, within the largest possible error of rounding. kit/problems explains the bound."""
    values = [one.value for one in products]
    bound = 4 * math.sqrt(len(values) or 1) * 2**-24 * math.fsum(map(abs, values))
    return abs(stored - math.fsum(values)) <= bound
