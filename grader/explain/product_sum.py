"""A wrong element of a product of matrices as a thread has computed it: which products its sum has, and which belong to it. Pure."""

from __future__ import annotations

import math
import operator
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.explain.recording import Moment, Recording
from grader.run.launches.trace_phases import CHANGES, StepKind, TraceReport, is_sum

# Which elements of the two inputs each thread multiplies: its reads are followed through shared memory to their origin. Pure.
#
# Reads of one factor and then of the other are a group: all of the first are multiplied with all of the second. With one read of
# each that is a plain sum; with several, registers hold them for several sums. `unpaired` says where it is not so.

Index = tuple[int, ...]
Element = tuple[int, int]


@dataclass(frozen=True)
class Operand:
    factor: str  # "A"
    index: Index | None  # of the element of that input; None: no input's, as a zero past the edge
    at: Moment  # the read
    stored: Moment | None = None  # the write to shared memory of what a read of global memory had brought

    @property
    def name(self) -> str:
        """`A[0][1]`."""
        return element_text(self.factor, self.index)


def element_text(name: str, index: Index | None) -> str:
    return name + "".join(f"[{one}]" for one in index or ())


@dataclass(frozen=True)
class Product:
    """In the order of the factors."""

    first: Operand
    second: Operand

    @property
    def value(self) -> float:
        return self.first.at.value * self.second.at.value

    @property
    def at(self) -> Moment:
        return max(self.first.at, self.second.at)

    @property
    def indices(self) -> tuple[Index | None, Index | None]:
        return self.first.index, self.second.index

    @property
    def name(self) -> str:
        return f"{self.first.name} * {self.second.name}"


@dataclass(frozen=True)
class Group:
    """Reads that are multiplied with each other, in the order of the factors."""

    first: tuple[Operand, ...]
    second: tuple[Operand, ...]

    @property
    def at(self) -> Moment:
        return max(self.first[-1].at, self.second[-1].at)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.first), len(self.second)

    def product(self, row: int, column: int) -> Product:
        return Product(self.first[row], self.second[column])


def products_of(recording: Recording, factors: Sequence[str], thread: int) -> tuple[list[Group], int]:
    """Of this thread; and how many of its reads of a factor belong to no group."""
    homes, unknown = _homes(recording, factors)
    reads = recording.find({StepKind.READ}, thread=thread)
    operands = [operand for at in reads if (operand := _operand(homes, at, factors)) is not None]
    groups, rest = _grouped(operands, factors)
    return groups, rest + sum(at.key[0] in unknown - homes.keys() for at in reads)


def _homes(recording: Recording, factors: Sequence[str]) -> tuple[dict[int, set[str]], set[int]]:
    """Which inputs each shared array holds, and which of these arrays hold what nobody has read. A value that no read has brought was made
    of what the thread has read in the same line, or of nobody knows what.
    """
    homes: dict[int, set[str]] = defaultdict(set)
    unknown: set[int] = set()
    for one in recording.find(CHANGES):
        if not one.is_shared:
            continue
        read = one.load if one.load is not None else recording.moment_at(recording.index.made_of.get(one))
        name = read.array.name if read is not None else ""
        if one.load is not None or name in factors:
            homes[one.key[0]].add(name)
        elif one.step[6]:
            unknown.add(one.key[0])
    return homes, unknown


def _operand(homes: Mapping[int, set[str]], at: Moment, factors: Sequence[str]) -> Operand | None:
    if not at.is_shared:
        used = at in at.recording.index.used
        return Operand(at.array.name, at.cell, at) if not used and at.array.name in factors else None
    write = at.writer
    load = write.load if write is not None else None
    if load is not None:
        return Operand(load.array.name, load.cell, at, write) if load.array.name in factors else None
    own = homes.get(at.key[0], set()) & set(factors)
    return Operand(next(iter(own)), None, at) if len(own) == 1 else None


def _grouped(operands: Sequence[Operand], factors: Sequence[str]) -> tuple[list[Group], int]:
    """A thread that takes a factor from shared memory multiplies nothing that it has read of it directly: that was fetched for a tile that
    never came.
    """
    through_shared = {one.factor for one in operands if one.stored is not None}
    runs: list[list[Operand]] = []
    for one in operands:
        if one.stored is None and one.index is not None and one.factor in through_shared:
            continue
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

_DEEPEST = 1024  # products of a sum that is followed
_MOST_SUMS = 256  # of a thread
_MOST_WORK = 2_000_000  # additions to look for the part of a sum that was stored


@dataclass(frozen=True)
class ThreadSum:
    products: tuple[Product, ...]
    kept: tuple[Product, ...] | None  # of which the stored value is the sum; None: of none of its beginnings and ends


