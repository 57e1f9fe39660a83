"""A data race as a picture in text: the two threads as lanes, what each does and in which line, and between them the order that is
missing. Pure; it shows nothing that the finding does not say.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from grader.model.result import Finding
from grader.model.verdicts import Verdict
from grader.reports.findings.lane_figure import lane_figure

LINES = 4
_NARROWEST = 56
_LANE = 34  # columns of the first lane at most


def race_view(finding: Finding, width: int) -> Iterator[Text]:
    """Four lines; none for another finding, for a thread that is not known, or in a narrow window."""
    lanes = lane_figure(finding) if finding.kind is Verdict.RACE and width >= _NARROWEST else None
    if lanes is None:
        return
    (one, other), deeds, missing = lanes.names, lanes.deeds, lanes.missing
    lane = min(max(len(one), len(deeds[0])) + 4, _LANE, width // 2)
    yield _row((f"{one:{lane}}", "bold"), (other, "bold"))
    yield _row((f"{deeds[0]:{lane}}", "red"), ("│", "dim"))
    dashes = "╌" * max((lane + len(deeds[1]) - len(missing) - 2) // 2, 2)
    yield _row((f"{dashes} ", "yellow"), (missing, "bold yellow"), (f" {dashes}", "yellow"))
    yield _row((f"{'│':{lane}}", "dim"), (deeds[1], "red"))


def _row(*parts: tuple[str, str]) -> Text:
    row = Text.assemble("  ", *parts)
    row.no_wrap, row.overflow = True, "ellipsis"
    return row
