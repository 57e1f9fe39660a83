"""Turns a lab's verdict into points: pure functions of the lab's files and the outcome."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from grader.judging.lab_verdict import CaseVerdict, LabVerdict, all_passed, lab_verdict
from grader.model.labs import Lab
from grader.model.outcome import LabOutcome
from grader.model.result import Case, Finding, LabResult, Timing, Verdict
from grader.scoring.counted_performance import NOT_ASSESSED, Counted, counted_performance
from grader.scoring.deduplication import deduplicate
from grader.scoring.kernel_facts import gpu_kernel
from grader.scoring.second_opinion import merged
from grader.speed.speed_score import is_measured, performance_points, timing_of

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
    """The lab's points and merged findings. `speed_counts`: performance points are in the maximum, see `assessed`."""
    found = lab_verdict(lab, outcome)
    cases = [_withhold(_case(lab, outcome, case), found) for case in found.cases]
    counted = counted_performance(lab, cases, found.before_timing)
    timing = timing_of(lab, outcome, correct=found.correct and found.before_timing is Verdict.PASS)
    by_count = counted.points if counted else 0.0
    earned = performance_points(lab, timing) if speed_counts else by_count  # measured beats counted
    fast = earned if found.verdict is Verdict.PASS else 0.0
    most = lab.private.performance_points if lab.private and (speed_counts or counted) else 0.0
    return LabResult(
        title=lab.public.title,
        file=lab.public.file,
        verdict=found.verdict,
        points=_sum([*(case.points for case in cases), fast]),
        max_points=_sum([*(case.max_points for case in cases), most]),
        extra_credit=lab.public.extra_credit,
        build=outcome.build,
        cases=tuple(cases),
        findings=_findings(lab, outcome, found),
        performance=_performance_words(timing, counted, speed_counts=speed_counts),
        performance_points=fast,
        performance_max=most,
        timing=timing,
        gpu_kernel=gpu_kernel(outcome),
        gpu_trouble=outcome.gpu.trouble if outcome.gpu else "",
        seconds=outcome.seconds,
    )


def _findings(lab: Lab, outcome: LabOutcome, found: LabVerdict) -> tuple[Finding, ...]:
    """Of the outcome and of every launch, each said once, with what compute-sanitizer adds."""
    own = [*found.findings, *([found.wrong_when_timed] if found.wrong_when_timed else [])]
    of_launches = [
        (case.spec.name, finding) for case in found.cases for launch in case.launches for finding in launch.findings
    ]
    sanitized = (outcome.gpu.sanitized or ()) if outcome.gpu else ()
    return merged(deduplicate([*((None, one) for one in own), *of_launches]), sanitized, lab.public.file)


def _performance_words(timing: Timing | None, counted: Counted | None, *, speed_counts: bool) -> str:
    """What the points go by; without a GPU that is what was counted."""
    if counted and not speed_counts and not is_measured(timing):
        return counted.words
    return timing.words if timing else NOT_ASSESSED


def assessed(lab: Lab, outcomes: Iterable[LabOutcome]) -> bool:
    """Whether speed counts in a batch: every kernel of it that could be timed was. Else nobody gains or loses by it."""
    if lab.public.performance is None or lab.private is None or not lab.private.tier:
        return False
    timings = [timing_of(lab, one, correct=True) for one in outcomes if all_passed(lab, one)]
    return bool(timings) and all(is_measured(one) for one in timings)


def total(labs: Mapping[str, LabResult]) -> tuple[float, float]:
    """Points and maximum over all labs; extra credit counts into the points alone."""
    points = _sum(lab.points for lab in labs.values())
    return points, _sum(lab.max_points for lab in labs.values() if not lab.extra_credit)


def _case(lab: Lab, outcome: LabOutcome, case: CaseVerdict) -> Case:
    """With the points that the case earns on its own."""
    spec, found = case.spec, case.agreed
    return Case(
        name=spec.name,
        visibility="public" if spec in lab.public.case else "hidden",
        feedback=spec.feedback,
        role=spec.role,
        verdict=found.verdict,
        passed=found.passed,
        points=spec.points if found.passed else 0,
        max_points=spec.points,
        message=found.message,
        advice="" if found.passed or outcome.verdict is not None else spec.advice,
        launches=case.launches,
        on_gpu=found.on_gpu,
        difference=found.difference,
    )


def _withhold(case: Case, found: LabVerdict) -> Case:
    """The case without points that the rest of the lab does not allow."""
    if found.before_timing in _EARNS_NOTHING:
        return case.model_copy(update={"points": 0.0})
    if case.role == "technique" and case.passed and not found.correct:
        message = "counts once every correctness case passes"
        return case.model_copy(update={"points": 0.0, "message": message})
    return case


def _sum(points: Iterable[float]) -> float:
    """Adds points without the dust of binary fractions: ten times 0.1 is 1."""
    return round(sum(points), 6)
