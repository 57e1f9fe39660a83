"""The picture of a wrong C: coordinates, ticks, and unusual sizes."""

from __future__ import annotations

import pytest

from grader.model.result import Mismatch
from grader.pages.findings.mismatch_figure import picture


def mismatch(**changes: object) -> Mismatch:
    values: dict[str, object] = {
        "output": "C", "rows": 4, "columns": 8, "wrong": 3, "unwritten": 1, "first": (), "tile_rows": 2, "tile_columns": 4,
        "picture": ("........", "........", "......##", "......#o"), "summary": "s",
    }  # fmt: skip
    return Mismatch.model_validate(values | changes)


def test_neighbours_of_one_kind_become_one_rectangle() -> None:
    drawn = picture(mismatch())
    assert drawn is not None
    assert [(one.kind, one.x, one.y, one.width) for one in drawn.rectangles] == [
        ("wrong", 144, 48, 48),
        ("wrong", 144, 72, 24),
        ("unwritten", 168, 72, 24),
    ]


def test_the_grid_lies_on_the_boundaries_of_the_blocks() -> None:
    drawn = picture(mismatch())
    assert drawn is not None
    assert drawn.grid
    assert [(tick.at, tick.label) for tick in drawn.columns] == [(0, "0"), (96, "4"), (192, "8")]
    assert [(tick.at, tick.label) for tick in drawn.rows] == [(0, "0"), (48, "2"), (96, "4")]


def test_the_last_cell_ends_where_c_ends() -> None:
    coarse = picture(mismatch(rows=5, columns=9, cell_rows=4, cell_columns=4, picture=("...", "..#")))
    assert coarse is not None
    last = coarse.rectangles[0]
    assert (round(last.x + last.width), round(last.y + last.height)) == (round(coarse.width), round(coarse.height))


def test_a_grid_too_fine_to_see_is_left_out() -> None:
    fine = picture(mismatch(rows=400, columns=400, tile_rows=1, tile_columns=1))
    assert fine is not None
    assert not fine.grid


@pytest.mark.parametrize("shape", [(1, 257), (257, 1), (2, 1), (10**9, 3)])
def test_extreme_shapes_stay_visible_and_within_the_page(shape: tuple[int, int]) -> None:
    drawn = picture(mismatch(rows=shape[0], columns=shape[1], picture=("#",)))
    assert drawn is not None
    assert 20 <= drawn.width <= 360
    assert 20 <= drawn.height <= 360
    assert len(drawn.rows) + len(drawn.columns) < 600


@pytest.mark.parametrize(
    "changes", [{"picture": ()}, {"rows": 0}, {"columns": -1}, {"cell_rows": 0}, {"cell_columns": 0}]
)
def test_nothing_to_draw_draws_nothing(changes: dict[str, object]) -> None:
    assert picture(mismatch(**changes)) is None


def test_a_block_of_no_threads_draws_no_grid() -> None:
    drawn = picture(mismatch(tile_rows=0, tile_columns=-4))
    assert drawn is not None
    assert not drawn.grid
