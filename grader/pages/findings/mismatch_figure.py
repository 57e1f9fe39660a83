"""One case's wrong output: the picture, a summary in words, and the first wrong elements. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from grader.model import visible_text
from grader.model.result import LabResult, Launch, Mismatch
from grader.model.visible_text import counted, difference, element, expected
from grader.pages.findings.finding_card import launch_text, may_show

# A mismatch as a drawing: which parts of an output are wrong or were never written, and the grid of the launch's blocks.
#
# The coordinates are computed here, in pixels; the template only draws. Neighbouring cells of the same kind in a row become one
# rectangle.

_LONGEST = 360.0  # pixels along its longer side
_LARGEST = 24.0  # most pixels for one element, so that a small matrix looks small
_SHORTEST = 28.0  # fewest pixels, so that a matrix of one row is visible
_DENSE = 5.0  # a grid with less distance between its lines (in pixels) is left out: it would hide the cells
_APART = 30.0  # least distance between two labels of an axis
_LEFT, _TOP, _EDGE = 34, 20, 12  # pixels around the drawing: for row labels, for column labels, elsewhere
_MOST_CELLS = 256  # in each direction
_KINDS = {"#": "wrong", "o": "unwritten"}


@dataclass(frozen=True)
class Rectangle:
    kind: str  # "wrong" or "unwritten"
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Tick:
    """A block boundary: its position on the axis, and the number of its row or column. No label where labels would be too close."""

    at: float
    label: str


@dataclass(frozen=True)
class Picture:
    view_box: str  # including the two axes
    outer_width: float
    width: float
    height: float
    rectangles: tuple[Rectangle, ...]
    columns: tuple[Tick, ...]
    rows: tuple[Tick, ...]
    grid: bool  # whether the block boundaries are drawn as lines
    grid_text: str
    alternative: str  # the picture in one sentence, for readers who cannot see it


def picture(mismatch: Mismatch) -> Picture | None:
    """None where the judge sent no picture, or one that is inconsistent, or where there is a single element."""
    rows, columns = mismatch.rows, mismatch.columns
    if rows * columns == 1:
        return None
    if not mismatch.picture or min(rows, columns, mismatch.cell_rows, mismatch.cell_columns) < 1:
        return None
    scale = min(_LARGEST, _LONGEST / max(rows, columns))
    width, height = max(_SHORTEST, columns * scale), max(_SHORTEST, rows * scale)
    tile_x, tile_y = mismatch.tile_columns * width / columns, mismatch.tile_rows * height / rows
    return Picture(
        view_box=f"{-_LEFT} {-_TOP} {width + _LEFT + _EDGE:.2f} {height + _TOP + _EDGE:.2f}",
        outer_width=round(width + _LEFT + _EDGE, 2),
        width=round(width, 2),
        height=round(height, 2),
        rectangles=tuple(_rectangles(mismatch, width / columns, height / rows)),
        columns=_ticks(columns, mismatch.tile_columns, width),
        rows=_ticks(rows, mismatch.tile_rows, height),
        grid=min(tile_x, tile_y) >= _DENSE,
        grid_text=f"blocks of {counted(mismatch.tile_rows, 'row')} by {counted(mismatch.tile_columns, 'column')} of threads",
        alternative=f"{visible_text.line(mismatch.output, 40)}, {rows} by {columns}: {_numbers(mismatch)}",
    )


def _numbers(mismatch: Mismatch) -> str:
    return f"{counted(mismatch.wrong, 'element')} wrong, {mismatch.unwritten:,} never written"


def _rectangles(mismatch: Mismatch, unit_x: float, unit_y: float) -> Iterator[Rectangle]:
    for down, line in enumerate(mismatch.picture[:_MOST_CELLS]):
        top, bottom = down * mismatch.cell_rows, min(mismatch.rows, (down + 1) * mismatch.cell_rows)
        across = 0
        for sign, run in groupby(line[:_MOST_CELLS]):
            left = across * mismatch.cell_columns
            across += sum(1 for _ in run)
            right = min(mismatch.columns, across * mismatch.cell_columns)
            if sign in _KINDS and left < right and top < bottom:
                yield Rectangle(
                    _KINDS[sign],
                    round(left * unit_x, 2),
                    round(top * unit_y, 2),
                    round((right - left) * unit_x, 2),
                    round((bottom - top) * unit_y, 2),
                )


def _ticks(extent: int, tile: int, length: float) -> tuple[Tick, ...]:
    """One tick at every block boundary from 0 to `extent`. Labels keep a readable distance."""
    steps = range(0, extent, tile) if tile > 0 and extent / tile <= _MOST_CELLS else range(0, extent, extent)
    ticks, last = [], -_APART
    for step in steps:
        at = step * length / extent
        named = at - last >= _APART and length - at >= _APART
        last = at if named else last
        ticks.append(Tick(round(at, 2), str(step) if named else ""))
    return (*ticks, Tick(round(length, 2), str(extent)))


_MOST_ELEMENTS = 8


@dataclass(frozen=True)
class ElementRow:
    row: str
    column: str
    expected: str
    got: str
    difference: str


@dataclass(frozen=True)
class MismatchFigure:
    output: str  # its name: "C"
    is_list: bool  # one row: its elements have one index
    case: str
    shape: str
    summary: str
    amount: str  # "48 of 561 elements wrong, 12 of them never written"
    elements: tuple[ElementRow, ...]
    picture: Picture | None


def mismatch_figures(lab: LabResult, *, instructor: bool) -> list[MismatchFigure]:
    """One figure for each launch with a wrong output that may be shown. Those that show a pattern come first."""
    found = [
        (case.name, launch, launch.mismatch)
        for case in lab.cases
        if may_show(case, instructor=instructor)
        for launch in case.launches
        if launch.mismatch
    ]
    found.sort(key=lambda each: each[2].wrong >= each[2].rows * each[2].columns)
    return [_figure(*each) for each in found]


def amount(mismatch: Mismatch) -> str:
    """How many elements differ. The judge counts unwritten elements as wrong."""
    all_of_them = counted(mismatch.rows * mismatch.columns, "element")
    if mismatch.unwritten == mismatch.wrong:
        return f"{mismatch.unwritten:,} of {all_of_them} never written"
    wrong = f"{mismatch.wrong:,} of {all_of_them} wrong"
    return f"{wrong}, {mismatch.unwritten:,} of them never written" if mismatch.unwritten else wrong


def _figure(case: str, launch: Launch, mismatch: Mismatch) -> MismatchFigure:
    return MismatchFigure(
        output=visible_text.line(mismatch.output, 40),
        is_list=mismatch.rows == 1,
        case=visible_text.line(case, 160),
        shape=launch_text(launch),
        summary=visible_text.line(mismatch.summary, 600),
        amount=amount(mismatch),
        elements=tuple(
            ElementRow(
                row=f"{one.row:,}",
                column=f"{one.column:,}",
                expected=expected(one.expected),
                got=element(one.got),
                difference=difference(one.expected, one.got),
            )
            for one in mismatch.first[:_MOST_ELEMENTS]
        ),
        picture=picture(mismatch),
    )
