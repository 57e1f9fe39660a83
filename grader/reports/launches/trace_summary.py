"""The rows of a trace's table in short: threads that do the same are told once, with the formula of each subscript, and a few of them are
shown as examples. Threads without a step share one row. Pure.

A step is a pattern: text with the subscripts as numbers in it. Threads belong together if their patterns have the same text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from grader.reports.launches.trace_patterns import Pattern
from grader.single_launch.index_formula import formula, ranges
from grader.single_launch.trace_phases import Index3

Cells = tuple[str, ...]

_EXAMPLES = 3  # rows of the first group; the others have one
_WITHOUT_FORMULA = 6  # rows of a group whose subscripts have no formula
_MOST_GROUPS = 6
_MOST_BOXES = 3


def summarised(
    patterns: Mapping[Index3, tuple[Pattern, ...]], row: Callable[[Index3], Cells], name: Callable[[Index3], str]
) -> Iterator[Cells]:
    """The rows. `patterns`: what each thread does, a pattern for each column of text; empty ones for a thread that does nothing.
    `row`: all cells of one thread without its name.
    """
    groups: dict[tuple[tuple[str, ...], ...], list[Index3]] = {}
    idle = [thread for thread, columns in patterns.items() if not any(columns)]
    for thread, columns in patterns.items():
        if any(columns):
            groups.setdefault(tuple(map(_text_of, columns)), []).append(thread)
    ordered = list(groups.values())
    for number, threads in enumerate(ordered[:_MOST_GROUPS]):
        yield from _group(threads, patterns, row, name, _EXAMPLES if number == 0 else 1)
    if more := [thread for threads in ordered[_MOST_GROUPS:] for thread in threads]:
        yield (_all_of(more, name), "something else again")
    if idle:
        yield (_all_of(idle, name), "none")


def _group(
    threads: Sequence[Index3],
    patterns: Mapping[Index3, tuple[Pattern, ...]],
    row: Callable[[Index3], Cells],
    name: Callable[[Index3], str],
    examples: int,
) -> Iterator[Cells]:
    told = _formulas([patterns[thread] for thread in threads], threads) if len(threads) > 2 else None  # noqa: PLR2004 -- nothing is saved
    if told:
        yield (_all_of(threads, name), *told)
    shown = _spread(threads, examples if told else _WITHOUT_FORMULA)
    for thread in shown:
        yield (name(thread), *row(thread))
    if not told and len(threads) > len(shown):
        yield (f"{len(threads) - len(shown)} more", "other elements in the same way")


def _spread(threads: Sequence[Index3], count: int) -> list[Index3]:
    """The first thread, its neighbours in x and y, and then those that follow."""
    x, y, z = threads[0]
    wanted = [threads[0], (x + 1, y, z), (x, y + 1, z), *threads]
    return list(dict.fromkeys(one for one in wanted if one in threads))[:count]


def _text_of(pattern: Pattern) -> tuple[str, ...]:
    return tuple(part if isinstance(part, str) else "" for part in pattern)


def _formulas(rows: Sequence[tuple[Pattern, ...]], threads: Sequence[Index3]) -> list[str] | None:
    """The columns with formulas in place of numbers. None where a number has no formula."""
    columns = []
    for column in zip(*rows, strict=True):
        told = ""
        for parts in zip(*column, strict=True):
            if isinstance(parts[0], str):
                told += parts[0]
            elif (
                text := formula({t: part for t, part in zip(threads, parts, strict=True) if isinstance(part, int)})
            ) is not None:
                told += text
            else:
                return None
        columns.append(told)
    return columns


def _all_of(threads: Sequence[Index3], name: Callable[[Index3], str]) -> str:
    """`(0…7, 0…15)`: the threads from the first to the last in x and y."""
    boxes = ranges(threads)
    if len(boxes) > _MOST_BOXES:
        return f"{len(threads)} threads"
    return ", ".join(_box(name(low), name(high)) for low, high in boxes)


def _box(low: str, high: str) -> str:
    pairs = zip(low[1:-1].split(", "), high[1:-1].split(", "), strict=True)
    return f"({', '.join(one if one == other else f'{one}…{other}' for one, other in pairs)})"
