"""What a student may see of a result: applies each case's feedback policy. Pure.

`full` shows everything; `verdict` the verdict and the findings with their lines, but no shape, value, element or
count; `none` only whether the case passed. The lab's own verdict is always told: it is what the lab is graded with.
"""

from __future__ import annotations

import re

from grader.model.result import Case, Finding, LabResult, Result, SweepPoint, Timing, Verdict
from grader.scoring.deduplication import deduplicate

# Said instead of a message that holds a number: the number may be a size or an index of a hidden shape.
_PLAIN = {
    Verdict.RACE: "two threads use the same element without a barrier between them, and at least one writes it",
    Verdict.OUT_OF_BOUNDS: "an access lies outside the array",
    Verdict.UNINITIALIZED_READ: "an element is read before anything was written to it",
    Verdict.BARRIER_DIVERGENCE: "threads of one block do not all reach the same barrier",
    Verdict.INPUT_MODIFIED: "the kernel changes an input",
    Verdict.MISALIGNED: "an access is not aligned to its own size",
    Verdict.LAUNCH_ERROR: "the launch configuration is not one a GPU accepts",
    Verdict.TIMEOUT: "the kernel does not come to an end in its time",
    Verdict.CRASH: "the kernel crashes",
    Verdict.WRONG_ANSWER: "the result is not what it must be",
    Verdict.NEEDS_GPU: "this needs a GPU to be graded",
    Verdict.INTERNAL_ERROR: "the grader broke here; your instructor has been told",
}
_TECHNIQUE = "the kernel is correct, but not in the way that this lab asks for"
_DIGIT = re.compile(r"\d")
# These say why no case ran at all; nothing about any one case.
_NEVER_RAN = frozenset(
    {
        Verdict.REJECTED,
        Verdict.MISSING_FILE,
        Verdict.COMPILE_ERROR,
        Verdict.MISSING_ENTRY_POINT,
    }
)


def for_student(result: Result) -> Result:
    """`result` with nothing in it that a case's feedback policy withholds."""
    return result.model_copy(update={"labs": {lab_id: _lab(lab) for lab_id, lab in result.labs.items()}})


def _timing(lab: LabResult) -> Timing | None:
    """The timed shapes are public; why a person has to look is not, nor what broke on our side."""
    if lab.timing is None:
        return None
    return lab.timing.model_copy(update={"review": "", "sweep": tuple(_swept(point) for point in lab.timing.sweep)})


def _swept(point: SweepPoint) -> SweepPoint:
    """What broke on our side without its inner details."""
    return point.model_copy(update={"trouble": "could not be measured"}) if point.ours else point


def _lab(lab: LabResult) -> LabResult:
    # Findings are merged again, from those that may be shown. Cases that show everything come first, because the merged
    # finding keeps the first one's message.
    hidden = {case.name for case in lab.cases if case.feedback != "full"}
    # A finding of compute-sanitizer alone belongs to no case, so no feedback policy covers it. The instructor sees it, students do not.
    own = [
        (None, _ours_in_plain_words(finding))
        for finding in lab.findings
        if not finding.cases and not finding.confirmed_by
    ]
    full = [(case.name, finding) for case in lab.cases if case.feedback == "full" for finding in _found(case)]
    scrubbed = [
        (case.name, _scrub(finding)) for case in lab.cases if case.feedback == "verdict" for finding in _found(case)
    ]
    findings = [_uncounted(finding, hidden) for finding in deduplicate([*own, *full, *scrubbed])]
    return lab.model_copy(
        update={
            "cases": tuple(_shown(case) for case in lab.cases),
            "findings": tuple(findings),
            "gpu_trouble": "",
            "timing": _timing(lab),
        }
    )


def _shown(case: Case) -> Case:
    """Without the executors' disagreement, which is for the instructor, and without the GPU's message, which names shapes."""
    shown = _case(case)
    whole = shown.feedback == "full" and shown.verdict is not Verdict.INTERNAL_ERROR
    return shown.model_copy(update={"on_gpu": shown.on_gpu if whole else None, "difference": ""})


def _found(case: Case) -> list[Finding]:
    return [finding for launch in case.launches for finding in launch.findings]


def _ours_in_plain_words(finding: Finding) -> Finding:
    """A failure of ours is told without details: a student can do nothing about them."""
    ours = finding.kind is Verdict.INTERNAL_ERROR
    return finding.model_copy(update={"message": _PLAIN[Verdict.INTERNAL_ERROR]}) if ours else finding


def _case(case: Case) -> Case:
    if case.verdict is Verdict.INTERNAL_ERROR:
        return case.model_copy(update={"launches": (), "message": _PLAIN[Verdict.INTERNAL_ERROR]})
    if case.feedback == "full" or case.verdict in _NEVER_RAN:
        return case.model_copy(update={"launches": () if case.feedback != "full" else case.launches})
    if case.feedback == "verdict":
        message = "" if case.passed else _sentence(case.verdict, case.message)
        return case.model_copy(update={"launches": (), "message": message})
    # Every failure is shown as `wrong-answer`, the mildest verdict: the real one would tell something about the case.
    verdict = Verdict.PASS if case.passed or case.role == "technique" else Verdict.WRONG_ANSWER
    message = "" if case.passed else "did not pass; this case gives no details"
    return case.model_copy(update={"launches": (), "message": message, "advice": "", "verdict": verdict})


def _scrub(finding: Finding) -> Finding:
    """The finding without its element and without numbers. It keeps the line, the block and the thread."""
    return finding.model_copy(
        update={"element": None, "message": _sentence(finding.kind, finding.message), "advice": None, "count": 1}
    )


def _sentence(verdict: Verdict, message: str) -> str:
    return _PLAIN.get(verdict, _TECHNIQUE) if _DIGIT.search(message) else message


def _uncounted(finding: Finding, hidden: set[str]) -> Finding:
    """Without its count where a hidden case contributed to it: the count would tell how large the shape is."""
    return finding.model_copy(update={"count": 1}) if hidden.intersection(finding.cases) else finding
