"""A trace as headings, sentences, tables and grids of numbers, for a terminal. Pure.

Threads and blocks are written (x,y), and (x,y,z) where a block has more than one layer. Elements are written [row][column]. Names
come from a submission, so all text goes through `visible`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

from grader.model import visible_text
from grader.model.result import Launch
from grader.model.verdicts import Verdict
from grader.run.launches.trace_phases import (
    Access,
    BarrierInterval,
    BlockTrace,
    Index3,
    Load,
    Outcome,
    ThreadInterval,
    formula,
    ranges,
)

# Steps of a trace as patterns: text with the subscripts as numbers in it, so that a formula can take their place. Pure.

Pattern = tuple[str | int, ...]

BRIEF = 3  # the entries at the beginning of a long cell, where a trace is told in short; then comes the last


def of_access(access: Access) -> Pattern:
    pattern: list[str | int] = [access.array]
    for index in access.index:
        pattern += ["[", index, "]"]
    return tuple(pattern)


def of_run(array: str, start: Sequence[int], end: Sequence[int]) -> Pattern:
    """`As[0][0…3]`."""
    pattern: list[str | int] = [array]
    for one, other in zip(start, end, strict=True):
        pattern += ["[", one, *(() if one == other else ("…", other)), "]"]
    return tuple(pattern)


def joined(between: str, patterns: Sequence[Pattern]) -> Pattern:
    return tuple(part for at, pattern in enumerate(patterns) for part in ((between, *pattern) if at else pattern))


def of_many(between: str, patterns: Sequence[Pattern]) -> Pattern:
    """All patterns where they are few, else the first ones and the last. How many there are is part of it."""
    if len(patterns) <= BRIEF + 2:
        return joined(between, patterns)
    return (*joined(between, patterns[:BRIEF]), f"{between}… ({len(patterns)} in all){between}", *patterns[-1])


def of_spans(reads: Sequence[Access]) -> list[Pattern]:
    """`As[0][0…3]` for four neighbours: for each array, runs in which one subscript increases by one and the others stay."""
    names = dict.fromkeys(one.array for one in reads)
    spans = ((name, _runs([one.index for one in reads if one.array == name])) for name in names)
    return [of_run(name, start, end) for name, each in spans for start, end in each]


def _runs(indices: Sequence[tuple[int, ...]]) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    start, end, moving = indices[0], indices[0], -1
    for index in indices[1:]:
        moved = [axis for axis in range(len(index)) if index[axis] != end[axis]]
        if len(moved) == 1 and index[moved[0]] == end[moved[0]] + 1 and moving in (-1, moved[0]):
            end, moving = index, moved[0]
            continue
        yield start, end
        start, end, moving = index, index, -1
    yield start, end


def of_sum(stay: ThreadInterval) -> Pattern:
    terms = [(*of_access(one), "·", *of_access(two)) for one, two in stay.products]
    return joined(" + ", terms) if len(terms) <= 1 else (*terms[0], " + … + " if len(terms) > 2 else " + ", *terms[-1])  # noqa: PLR2004


# The rows of a trace's table in short: threads that do the same are told once, with the formula of each subscript, and a few of them are
# shown as examples. Threads without a step share one row. Pure.


class Cell(NamedTuple):
    """What a thread does in one column. Threads belong together if their patterns have the same text."""

    text: str
    pattern: Pattern | None = None  # None: a number, which a group does not share


Row = tuple[Cell, ...]

_EXAMPLES = 3  # rows of the first group; the others have one
_WITHOUT_FORMULA = 6  # rows of a group whose subscripts have no formula
_MOST_GROUPS = 6
_MOST_BOXES = 3


def summarised(rows: Mapping[Index3, Row], name: Callable[[Index3], str]) -> Iterator[tuple[str, ...]]:
    """`rows`: of each thread, without its name."""
    patterns = {thread: tuple(one.pattern for one in row if one.pattern is not None) for thread, row in rows.items()}
    groups: dict[tuple[tuple[str, ...], ...], list[Index3]] = {}
    idle = [thread for thread, columns in patterns.items() if not any(columns)]
    for thread, columns in patterns.items():
        if any(columns):
            text = tuple(tuple(part if isinstance(part, str) else "" for part in pattern) for pattern in columns)
            groups.setdefault(text, []).append(thread)
    ordered = list(groups.values())
    for number, threads in enumerate(ordered[:_MOST_GROUPS]):
        told = _formulas([patterns[thread] for thread in threads], threads) if len(threads) > 2 else None  # noqa: PLR2004 -- nothing is saved
        if told:
            yield (_all_of(threads, name), *told)
        shown = _spread(threads, _WITHOUT_FORMULA if not told else _EXAMPLES if number == 0 else 1)
        yield from ((name(thread), *(one.text for one in rows[thread])) for thread in shown)
        if not told and len(threads) > len(shown):
            yield (f"{len(threads) - len(shown)} more", "other elements in the same way")
    if more := [thread for threads in ordered[_MOST_GROUPS:] for thread in threads]:
        yield (_all_of(more, name), "something else again")
    if idle:
        yield (_all_of(idle, name), "none")


def _spread(threads: Sequence[Index3], count: int) -> list[Index3]:
    """The first thread, its neighbours in x and y, and then those that follow."""
    x, y, z = threads[0]
    wanted = [threads[0], (x + 1, y, z), (x, y + 1, z), *threads]
    return list(dict.fromkeys(one for one in wanted if one in threads))[:count]


def _formulas(rows: Sequence[tuple[Pattern, ...]], threads: Sequence[Index3]) -> list[str] | None:
    """The columns with formulas in place of numbers. None where a number has no formula."""
    columns = []
    for column in zip(*rows, strict=True):
        told: list[str | None] = []
        for parts in zip(*column, strict=True):
            numbers = {t: part for t, part in zip(threads, parts, strict=True) if isinstance(part, int)}
            told.append(parts[0] if isinstance(parts[0], str) else formula(numbers))
        columns.append(told)
    return None if any(None in told for told in columns) else ["".join(map(str, told)) for told in columns]


def _all_of(threads: Sequence[Index3], name: Callable[[Index3], str]) -> str:
    """`(0…7,0…15)`: the threads from the first to the last in x and y."""
    boxes = ranges(threads)
    if len(boxes) > _MOST_BOXES:
        return f"{len(threads)} threads"
    pairs = (zip(*(name(end)[1:-1].split(",") for end in box), strict=True) for box in boxes)
    sides = (",".join(one if one == other else f"{one}…{other}" for one, other in box) for box in pairs)
    return ", ".join(f"({box})" for box in sides)


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
    manner = _Manner(trace, brief, flat=all(stay.thread[2] == 0 for stay in trace.intervals[0].stays))
    few = len(trace.intervals) <= _BRIEF_INTERVALS + 1
    for number, interval in enumerate(trace.intervals):
        from_end = len(trace.intervals) - number
        if brief and not few and number >= _BRIEF_INTERVALS - 2 and from_end > 2:  # noqa: PLR2004 -- the last two stay
            if number == _BRIEF_INTERVALS - 2:
                yield Sentence(f"{from_end - 2} intervals between barriers are left out here; --all shows them.")
            continue
        stays = [stay for stay in interval.stays if only is None or only(stay.thread)]
        begins = "From the start" if number == 0 else f"After barrier {number}"
        line = f" in line {interval.barrier}" if interval.barrier else ""
        ends = "to the end" if interval.barrier is None else f"up to barrier {number + 1}{line}"
        yield Heading(f"{begins}, {ends}")
        shown = (_loads(manner, stays), _tiles(manner, interval), _reads(manner, stays), _stores(manner, stays))
        yield from filter(None, shown if any(shown) else [Sentence("Nothing is read or written.")])
    yield Heading("What is stored")
    yield from _stored_sums(manner)


def number(value: float) -> str:
    """A whole number without a decimal point, any other number with six digits."""
    return str(int(value)) if value == value // 1 and abs(value) < 1e15 else f"{value:.6g}"  # noqa: PLR2004 -- exact


def matrix(title: str, rows: Sequence[Sequence[str]]) -> tuple[str, tuple[str, ...]]:
    """The title, and the rows as right-aligned columns of the same width."""
    width = max((len(cell) for row in rows for cell in row), default=0)
    return title, tuple(" ".join(f"{cell:>{width}}" for cell in row) for row in rows)


def _access(access: Access) -> Cell:
    """With its value, which is told of a single thread."""
    return _cell(of_access(access), f" = {number(access.value)}")


def _cell(pattern: Pattern, value: str = "") -> Cell:
    return Cell(visible_text.line("".join(map(str, pattern)), 170) + value, pattern)


@dataclass(frozen=True)
class _Manner:
    """How the tables of one trace are made."""

    trace: BlockTrace
    brief: bool
    flat: bool  # its block has one layer

    def thread(self, index: Index3) -> str:
        return f"({','.join(map(str, index[: 2 if self.flat else 3]))})"

    def table(
        self,
        heads: tuple[str, ...],
        stays: Sequence[ThreadInterval],
        row: Callable[[ThreadInterval], Row],
        numbers: frozenset[int] = frozenset(),
    ) -> Table:
        """A row for each thread or, in short, for each group of threads. `row` is without the thread's name."""
        cells = {stay.thread: row(stay) for stay in stays}
        found = ((self.thread(thread), *(one.text for one in of)) for thread, of in cells.items())
        heads = ("thread (x,y)" if self.flat else "thread (x,y,z)", *heads)
        rows = summarised(cells, self.thread) if self.brief else found
        return Table(heads, tuple((*one, *[""] * (len(heads) - len(one))) for one in rows), numbers)

    def joined(self, between: str, cells: Sequence[Cell]) -> Cell:
        """All of a thread's in one."""
        texts, more = [one.text for one in cells], len(cells) - _LONGEST
        if self.brief and len(texts) > BRIEF + 2:
            texts = [*texts[:BRIEF], "…", texts[-1]]
        elif more > 0:
            texts = [*texts[:_LONGEST], f"… ({more:,} more)"]
        pattern = of_many(between, [one.pattern or () for one in cells]) if self.brief else None
        return Cell(between.join(texts) or "none", pattern)


