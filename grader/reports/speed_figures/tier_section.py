"""What the points for speed were given for, on a page: each tier, what it asks for beside what was found, and the lines of the source that
keep the kernel from the next one. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from grader.model.result import CountedBound, CountedTier, LabResult, Timing
from grader.reports.text import visible
from grader.reports.text.number_format import points
from grader.speed.tier_words import measured_share, needed, of_full_marks, share_words
from grader.traffic.metric_words import metric_words


@dataclass(frozen=True)
class TierBound:
    asked: str  # "at most 0.0156 sectors loaded for each multiply-add"
    found: str  # "0.0625"; empty: not told, or not known
    missed: bool


@dataclass(frozen=True)
class TierRow:
    points: str
    reached: bool
    following: bool  # the lowest that was not reached
    bounds: tuple[TierBound, ...]


@dataclass(frozen=True)
class TierLineCost:
    """A line of the source that keeps the kernel from the next tier."""

    number: int
    source: str
    costs: str  # "62 % of the sectors loaded"


@dataclass(frozen=True)
class TierSection:
    how: str  # "measured", "counted"
    given: str  # "1.5 of 3 points"
    rows: tuple[TierRow, ...]
    lines: tuple[TierLineCost, ...]
    following: str  # points of the next tier; empty: there is none


def tier_section(lab: LabResult, sources: Mapping[str, str]) -> TierSection | None:
    """None where points for speed are not assessed, or no tier decided them."""
    timing = lab.timing
    if lab.counted_tiers:
        given = [(tier.points, tier.reached, tuple(map(_counted, tier.bounds))) for tier in lab.counted_tiers]
    elif lab.performance_max and timing and timing.tiers:
        given = [(tier.points, tier.reached, tuple(_measured(timing, i))) for i, tier in enumerate(timing.tiers)]
    else:
        return None
    reached_points = max((worth for worth, reached, _ in given if reached), default=0.0)
    following = min((worth for worth, reached, _ in given if worth > reached_points), default=0.0)
    next_counted = next((tier for tier in lab.counted_tiers if tier.points == following), None)
    return TierSection(
        how="counted" if lab.counted_tiers else "measured",
        given=of_full_marks(reached_points, lab.performance_max)
        if lab.performance_max
        else f"{reached_points:g} points if hidden sizes keep to it",
        rows=tuple(TierRow(points(worth), reached, worth == following, bounds) for worth, reached, bounds in given),
        lines=tuple(_lines(next_counted, sources.get(lab.file, ""))) if next_counted else (),
        following=points(following) if following else "",
    )


def _counted(bound: CountedBound) -> TierBound:
    found = "" if bound.found is None else f"{bound.found:.4g}"
    return TierBound(visible.line(f"at most {bound.at_most:.4g} {bound.words}", 160), found, bound.missed)


def _measured(timing: Timing, number: int) -> Iterator[TierBound]:
    tier = timing.tiers[number]
    share = measured_share(timing, tier)
    yield TierBound(f"at least {needed(tier)}", share_words(share) if share else "", not tier.reached)


def _lines(tier: CountedTier, source: str) -> Iterator[TierLineCost]:
    """Each line once, with every number that it makes too high."""
    costs: dict[int, list[str]] = {}
    for bound in tier.bounds:
        for one in bound.lines:
            what = metric_words(bound.metric)
            what = what if one.share is None else f"{100 * one.share:.0f} % of the {what}"
            costs.setdefault(one.line, []).append(what)
    text = source.split("\n")
    for number in sorted(costs):
        shown = text[number - 1].strip() if 0 < number <= len(text) else ""
        yield TierLineCost(number, visible.code(shown, 120), visible.line("; ".join(costs[number]), 300))
