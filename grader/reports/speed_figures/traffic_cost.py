"""What bank conflicts may cost a kernel that passes, for a terminal: which points, and in which line. Pure.

A note alone: points for speed are given where times and hidden sizes are known, and no verdict depends on it.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from grader.model.result import LabResult
from grader.reports.text import visible
from grader.speed.tier_words import of_full_marks
from grader.traffic.remarks import conflict_remarks


def cost_lines(lab: LabResult, speed_points: float, most: int) -> Iterator[RenderableType]:
    """Nothing where the lab gives no points for speed, or where there is nothing to say. `most`: so many numbers and remarks are shown."""
    counted = [launch.traffic for case in lab.cases for launch in case.launches if launch.traffic]
    said = list(conflict_remarks(counted[-1].lines)) if counted and counted[-1].complete else []
    if not speed_points or not (said or lab.counted_tiers):
        return
    yield Text()
    if lab.counted_tiers:
        yield from _tier_lines(lab, speed_points, most)
    else:
        worth = f"{speed_points:g} point{'' if speed_points == 1 else 's'}"
        yield Text.assemble(("Speed", "bold"), f"  {worth} of this lab are for speed, and this can cost some of them:")
    for remark in said[:most]:
        yield Text(f"  {visible.line(remark, 400)}", style="yellow")


def _tier_lines(lab: LabResult, speed_points: float, most: int) -> Iterator[Text]:
    """What was reached, and what the next tier asks for. The write-up has all tiers."""
    points = max((tier.points for tier in lab.counted_tiers if tier.reached), default=0.0)
    following = next((tier for tier in lab.counted_tiers if tier.points > points), None)
    lines = sorted({line.line for bound in following.bounds for line in bound.lines}) if following else []
    named = f", line{'s' if len(lines) > 1 else ''} {' and '.join(map(str, lines))}" if lines else ""
    cost = (
        f"{named} cost{'' if len(lines) > 1 else 's'} the next {following.points - points:g}"
        if named and following
        else ""
    )
    yield Text.assemble(("Speed", "bold"), f"  counted: {of_full_marks(points, speed_points)}{cost}")
    missed = [bound for bound in following.bounds if bound.missed and bound.found is not None] if following else []
    for bound in missed[:most]:
        asked = f"{following.points:g} points ask for at most {bound.at_most:.4g}" if following else ""
        yield Text(f"  {bound.found:.4g} {visible.line(bound.words, 120)}: {asked}", style="yellow")