def _loads(manner: _Manner, stays: Sequence[ThreadInterval]) -> Table | None:
    most = max((len(stay.loads) for stay in stays), default=0)
    if most == 0:
        return None
    active = [stay for stay in stays if stay.loads] if manner.brief else stays
    if all(len(stay.loads) == most for stay in active) and most <= 4:  # noqa: PLR2004 -- columns that still fit
        return manner.table(("loads", *[""] * (most - 1)), stays, lambda stay: tuple(map(_load, stay.loads)))
    return manner.table(("loads",), stays, lambda stay: (manner.joined("; ", list(map(_load, stay.loads))),))


def _load(load: Load) -> Cell:
    source = of_access(load.source) if load.source else (number(load.target.value),)
    value = f" = {number(load.source.value)}" if load.source else ""
    return _cell((*of_access(load.target), " ← ", *source), value)


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
        grids.append(matrix(visible_text.line(name, 60), _corner(rows) if manner.brief else rows))
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
        return manner.table(("reads",), stays, lambda stay: (manner.joined(", ", list(map(_access, stay.reads))),))
    first, second = (visible_text.line(one, 20) for one in manner.trace.factors)

    def row(stay: ThreadInterval) -> Row:
        spans = [Cell(visible_text.line("".join(map(str, one)), 120), one) for one in of_spans(stay.reads)]
        products = [Cell(f"{number(one.value)}·{number(two.value)}", ()) for one, two in stay.products]
        added = Cell(manner.joined(" + ", products).text, of_sum(stay) if manner.brief else None)
        return manner.joined(", ", spans), added, Cell(number(stay.added)), Cell(number(stay.sum_after))

    return manner.table(("reads", f"products {first}·{second}", "adds", "sum"), stays, row, frozenset({3, 4}))


