"""Turns what judging found into verdicts and points: pure functions of the lab's files and the outcome.

A case earns its points only if the lab's files list it, the judge saw it exactly once, its buffers match and no error
was found in it. A listed case that was not seen is our failure (`internal-error`), for a person to look at.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from grader.agreement import Agreed, agreed
from grader.counted_performance import NOT_ASSESSED, Counted, counted_performance
from grader.folding import fold
from grader.kernel_facts import gpu_kernel
from grader.labs import CaseSpec, Lab
from grader.outcome import JudgedCase, LabOutcome
from grader.result import Case, Finding, LabResult, Timing, Verdict, worst
from grader.second_opinion import merged
from grader.speed_score import (
    is_measured,
    performance_points,
    timing_of,
    wrong_verdict,
    wrong_when_timed,
)

# A lab with one of these earns nothing at all; `needs-gpu` only until it is graded where there is one.
_EARNS_NOTHING = frozenset(
    {
        Verdict.REJECTED,
        Verdict.MISSING_FILE,
        Verdict.COMPILE_ERROR,
        Verdict.MISSING_ENTRY_POINT,
        Verdict.NEEDS_GPU,
    }
)


def score_lab(lab: Lab, outcome: LabOutcome, *, speed_counts: bool = False) -> LabResult:
    """The lab's verdict, points and folded findings. `speed_counts`: performance points are in the maximum, see `assessed`."""
    cases = [_score_case(lab, outcome, spec) for spec in _specs(lab)]
    unlisted = [_unlisted(case) for case in _cases(outcome) if case.name not in {spec.name for spec in _specs(lab)}]
    verdict = _verdict(outcome, cases, unlisted=bool(unlisted))
    correct = all(case.passed for case in cases if case.role == "correctness")
    cases = [_withhold(case, verdict, correct=correct) for case in cases]
    counted = counted_performance(lab, cases, verdict)
    timing = timing_of(lab, outcome, correct=correct and verdict is Verdict.PASS)
    timed = _when_timed(lab, outcome) if verdict is Verdict.PASS and correct else None
    if timed is not None:
        verdict = timed.kind
    by_count = counted.points if counted else 0.0
    earned = performance_points(lab, timing) if speed_counts else by_count  # measured beats counted
    fast = earned if verdict is Verdict.PASS else 0.0
    most = lab.private.performance_points if lab.private and (speed_counts or counted) else 0.0
    seen = [(None, finding) for finding in (*outcome.findings, *unlisted, *([timed] if timed else []))]
    in_launches = [(case.name, finding) for case in cases for launch in case.launches for finding in launch.findings]
    sanitized = (outcome.gpu.sanitized or ()) if outcome.gpu else ()
    return LabResult(
        title=lab.public.title,
        file=lab.public.file,
        verdict=verdict,
        points=_sum([*(case.points for case in cases), fast]),
        max_points=_sum([*(case.max_points for case in cases), most]),
        extra_credit=lab.public.extra_credit,
        build=outcome.build,
        cases=tuple(cases),
        findings=merged(fold([*seen, *in_launches]), sanitized, lab.public.file),
        performance=_performance_words(timing, counted, speed_counts=speed_counts),
        performance_points=fast,
        performance_max=most,
        timing=timing,
        gpu_kernel=gpu_kernel(outcome),
        gpu_trouble=outcome.gpu.trouble if outcome.gpu else "",
        seconds=outcome.seconds,
    )


def _performance_words(timing: Timing | None, counted: Counted | None, *, speed_counts: bool) -> str:
    """What the points go by; without a GPU that is what was counted."""
    if counted and not speed_counts and not is_measured(timing):
        return counted.words
    return timing.words if timing else NOT_ASSESSED


def assessed(lab: Lab, outcomes: Iterable[LabOutcome]) -> bool:
    """Whether speed counts in a batch: every kernel of it that could be timed was. Else nobody gains or loses by it."""
    if lab.public.performance is None or lab.private is None or not lab.private.tier:
        return False
    results = [score_lab(lab, one) for one in outcomes]
    right = [one.timing for one in results if one.verdict is Verdict.PASS and _is_right(one)]
    return bool(right) and all(is_measured(one) for one in right)


def _is_right(result: LabResult) -> bool:
    return all(case.passed for case in result.cases if case.role == "correctness")


def is_right(lab: Lab, outcome: LabOutcome) -> bool:
    """Whether every case that judges the result passed, so that the kernel may be timed."""
    result = score_lab(lab, outcome)
    return result.verdict is Verdict.PASS and _is_right(result)


def _when_timed(lab: Lab, outcome: LabOutcome) -> Finding | None:
    message = wrong_when_timed(outcome)
    if not message:
        return None
    return Finding(kind=wrong_verdict(outcome), message=message, file=lab.public.file)


def is_ours(lab: Lab, outcome: LabOutcome) -> bool:
    """Whether something of ours broke: to be tried again, never kept, never the student's loss."""
    return score_lab(lab, outcome).verdict is Verdict.INTERNAL_ERROR


