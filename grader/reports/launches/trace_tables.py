"""A trace as headings, sentences, tables and grids of numbers, for a terminal and for Markdown. Pure.

Threads and blocks are written (x, y), and (x, y, z) where a block has more than one layer. Elements are written [row][column]. Names
come from a submission, so all text goes through `visible`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from grader.reports.text import visible
from grader.single_launch.trace_phases import Access, BarrierInterval, BlockTrace, Index3, Load, Outcome, ThreadInterval

_WRONG_OUTCOMES = 5  # how many threads are listed whose sum is not what they stored
_WIDEST = 32  # the most columns of a tile that is printed
_LONGEST = 64  # the most entries of one cell; an endless loop would make more


@dataclass(frozen=True)
class Heading:
    text: str


@dataclass(frozen=True)
class Sentence:
    text: str


@dataclass(frozen=True)
class Table:
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: frozenset[int] = frozenset()  # the columns that are numbers


@dataclass(frozen=True)
class Grid:
    """Matrices side by side, each with its title."""

    matrices: tuple[tuple[str, tuple[str, ...]], ...]


Part = Heading | Sentence | Table | Grid


def trace_parts(trace: BlockTrace, only: Callable[[Index3], bool] | None = None) -> Iterator[Part]:
    """`only`: the threads whose rows are shown. Sums are checked for all threads."""
    names = _ThreadNames(flat=all(stay.thread[2] == 0 for stay in trace.intervals[0].stays))
    for number, interval in enumerate(trace.intervals):
        stays = [stay for stay in interval.stays if only is None or only(stay.thread)]
        yield from _interval(names, trace, number, interval, stays)
    yield Heading("What is stored")
    yield from _stored_sums(names, trace)


def number(value: float) -> str:
    """A whole number without a decimal point, any other number with six digits."""
    return str(int(value)) if value == value // 1 and abs(value) < 1e15 else f"{value:.6g}"  # noqa: PLR2004 -- exact


def matrix(title: str, rows: Sequence[Sequence[str]]) -> tuple[str, tuple[str, ...]]:
    """The title, and the rows as right-aligned columns of the same width."""
    width = max((len(cell) for row in rows for cell in row), default=0)
    return title, tuple(" ".join(f"{cell:>{width}}" for cell in row) for row in rows)


@dataclass(frozen=True)
class _ThreadNames:
    flat: bool

    def thread(self, index: Index3) -> str:
        return f"({', '.join(map(str, index[: 2 if self.flat else 3]))})"

    @property
    def head(self) -> str:
        return "thread (x, y)" if self.flat else "thread (x, y, z)"


def _interval(
    names: _ThreadNames, trace: BlockTrace, number_: int, interval: BarrierInterval, stays: Sequence[ThreadInterval]
) -> Iterator[Part]:
    begins = "From the start" if number_ == 0 else f"After barrier {number_}"
    if interval.barrier is None:
        ends = "to the end"
    else:
        line = f" in line {interval.barrier}" if interval.barrier else ""
        ends = f"up to barrier {number_ + 1}{line}"
    yield Heading(f"{begins}, {ends}")
    shown = False
    for part in (_loads(names, stays), _tiles(trace, interval), _reads(names, trace, stays), _stores(names, stays)):
        if part is not None:
            shown = True
            yield part
    if not shown:
        yield Sentence("Nothing is read or written.")


def _joined(between: str, entries: Sequence[str]) -> str:
    more = len(entries) - _LONGEST
    return between.join([*entries[:_LONGEST], f"… ({more:,} more)"] if more > 0 else entries) or "none"


def _loads(names: _ThreadNames, stays: Sequence[ThreadInterval]) -> Table | None:
    most = max((len(stay.loads) for stay in stays), default=0)
    if most == 0:
        return None
    rows = [(names.thread(stay.thread), _joined("; ", [_load(load) for load in stay.loads])) for stay in stays]
    if all(len(stay.loads) == most for stay in stays) and most <= 4:  # noqa: PLR2004 -- columns that still fit
        wide = [(names.thread(stay.thread), *(_load(load) for load in stay.loads)) for stay in stays]
        return Table((names.head, "loads", *[""] * (most - 1)), tuple(wide))
    return Table((names.head, "loads"), tuple(rows))


def _load(load: Load) -> str:
    target = _named(load.target)
    if load.source is None:
        return f"{target} ← {number(load.target.value)}"
    return f"{target} ← {_named(load.source)} = {number(load.source.value)}"


def _tiles(trace: BlockTrace, interval: BarrierInterval) -> Grid | None:
    grids = []
    for name, elements in interval.tiles.items():
        shape = trace.shapes.get(name, ())
        if len(shape) == 2 and all(len(index) == 2 for index in elements) and shape[1] <= _WIDEST:  # noqa: PLR2004
            rows = [
                [number(elements[row, column]) if (row, column) in elements else "·" for column in range(shape[1])]
                for row in range(shape[0])
            ]
        else:
            rows = [[number(value) for _, value in sorted(elements.items())]]
        grids.append(matrix(visible.line(name, 60), rows))
    return Grid(tuple(grids)) if grids else None


def _reads(names: _ThreadNames, trace: BlockTrace, stays: Sequence[ThreadInterval]) -> Table | None:
    if not any(stay.reads for stay in stays):
        return None
    if not any(stay.products for stay in stays):
        rows = [
            (names.thread(stay.thread), _joined(", ", [f"{_named(one)} = {number(one.value)}" for one in stay.reads]))
            for stay in stays
        ]
        return Table((names.head, "reads"), tuple(rows))
    products = [
        (
            names.thread(stay.thread),
            _joined(", ", _spans(stay.reads)),
            _joined(" + ", [f"{number(first.value)}·{number(second.value)}" for first, second in stay.products]),
            number(stay.added),
            number(stay.sum_after),
        )
        for stay in stays
    ]
    first, second = trace.factors
    heads = (names.head, "reads", f"products {visible.line(first, 20)}·{visible.line(second, 20)}", "adds", "sum")
    return Table(heads, tuple(products), frozenset({3, 4}))


def _stores(names: _ThreadNames, stays: Sequence[ThreadInterval]) -> Table | None:
    if not any(stay.stores for stay in stays):
        return None
    rows = [
        (names.thread(stay.thread), _joined(", ", [f"{_named(one)} = {number(one.value)}" for one in stay.stores]))
        for stay in stays
    ]
    return Table((names.head, "stores"), tuple(rows))


def _named(touch: Access) -> str:
    return visible.line(touch.name, 80)


def _spans(reads: Sequence[Access]) -> list[str]:
    """`As[0][0…3]` for four neighbours: for each array, runs in which one subscript increases by one and the others stay."""
    names = list(dict.fromkeys(one.array for one in reads))
    return [
        visible.line(f"{name}{run}", 120)
        for name in names
        for run in _runs([one.index for one in reads if one.array == name])
    ]


def _runs(indices: Sequence[tuple[int, ...]]) -> Iterator[str]:
    start, end, moving = indices[0], indices[0], -1
    for index in indices[1:]:
        moved = [axis for axis in range(len(index)) if index[axis] != end[axis]]
        if len(moved) == 1 and index[moved[0]] == end[moved[0]] + 1 and moving in (-1, moved[0]):
            end, moving = index, moved[0]
            continue
        yield _run(start, end)
        start, end, moving = index, index, -1
    yield _run(start, end)


def _run(start: tuple[int, ...], end: tuple[int, ...]) -> str:
    return "".join(f"[{one}]" if one == other else f"[{one}…{other}]" for one, other in zip(start, end, strict=True))


def _stored_sums(names: _ThreadNames, trace: BlockTrace) -> Iterator[Part]:
    if not trace.complete:
        yield Sentence("This is only the beginning: the block did not end, or it did more than a trace can hold.")
    if not trace.outcomes:
        yield Sentence("No thread stored anything to global memory.")
        return
    if stored := _stored(trace.outcomes):
        yield stored
    if not trace.factors:
        return
    wrong = [one for one in trace.outcomes if not one.reproduced]
    if not wrong:
        count = len(trace.outcomes)
        yield Sentence(f"Checked: each of the {count} threads stores the sum of the products of what it has read.")
        return
    yield Sentence(
        f"{len(wrong)} of {len(trace.outcomes)} threads store something other than the sum of their products. Either the kernel "
        "does not simply multiply pairs of reads and add them up, or something is lost between the sum and the store."
    )
    rows = [
        (
            names.thread(one.thread),
            number(one.total),
            _joined(", ", [f"{_named(store)} = {number(store.value)}" for store in one.stores]),
        )
        for one in wrong[:_WRONG_OUTCOMES]
    ]
    yield Table((names.head, "sum of products", "stores"), tuple(rows), frozenset({1}))
    if trace.unpaired:
        yield Sentence(f"{trace.unpaired} reads do not belong to any product.")


def _stored(outcomes: Sequence[Outcome]) -> Grid | None:
    """The block's part of each matrix that it stored to, where this part is a full rectangle."""
    grids = []
    for name in dict.fromkeys(store.array for one in outcomes for store in one.stores):
        elements = {store.index: store.value for one in outcomes for store in one.stores if store.array == name}
        if any(len(index) != 2 for index in elements):  # noqa: PLR2004 -- a matrix has rows and columns
            continue
        rows, columns = sorted({index[0] for index in elements}), sorted({index[1] for index in elements})
        if len(rows) * len(columns) != len(elements) or len(columns) > _WIDEST:
            continue
        title = f"{name}[{rows[0]}…{rows[-1]}][{columns[0]}…{columns[-1]}]"
        cells = [[number(elements[row, column]) for column in columns] for row in rows]
        grids.append(matrix(visible.line(title, 80), cells))
    return Grid(tuple(grids)) if grids else None
