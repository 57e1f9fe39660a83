"""A wrong element of a product of matrices as a thread has computed it: which products its sum has, and which belong to it. Pure."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.explain.recording import Recording
from grader.model.result import Mismatch
from grader.run.launches.trace_phases import CHANGES, StepKind, Trace, TracedInput, TraceIndex, TraceReport, is_sum

# Which elements of the two inputs each thread multiplies: its reads are followed through shared memory to their origin. Pure.
#
# Reads of one factor and then of the other are a group: all of the first are multiplied with all of the second. With one read of
# each that is a plain sum; with several, registers hold them for several sums (product_sum.py). `unpaired` says where it is not so.

Index = tuple[int, ...]


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


def products_of(trace: Trace, factors: Sequence[str], index: TraceIndex) -> Products:
    homes, unknown = _homes(trace, factors, index)
    reads: dict[int, list[int]] = defaultdict(list)
    for at, step in enumerate(trace.steps):
        if step[0] == StepKind.READ:
            reads[step[1]].append(at)
    of_thread: dict[int, list[Group]] = {}
    unpaired: dict[int, int] = {}
    for thread, own in reads.items():
        operands = [one for at in own if (one := _operand(trace, index, homes, at, factors)) is not None]
        of_thread[thread], unpaired[thread] = _grouped(_without_dropped(operands), factors)
        unpaired[thread] += sum(trace.steps[at][3] in unknown - homes.keys() for at in own)
    return Products(of_thread, unpaired)


def _homes(trace: Trace, factors: Sequence[str], index: TraceIndex) -> tuple[dict[int, set[str]], set[int]]:
    """Which inputs each shared array holds, and which of these arrays hold what nobody has read. A value that no read has brought was made
    of what the thread has read in the same line, or of nobody knows what.
    """
    homes: dict[int, set[str]] = defaultdict(set)
    unknown: set[int] = set()
    for at, step in enumerate(trace.steps):
        if step[0] not in CHANGES or trace.arrays[step[3]].space != "shared":
            continue
        read = index.loaded.get(at, index.made_of.get(at))
        name = trace.arrays[trace.steps[read][3]].name if read is not None else ""
        if at in index.loaded or name in factors:
            homes[step[3]].add(name)
        elif step[6]:
            unknown.add(step[3])
    return homes, unknown


def _operand(
    trace: Trace, index: TraceIndex, homes: Mapping[int, set[str]], at: int, factors: Sequence[str]
) -> Operand | None:
    def cell(read: int) -> tuple[str, Index]:
        _, _, _, array, offset, size, *_ = trace.steps[read]
        return trace.arrays[array].name, trace.arrays[array].index(offset, size)

    step = trace.steps[at]
    array = trace.arrays[step[3]]
    value = array.value(step[6], step[5])
    if array.space != "shared":
        return Operand(*cell(at), at, value) if at not in index.used and array.name in factors else None
    write = index.writer.get(at, -1)
    load = index.loaded.get(write)
    if load is not None:
        name, subscripts = cell(load)
        return Operand(name, subscripts, at, value, load, write) if name in factors else None
    own = homes.get(step[3], set()) & set(factors)
    return Operand(next(iter(own)), None, at, value) if len(own) == 1 else None


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


# Which products belong to one of the sums that a thread has, where it computes several elements of a product of matrices. The values of a
# register are not recorded: what it stores in the end tells which of the possible sums it is. Pure.

Element = tuple[int, int]
_DEEPEST = 1024  # products of a sum that is followed
_MOST_SUMS = 256  # of a thread
_MOST_WORK = 2_000_000  # additions to look for the part of a sum that was stored


@dataclass(frozen=True)
class ThreadSum:
    products: tuple[Product, ...]
    kept: tuple[Product, ...] | None  # of which the stored value is the sum; None: of none of its beginnings and ends


def stored_elements(trace: Trace, thread: int, output: str) -> list[Element]:
    """Of the result, that the thread stores, in the order of its stores."""
    found: dict[Element, None] = {}
    for step in trace.steps:
        if step[0] in CHANGES and step[1] == thread and trace.arrays[step[3]].name == output:
            index = trace.arrays[step[3]].index(step[4], step[5])
            if len(index) == 2:  # noqa: PLR2004 -- rows and columns
                found[index[0], index[1]] = None
    return list(found)


def sum_in(
    groups: Sequence[Group], element: Element, elements: Sequence[Element], stored: float, depth: int
) -> ThreadSum | None:
    """The sum for `element` among those that the groups allow: one whose whole value is stored, then one of which a part is; of several,
    one with the most products of this element. None where the groups show no sums.
    """
    sums = list(_sums(groups, element, elements))
    if not sums:
        return None
    wanted = {((element[0], k), (k, element[1])) for k in range(depth)}

    def belonging(products: Sequence[Product]) -> int:
        return sum(one.indices in wanted for one in products)

    whole = [one for one in sums if math.isfinite(stored) and is_sum(stored, [product.value for product in one])]
    if whole:
        best = max(whole, key=belonging)
        return ThreadSum(best, best)
    likely = sorted(sums, key=belonging, reverse=True)[: max(1, _MOST_WORK // max(map(len, sums)) ** 2)]
    parts = [(one, kept) for one in likely if (kept := _kept(stored, one)) is not None]
    if parts:
        products, kept = max(parts, key=lambda part: (belonging(part[1]), len(part[1])))
        return ThreadSum(products, kept)
    return ThreadSum(max(sums, key=belonging), None)


def _sums(groups: Sequence[Group], element: Element, elements: Sequence[Element]) -> Iterator[tuple[Product, ...]]:
    shapes = {one.shape for one in groups}
    if len(shapes) != 1 or len(elements) > _MOST_SUMS:
        return
    ((rows, columns),) = shapes
    if rows * columns > 1:
        if rows * columns <= _MOST_SUMS:
            for row in range(rows):
                for column in range(columns):
                    yield tuple(one.product(row, column) for one in groups)
        return
    products = tuple(one.product(0, 0) for one in groups)
    count, at = len(elements), elements.index(element) if element in elements else 0
    yield products
    if count > 1 and len(products) % count == 0:
        size = len(products) // count
        yield products[at * size : (at + 1) * size]  # one sum after the other
        for start in range(count):  # in turns
            yield products[start::count]


def _kept(stored: float, products: tuple[Product, ...]) -> tuple[Product, ...] | None:
    """All of them, or those since some moment, or those up to one: of whichever the stored value is the sum."""
    if not math.isfinite(stored) or len(products) > _DEEPEST:
        return None
    ends = [
        products,
        *(products[at:] for at in range(1, len(products))),
        *(products[:at] for at in range(1, len(products))),
    ]
    return next((one for one in ends if is_sum(stored, [product.value for product in one])), None)


@dataclass(frozen=True)
class ProductSum:
    """What a thread stored in an element, and what the element needs."""

    names: tuple[str, str, str]  # of both inputs and the output
    row: int
    column: int
    depth: int  # how many products belong to it
    thread: int
    store: int  # the last one, by its place in the trace
    stored: float
    products: tuple[Product, ...]  # that the thread has read
    kept: tuple[Product, ...] | None  # of which the stored value is the sum; None: of none of its beginnings and ends
    elements: tuple[tuple[int, int], ...]  # that the thread stores: with several, each has a sum of its own

    @property
    def name(self) -> str:
        return f"{self.names[2]}[{self.row}][{self.column}]"

    @property
    def counted(self) -> tuple[Product, ...]:
        return self.products if self.kept is None else self.kept

    def belongs(self, product: Product, k: int) -> bool:
        return product.indices == ((self.row, k), (k, self.column))

    @property
    def times(self) -> list[int]:
        """For each k, how often its product is in the sum."""
        found = Counter(one.indices for one in self.counted)
        return [found[(self.row, k), (k, self.column)] for k in range(self.depth)]

    @property
    def strangers(self) -> list[Product]:
        """Products of inputs that do not belong to this element."""
        own = {((self.row, k), (k, self.column)) for k in range(self.depth)}
        return [one for one in self.counted if None not in one.indices and one.indices not in own]

    @property
    def whole_of(self) -> tuple[int, int] | None:
        """The other element whose sum this is, whole."""
        known = [one for one in self.counted if None not in one.indices]
        if any(one.value for one in self.counted if None in one.indices):
            return None
        rows = {one.first.index[0] for one in known if one.first.index}
        columns = {one.second.index[-1] for one in known if one.second.index}
        if len(rows) != 1 or len(columns) != 1:
            return None
        (row,), (column,) = rows, columns
        wanted = Counter(((row, k), (k, column)) for k in range(self.depth))
        whole = Counter(one.indices for one in known) == wanted
        return (row, column) if whole and (row, column) != (self.row, self.column) else None

    @property
    def unloaded(self) -> list[Operand]:
        """What the thread multiplies that is no element of an input, as far as its partner or nobody says where it belongs."""
        missing = {k for k, times in enumerate(self.times) if times == 0}
        found = []
        for one in self.products:
            first, second = one.indices
            if first is None and (second is None or (second[-1] == self.column and second[0] in missing)):
                found.append(one.first)
            elif second is None and first is not None and first[0] == self.row and first[-1] in missing:
                found.append(one.second)
        return found

    def k_beside(self, operand: Operand) -> int | None:
        """For which k it is multiplied, by its partner."""
        for one in self.products:
            if one.first is operand and one.second.index is not None:
                return one.second.index[0]
            if one.second is operand and one.first.index is not None:
                return one.first.index[-1]
        return None


def product_sum(recording: Recording, factors: Sequence[str]) -> ProductSum | None:
    """Of the first wrong element that one thread of this block has stored."""
    trace, mismatch = recording.trace, recording.launch.mismatch
    first, output = recording.number_of(factors[0]), recording.number_of(mismatch.output) if mismatch else None
    depths = trace.arrays[first].dimensions if first is not None else ()
    if mismatch is None or output is None or len(depths) != 2 or depths[1] > _DEEPEST:  # noqa: PLR2004 -- rows and columns
        return None  # `_DEEPEST`: also what a submission's process only claims
    products = products_of(trace, factors, recording.index)
    changes = recording.find(CHANGES, name=mismatch.output)
    for wrong in mismatch.first:
        stores = [at for at in changes if recording.cell(at) == (wrong.row, wrong.column)]
        writers = {trace.steps[at][1] for at in stores}
        if len(writers) != 1:
            continue
        (thread,) = writers
        groups = [one for one in products.of_thread.get(thread, ()) if one.at < stores[-1]]
        if products.unpaired.get(thread) or not groups:
            continue
        stored = recording.value(stores[-1])
        elements = stored_elements(trace, thread, mismatch.output)
        told = sum_in(groups, (wrong.row, wrong.column), elements, stored, depths[1])
        if told is not None:
            return ProductSum(
                names=(factors[0], factors[1], mismatch.output),
                row=wrong.row,
                column=wrong.column,
                depth=depths[1],
                thread=thread,
                store=stores[-1],
                stored=stored,
                products=told.products,
                kept=told.kept,
                elements=tuple(elements),
            )
    return None


# Which two inputs are multiplied, where the tracer does not say it: a lab's judge knows no more than inputs and what is right. Pure.

_NEAR = 1e-4  # relative to the sum of the products' sizes


def factors_of(report: TraceReport) -> tuple[str, ...]:
    """Two inputs whose product of matrices gives what is expected of each wrong element that is told; empty: there are none."""
    wrong = report.launch.mismatch
    if report.factors or wrong is None or len(report.inputs) != 2:  # noqa: PLR2004 -- factors
        return report.factors
    one, other = report.inputs
    expected = [element for element in wrong.first if element.expected is not None]
    if not expected or not _fit(one, other, wrong):
        return ()
    for element in expected:
        products = [
            one.values[element.row * one.columns + k] * other.values[k * other.columns + element.column]
            for k in range(one.columns)
        ]
        if abs(math.fsum(products) - (element.expected or 0.0)) > _NEAR * math.fsum(map(abs, products)):
            return ()
    return one.name, other.name


def _fit(one: TracedInput, other: TracedInput, wrong: Mismatch) -> bool:
    return (
        one.columns > 0
        and len(one.values) == wrong.rows * one.columns
        and other.columns == wrong.columns
        and len(other.values) == one.columns * other.columns
    )
