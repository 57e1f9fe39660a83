"""One case's wrong output: the picture, a summary in words, and the first wrong elements. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from grader.model import visible_text
from grader.model.result import Case, LabResult, Launch, Mismatch
from grader.model.visible_text import counted
from grader.pages.findings.finding_card import launch_text, may_show
from grader.pages.page_section import Shown

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


def picture(mismatch: Mismatch) -> Shown | None:
    """None where the judge sent no picture, or one that is inconsistent, or where there is a single element."""
    rows, columns = mismatch.rows, mismatch.columns
    if rows * columns == 1:
        return None
    if not mismatch.picture or min(rows, columns, mismatch.cell_rows, mismatch.cell_columns) < 1:
        return None
    scale = min(_LARGEST, _LONGEST / max(rows, columns))
    width, height = max(_SHORTEST, columns * scale), max(_SHORTEST, rows * scale)
    tile_x, tile_y = mismatch.tile_columns * width / columns, mismatch.tile_rows * height / rows
    return Shown(
        view_box=f"{-_LEFT} {-_TOP} {width + _LEFT + _EDGE:.2f} {height + _TOP + _EDGE:.2f}",
        outer_width=round(width + _LEFT + _EDGE, 2),
        width=round(width, 2),
        height=round(height, 2),
        rectangles=list(_rectangles(mismatch, width / columns, height / rows)),
        columns=_ticks(columns, mismatch.tile_columns, width),
        rows=_ticks(rows, mismatch.tile_rows, height),
        grid=min(tile_x, tile_y) >= _DENSE,
        grid_text=f"blocks of {counted(mismatch.tile_rows, 'row')} by {counted(mismatch.tile_columns, 'column')} of threads",
        alternative=f"{visible_text.line(mismatch.output, 40)}, {rows} by {columns}: {counted(mismatch.wrong, 'element')} wrong,"
        f" {mismatch.unwritten:,} never written",
    )


def _rectangles(mismatch: Mismatch, unit_x: float, unit_y: float) -> Iterator[Shown]:
    for down, line in enumerate(mismatch.picture[:_MOST_CELLS]):
        top, bottom = down * mismatch.cell_rows, min(mismatch.rows, (down + 1) * mismatch.cell_rows)
        across = 0
        for sign, run in groupby(line[:_MOST_CELLS]):
            left = across * mismatch.cell_columns
            across += sum(1 for _ in run)
            right = min(mismatch.columns, across * mismatch.cell_columns)
            if sign in _KINDS and left < right and top < bottom:
                x, width = round(left * unit_x, 2), round((right - left) * unit_x, 2)
                y, height = round(top * unit_y, 2), round((bottom - top) * unit_y, 2)
                yield Shown(kind=_KINDS[sign], x=x, y=y, width=width, height=height)


def _ticks(extent: int, tile: int, length: float) -> list[Shown]:
    """One tick at every block boundary from 0 to `extent`. It has no label where labels would be too close."""
    steps = range(0, extent, tile) if tile > 0 and extent / tile <= _MOST_CELLS else range(0, extent, extent)
    ticks, last = [], -_APART
    for step in steps:
        at = step * length / extent
        named = at - last >= _APART and length - at >= _APART
        last = at if named else last
        ticks.append(Shown(at=round(at, 2), label=str(step) if named else ""))
    return [*ticks, Shown(at=round(length, 2), label=str(extent))]


def mismatch_figures(lab: LabResult, *, instructor: bool) -> list[Shown]:
    """One figure for each launch with a wrong output that may be shown."""
    return [
        Shown(case=case.name, mismatch=one, shape=launch_text(launch), amount=amount(one), picture=picture(one))
        for case, launch, one in wrong_launches(lab)
        if may_show(case, instructor=instructor)
    ]


def wrong_launches(lab: LabResult) -> list[tuple[Case, Launch, Mismatch]]:
    """Those that are wrong only in places come first, because they show a pattern."""
    found = [(case, one, one.mismatch) for case in lab.cases for one in case.launches if one.mismatch]
    return sorted(found, key=lambda each: each[2].wrong >= each[2].rows * each[2].columns)


def amount(mismatch: Mismatch) -> str:
    """How many elements differ. The judge counts unwritten elements as wrong."""
    all_of_them = counted(mismatch.rows * mismatch.columns, "element")
    if mismatch.unwritten == mismatch.wrong:
        return f"{mismatch.unwritten:,} of {all_of_them} never written"
    wrong = f"{mismatch.wrong:,} of {all_of_them} wrong"
    return f"{wrong}, {mismatch.unwritten:,} of them never written" if mismatch.unwritten else wrong
