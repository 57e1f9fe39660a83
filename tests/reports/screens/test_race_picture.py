"""The two threads of a race as lanes of text."""

from __future__ import annotations

import pytest

from grader.model.result import Finding, Site
from grader.model.verdicts import Verdict
from grader.pages.screens.first_mistake import LINES, race_view

RACE = Finding(
    kind=Verdict.RACE, message="m", line=19, access="write", block=(0, 0, 0), thread=(0, 0, 0), element="As[0][0]",
    other=Site(line=22, access="read", block=(0, 0, 0), thread=(15, 0, 0)),
)  # fmt: skip


def picture(finding: Finding, width: int = 80) -> list[str]:
    return [row.plain.rstrip() for row in race_view(finding, width)]


def test_each_thread_has_its_lane_and_the_missing_barrier_lies_between() -> None:
    lines = picture(RACE)
    assert lines == [
        "  thread (0,0,0)              thread (15,0,0)",
        "  line 19: writes As[0][0]    │",
        "  ╌╌╌╌╌╌╌╌╌╌╌╌╌ no __syncthreads() here ╌╌╌╌╌╌╌╌╌╌╌╌╌",
        "  │                           line 22: reads As[0][0]",
    ]
    assert len(lines) == LINES


def test_of_one_pass_what_stands_first_comes_first() -> None:
    assert RACE.other is not None
    turned = RACE.other.model_copy(update={"line": 17})
    lines = picture(RACE.model_copy(update={"other": turned}))
    assert "line 17: reads" in lines[1]
    assert "line 19: writes" in lines[3]


def test_between_blocks_and_within_one_line_a_barrier_is_not_what_is_missing() -> None:
    assert RACE.other is not None
    other = RACE.other.model_copy(update={"block": (1, 0, 0)})
    lines = picture(RACE.model_copy(update={"other": other}))
    assert "block (0,0,0) thread (0,0,0)" in lines[0]
    assert "nothing orders two blocks" in lines[2]
    same = RACE.other.model_copy(update={"line": 19, "access": "write"})
    assert "nothing says which comes first" in picture(RACE.model_copy(update={"other": same}))[2]


@pytest.mark.parametrize(
    "other",
    [
        {"other": None}, {"thread": None}, {"kind": Verdict.OUT_OF_BOUNDS}, {"access": "barrier"},
    ],
)  # fmt: skip
def test_where_something_is_not_known_there_is_no_picture(other: dict[str, object]) -> None:
    assert picture(RACE.model_copy(update=other)) == []


def test_a_narrow_window_has_none_and_none_is_wider_than_its_window() -> None:
    assert picture(RACE, 50) == []
    hostile = RACE.model_copy(update={"element": "x\x1b[2J" * 40})
    for width in (56, 80, 120):
        lines = picture(hostile, width)
        assert not any("\x1b" in line for line in lines)
        assert len(lines) == LINES


def test_a_race_from_one_pass_to_the_next_shows_the_passes_in_their_order() -> None:
    message = (
        "The __syncthreads() in line 20 does not separate them: one thread can be in line 19 again, in the next pass."
    )
    lines = [" ".join(line.split()) for line in picture(RACE.model_copy(update={"message": message}))]
    assert "no __syncthreads() before the next pass" in lines[2]  # the lines between hold one
    assert (lines[0], lines[1], lines[3]) == (
        "thread (15,0,0) thread (0,0,0)",
        "line 22: reads As[0][0] │",
        "│ line 19: writes As[0][0], next pass",
    )
