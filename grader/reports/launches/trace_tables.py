"""A trace as headings, sentences, tables and grids of numbers, for a terminal and for Markdown. Pure.

Threads and blocks are written (x, y), and (x, y, z) where a block has more than one layer. Elements are written [row][column]. Names
come from a submission, so all text goes through `visible`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from grader.reports.launches.trace_patterns import BRIEF, Pattern, of_access, of_many, of_spans, of_sum
from grader.reports.launches.trace_summary import summarised
from grader.reports.text import visible
from grader.single_launch.trace_phases import Access, BarrierInterval, BlockTrace, Index3, Load, Outcome, ThreadInterval

_WRONG_OUTCOMES = 5  # how many threads are listed whose sum is not what they stored
_WIDEST = 32  # the most columns of a tile that is printed
_LONGEST = 64  # the most entries of one cell; an endless loop would make more
_BRIEF_SIDE = 8  # the rows and columns of a matrix there
_BRIEF_INTERVALS = 6  # the intervals that are shown there, from both ends


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


def trace_parts(
    trace: BlockTrace, only: Callable[[Index3], bool] | None = None, *, brief: bool = False
) -> Iterator[Part]:
    """`only`: the threads whose rows are shown. Sums are checked for all threads. `brief`: threads that do the same share a row."""
    names = _ThreadNames(flat=all(stay.thread[2] == 0 for stay in trace.intervals[0].stays))
    few = len(trace.intervals) <= _BRIEF_INTERVALS + 1
    for number, interval in enumerate(trace.intervals):
        from_end = len(trace.intervals) - number
        if brief and not few and number >= _BRIEF_INTERVALS - 2 and from_end > 2:  # noqa: PLR2004 -- the last two stay
            if number == _BRIEF_INTERVALS - 2:
                yield Sentence(f"{from_end - 2} intervals between barriers are left out here; --all shows them.")
            continue
        stays = [stay for stay in interval.stays if only is None or only(stay.thread)]
        yield from _interval(_Manner(names, trace, brief), number, interval, stays)
    yield Heading("What is stored")
    yield from _stored_sums(names, trace, brief=brief)


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


@dataclass(frozen=True)
class _Manner:
    """How the tables of one trace are made."""

    names: _ThreadNames
    trace: BlockTrace
    brief: bool

    def table(
        self,
        heads: tuple[str, ...],
        stays: Sequence[ThreadInterval],
        cells: Callable[[ThreadInterval], tuple[str, ...]],
        patterns: Callable[[ThreadInterval], tuple[Pattern, ...]],
        numbers: frozenset[int] = frozenset(),
    ) -> Table:
        """A row for each thread or, in short, for each group of threads. `cells` and `patterns` are without the thread's name."""
        if not self.brief:
            rows = [(self.names.thread(stay.thread), *cells(stay)) for stay in stays]
            return Table((self.names.head, *heads), tuple(rows), numbers)
        of_thread = {stay.thread: stay for stay in stays}
        found = summarised(
            {thread: patterns(stay) for thread, stay in of_thread.items()},
            lambda thread: cells(of_thread[thread]),
            self.names.thread,
        )
        width = len(heads) + 1
        return Table((self.names.head, *heads), tuple((*row, *[""] * (width - len(row))) for row in found), numbers)

    def joined(self, between: str, entries: Sequence[str]) -> str:
        if self.brief and len(entries) > BRIEF + 2:
            return between.join([*entries[:BRIEF], "…", entries[-1]])
        more = len(entries) - _LONGEST
        return between.join([*entries[:_LONGEST], f"… ({more:,} more)"] if more > 0 else entries) or "none"


def _interval(
    manner: _Manner, number_: int, interval: BarrierInterval, stays: Sequence[ThreadInterval]
) -> Iterator[Part]:
    begins = "From the start" if number_ == 0 else f"After barrier {number_}"
    if interval.barrier is None:
        ends = "to the end"
    else:
        line = f" in line {interval.barrier}" if interval.barrier else ""
        ends = f"up to barrier {number_ + 1}{line}"
    yield Heading(f"{begins}, {ends}")
    shown = False
    for part in (_loads(manner, stays), _tiles(manner, interval), _reads(manner, stays), _stores(manner, stays)):
        if part is not None:
            shown = True
            yield part
    if not shown:
        yield Sentence("Nothing is read or written.")


def _loads(manner: _Manner, stays: Sequence[ThreadInterval]) -> Table | None:
    most = max((len(stay.loads) for stay in stays), default=0)
    if most == 0:
        return None
    active = [stay for stay in stays if stay.loads] if manner.brief else stays
    if all(len(stay.loads) == most for stay in active) and most <= 4:  # noqa: PLR2004 -- columns that still fit
        return manner.table(
            ("loads", *[""] * (most - 1)),
            stays,
            lambda stay: tuple(_load(load) for load in stay.loads),
            lambda stay: tuple(_load_pattern(load) for load in stay.loads),
        )
    return manner.table(
        ("loads",),
        stays,
        lambda stay: (manner.joined("; ", [_load(load) for load in stay.loads]),),
        lambda stay: (of_many("; ", [_load_pattern(load) for load in stay.loads]),),
    )


