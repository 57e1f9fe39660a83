"""What to look at next for a finding. The table of verdicts says it for each kind; here are the two exceptions."""

from __future__ import annotations

from grader.model.result import Finding
from grader.model.verdicts import Verdict

_EXITED = (
    "A thread that has no element to compute may still have to load elements for the others. Let every thread stay until "
    "the last barrier, and guard its loads and stores."
)
_BETWEEN_BLOCKS = (
    "Blocks run in any order and at the same time. Let only one block write each element, use an atomic function, or pass "
    "results between blocks with __threadfence() and an atomic function."
)


def advice_for(finding: Finding) -> str | None:
    if finding.kind is Verdict.RACE and finding.other and finding.other.block != finding.block:
        return _BETWEEN_BLOCKS
    if finding.kind is Verdict.BARRIER_DIVERGENCE and finding.severity == "note":
        return _EXITED
    return finding.kind.facts.advice or None
