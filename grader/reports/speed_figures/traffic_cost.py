"""What bank conflicts may cost a kernel that passes, for a terminal: which points, and in which line. Pure.

A note alone: points for speed are given where times and hidden sizes are known, and no verdict depends on it.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from grader.model.result import LabResult
from grader.reports.text import visible
from grader.traffic.remarks import conflict_remarks


def cost_lines(lab: LabResult, speed_points: float, most: int) -> Iterator[RenderableType]:
    """Nothing where the lab gives no points for speed, or where there is nothing to say. `most`: so many remarks are shown."""
    counted = [launch.traffic for case in lab.cases for launch in case.launches if launch.traffic]
    said = list(conflict_remarks(counted[-1].lines)) if counted and counted[-1].complete else []
    if not said or not speed_points:
        return
    worth = f"{speed_points:g} point{'' if speed_points == 1 else 's'}"
    yield Text()
    yield Text.assemble(("Speed", "bold"), f"  {worth} of this lab are for speed, and this can cost some of them:")
    for remark in said[:most]:
        yield Text(f"  {visible.line(remark, 400)}", style="yellow")
