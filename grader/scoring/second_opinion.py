"""Adds compute-sanitizer's reports to our own findings. Pure.

Where both agree, our finding names the tools that confirm it. What only compute-sanitizer reports becomes a note, and notes cost
no points.
"""

from __future__ import annotations

from collections.abc import Sequence

from grader.model.outcomes.gpu_reports import Sanitized
from grader.model.result import Finding


def merged(findings: Sequence[Finding], sanitized: Sequence[Sanitized], file: str) -> tuple[Finding, ...]:
    """`findings` in their order, each with the tools that confirm it; then a note for each place that only a tool reports."""
    agreeing = [[one for one in sanitized if _agree(finding, one)] for finding in findings]
    ours = [
        finding.model_copy(update={"confirmed_by": tuple(dict.fromkeys(one.tool for one in same))}) if same else finding
        for finding, same in zip(findings, agreeing, strict=True)
    ]
    heard = {one for same in agreeing for one in same}
    alone = {(one.tool, one.kind, one.line): one for one in reversed(sanitized) if one not in heard}
    return (*ours, *(_note(one, file) for one in reversed(alone.values())))


def _agree(finding: Finding, one: Sanitized) -> bool:
    """Whether both report one kind of mistake at one line. A report without a line is taken to mean our finding."""
    places = {finding.line, finding.other.line if finding.other else None} - {None}
    return one.kind is finding.kind and (not one.lines or bool(places.intersection(one.lines)))


def _note(one: Sanitized, file: str) -> Finding:
    return Finding(
        kind=one.kind,
        severity="note",
        message=f"Only compute-sanitizer's {one.tool} reports this: {one.words}",
        file=file,
        line=one.line,
        source=one.source if one.line is not None else None,
        confirmed_by=(one.tool,),
    )
