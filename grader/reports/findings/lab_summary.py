"""A lab's result in two sentences: what happened, and what to look at next. Pure."""

from __future__ import annotations

from grader.model.result import Explanation, LabResult
from grader.model.verdicts import Verdict
from grader.reports.findings.finding_card import may_show
from grader.reports.text import visible

_NOT_ITS_OWN = "The program ran, and does something that this lab does not accept. It earns no points."
_ITS_OWN = "Let the kernels compute the whole result, from the input as it is. The host only copies."
_WITHHELD = "A hidden case did not pass. It gives no details."
_OF_CODE = (
    ("how the kernel uses memory", "how its kernels and its host code use memory"),
    ("The kernel ", "The program "),
    ("This kernel ", "This program "),
    ("A kernel may only read", "A program may only read"),
)
_NO_ENTRY = "the kernel or the launch function that the lab names is not in it"
_WORDS = {
    "launcher": (
        (_NO_ENTRY, "the function that the lab names is not in it"),
        ("Both functions must be declared as they are there.", "The function must be declared as it is there."),
        *_OF_CODE,
    ),
    "program": (
        (_NO_ENTRY, "there is no main() in it"),
        (
            Verdict.MISSING_ENTRY_POINT.facts.next_step,
            "A program begins in main(): compare yours with the starter file.",
        ),
        *_OF_CODE,
    ),
}
_TRY_OTHER_SIZES = "Try sizes of your own: long and thin ones, a single row or column, sides that nothing divides."


def what_happened(lab: LabResult) -> str:
    """One sentence or two. For a pass without full points, they say what is missing."""
    if lab.verdict is Verdict.REJECTED and lab.ran:
        return _NOT_ITS_OWN
    sentence = in_its_words(lab.verdict.facts.sentence, lab)
    if (missed := lab.missed_technique) and missed.role == "technique":
        why = visible.line(missed.message, 600)
        return f"{lab.look.sentence}{': ' + why if why else '.'}"
    return _WITHHELD if lab.verdict is Verdict.WRONG_ANSWER and _nothing_told(lab) else sentence


def in_its_words(sentence: str, lab: LabResult) -> str:
    """A sentence about a kernel, for a lab whose files are more than that."""
    words = _WORDS.get(lab.contract, ())
    for kernel, here in words:
        sentence = sentence.replace(kernel, here)
    return sentence


def advice(lab: LabResult, *, instructor: bool = False) -> str:
    """What to look at next: the advice of a likely cause, else of a recognised mistake, of the first error, of the first failed case, or of
    the verdict. For verdicts worse than a wrong result, the first error's advice comes before that of a recognised mistake.
    """
    if lab.verdict is Verdict.REJECTED and lab.ran:
        return _ITS_OWN
    from_causes = [one.advice for one in lab.causes[:1] if one.advice]
    from_mistakes = [one.advice for one in explanations(lab, instructor=instructor)]
    from_findings = [one.advice for one in lab.findings if one.severity == "error" and one.advice]
    from_cases = [case.advice for case in lab.cases if not case.passed and case.advice]
    mistake_first = lab.verdict in {Verdict.WRONG_ANSWER, Verdict.OUT_OF_BOUNDS}
    seen = [*from_mistakes, *from_findings] if mistake_first else [*from_findings, *from_mistakes]
    last_resort = _TRY_OTHER_SIZES if _nothing_told(lab) else in_its_words(lab.verdict.facts.next_step, lab)
    either = [*from_causes, *seen, *from_cases, last_resort]
    return visible.line(next(iter(either)), 600)


def explanations(lab: LabResult, *, instructor: bool = False) -> list[Explanation]:
    """The explanations of launches that may be shown, each once, in the order of the cases."""
    launches = (launch for case in lab.cases if may_show(case, instructor=instructor) for launch in case.launches)
    return list(dict.fromkeys(launch.explanation for launch in launches if launch.explanation))


def _nothing_told(lab: LabResult) -> bool:
    """Whether all that failed gives its student no details, and this is the student's page."""
    failed = [case for case in lab.cases if case.role == "correctness" and not case.passed]
    return bool(failed) and all(case.feedback == "none" and not case.launches for case in failed)
