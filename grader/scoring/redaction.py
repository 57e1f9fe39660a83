"""What a student may see of a result: applies each case's feedback policy. Pure.

`full` shows everything; `verdict` the verdict and the findings with their lines, but no shape, value, element or
count; `none` only whether the case passed. The lab's own verdict is always told: it is what the lab is graded with.
"""

from __future__ import annotations

import re

from grader.model.result import Case, Finding, LabResult, Result, SweepPoint, Timing
from grader.model.verdicts import Verdict
from grader.scoring.deduplication import deduplicate

_TECHNIQUE = "the result is right, but the kernel does not use the technique that this lab asks for"
_DIGIT = re.compile(r"\d")  # a number may be a size or an index of a hidden shape


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
    return finding.model_copy(update={"message": Verdict.INTERNAL_ERROR.facts.redacted}) if ours else finding


def _case(case: Case) -> Case:
    if case.verdict is Verdict.INTERNAL_ERROR:
        return case.model_copy(update={"launches": (), "message": Verdict.INTERNAL_ERROR.facts.redacted})
    if case.feedback == "full" or case.verdict.facts.never_ran:
        return case.model_copy(update={"launches": () if case.feedback != "full" else case.launches})
    if case.feedback == "verdict":
        message = "" if case.passed else _sentence(case.verdict, case.message)
        return case.model_copy(update={"launches": (), "message": message})
    # Every failure is shown as `wrong-answer`, the mildest verdict: the real one would tell something about the case.
    verdict = Verdict.PASS if case.passed or case.role == "technique" else Verdict.WRONG_ANSWER
    message = "" if case.passed else "this case did not pass; it gives no details"
    return case.model_copy(update={"launches": (), "message": message, "advice": "", "verdict": verdict})


def _scrub(finding: Finding) -> Finding:
    """The finding without its element and without numbers. It keeps the line, the block and the thread."""
    return finding.model_copy(
        update={"element": None, "message": _sentence(finding.kind, finding.message), "advice": None, "count": 1}
    )


def _sentence(verdict: Verdict, message: str) -> str:
    return (verdict.facts.redacted or _TECHNIQUE) if _DIGIT.search(message) else message


def _uncounted(finding: Finding, hidden: set[str]) -> Finding:
    """Without its count where a hidden case contributed to it: the count would tell how large the shape is."""
    return finding.model_copy(update={"count": 1}) if hidden.intersection(finding.cases) else finding