def stored_elements(recording: Recording, thread: int, output: str) -> list[Element]:
    """Of the result, that the thread stores, in the order of its stores."""
    cells = (one.cell for one in recording.find(CHANGES, array=output, thread=thread))
    return list(dict.fromkeys((one[0], one[1]) for one in cells if len(one) == 2))  # noqa: PLR2004 -- rows and columns


def sum_in(
    groups: Sequence[Group], element: Element, elements: Sequence[Element], stored: float, depth: int
) -> ThreadSum | None:
    """The sum for `element` among those that the groups allow: one whose whole value is stored, then one of which a part is; of several,
    one with the most products of this element. None where the groups show no sums.
    """
    sums = list(_sums(groups, element, elements))
    if not sums:
        return None
    wanted = set(indices_of(element, depth))

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


def indices_of(element: Element, depth: int) -> list[tuple[Element, Element]]:
    """Of the products that belong to it, for each k."""
    return [((element[0], k), (k, element[1])) for k in range(depth)]


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
    count, values = len(products), [one.value for one in products]
    if not math.isfinite(stored) or count > _DEEPEST:
        return None
    parts = [(at, count) for at in range(count)] + [(0, at) for at in range(1, count)]
    return next((products[first:last] for first, last in parts if is_sum(stored, values[first:last])), None)


class ProductSum:
    """What a thread stored in an element, and what the element needs."""

    def __init__(self, factors: Sequence[str], output: str, depth: int, store: Moment, told: ThreadSum) -> None:
        """`depth`: how many products belong to it; `store`: the last one."""
        self.names = factors[0], factors[1], output
        self.row, self.column = store.cell
        self.depth, self.store = depth, store
        self.products, self.kept = told.products, told.kept
        self.name = element_text(output, store.cell)
        # That the thread stores: with several, each has a sum of its own.
        self.elements = stored_elements(store.recording, store.thread, output)
        self.counted = told.products if told.kept is None else told.kept
        self.own = indices_of((self.row, self.column), depth)  # what its products multiply, for each k
        found, own = Counter(one.indices for one in self.counted), set(self.own)
        self.times = [found[one] for one in self.own]  # for each k, how often its product is in the sum
        self.missing = [k for k, times in enumerate(self.times) if times == 0]
        # Products of inputs that do not belong to this element.
        self.strangers = [one for one in self.counted if None not in one.indices and one.indices not in own]

    @property
    def whole_of(self) -> Element | None:
        """The other element whose sum this is, whole."""
        known = [one for one in self.counted if None not in one.indices]
        if any(one.value for one in self.counted if None in one.indices):
            return None
        rows = {one.first.index[0] for one in known if one.first.index}
        columns = {one.second.index[-1] for one in known if one.second.index}
        if len(rows) != 1 or len(columns) != 1:
            return None
        other = rows.pop(), columns.pop()
        whole = Counter(one.indices for one in known) == Counter(indices_of(other, self.depth))
        return other if whole and other != (self.row, self.column) else None

    @property
    def unloaded(self) -> list[Operand]:
        """What the thread multiplies that is no element of an input, as far as its partner or nobody says where it belongs."""
        missing = set(self.missing)
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


def product_sum(recording: Recording) -> ProductSum | None:
    """Of the first wrong element that one thread of this block has stored."""
    factors, mismatch = factors_of(recording.report), recording.launch.mismatch
    first = recording.number_of(factors[0]) if len(factors) == 2 else None  # noqa: PLR2004 -- a product
    depths = recording.trace.arrays[first].dimensions if first is not None else ()
    if mismatch is None or recording.number_of(mismatch.output) is None:
        return None
    if len(depths) != 2 or depths[1] > _DEEPEST:  # noqa: PLR2004 -- rows and columns
        return None  # `_DEEPEST`: also what a submission's process only claims
    changes = recording.find(CHANGES, array=mismatch.output)
    for wrong in mismatch.first:
        stores = [one for one in changes if one.cell == (wrong.row, wrong.column)]
        if len({one.thread for one in stores}) != 1:
            continue
        store = stores[-1]
        every, unpaired = products_of(recording, factors, store.thread)
        groups = [one for one in every if one.at < store]
        if unpaired or not groups:
            continue
        elements = stored_elements(recording, store.thread, mismatch.output)
        told = sum_in(groups, (wrong.row, wrong.column), elements, store.value, depths[1])
        if told is not None:
            return ProductSum(factors, mismatch.output, depths[1], store, told)
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
    sizes = len(one.values), len(other.values), other.columns
    fit = one.columns > 0 and sizes == (wrong.rows * one.columns, one.columns * other.columns, wrong.columns)
    if not expected or not fit:
        return ()
    for element in expected:
        row = one.values[element.row * one.columns :][: one.columns]
        products = list(map(operator.mul, row, other.values[element.column :: other.columns]))
        if abs(math.fsum(products) - (element.expected or 0.0)) > _NEAR * math.fsum(map(abs, products)):
            return ()
    return one.name, other.name