def _stores(manner: _Manner, stays: Sequence[ThreadInterval]) -> Table | None:
    if not any(stay.stores for stay in stays):
        return None
    return manner.table(("stores",), stays, lambda stay: (manner.joined(", ", list(map(_access, stay.stores))),))


def _stored_sums(manner: _Manner) -> Iterator[Part]:
    trace = manner.trace
    if trace.left_out:
        yield Sentence(trace.left_out)
    if not trace.outcomes:
        yield Sentence("No thread stored anything to global memory.")
        return
    if stored := _stored(trace.outcomes, brief=manner.brief):
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
    told = dataclasses.replace(manner, brief=False)
    shown = {one.thread: one for one in wrong[:_WRONG_OUTCOMES]}

    def row(stay: ThreadInterval) -> Row:
        one = shown[stay.thread]
        return Cell(number(one.total)), manner.joined(", ", list(map(_access, one.stores)))

    yield told.table(("sum of products", "stores"), [ThreadInterval(one) for one in shown], row, frozenset({1}))
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
        grids.append(matrix(visible_text.line(title, 80), _corner(cells) if brief else cells))
    return Grid(tuple(grids)) if grids else None


# A trace's parts for a terminal. Pure.


def as_text(parts: Iterable[Part]) -> str:
    lines: list[str] = []
    for part in parts:
        if lines:
            lines.append("")
        if isinstance(part, Heading):
            lines += [part.text, "─" * len(part.text)]
        elif isinstance(part, Sentence):
            lines.append(part.text)
        elif isinstance(part, Grid):
            lines += [f"  {line}".rstrip() for line in side_by_side(part)]
        else:
            rows = [part.heads, *part.rows]
            widths = (max(map(len, column)) for column in zip(*rows, strict=True))
            sides = [f"{'>' if i in part.numbers else '<'}{width}" for i, width in enumerate(widths)]
            lines += [f"  {'   '.join(map(format, row, sides))}".rstrip() for row in rows]
    return "\n".join(lines)


