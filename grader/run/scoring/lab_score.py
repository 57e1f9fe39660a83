"""Turns a lab's verdict into points: pure functions of the lab's files and the outcome."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from grader.engines.occupancy import occupancy
from grader.model.labs import Lab
from grader.model.outcome import LabOutcome, Sanitized
from grader.model.result import Case, Environment, Finding, GpuKernel, LabResult, Outlook, Result, Submission
from grader.model.verdicts import Verdict
from grader.run.lab_verdict import CaseVerdict, LabVerdict, lab_verdict
from grader.run.scoring.metrics import NOT_ASSESSED, Counted, counted_performance
from grader.run.scoring.outlook import outlook
from grader.run.scoring.predicted_time import cuts_sums, facts_of
from grader.run.speed.speed_score import is_measured, measured_words, performance_points, timing_of

# Merges findings that say the same of the same place into one. Pure.


def deduplicate(seen: Iterable[tuple[str | None, Finding]]) -> tuple[Finding, ...]:
    """One finding per kind and place, errors first; each comes with its case, None for the build. The first of those merged gives the
    words; counts are added, cases listed in the order they came.
    """
    merged: dict[tuple[object, ...], Finding] = {}
    for case, finding in seen:
        cases = (*finding.cases, case) if case is not None else finding.cases
        other = (finding.other.file, finding.other.line) if finding.other else None
        words = finding.message if finding.line is None else None  # they have to tell it apart then
        key = (finding.kind, finding.label, finding.severity, finding.file, finding.line, other, words)
        known = merged.get(key)
        count = finding.count + (known.count if known else 0)
        told = tuple(dict.fromkeys((*(known.cases if known else ()), *cases)))
        merged[key] = (known or finding).model_copy(update={"count": count, "cases": told})
    order = list(Verdict)
    return tuple(sorted(merged.values(), key=lambda one: (one.severity != "error", order.index(one.kind))))


# What nvcc knows of a kernel, with the occupancy of the largest block it was launched with. Pure.
#
# Students are told, so it is about the launches of cases that show everything, and no others.

_COMPILED_AGAIN = (
    "this kernel was compiled again with `-maxrregcount={most}`, because the threads of a block needed more registers than there are."
    " To tell the compiler yourself, put `__launch_bounds__` with the block's size before the kernel's name"
)


def gpu_kernel(lab: Lab, outcome: LabOutcome) -> GpuKernel | None:
    gpu = outcome.gpu
    if gpu is None or gpu.resources is None:
        return None
    facts = asdict(gpu.resources)
    told = {spec.name for spec in lab.cases if spec.feedback == "full"}
    cases = [case for case in outcome.cases or gpu.cases if case.name in told]
    launches = [launch for case in cases for launch in case.launches if math.prod(launch.block or (0,))]
    largest = max(launches, key=lambda launch: (math.prod(launch.block or (0,)), launch.shared_bytes), default=None)
    if largest is not None:
        threads = math.prod(largest.block or (0,))
        facts |= {"block_threads": threads, "dynamic_shared_bytes": largest.shared_bytes}
        shared = gpu.resources.static_shared_bytes + largest.shared_bytes
        found = occupancy(gpu.capability, threads=threads, registers=gpu.resources.registers, shared_bytes=shared)
        if found is not None:
            facts |= {"warps": found.warps, "max_warps": found.max_warps, "limited_by": found.limited_by}
    note = "" if gpu.register_limit is None else _COMPILED_AGAIN.format(most=gpu.register_limit)
    return GpuKernel(compiler=gpu.compiler, architecture=f"sm_{gpu.capability}", note=note, **facts)


# Where a kernel that passes stands on its lab's climb, from the last counted launch that students are told everything of. Pure.


def lab_outlook(lab: Lab, cases: Sequence[Case], kernel: GpuKernel | None) -> Outlook | None:
    """None where the lab has no climb, and where nothing was counted. Students are told, so hidden launches have no part in it."""
    if lab.public.climb is None:
        return None
    told = [launch for case in cases if case.feedback == "full" for launch in case.launches]
    counted = [launch for launch in told if launch.traffic]
    facts = facts_of(counted[-1], kernel) if counted else None
    if facts is None:
        return None
    return outlook(lab.public, replace(facts, cuts_sums=any(map(cuts_sums, told))), counted[-1].shape)


# Adds compute-sanitizer's reports to our own findings. Pure.
#
# Where both agree, our finding names the tools that confirm it. What only compute-sanitizer reports becomes a note, and notes cost
# no points.


def merged(findings: Sequence[Finding], sanitized: Sequence[Sanitized], file: str) -> tuple[Finding, ...]:
    """`findings` in their order, each with the tools that confirm it; then a note for each place that only a tool reports."""
    places = ({finding.line, finding.other.line if finding.other else None} - {None} for finding in findings)
    agreeing = [  # a report without a line is taken to mean our finding
        [one for one in sanitized if one.kind is finding.kind and (not one.lines or lines.intersection(one.lines))]
        for finding, lines in zip(findings, places, strict=True)
    ]
    ours = [
        finding.model_copy(update={"confirmed_by": tuple(dict.fromkeys(one.tool for one in same))}) if same else finding
        for finding, same in zip(findings, agreeing, strict=True)
    ]
    heard = {one for same in agreeing for one in same}
    alone = {(one.tool, one.kind, one.line): one for one in reversed(sanitized) if one not in heard}
    for one in reversed(alone.values()):
        source = one.source if one.line is not None else None
        said = f"Only compute-sanitizer's {one.tool} reports this: {one.words}"
        note = Finding(kind=one.kind, severity="note", message=said, file=file, line=one.line, source=source)
        ours.append(note.model_copy(update={"confirmed_by": (one.tool,)}))
    return tuple(ours)


def score_lab(lab: Lab, outcome: LabOutcome, verdict: LabVerdict | None = None) -> LabResult:
    """`verdict`: where it is known already. Where `speed_is_assessed`, performance points follow from measured speed."""
    found = verdict or lab_verdict(lab, outcome)
    judged = [_case(lab, outcome, case) for case in found.cases]
    counted = counted_performance(lab, judged, found.before_timing)
    held = [_held_to_its_tier(lab, case, counted) for case in judged]
    technique_met = all(case.passed for case in held if case.role == "technique")  # for chosen sizes alone is not met
    cases = [_withhold(case, found, technique_met=technique_met) for case in held]
    timing = timing_of(lab, outcome, correct=found.correct and found.before_timing is Verdict.PASS)
    fast = counted.points if counted and found.verdict is Verdict.PASS else 0.0
    most = lab.private.performance_points if lab.private and counted else 0.0
    kernel = gpu_kernel(lab, outcome)
    own = [*found.findings, *([found.wrong_when_timed] if found.wrong_when_timed else [])]
    launches = ((case.spec.name, launch) for case in found.cases for launch in case.launches)
    seen = [*((None, one) for one in own), *((name, one) for name, launch in launches for one in launch.findings)]
    public = {name: getattr(lab.public, name) for name in ("title", "file", "contract", "extra_credit")}
    return LabResult(
        **public,
        verdict=found.verdict,
        points=sum_points([*(case.points for case in cases), fast]),
        max_points=sum_points([*(case.max_points for case in cases), most]),
        build=outcome.build,
        cases=tuple(cases),
        findings=merged(deduplicate(seen), (outcome.gpu.sanitized or ()) if outcome.gpu else (), lab.public.file),
        causes=outcome.causes if found.verdict is not Verdict.PASS else (),
        suspects=outcome.suspects,
        step_pages=outcome.step_pages if found.verdict is not Verdict.PASS else (),
        performance=counted.words if counted and not is_measured(timing) else timing.words if timing else NOT_ASSESSED,
        performance_points=fast,
        performance_max=most,
        counted_tiers=counted.tiers if counted and found.verdict is Verdict.PASS and not is_measured(timing) else (),
        timing=timing,
        gpu_kernel=kernel,
        outlook=lab_outlook(lab, cases, kernel) if found.verdict is Verdict.PASS else None,
        gpu_trouble=outcome.gpu.trouble if outcome.gpu else "",
        seconds=outcome.seconds,
    )


def speed_is_assessed(lab: Lab, results: Iterable[LabResult]) -> bool:
    """Whether speed counts in a batch: every kernel of it that could be timed was. Else nobody gains or loses by it."""
    if lab.public.performance is None or lab.private is None or not lab.private.tier:
        return False
    correct = (one for one in results if all(case.passed for case in one.cases if case.role == "correctness"))
    timings = [one.timing for one in correct if one.verdict is Verdict.PASS]
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


# A case's advice is about what it computes; here the finding has one of its own.
_OF_ORDER = frozenset({Verdict.RACE, Verdict.BARRIER_DIVERGENCE})


def _case(lab: Lab, outcome: LabOutcome, case: CaseVerdict) -> Case:
    """With the points that the case earns on its own."""
    spec, found = case.spec, case.agreed
    return Case(
        name=spec.name,
        visibility="public" if spec in lab.public.case else "hidden",
        feedback=spec.feedback,
        role=spec.role,
        points=spec.points if found.passed else 0,
        max_points=spec.points,
        advice="" if found.passed or outcome.verdict is not None or found.verdict in _OF_ORDER else spec.advice,
        launches=case.launches,
        **vars(found),
    )


def _held_to_its_tier(lab: Lab, case: Case, counted: Counted | None) -> Case:
    """The hidden case that is counted has failed where its sizes fall behind the size that students know."""
    spec = lab.counters
    if counted is None or not counted.missed or spec is None or case.name != spec.also:
        return case
    advice = next(one.advice for one in lab.cases if one.name == case.name)
    told = {"message": counted.missed, "advice": advice}
    return case.model_copy(update={"role": "technique", "passed": False, "points": 0.0, **told})


def _withhold(case: Case, found: LabVerdict, *, technique_met: bool) -> Case:
    """The case without points that the rest of the lab does not allow."""
    if found.before_timing.facts.earns_nothing:
        return case.model_copy(update={"points": 0.0})
    if case.role != "technique" or not case.passed or (found.correct and technique_met):
        return case
    met = "counts once the technique is met on every size, hidden ones too"
    message = met if found.correct else "gives points as soon as every correctness case passes"
    return case.model_copy(update={"points": 0.0, "message": message})


def sum_points(points: Iterable[float]) -> float:
    """Adds points without the dust of binary fractions: ten times 0.1 is 1."""
    return round(sum(points), 6)


# Scores a whole class: every lab of every student once, with the labs' files as they are now. Pure.


@dataclass(frozen=True)
class JudgedStudent:
    """A student's outcomes, by the lab's id."""

    submission: Submission
    outcomes: Mapping[str, LabOutcome]


def decide_class(students: Sequence[JudgedStudent], labs: Sequence[Lab]) -> dict[str, list[LabVerdict]]:
    """By lab, the verdict of each student. Each of them has an outcome for every one of `labs`."""
    return {lab.id: [lab_verdict(lab, student.outcomes[lab.id]) for student in students] for lab in labs}


def score_class(
    students: Sequence[JudgedStudent],
    labs: Sequence[Lab],
    environment: Environment,
    verdicts: Mapping[str, Sequence[LabVerdict]],
) -> list[Result]:
    """A result for each student. `verdicts`: from `decide_class`."""
    scored: dict[str, list[LabResult]] = {}
    for lab in labs:
        outcomes = [student.outcomes[lab.id] for student in students]
        results = [score_lab(lab, outcome, found) for outcome, found in zip(outcomes, verdicts[lab.id], strict=True)]
        is_timed = speed_is_assessed(lab, results)
        scored[lab.id] = [with_measured_speed(lab, one) for one in results] if is_timed else results
    found = []
    for number, student in enumerate(students):
        of_student = {lab.id: scored[lab.id][number] for lab in labs}
        points, most = total(of_student)
        found.append(
            Result(submission=student.submission, environment=environment, labs=of_student, total=points, max=most)
        )
    return found


def total(labs: Mapping[str, LabResult]) -> tuple[float, float]:
    """Points and maximum over all labs; extra credit counts into the points alone."""
    points = sum_points(lab.points for lab in labs.values())
    return points, sum_points(lab.max_points for lab in labs.values() if not lab.extra_credit)
