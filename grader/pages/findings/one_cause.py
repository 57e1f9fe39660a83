"""Findings that have one cause, so that a page draws it once and lists the others as what follows from it. Pure.

A missing barrier lets several arrays race; threads that part at a barrier race as well; a wrong index is out of bounds and races. What
is grouped follows from lines, threads and arrays, and is likely, not proved: every finding keeps its own words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from grader.model import visible_text
from grader.model.result import Case, Explanation, Finding, LabResult
from grader.model.verdicts import Verdict
from grader.model.visible_text import counted, index
from grader.pages.findings.finding_card import OTHER_PASS, line_numbers, may_show, shown_launches

_NO_SYNCWARP = "no __syncwarp() between"  # in the kit's words
SPOILS = frozenset({Verdict.RACE, Verdict.BARRIER_DIVERGENCE, Verdict.OUT_OF_BOUNDS, Verdict.UNINITIALIZED_READ})


@dataclass
class CauseGroup:
    """The first of the findings is told in full."""

    findings: list[Finding]
    rule: str = ""  # by which they belong together; empty: there is one finding
    window: tuple[int, int] = field(init=False)  # lines; one barrier in it would order every race of the group

    def __post_init__(self) -> None:
        self.window = _lines(self.findings[0])

    def takes(self, finding: Finding) -> bool:
        first = self.findings[0]
        if first.severity != "error" or first.file != finding.file or first.function != finding.function:
            return False
        for name, (fits, _) in _RULES.items():
            if self.rule in {"", name} and fits(self, finding):
                self.rule = name
                self.findings.append(finding)
                low, high = _lines(finding)
                if name == "barrier":
                    self.window = (max(self.window[0], low), min(self.window[1], high))
                return True
        return False

    @property
    def sentence(self) -> str:
        """What the cause is; empty: there is one finding."""
        return _RULES[self.rule][1](self.findings) if self.rule else ""


def cause_groups(findings: Sequence[Finding]) -> list[CauseGroup]:
    """Every finding is in one group. The groups are in the order of their first findings; a note is alone."""
    groups: list[CauseGroup] = []
    for one in findings:
        joined = one.severity == "error" and any(group.takes(one) for group in groups)
        if not joined:
            groups.append(CauseGroup([one]))
    return groups


def wrong_outputs(lab: LabResult, findings: Sequence[Finding], *, instructor: bool) -> str:
    """Which outputs are wrong in the tests in which these findings were seen: "C is wrong in 3 tests". Empty: none, or not to be told."""
    if not any(one.kind in SPOILS and one.severity == "error" for one in findings):
        return ""
    seen = {name for one in findings for name in one.cases}
    wrong = [
        case for case in lab.cases if case.name in seen and may_show(case, instructor=instructor) and _outputs(case)
    ]
    names = dict.fromkeys(name for case in wrong for name in _outputs(case))
    if not wrong:
        return ""
    chance = findings[0].kind in {Verdict.RACE, Verdict.BARRIER_DIVERGENCE}
    sentence = f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} wrong in {counted(len(wrong), 'test')}"
    return f"{sentence}, and may hold other values each time" if chance else sentence


def explains_all_wrong_outputs(lab: LabResult) -> bool:
    """Whether each wrong output is of a test in which a finding says what may have spoiled it."""
    seen = {name for one in lab.findings if one.kind in SPOILS and one.severity == "error" for name in one.cases}
    wrong = {case.name for case in lab.cases if _outputs(case)}
    return bool(wrong) and wrong <= seen


def _outputs(case: Case) -> list[str]:
    return [visible_text.line(one.mismatch.output, 40) for one in case.launches if one.mismatch]


def _lines(finding: Finding) -> tuple[int, int]:
    lines = [one for one in (finding.line, finding.other.line if finding.other else None) if one is not None]
    return (min(lines), max(lines)) if lines else (0, 0)


def _lacks_barrier(finding: Finding) -> bool:
    """A race within a block that a barrier would order."""
    other = finding.other
    within = finding.kind is Verdict.RACE and other is not None and finding.block == other.block
    within = within and _NO_SYNCWARP not in finding.message
    return within and finding.line is not None and other is not None and other.line not in {None, finding.line}


def _same_warp(group: CauseGroup, finding: Finding) -> bool:
    return all(one.kind is Verdict.RACE and _NO_SYNCWARP in one.message for one in (group.findings[0], finding))


def _same_barrier(group: CauseGroup, finding: Finding) -> bool:
    first = group.findings[0]
    if not (_lacks_barrier(first) and _lacks_barrier(finding)):
        return False
    if (OTHER_PASS in first.message) != (OTHER_PASS in finding.message):
        return False
    low, high = _lines(finding)
    return max(group.window[0], low) < min(group.window[1], high)


def _same_parting(group: CauseGroup, finding: Finding) -> bool:
    """Threads that part at a barrier are not ordered by it, nor by those after it."""
    if group.findings[0].kind is not Verdict.BARRIER_DIVERGENCE:
        return False
    if finding.kind is Verdict.BARRIER_DIVERGENCE:
        return True
    low, high = _lines(finding)
    barriers = [one.line for one in group.findings if one.kind is Verdict.BARRIER_DIVERGENCE and one.line is not None]
    return _lacks_barrier(finding) and any(low <= line <= high or OTHER_PASS in finding.message for line in barriers)


def _same_access(group: CauseGroup, finding: Finding) -> bool:
    first = group.findings[0]
    return first.line is not None and (first.line, first.array) == (finding.line, finding.array) and bool(first.array)


def _same_edge(group: CauseGroup, finding: Finding) -> bool:
    """One thread that goes past several arrays."""
    first = group.findings[0]
    both = first.kind is finding.kind is Verdict.OUT_OF_BOUNDS
    return both and first.thread is not None and (first.block, first.thread) == (finding.block, finding.thread)


def _barrier_words(findings: Sequence[Finding]) -> str:
    first, then = line_numbers(_lines(one)[0] for one in findings), line_numbers(_lines(one)[1] for one in findings)
    if OTHER_PASS in findings[0].message:
        return f"Nothing makes the threads wait after {then} and before {first} of the next pass of the loop."
    return f"Nothing makes the threads wait after {first} and before {then}."


def _edge_words(findings: Sequence[Finding]) -> str:
    first = findings[0]
    where = f" of block {index(first.block)}" if first.block else ""
    thread = f"Thread {index(first.thread)}{where} is outside in {line_numbers(one.line for one in findings)}"
    return f"{thread}: either it has nothing to do there, or an index that these lines share is wrong."


# By name: whether a finding belongs in a group, and what the cause is.
_RULES: Mapping[str, tuple[Callable[[CauseGroup, Finding], bool], Callable[[Sequence[Finding]], str]]] = {
    "warp": (_same_warp, lambda _: "Nothing orders the threads of this warp between these lines."),
    "barrier": (_same_barrier, _barrier_words),
    "parting": (
        _same_parting,
        lambda _: "Threads of one block part before a barrier. From there on, no barrier orders them.",
    ),
    "access": (
        _same_access,
        lambda findings: f"The index in {line_numbers(one.line for one in findings)} is not the one that is meant.",
    ),
    "edge": (_same_edge, _edge_words),
}


# A lab's result in two sentences: what happened, and what to look at next. Pure.

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
        ("Both functions must be declared as the lab names them.", "It must be declared as the lab names it."),
        *_OF_CODE,
    ),
    "program": (
        (_NO_ENTRY, "there is no main() in it"),
        (
            Verdict.MISSING_ENTRY_POINT.facts.next_step,
            "A program begins in main(): write `int main()` with its body, outside all other functions.",
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
        why = visible_text.line(missed.message.removeprefix("correct, but "), 600)
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
        return next((one.advice for one in lab.findings if one.kind is Verdict.REJECTED and one.advice), _ITS_OWN)
    from_causes = [one.advice for one in lab.causes[:1] if one.advice]
    from_mistakes = [one.advice for one in explanations(lab, instructor=instructor)]
    from_findings = [one.advice for one in lab.findings if one.severity == "error" and one.advice]
    from_cases = [case.advice for case in lab.cases if not case.passed and case.advice]
    mistake_first = lab.verdict in {Verdict.WRONG_ANSWER, Verdict.OUT_OF_BOUNDS}
    seen = [*from_mistakes, *from_findings] if mistake_first else [*from_findings, *from_mistakes]
    last_resort = _TRY_OTHER_SIZES if _nothing_told(lab) else in_its_words(lab.verdict.facts.next_step, lab)
    either = [*from_causes, *seen, *from_cases, last_resort]
    return visible_text.line(next(iter(either)), 600)


def explanations(lab: LabResult, *, instructor: bool = False) -> list[Explanation]:
    """The explanations of launches that may be shown, each once, in the order of the cases."""
    launches = shown_launches(lab, instructor=instructor)
    return list(dict.fromkeys(one.explanation for one in launches if one.explanation))


def _nothing_told(lab: LabResult) -> bool:
    """Whether all that failed gives its student no details, and this is the student's page."""
    failed = [case for case in lab.cases if case.role == "correctness" and not case.passed]
    return bool(failed) and all(case.feedback == "none" and not case.launches for case in failed)
