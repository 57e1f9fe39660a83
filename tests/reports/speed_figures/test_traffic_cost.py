"""Bank conflicts of a kernel that passes are told where a lab gives points for speed, with their lines, and nothing else is."""

from __future__ import annotations

import io

import pytest
from rich.console import Console, Group

from grader.model.result import Case, CostLine, CountedBound, CountedTier, LabResult, Launch, LineTraffic, Traffic
from grader.model.verdicts import Verdict
from grader.pages.speed.speed_figure import cost_lines
from grader.run.scoring.metrics import LOAD

_SHARED, _GLOBAL = LOAD, LOAD
CONFLICTS = LineTraffic(line=22, metrics={_SHARED.instructions: 768, _SHARED.wavefronts: 6144, _SHARED.conflicts: 5376})
WIDE = LineTraffic(line=17, metrics={_GLOBAL.requests: 100, _GLOBAL.sectors: 1600})  # one float4 for each lane


def said(
    *lines: LineTraffic,
    points: float = 3,
    most: int = 3,
    complete: bool = True,
    tiers: tuple[CountedTier, ...] = (),
) -> str:
    counted = Launch(
        shape="", inputs="", verdict=Verdict.PASS, traffic=Traffic(metrics={}, lines=lines, complete=complete)
    )
    case = Case(
        name="moves all",
        visibility="public",
        verdict=Verdict.PASS,
        passed=True,
        points=1,
        max_points=1,
        launches=(counted,),
    )
    lab = LabResult(
        title="", file="a.cu", verdict=Verdict.PASS, points=1, max_points=1, cases=(case,), counted_tiers=tiers
    )
    out = io.StringIO()
    Console(file=out, width=300, color_system=None).print(Group(*cost_lines(lab, points, most)), end="")
    return out.getvalue()


def test_the_points_and_the_line_are_told() -> None:
    text = said(CONFLICTS)
    assert "3 points of this lab are for speed, and this can cost some of them:" in text
    assert "Line 22: because of bank conflicts, 768 wavefronts become 6,144." in text


def bound(found: float, *numbers: int) -> CountedBound:
    lines = tuple(CostLine(line=number, share=0.5) for number in numbers)
    return CountedBound(
        metric="m", words="conflicts for each element", at_most=0.01, found=found, missed=found > 0.01, lines=lines
    )


@pytest.mark.parametrize(("numbers", "cost"), [((22,), "line 22 costs"), ((17, 22), "lines 17 and 22 cost")])
def test_the_tier_of_the_known_size_is_told_with_what_the_next_one_asks_for(
    numbers: tuple[int, ...], cost: str
) -> None:
    tiers = (
        CountedTier(points=1.5, reached=True, bounds=(bound(0),)),
        CountedTier(points=3, reached=False, bounds=(bound(0), bound(0.2188, *numbers))),
    )
    text = said(CONFLICTS, tiers=tiers)
    assert f"Speed  counted: 1.5 of 3 points, {cost} the next 1.5\n" in text
    assert "0.2188 conflicts for each element: 3 points ask for at most 0.01\n" in text
    assert "Line 22: because of bank conflicts" in text
    best = said(tiers=(CountedTier(points=3, reached=True, bounds=(bound(0),)),))
    assert best.strip() == "Speed  counted: 3 of 3 points"


@pytest.mark.parametrize("number", [1, 2])
def test_a_small_window_shows_fewer_lines(number: int) -> None:
    assert said(CONFLICTS, CONFLICTS, CONFLICTS, most=number).count("Line 22") == number


def test_nothing_is_told_where_nothing_is_lost() -> None:
    assert said(CONFLICTS, points=0) == ""
    assert said(WIDE) == ""
    assert said() == ""
    assert said(CONFLICTS, complete=False) == ""
