"""The table of what points for speed were given for: counted and measured, with what the next tier needs."""

from __future__ import annotations

from grader.model.result import CostLine, CountedBound, CountedTier, LabResult, Ratio, TimedTier, Timing
from grader.model.verdicts import Verdict
from grader.pages.page_section import Shown
from grader.pages.speed.speed_figure import tier_section

SOURCE = "// a <kernel>\nb[i] = a[i];\nc[j] = a[k];\n"


def lab(points: float, *tiers: CountedTier, timing: Timing | None = None) -> LabResult:
    return LabResult(
        title="t", file="f.cu", verdict=Verdict.PASS, points=points, max_points=3, performance_points=points, performance_max=3,
        counted_tiers=tiers, timing=timing,
    )  # fmt: skip


def bound(words: str, *, found: float | None, missed: bool, lines: tuple[CostLine, ...] = ()) -> CountedBound:
    return CountedBound(
        metric=words, words=f"{words} for each element", at_most=0.5, found=found, missed=missed, lines=lines
    )


def test_a_line_is_named_once_with_every_number_that_it_makes_too_high() -> None:
    cost = (CostLine(line=3, share=0.75), CostLine(line=2, share=0.25))
    tiers = (
        CountedTier(points=1, reached=True, bounds=(bound("sectors", found=0.5, missed=False),)),
        CountedTier(
            points=3, reached=False,
            bounds=(
                bound("sectors", found=0.6, missed=True, lines=cost),
                bound("requests", found=2, missed=True, lines=(CostLine(line=3),)),
            ),
        ),
    )  # fmt: skip
    section = tier_section(lab(1, *tiers), {"f.cu": SOURCE})
    assert section is not None
    assert (section.how, section.given, section.following) == ("counted", "1 of 3 points", "3")
    assert [(one.number, one.source, one.costs) for one in section.lines] == [
        (2, "b[i] = a[i];", "25 % of the sectors"), (3, "c[j] = a[k];", "75 % of the sectors; requests"),
    ]  # fmt: skip
    assert [(row.reached, row.following) for row in section.rows] == [(True, False), (False, True)]
    assert section.rows[1].bounds[0] == Shown(asked="at most 0.5 sectors for each element", found="0.6", missed=True)


def test_numbers_that_are_not_told_leave_their_cells_empty_and_name_no_line() -> None:
    hidden = CountedTier(points=3, reached=False, bounds=(bound("sectors", found=None, missed=True),))
    section = tier_section(lab(0, hidden), {"f.cu": SOURCE})
    assert section is not None
    assert (section.rows[0].bounds[0].found, section.lines) == ("", [])


def test_measured_tiers_stand_beside_the_share_with_its_interval() -> None:
    timing = Timing(
        words="", speedup=Ratio(low=1, middle=2, high=3), share=Ratio(low=0.98, middle=1, high=1.02),
        library_share=Ratio(low=0.2, middle=0.21, high=0.22),
        tiers=(
            TimedTier(of="model", share=0.9, points=3, reached=True), TimedTier(of="library", share=0.3, points=4, reached=False),
        ),
    )  # fmt: skip
    section = tier_section(lab(3, timing=timing), {})
    assert section is not None
    assert [row.bounds[0] for row in section.rows] == [
        Shown(asked="at least 90 % of the model solution's speed", found="100.0 % (98.0 to 102.0)", missed=False),
        Shown(asked="at least 30 % of cuBLAS's speed", found="21.0 % (20.0 to 22.0)", missed=True),
    ]
    assert (section.how, section.following) == ("measured", "4")


def test_there_is_no_table_where_speed_gives_no_points() -> None:
    assert tier_section(LabResult(title="", file="f.cu", verdict=Verdict.PASS, points=0, max_points=0), {}) is None
    assert tier_section(lab(0), {}) is None
