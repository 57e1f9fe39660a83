"""Merges findings that say the same of the same place into one. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from grader.model.result import Finding
from grader.model.verdicts import Verdict


def deduplicate(seen: Iterable[tuple[str | None, Finding]]) -> tuple[Finding, ...]:
    """One finding per kind and place, errors first; each comes with the case it was seen in, None for the build.

    The first of those merged gives the words; counts are added, cases listed in the order they came.
    """
    merged: dict[tuple[object, ...], Finding] = {}
    for case, finding in seen:
        cases = (*finding.cases, case) if case is not None else finding.cases
        key = _place(finding)
        known = merged.get(key)
        if known is None:
            merged[key] = finding.model_copy(update={"cases": tuple(dict.fromkeys(cases))})
        else:
            merged[key] = known.model_copy(
                update={
                    "count": known.count + finding.count,
                    "cases": tuple(dict.fromkeys((*known.cases, *cases))),
                }
            )
    order = list(Verdict)
    return tuple(sorted(merged.values(), key=lambda one: (one.severity != "error", order.index(one.kind))))


def _place(finding: Finding) -> tuple[object, ...]:
    """What makes two findings the same. Without a line, the words have to tell them apart."""
    other = (finding.other.file, finding.other.line) if finding.other else None
    words = finding.message if finding.line is None else None
    return (finding.kind, finding.label, finding.severity, finding.file, finding.line, other, words)
