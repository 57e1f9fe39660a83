"""What compute-sanitizer says of a submission beside our own findings: ours where both agree, with its tools named; what it alone says
as notes, which cost nobody points. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from grader.model.gpu_reports import Sanitized
from grader.model.result import Finding


def merged(findings: Sequence[Finding], sanitized: Sequence[Sanitized], file: str) -> tuple[Finding, ...]:
    """`findings` in their order, each with the tools that say the same of the same line; then the tools' own, one for each place."""
    agreeing = [[one for one in sanitized if _agree(finding, one)] for finding in findings]
    ours = [
        finding.model_copy(update={"confirmed_by": tuple(dict.fromkeys(one.tool for one in same))}) if same else finding
        for finding, same in zip(findings, agreeing, strict=True)
    ]
    heard = {one for same in agreeing for one in same}
    alone = {(one.tool, one.kind, one.line): one for one in reversed(sanitized) if one not in heard}
    return (*ours, *(_note(one, file) for one in reversed(alone.values())))


def _agree(finding: Finding, one: Sanitized) -> bool:
    """A tool that names no line is taken to mean ours."""
    places = {finding.line, finding.other.line if finding.other else None} - {None}
    return one.kind is finding.kind and (not one.lines or bool(places.intersection(one.lines)))


def _note(one: Sanitized, file: str) -> Finding:
    return Finding(
        kind=one.kind,
        severity="note",
        message=f"compute-sanitizer's {one.tool} alone says: {one.words}",
        file=file,
        line=one.line,
        source=one.source if one.line is not None else None,
        confirmed_by=(one.tool,),
    )