def total(labs: Mapping[str, LabResult]) -> tuple[float, float]:
    """Points and maximum over all labs; extra credit counts into the points alone."""
    points = _sum(lab.points for lab in labs.values())
    return points, _sum(lab.max_points for lab in labs.values() if not lab.extra_credit)


def _specs(lab: Lab) -> tuple[CaseSpec, ...]:
    return lab.public.case + (lab.private.case if lab.private else ())


def _score_case(lab: Lab, outcome: LabOutcome, spec: CaseSpec) -> Case:
    """One listed case, with the points it earns on its own."""
    judged = [case for case in _cases(outcome) if case.name == spec.name]
    launches = judged[0].launches if judged else ()
    found = _together(outcome, spec, judged)
    passed = found.passed
    return Case(
        name=spec.name,
        visibility="public" if spec in lab.public.case else "hidden",
        feedback=spec.feedback,
        role=spec.role,
        verdict=found.verdict,
        passed=passed,
        points=spec.points if passed else 0,
        max_points=spec.points,
        message=found.message,
        advice="" if passed or outcome.verdict is not None else spec.advice,
        launches=launches,
        on_gpu=found.on_gpu,
        difference=found.difference,
    )


def _alone(outcome: LabOutcome) -> bool:
    """Whether the GPU's word is the only one: the CPU executor cannot run this kernel."""
    return outcome.gpu is not None and outcome.gpu.alone and bool(outcome.gpu.cases)


def _cases(outcome: LabOutcome) -> tuple[JudgedCase, ...]:
    return outcome.gpu.cases if outcome.gpu is not None and _alone(outcome) else outcome.cases


def _together(outcome: LabOutcome, spec: CaseSpec, judged: list[JudgedCase]) -> Agreed:
    """The case by the CPU executor and, where it was run there too, by the GPU."""
    uncounted = (
        bool(judged) and judged[0].verdict is Verdict.NEEDS_GPU and outcome.gpu is not None and outcome.gpu.cases
    )
    if spec.role == "technique" and (_alone(outcome) or uncounted):
        message = (
            "only the CPU executor counts what a kernel loads, and it cannot run this one: your instructor decides"
        )
        return Agreed(
            Verdict.PASS, passed=False, message=message, difference="the technique was not counted: decide by hand"
        )
    verdict, passed, message = _judgement(outcome, spec, judged)
    on_gpu = () if outcome.gpu is None or _alone(outcome) else outcome.gpu.cases
    gpu = next((case for case in on_gpu if case.name == spec.name), None)
    return agreed(verdict, message, gpu, passed=passed)


def _judgement(outcome: LabOutcome, spec: CaseSpec, judged: list[JudgedCase]) -> tuple[Verdict, bool, str]:
    """Verdict, whether it passed, and why not."""
    if outcome.verdict is not None:
        return outcome.verdict, False, "not run"
    if not judged:
        return Verdict.INTERNAL_ERROR, False, "the judge never ran this case; this is a fault of the grader"
    case = judged[0]
    if len(judged) != 1 or case.seen != 1:
        times = max(len(judged), case.seen)
        return (
            Verdict.INTERNAL_ERROR,
            False,
            f"the judge reported this case {times} times; this is a fault of the grader",
        )
    errors = [one.kind for launch in case.launches for one in launch.findings if one.severity == "error"]
    verdict = worst([case.verdict, *errors])
    if case.passed and verdict is not Verdict.PASS:
        return verdict, False, case.message
    if not case.passed and verdict is Verdict.PASS and spec.role == "correctness":
        return (
            Verdict.INTERNAL_ERROR,
            False,
            case.message or "this case failed without a reason; this is a fault of the grader",
        )
    return verdict, case.passed, case.message


def _verdict(outcome: LabOutcome, cases: Iterable[Case], *, unlisted: bool) -> Verdict:
    """The lab's verdict: correctness cases decide; a technique case can only show that the grader broke."""
    if outcome.verdict is not None:
        return outcome.verdict
    counted = [case.verdict for case in cases if case.role == "correctness" or case.verdict is Verdict.INTERNAL_ERROR]
    return worst([*counted, *([Verdict.INTERNAL_ERROR] if unlisted else [])])


def _withhold(case: Case, verdict: Verdict, *, correct: bool) -> Case:
    """The case without points that the rest of the lab does not allow."""
    if verdict in _EARNS_NOTHING:
        return case.model_copy(update={"points": 0.0})
    if case.role == "technique" and case.passed and not correct:
        message = "counts once every correctness case passes"
        return case.model_copy(update={"points": 0.0, "message": message})
    return case


def _unlisted(case: JudgedCase) -> Finding:
    message = f"the judge ran a case that the lab's files do not list: {case.name!r}; this is a fault of the grader"
    return Finding(kind=Verdict.INTERNAL_ERROR, message=message)


def _sum(points: Iterable[float]) -> float:
    """Adds points without the dust of binary fractions: ten times 0.1 is 1."""
    return round(sum(points), 6)
