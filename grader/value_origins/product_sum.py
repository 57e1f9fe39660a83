"""A wrong element of a product of matrices as a thread has computed it: which products its sum has, and which belong to it. Pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from grader.model.result import Mismatch, WrongElement
from grader.single_launch.trace_steps import CHANGES, StepKind, Trace
from grader.value_origins.product_reads import Operand, Product, Products
from grader.value_origins.thread_sums import stored_elements, sum_in

_DEEPEST = 1024  # products of a sum that is followed


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


def product_sum(trace: Trace, mismatch: Mismatch, factors: tuple[str, str], products: Products) -> ProductSum | None:
    """Of the first wrong element that one thread of this block has stored."""
    by_name = {array.name: array for array in trace.arrays if array.space == "global"}
    first, output = by_name.get(factors[0]), by_name.get(mismatch.output)
    if first is None or output is None or len(first.dimensions) != 2:  # noqa: PLR2004 -- rows and columns
        return None
    if first.dimensions[1] > _DEEPEST:  # also what a submission's process only claims
        return None
    for wrong in mismatch.first:
        stores = [
            at for at, step in enumerate(trace.steps) if step[0] in CHANGES and _is(trace, at, mismatch.output, wrong)
        ]
        writers = {trace.steps[at][1] for at in stores}
        if len(writers) != 1:
            continue
        (thread,) = writers
        groups = [one for one in products.of_thread.get(thread, ()) if one.at < stores[-1]]
        if products.unpaired.get(thread) or not groups:
            continue
        step = trace.steps[stores[-1]]
        stored = output.value(step[6], step[5])
        elements = stored_elements(trace, thread, mismatch.output)
        told = sum_in(groups, (wrong.row, wrong.column), elements, stored, first.dimensions[1])
        if told is None:
            continue
        names = (*factors, mismatch.output)
        return ProductSum(
            names,
            wrong.row,
            wrong.column,
            first.dimensions[1],
            thread,
            stores[-1],
            stored,
            told.products,
            told.kept,
            tuple(elements),
        )
    return None


def _is(trace: Trace, at: int, output: str, wrong: WrongElement) -> bool:
    step = trace.steps[at]
    array = trace.arrays[step[3]]
    return array.name == output and array.index(step[4], step[5]) == (wrong.row, wrong.column)


def writer_before(trace: Trace, read: int) -> int | None:
    """The last plain write of the element that is read, by its place in the trace."""
    key = trace.steps[read][3:5]
    found = (at for at in range(read - 1, -1, -1) if trace.steps[at][0] in CHANGES and trace.steps[at][3:5] == key)
    at = next(found, None)
    return at if at is not None and trace.steps[at][0] == StepKind.WRITE else None
