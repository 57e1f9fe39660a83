"""A finding of two threads as two lanes: what each does and in which line, and between them what is missing. Pure.

It shows nothing that the finding does not say. Pages draw it, and terminals write it.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.model.result import Finding, Site
from grader.model.verdicts import Verdict
from grader.reports.text import visible
from grader.reports.text.number_format import index

_DOES = {"read": "reads", "write": "writes", "atomic": "changes (atomic)"}


@dataclass(frozen=True)
class LaneFigure:
    names: tuple[str, str]
    deeds: tuple[str, str]
    missing: str

    @property
    def alternative(self) -> str:
        one, other = (name[:1].upper() + name[1:] for name in self.names)
        first, second = self.deeds
        return f"Two lanes. {one}: {first}. Between the lanes: {self.missing}. {other}: {second}."


def lane_figure(finding: Finding) -> LaneFigure | None:
    """None for a finding that is not of two threads, and where a thread is not known."""
    if finding.kind is Verdict.RACE:
        return _race(finding)
    return _divergence(finding) if finding.kind is Verdict.BARRIER_DIVERGENCE else None


def _race(finding: Finding) -> LaneFigure | None:
    other = finding.other
    if other is None or not (finding.thread and other.thread and {finding.access, other.access} <= _DOES.keys()):
        return None
    one_block = finding.block == other.block
    element = visible.line(finding.element or finding.array or "it", 24)
    missing = "no __syncthreads() here" if one_block else "nothing orders two blocks"
    if one_block and finding.line == other.line:
        missing = "nothing says which comes first"
    sites = (finding, other)
    names, deeds = (_name(site, one_block=one_block) for site in sites), (_deed(site, element) for site in sites)
    return LaneFigure((next(names), next(names)), (next(deeds), next(deeds)), missing)


def _divergence(finding: Finding) -> LaneFigure | None:
    other = finding.other
    if finding.thread is None or finding.line is None or finding.access != "barrier":
        return None
    waits = f"line {finding.line}: waits at the barrier"
    missing = "not every thread of the block comes here"
    if other is None or other.access != "barrier" or other.line is None:
        return LaneFigure(
            (_name(finding, one_block=True), "other threads of the block"), (waits, "went past it"), missing
        )
    theirs = _name(other, one_block=True) if other.thread else "other threads of the block"
    return LaneFigure(
        (_name(finding, one_block=True), theirs), (waits, f"line {other.line}: waits at another barrier"), missing
    )


def _name(site: Site, *, one_block: bool) -> str:
    thread = f"thread {index(site.thread)}" if site.thread else ""
    return thread if one_block or not site.block else f"block {index(site.block)} {thread}"


def _deed(site: Site, element: str) -> str:
    where = f"line {site.line}: " if site.line is not None else ""
    return f"{where}{_DOES[site.access or '']} {element}"
