"""What the launch function did in one case: its line, and the arithmetic that led to a grid or a block that CUDA refuses or that is too
small. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.engines.causes.launch_text import Extent, LaunchText, launch_text
from grader.engines.compiler_words.told import Said
from grader.engines.student_text.student_code import Place, StudentCode

_Three = tuple[int, int, int]
_MOST_THREADS, _MOST_DEEP = 1024, 64
# How the two are called: `block`, `threads`, `threadsPerBlock`; `grid`, `blocks`, `numBlocks`.
_OF_BLOCK = re.compile(r"block(?!s|_?per|_?count)|thread|tpb", re.IGNORECASE)
_OF_GRID = re.compile(r"grid|blocks|block_?count", re.IGNORECASE)
_MOST_BLOCKS = (2**31 - 1, 65535, 65535)


@dataclass(frozen=True)
class Started:
    """One launch as it was asked for: the sizes that the function was given, and the numbers that came out."""

    sizes: tuple[int, ...]
    grid: _Three
    block: _Three
    shared_bytes: int = 0
    output: tuple[int, int] | None = None  # rows and columns of an output with elements that nobody wrote
    unwritten: int = 0


def launch_causes(code: StudentCode, name: str, launch: Started) -> Iterator[Said]:
    """`name` is the launch function's. Says nothing of a launch that CUDA accepts and that has threads for all elements."""
    text = launch_text(code, name, launch.sizes)
    if text is None or text.last == text.head:  # a `return` that is missing is told by the compiler
        return
    yield from _exchanged(text)
    yield from _refused("grid", text.grid, launch.grid, text)
    yield from _refused("block", text.block, launch.block, text)
    yield from _too_few(text, launch)


def _exchanged(text: LaunchText) -> Iterator[Said]:
    if len(text.returned) > 1 and _OF_BLOCK.search(text.returned[0]) and _OF_GRID.search(text.returned[1]):
        what = f"`LaunchConfig` holds the grid first and the block second: line {text.last.line} gives `{text.returned[0]}` as the grid."
        yield Said(text.last, what)


def _refused(what: str, extent: Extent | None, numbers: _Three, text: LaunchText) -> Iterator[Said]:
    place, known = _where(extent, numbers, text)
    for at, (part, number) in enumerate(zip("xyz", numbers, strict=True)):
        if number == 0 or (what == "grid" and number > _MOST_BLOCKS[at]):
            limit = "must be at least 1" if number == 0 else f"may be at most {_MOST_BLOCKS[at]:,}"
            how = (
                f": {_arithmetic(extent.terms[at], number, text)}"
                if extent and known and at < len(extent.terms)
                else ""
            )
            yield Said(
                place,
                f"In line {place.line} the {what}'s {part}, which {limit}, becomes {number:,}{how}.",
                "How many blocks does a size need that the block's side does not divide? A part of a block counts as a whole one."
                if number == 0
                else "",
            )
            return
    threads = numbers[0] * numbers[1] * numbers[2]
    if what == "block" and (threads > _MOST_THREADS or numbers[2] > _MOST_DEEP):
        sides = [f"{number:,}" for number in numbers if number > 1]
        product = f"{' x '.join(sides)} = " if len(sides) > 1 else ""
        terms = [term for term in extent.terms if not term.isdigit()] if extent and known else []
        written = f" ({', '.join(f'`{term}`' for term in terms)})" if terms else ""
        most = (
            f"a block may have at most {_MOST_THREADS:,}"
            if threads > _MOST_THREADS
            else f"its z may be at most {_MOST_DEEP}"
        )
        said = f"The block in line {place.line}{written} has {product}{threads:,} threads: {most}."
        yield Said(place, said, "The sides of a block multiply: their product is the number of its threads.")


def _where(extent: Extent | None, numbers: _Three, text: LaunchText) -> tuple[Place, bool]:
    """Where it is written, and whether the arithmetic gives what came out."""
    known = extent is not None and extent.numbers == numbers
    return (extent.place if extent and known else text.last), known


def _arithmetic(term: str, value: int, text: LaunchText) -> str:
    """`N / 16` with N = 1 is 0; of a name, the expression that it was given."""
    whole = f"`{term}`"
    if re.search(r"\W", written := text.expressions.get(term, "")):
        whole, term = f"`{term}` or `{written}`", written
    names = [name for name in dict.fromkeys(re.findall(r"[^\W\d]\w*(?:\.[xyz]\b)?", term)) if name in text.values]
    values = " and ".join(f"{name} = {text.values[name]:,}" for name in names)
    return f"{whole}{f' with {values}' if values else ''} is {value:,}"


def _too_few(text: LaunchText, launch: Started) -> Iterator[Said]:
    """One thread for each element, and not enough of them: exactly the elements without a thread were not written."""
    if launch.output is None or not launch.unwritten:
        return
    rows, columns = launch.output
    across, down = launch.grid[0] * launch.block[0], launch.grid[1] * launch.block[1]
    if launch.unwritten != rows * columns - min(across, columns) * min(down, rows) or 0 in (
        *launch.grid,
        *launch.block,
    ):
        return
    place, known = _where(text.grid, launch.grid, text)
    what = (
        f"Line {place.line} starts {across:,} x {down:,} threads in x and y"
        f"{f' ({_written(text.grid, text)})' if known and text.grid else ''}, "
        f"and the output has {columns:,} columns and {rows:,} rows: the elements outside have no thread."
    )
    swapped = across >= rows and down >= columns
    advice = (
        "x runs along a row and counts columns; y counts rows."
        if swapped
        else "Round up: a part of a block counts as a whole one."
    )
    yield Said(place, what, advice)


def _written(extent: Extent, text: LaunchText) -> str:
    terms: Sequence[str] = extent.terms[:2]
    return ", ".join(_arithmetic(term, number, text) for term, number in zip(terms, extent.numbers, strict=False))
