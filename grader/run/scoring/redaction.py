"""What a student may see of a result: applies each case's feedback policy. Pure.

`full` shows everything; `verdict` the case's verdict by name; `none` whether the case passed. Of a case that is not `full`,
nothing else reaches a student: no finding and no line, thread, count, time or printed word, for a kernel chooses all of these
and may choose them by the secret inputs that it was given. The lab's verdict is that of the cases as the student sees them.
Nothing here may depend on what a launch of such a case holds. The instructor's comment stays: it was chosen by what is shown alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NewType

from grader.model.graded_class import GradedClass
from grader.model.result import UNCOUNTED, UNDECIDED, Case, LabResult, Result, Suspect
from grader.model.verdicts import Verdict, worst
from grader.model.visible_text import cleaned
from grader.run.lab_verdict import NOT_RUN, decides
from grader.run.scoring.lab_score import deduplicate

_TECHNIQUE = "the result is right, but the kernel does not do what this case asks for"
_NO_DETAILS = "this case did not pass; it gives no details"


def for_student(result: Result) -> Result:
    """`result` with nothing in it that a case's feedback policy withholds."""
    return result.model_copy(update={"labs": {lab_id: _lab(lab) for lab_id, lab in result.labs.items()}})


RedactedClass = NewType("RedactedClass", GradedClass)  # exports take nothing else


def redacted(graded: GradedClass) -> RedactedClass:
    """What a student wrote is in no export as it is: a page makes it safe when it is drawn, other formats do not."""
    return RedactedClass(replace(graded, results=tuple(map(for_programs, graded.results))))


def for_programs(result: Result) -> Result:
    """What a student may see, for a reader that does not make text safe by itself."""
    shown = for_student(result)
    return shown.model_copy(update={"labs": cleaned(shown.labs)})


def _lab(lab: LabResult) -> LabResult:
    # A finding of compute-sanitizer alone belongs to no case, so no feedback policy covers it. The instructor sees it, students do not.
    plain = {
        "message": Verdict.INTERNAL_ERROR.facts.redacted
    }  # of a failure of ours: a student can do nothing about its details
    own = [
        (None, one.model_copy(update=plain if one.kind is Verdict.INTERNAL_ERROR else {}))
        for one in lab.findings
        if not one.cases and not one.confirmed_by
    ]
    # Merged again, from the cases that show everything: a count or a first place would tell of the others.
    shown = (case for case in lab.cases if case.feedback == "full")
    full = [(case.name, finding) for case in shown for launch in case.launches for finding in launch.findings]
    # Without the executors' disagreement, which is for the instructor, and without the GPU's message, which names shapes.
    told = ((one, one.feedback == "full" and one.verdict is not Verdict.INTERNAL_ERROR) for one in lab.cases)
    left = ((one, {} if whole else {"launches": (), "on_gpu": None, **_told(one)}) for one, whole in told)
    cases = tuple(one.model_copy(update={**update, "difference": ""}) for one, update in left)
    # The timed shapes are public; why a person has to look is not, nor what broke on our side.
    ours, sizes = {"trouble": "could not be measured"}, lab.timing.sweep if lab.timing else ()
    sweep = tuple(one.model_copy(update=ours if one.ours else {}) for one in sizes)
    build = lab.build and lab.build.model_copy(update={"seconds": 0.0, "log": _PATH.sub("…/", lab.build.log)})
    return lab.model_copy(
        update={
            "verdict": _verdict(lab, cases),
            "build": build,
            "cases": cases,
            "findings": deduplicate([*own, *full]),
            "suspects": tuple(Suspect(lines=one.lines) for one in lab.suspects if one.public),
            "gpu_trouble": "",
            "standing": lab.standing.model_copy(update={"extension": ""}) if lab.standing else None,
            "changes": tuple(change.model_copy(update={"details": ()}) for change in lab.changes),
            "timing": lab.timing.model_copy(update={"review": "", "sweep": sweep}) if lab.timing else None,
            "answers": lab.answers.for_student() if lab.answers else None,
            "seconds": 0.0,
        }
    )


# The path of a file on this machine, which may hold the name of an account; not the system's own.
_PATH = re.compile(r"(?<![\w./+-])/(?!usr/|lib|opt/|bin/)(?:[^\s:'\"`(),;]+/)+(?=[^\s/:'\"`(),;]+)")


def _verdict(lab: LabResult, cases: Sequence[Case]) -> Verdict:
    """The lab's, by the cases as they are shown: a case that gives no details does not tell here how it failed."""
    judging = [case for case in cases if decides(case.role, case.verdict)]
    if not lab.ran or lab.verdict in UNDECIDED or all(case.passed for case in judging):
        return lab.verdict
    return worst([case.verdict for case in judging])


def _told(case: Case) -> dict[str, object]:
    """What stands in place of what the case itself says."""
    if case.verdict is Verdict.INTERNAL_ERROR:
        return {"message": Verdict.INTERNAL_ERROR.facts.redacted}
    if case.message in {NOT_RUN, UNCOUNTED}:
        return {"advice": ""}
    if case.feedback == "verdict" or case.verdict in UNDECIDED:
        return {"message": "" if case.passed else case.verdict.facts.redacted or _TECHNIQUE}
    # Every failure is shown as `wrong-answer`, the mildest verdict: the real one would tell something about the case.
    verdict = Verdict.WRONG_ANSWER if not case.passed and decides(case.role, case.verdict) else Verdict.PASS
    return {"message": "" if case.passed else _NO_DETAILS, "advice": "", "verdict": verdict}