def side_by_side(grid: Grid) -> list[str]:
    columns: list[Sequence[str]] = [(title, *lines) for title, lines in grid.matrices]
    widths = [max(len(line) for line in column) for column in columns]
    rows = zip_longest(*columns, fillvalue="")
    return ["      ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


# The outcome of one launch as parts of a page: that nothing is wrong, or what is wrong and where. Pure.


def verdict_parts(launch: Launch) -> list[Part]:
    notes = [one for one in launch.findings if one.severity == "note"]
    if launch.verdict is Verdict.PASS and not notes:
        return [Sentence("The results are right, and no mistake was found in this launch.")]
    parts: list[Part] = []
    shown = [finding for finding in launch.findings if finding.line]
    if launch.verdict is not Verdict.PASS:
        parts.append(Heading(launch.verdict.facts.label))
        if not any(finding.message in launch.message for finding in shown):
            parts.append(Sentence(visible_text.line(launch.message, 1000)))
    if launch.mismatch and launch.mismatch.first:
        one = launch.mismatch.first[0]
        got = "not a number" if one.got is None else number(one.got)
        right = "Inf or NaN" if one.expected is None else number(one.expected)
        where = f"in row {one.row} and column {one.column}"
        parts.append(Sentence(f"The first wrong element, {where}, is {got} and should be {right}."))
    for finding in shown:
        source = f": {visible_text.code(finding.source.strip())}" if finding.source else ""
        said = f"{finding.kind.value} in line {finding.line}{source}"
        parts.append(Sentence(f"{said}\n  {visible_text.line(finding.message, 1000)}"))
    return parts
