"""What to look at next for a finding, and what to ask oneself. The table of verdicts says it for each kind; here and in
crash_advice.py are the exceptions.
"""

from __future__ import annotations

import re

from grader.model.crash_advice import told_by_words
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
_SAME_INDEX = (
    "Both threads store into the same element. If each element should belong to one thread, work out the index in this line for both "
    "of them. If both have to store there, one after the other, a barrier must stand between the two."
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

# Beside the advice above; no question where the advice asks one.
_QUESTIONS = {
    _EXITED: "Which threads of the block leave before this line, and what would they have loaded?",
    _BETWEEN_BLOCKS: "Which of the two blocks comes first, and what makes sure of it?",
    _ONE_ELEMENT: "What is lost when two threads read the old value and then both write?",
    _SAME_INDEX: "By which of threadIdx.x, threadIdx.y and blockIdx do the two differ, and does the index depend on it?",
    _MASK: "Which lanes come to this line, and which does the mask name?",
}


def advice_for(finding: Finding) -> str | None:
    if told := told_by_words(finding):
        return told.advice
    if finding.access in {"mask", "shuffle"}:
        return _MASK if finding.access == "mask" else _SHUFFLE
    if finding.kind is Verdict.BARRIER_DIVERGENCE and finding.other and finding.other.access == "return":
        return _EXITED
    special = _of_race(finding) if finding.kind is Verdict.RACE else None
    return special or finding.kind.facts.advice or None


def _of_race(finding: Finding) -> str | None:
    if finding.other and finding.other.block != finding.block:
        return _BETWEEN_BLOCKS
    if _changes_one_element(finding):
        return _ONE_ELEMENT
    same_line = finding.other is not None and finding.line == finding.other.line
    return _SAME_INDEX if same_line and _both_write(finding) else None


def question_for(finding: Finding) -> str:
    """Empty: there is none that fits."""
    if finding.label:  # of the host's side: its advice is all there is
        return ""
    if told := told_by_words(finding):
        return told.question
    advice = advice_for(finding)
    if advice is not None and advice != finding.kind.facts.advice:
        return _QUESTIONS.get(advice, "")
    return finding.kind.facts.question


def _both_write(finding: Finding) -> bool:
    return finding.other is not None and finding.access == finding.other.access == "write"


def _changes_one_element(finding: Finding) -> bool:
    """Whether both threads run one statement like `bins[i] += 1;`, and the array is in this line once."""
    if not finding.other or finding.other.line != finding.line or not finding.source or not finding.array:
        return False
    code = finding.source.split("//", 1)[0]
    changed = {name for found in _CHANGES.finditer(code) for name in found.groups() if name}
    return finding.array in changed and len(re.findall(rf"\b{re.escape(finding.array)}\s*\[", code)) == 1