def _load(load: Load) -> str:
    target = _named(load.target)
    if load.source is None:
        return f"{target} ← {number(load.target.value)}"
    return f"{target} ← {_named(load.source)} = {number(load.source.value)}"


def _load_pattern(load: Load) -> Pattern:
    source = of_access(load.source) if load.source else (number(load.target.value),)
    return (*of_access(load.target), " ← ", *source)


def _tiles(manner: _Manner, interval: BarrierInterval) -> Grid | None:
    grids = []
    for name, elements in interval.tiles.items():
        shape = manner.trace.shapes.get(name, ())
        fits = len(shape) == 2 and (manner.brief or shape[1] <= _WIDEST)  # noqa: PLR2004 -- rows and columns
        if fits and all(len(index) == 2 for index in elements):  # noqa: PLR2004
            rows = [
                [number(elements[row, column]) if (row, column) in elements else "·" for column in range(shape[1])]
                for row in range(shape[0])
            ]
        else:
            rows = [[number(value) for _, value in sorted(elements.items())]]
        grids.append(matrix(visible.line(name, 60), _corner(rows) if manner.brief else rows))
    return Grid(tuple(grids)) if grids else None


def _corner(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """The upper left corner of a large matrix, with dots at its edges."""
    shown = [
        [*row[:_BRIEF_SIDE], "…"] if len(row) > _BRIEF_SIDE + 1 else [*row]
        for row in rows[: _BRIEF_SIDE if len(rows) > _BRIEF_SIDE + 1 else len(rows)]
    ]
    return [*shown, ["…"]] if len(rows) > len(shown) else shown


def _reads(manner: _Manner, stays: Sequence[ThreadInterval]) -> Table | None:
    if not any(stay.reads for stay in stays):
        return None
    if not any(stay.products for stay in stays):
        return manner.table(
            ("reads",),
            stays,
            lambda stay: (manner.joined(", ", [f"{_named(one)} = {number(one.value)}" for one in stay.reads]),),
            lambda stay: (of_many(", ", [of_access(one) for one in stay.reads]),),
        )
    first, second = manner.trace.factors
    return manner.table(
        ("reads", f"products {visible.line(first, 20)}·{visible.line(second, 20)}", "adds", "sum"),
        stays,
        lambda stay: (
            manner.joined(", ", _spans(stay.reads)),
            manner.joined(" + ", [f"{number(one.value)}·{number(two.value)}" for one, two in stay.products]),
            number(stay.added),
            number(stay.sum_after),
        ),
        lambda stay: (of_many(", ", of_spans(stay.reads)), of_sum(stay)),
        frozenset({3, 4}),
    )


def _stores(manner: _Manner, stays: Sequence[ThreadInterval]) -> Table | None:
    if not any(stay.stores for stay in stays):
        return None
    return manner.table(
        ("stores",),
        stays,
        lambda stay: (manner.joined(", ", [f"{_named(one)} = {number(one.value)}" for one in stay.stores]),),
        lambda stay: (of_many(", ", [of_access(one) for one in stay.stores]),),
    )


def _named(touch: Access) -> str:
    return visible.line(touch.name, 80)


def _spans(reads: Sequence[Access]) -> list[str]:
    """`As[0][0…3]` for four neighbours: for each array, runs in which one subscript increases by one and the others stay."""
    return [visible.line("".join(map(str, pattern)), 120) for pattern in of_spans(reads)]


def _stored_sums(names: _ThreadNames, trace: BlockTrace, *, brief: bool) -> Iterator[Part]:
    if trace.left_out:
        yield Sentence(trace.left_out)
    if not trace.outcomes:
        yield Sentence("No thread stored anything to global memory.")
        return
    if stored := _stored(trace.outcomes, brief=brief):
        yield stored
    if not trace.factors:
        return
    manner = _Manner(names, trace, brief)
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
            manner.joined(", ", [f"{_named(store)} = {number(store.value)}" for store in one.stores]),
        )
        for one in wrong[:_WRONG_OUTCOMES]
    ]
    yield Table((names.head, "sum of products", "stores"), tuple(rows), frozenset({1}))
    if trace.unpaired:
        yield Sentence(f"{trace.unpaired} reads do not belong to any product.")


def _stored(outcomes: Sequence[Outcome], *, brief: bool) -> Grid | None:
    """The block's part of each matrix or list that it stored to, where this part has no holes."""
    grids = []
    for name in dict.fromkeys(store.array for one in outcomes for store in one.stores):
        elements = {store.index: store.value for one in outcomes for store in one.stores if store.array == name}
        is_list = all(len(index) == 1 for index in elements)
        if is_list:
            elements = {(0, *index): value for index, value in elements.items()}
        if any(len(index) != 2 for index in elements):  # noqa: PLR2004 -- a matrix has rows and columns
            continue
        rows, columns = sorted({index[0] for index in elements}), sorted({index[1] for index in elements})
        if len(rows) * len(columns) != len(elements) or len(columns) > _WIDEST:
            continue
        across = f"[{columns[0]}…{columns[-1]}]"
        title = f"{name}{across}" if is_list else f"{name}[{rows[0]}…{rows[-1]}]{across}"
        cells = [[number(elements[row, column]) for column in columns] for row in rows]
        grids.append(matrix(visible.line(title, 80), _corner(cells) if brief else cells))
    return Grid(tuple(grids)) if grids else None
