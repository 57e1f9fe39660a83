"""A data race as a picture in text: the two threads as lanes, what each does and in which line, and between them the order that is
missing. Pure; it shows nothing that the finding does not say.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from grader.model.result import Finding, Site
from grader.model.verdicts import Verdict
from grader.reports.text import visible
from grader.reports.text.number_format import index

LINES = 4
_NARROWEST = 56
_DOES = {"read": "reads", "write": "writes", "atomic": "changes (atomic)"}
_LANE = 34  # columns of the first lane at most


def race_view(finding: Finding, width: int) -> Iterator[Text]:
    """Four lines; none for another finding, for a thread that is not known, or in a narrow window."""
    other = finding.other
    if finding.kind is not Verdict.RACE or other is None or width < _NARROWEST:
        return
    if not (finding.thread and other.thread and finding.access in _DOES and other.access in _DOES):
        return
    one_block = finding.block == other.block
    element = visible.line(finding.element or finding.array or "it", 24)
    names = [_name(site, one_block=one_block) for site in (finding, other)]
    deeds = [_deed(site, element) for site in (finding, other)]
    lane = min(max(len(names[0]), len(deeds[0])) + 4, _LANE, width // 2)
    missing = "no __syncthreads() here" if one_block else "nothing orders two blocks"
    if one_block and finding.line == other.line:
        missing = "nothing says which comes first"
    yield _row((f"{names[0]:{lane}}", "bold"), (names[1], "bold"))
    yield _row((f"{deeds[0]:{lane}}", "red"), ("│", "dim"))
    dashes = "╌" * max((lane + len(deeds[1]) - len(missing) - 2) // 2, 2)
    yield _row((f"{dashes} ", "yellow"), (missing, "bold yellow"), (f" {dashes}", "yellow"))
    yield _row((f"{'│':{lane}}", "dim"), (deeds[1], "red"))


def _row(*parts: tuple[str, str]) -> Text:
    row = Text.assemble("  ", *parts)
    row.no_wrap, row.overflow = True, "ellipsis"
    return row


def _name(site: Site, *, one_block: bool) -> str:
    thread = f"thread {index(site.thread)}" if site.thread else ""
    return thread if one_block or not site.block else f"block {index(site.block)} {thread}"


def _deed(site: Site, element: str) -> str:
    where = f"line {site.line}: " if site.line is not None else ""
    return f"{where}{_DOES[site.access or '']} {element}"
