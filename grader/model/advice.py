"""What to look at next for a finding. The table of verdicts says it for each kind; here are the exceptions."""

from __future__ import annotations

import re

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
_ONE_ELEMENT = (
    "Several threads change one element: each reads the old value before another has written its own, and a change is lost. Let "
    "each element belong to one thread, or use an atomic function such as atomicAdd(). A barrier does not help here."
)
_CHANGES = re.compile(r"([A-Za-z_]\w*)\s*(?:\[[^;]*?\])+\s*(?:\+\+|--|[-+*/%&|^]=)|(?:\+\+|--)\s*([A-Za-z_]\w*)\s*\[")
_MASK = (
    "Every lane that calls a warp function must be named in the mask, with all the lanes that call it together. Work the mask "
    "out before the branch, for example with __ballot_sync(), and call the function only in lanes of that mask."
)
_SHUFFLE = (
    "A shuffle brings a value only from a lane that is in the mask and calls the same shuffle. Is every lane that is read "
    "there, in the last warp of the block too? If not, do not use what it brings."
)


def advice_for(finding: Finding) -> str | None:
    if finding.kind is Verdict.RACE and finding.other and finding.other.block != finding.block:
        return _BETWEEN_BLOCKS
    if finding.kind is Verdict.RACE and _changes_one_element(finding):
        return _ONE_ELEMENT
    if finding.access in {"mask", "shuffle"}:
        return _MASK if finding.access == "mask" else _SHUFFLE
    if finding.kind is Verdict.BARRIER_DIVERGENCE and finding.other and finding.other.access == "return":
        return _EXITED
    return finding.kind.facts.advice or None


def _changes_one_element(finding: Finding) -> bool:
    """Whether both threads run one statement like `bins[i] += 1;`, and the array is in this line once."""
    if not finding.other or finding.other.line != finding.line or not finding.source or not finding.array:
        return False
    code = finding.source.split("//", 1)[0]
    changed = {name for found in _CHANGES.finditer(code) for name in found.groups() if name}
    return finding.array in changed and len(re.findall(rf"\b{re.escape(finding.array)}\s*\[", code)) == 1
