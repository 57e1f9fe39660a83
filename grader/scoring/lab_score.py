"""Turns a lab's verdict into points: pure functions of the lab's files and the outcome."""

from __future__ import annotations

from collections.abc import Iterable

from grader.judging.lab_verdict import CaseVerdict, LabVerdict, lab_verdict
from grader.model.labs import Lab
from grader.model.outcomes.outcome import LabOutcome
from grader.model.result import Case, Finding, LabResult, Timing
from grader.model.verdicts import Verdict
from grader.scoring.counted_performance import NOT_ASSESSED, Counted, counted_performance
from grader.scoring.deduplication import deduplicate
from grader.scoring.kernel_facts import gpu_kernel
from grader.scoring.lab_outlook import lab_outlook
from grader.scoring.second_opinion import merged
from grader.speed.speed_score import is_measured, performance_points, timing_of
from grader.speed.tier_words import measured_words


def score_lab(lab: Lab, outcome: LabOutcome, *, speed_counts: bool = False) -> LabResult:
    """The lab's points and findings. `speed_counts`: performance points go by measured speed, see `speed_is_assessed`."""
    found = lab_verdict(lab, outcome)
    judged = [_case(lab, outcome, case) for case in found.cases]
    counted = counted_performance(lab, judged, found.before_timing)
    held = [_held_to_its_tier(lab, case, counted) for case in judged]
    cases = [_withhold(case, found, technique_met=_technique_met(held)) for case in held]
    timing = timing_of(lab, outcome, correct=found.correct and found.before_timing is Verdict.PASS)
    fast = counted.points if counted and found.verdict is Verdict.PASS else 0.0
    most = lab.private.performance_points if lab.private and counted else 0.0
    kernel = gpu_kernel(lab, outcome)
    result = LabResult(
        title=lab.public.title,
        file=lab.public.file,
        contract=lab.public.contract,
        verdict=found.verdict,
        points=sum_points([*(case.points for case in cases), fast]),
        max_points=sum_points([*(case.max_points for case in cases), most]),
        extra_credit=lab.public.extra_credit,
        build=outcome.build,
        cases=tuple(cases),
        findings=_findings(lab, outcome, found),
        causes=outcome.causes if found.verdict is not Verdict.PASS else (),
        suspects=outcome.suspects,
        step_pages=outcome.step_pages if found.verdict is not Verdict.PASS else (),
        performance=_performance(timing, counted),
        performance_points=fast,
        performance_max=most,
        counted_tiers=counted.tiers if counted and found.verdict is Verdict.PASS and not is_measured(timing) else (),
        timing=timing,
        gpu_kernel=kernel,
        outlook=lab_outlook(lab, cases, kernel) if found.verdict is Verdict.PASS else None,
        gpu_trouble=outcome.gpu.trouble if outcome.gpu else "",
        seconds=outcome.seconds,
    )
    return with_measured_speed(lab, result) if speed_counts else result


def speed_is_assessed(lab: Lab, results: Iterable[LabResult]) -> bool:
    """Whether speed counts in a batch: every kernel of it that could be timed was. Else nobody gains or loses by it."""
    if lab.public.performance is None or lab.private is None or not lab.private.tier:
        return False
    timings = [one.timing for one in results if one.verdict is Verdict.PASS and _is_correct(one)]
    return bool(timings) and all(is_measured(one) for one in timings)


def with_measured_speed(lab: Lab, result: LabResult) -> LabResult:
    """The result with performance points by measured speed, which beats what was counted."""
    fast = performance_points(lab, result.timing) if result.verdict is Verdict.PASS else 0.0
    most = lab.private.performance_points if lab.private else 0.0
    return result.model_copy(
        update={
            "points": sum_points([*(case.points for case in result.cases), fast]),
            "max_points": sum_points([*(case.max_points for case in result.cases), most]),
            "performance": measured_words(result.timing, most) if result.timing else NOT_ASSESSED,
            "performance_points": fast,
            "performance_max": most,
            "counted_tiers": (),
        }
    )


def _is_correct(result: LabResult) -> bool:
    return all(case.passed for case in result.cases if case.role == "correctness")


def _findings(lab: Lab, outcome: LabOutcome, found: LabVerdict) -> tuple[Finding, ...]:
    """Of the outcome and of every launch, each said once, with what compute-sanitizer adds."""
    own = [*found.findings, *([found.wrong_when_timed] if found.wrong_when_timed else [])]
    of_launches = [
        (case.spec.name, finding) for case in found.cases for launch in case.launches for finding in launch.findings
    ]
    sanitized = (outcome.gpu.sanitized or ()) if outcome.gpu else ()
    return merged(deduplicate([*((None, one) for one in own), *of_launches]), sanitized, lab.public.file)


def _performance(timing: Timing | None, counted: Counted | None) -> str:
    """One sentence: how fast it was, else what was counted."""
    if counted and not is_measured(timing):
        return counted.words
    return timing.words if timing else NOT_ASSESSED


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


def _held_to_its_tier(lab: Lab, case: Case, counted: Counted | None) -> Case:
    """The hidden case that is counted has failed where its sizes fall behind the size that students know."""
    spec = lab.counters
    if counted is None or not counted.missed or spec is None or case.name != spec.also:
        return case
    advice = next(one.advice for one in lab.cases if one.name == case.name)
    return case.model_copy(
        update={"role": "technique", "passed": False, "points": 0.0, "message": counted.missed, "advice": advice}
    )


def _technique_met(cases: Iterable[Case]) -> bool:
    """Whether every case that judges the technique passed: one that is met for chosen sizes alone is not met."""
    return all(case.passed for case in cases if case.role == "technique")


def _withhold(case: Case, found: LabVerdict, *, technique_met: bool) -> Case:
    """The case without points that the rest of the lab does not allow."""
    if found.before_timing.facts.earns_nothing:
        return case.model_copy(update={"points": 0.0})
    if case.role == "technique" and case.passed and not found.correct:
        message = "gives points as soon as every correctness case passes"
        return case.model_copy(update={"points": 0.0, "message": message})
    if case.role == "technique" and case.passed and not technique_met:
        message = "counts once the technique is met on every size, hidden ones too"
        return case.model_copy(update={"points": 0.0, "message": message})
    return case


def sum_points(points: Iterable[float]) -> float:
    """Adds points without the dust of binary fractions: ten times 0.1 is 1."""
    return round(sum(points), 6)
