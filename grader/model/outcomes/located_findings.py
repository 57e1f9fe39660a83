"""Findings with the text of their lines: only lines of the submission's own files, whatever a runner said. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from grader.model.outcomes.advice import advice_for
from grader.model.result import Finding, Launch, Site, Traffic

Kind = TypeVar("Kind", bound=Launch)


def located(launch: Kind, sources: Mapping[str, Sequence[str]]) -> Kind:
    """Adds the source line and advice to each finding. `sources`: the submission's own lines by file, its main file first."""
    findings = tuple(_finding(finding, sources) for finding in launch.findings)
    traffic = _located_traffic(launch.traffic, sources) if launch.traffic else None
    return launch.model_copy(update={"findings": findings, "traffic": traffic})


def _located_traffic(traffic: Traffic, sources: Mapping[str, Sequence[str]]) -> Traffic:
    """Keeps only lines of the submission's own files, and adds their text."""
    placed = [(one, sources.get(one.file or "", ())) for one in traffic.lines]
    own = [
        one.model_copy(update={"source": lines[one.line - 1]})
        for one, lines in placed
        if one.line is not None and 0 < one.line <= len(lines)
    ]
    return traffic.model_copy(update={"lines": tuple(own)})


def _finding(finding: Finding, sources: Mapping[str, Sequence[str]]) -> Finding:
    """Keeps only lines of the submission's own files, and adds their text and advice."""
    other = _site(finding.other, sources) if finding.other else None
    placed = finding.model_copy(update={**_place(finding, sources), "other": other})
    return placed.model_copy(update={"advice": finding.advice or advice_for(placed)})


def _site(site: Site, sources: Mapping[str, Sequence[str]]) -> Site:
    return site.model_copy(update=_place(site, sources))


def _place(site: Site, sources: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    lines = sources.get(site.file or "", ())
    if site.line is None or not 0 < site.line <= len(lines):
        return {"file": next(iter(sources)), "line": None, "source": None}
    return {"source": lines[site.line - 1]}
