"""Performance points from counted memory traffic, for a course without a GPU. They are the same on every machine. Pure.

A kernel earns them only if it passes every case of its lab, technique cases included. The tier follows from the launch that students
know. Hidden sizes have to keep to that tier. If they do not, their case has failed: so the points never tell more than its verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.model.labs import CounterSpec, CounterTier, Lab
from grader.model.result import Case, CostLine, CountedBound, CountedTier, Launch
from grader.model.verdicts import Verdict
from grader.run.scoring.metrics import LOAD, SECTOR_BYTES, STORE, derived, per_work_words
from grader.run.speed.speed_score import of_full_marks

# How far a launch's counted traffic is from each tier of its lab: every bound beside the number that was counted, and the lines of the
# source that make up a number that is too high. Pure. What a case's feedback policy withholds never gets in here.

# What counts as well, by the metric that it is added to: a counter, and how much of it is one. Local arrays that no GPU keeps in
# registers lie where global memory lies. An atomic function in shared memory is a load as well, and passes the same banks.
_BESIDE = {
    LOAD.sectors: ("local_load_bytes", SECTOR_BYTES),
    STORE.sectors: ("local_store_bytes", SECTOR_BYTES),
    LOAD.wavefronts: ("shared_atomic_wavefronts", 1),
    LOAD.conflicts: ("shared_atomic_conflicts", 1),
}
_TOLERANCE = 1e-9  # a bound that is reached exactly counts as kept, whatever division rounds to
_MOST_LINES = 3
_LEAST_SHARE = 0.2  # of a number: a line with less is not named


def counted_tiers(spec: CounterSpec, launch: Launch, most: float, *, told: bool) -> tuple[CountedTier, ...]:
    """By rising points, of which `most` are full marks. `told`: whether the student may know the launch."""
    return tuple(
        CountedTier(
            points=round(most * tier.part, 6),
            reached=reaches(tier, launch),
            bounds=tuple(_bound(name, bound, launch, told=told) for name, bound in tier.at_most.items()),
        )
        for tier in sorted(spec.tier, key=lambda one: one.part)
    )


def reaches(tier: CounterTier, launch: Launch, *, slack: float = 1) -> bool:
    return all(per_work(name, launch) <= slack * bound + _TOLERANCE for name, bound in tier.at_most.items())


def per_work(name: str, launch: Launch) -> float:
    """The number that a tier bounds: a sum divided by the units of work, or a ratio itself. A metric that was not counted is 0."""
    assert launch.traffic is not None
    value = {**launch.traffic.metrics, **derived(launch.traffic.metrics)}.get(name, 0)
    return value if name.endswith(".ratio") else (value + _beside(name, launch)) / launch.traffic.work


def _beside(name: str, launch: Launch) -> float:
    counter, unit = _BESIDE.get(name, ("", 1))
    return launch.counters.get(counter, 0) / unit


def _bound(name: str, bound: float, launch: Launch, *, told: bool) -> CountedBound:
    assert launch.traffic is not None
    found = per_work(name, launch)
    missed = found > bound + _TOLERANCE
    return CountedBound(
        metric=name,
        words=per_work_words(name, launch.traffic.work_unit),
        at_most=bound,
        found=found if told else None,
        missed=missed,
        lines=_lines(name, bound, launch) if told and missed else (),
    )


def _lines(name: str, bound: float, launch: Launch) -> tuple[CostLine, ...]:
    """The lines with the most of a number, or whose own ratio is above the bound."""
    assert launch.traffic is not None
    counted = [(one.line, {**one.metrics, **derived(one.metrics)}.get(name, 0)) for one in launch.traffic.lines]
    if name.endswith(".ratio"):
        all_of_it, counted = 0.0, [(line, value) for line, value in counted if value > bound]
    else:
        all_of_it = launch.traffic.metrics.get(name, 0) + _beside(name, launch)
        counted = [(line, value) for line, value in counted if all_of_it and value >= _LEAST_SHARE * all_of_it]
    most = sorted(counted, key=lambda one: (-one[1], one[0] or 0))[:_MOST_LINES]
    return tuple(CostLine(line=line, share=value / all_of_it if all_of_it else None) for line, value in most if line)


NOT_ASSESSED = "not assessed"
_EVERY_CASE = "memory traffic is counted as soon as every case passes"
_UNLIKE = (
    "no points for counted traffic: a launch moves less than the operation has to, or one thread does the work of more than {most}"
    " elements of the result"
)
_NOT_YET = "Hidden sizes have to keep to these numbers too, and if a GPU measures your kernel, its time counts instead."
_NOT_COUNTED = "correct, but its traffic was not counted"
_UNEVEN = 1.5  # threads that compute equally much need not load equally much


@dataclass(frozen=True)
class Counted:
    points: float
    words: str
    missed: str = ""  # why hidden sizes fall behind the size that students know; empty: they do not
    tiers: tuple[CountedTier, ...] = ()  # how far each is; none where no number decided


def counted_performance(lab: Lab, cases: Sequence[Case], verdict: Verdict) -> Counted | None:
    """None where the lab has no counter tiers: then performance is not assessed. Without the lab's private half, no points."""
    spec = lab.counters
    if spec is None or (lab.private is None and spec.case not in {case.name for case in cases}):
        return None
    counted = _counted_case(spec, cases, verdict)
    if isinstance(counted, str):
        return Counted(0, counted)
    if lab.private is None:
        return _of_the_known_size(lab, spec, counted)
    shown = counted.launches[-1]
    best = max((tier for tier in spec.tier if reaches(tier, shown)), key=lambda tier: tier.part, default=None)
    also = [launch for case in cases if case.name == spec.also for launch in case.launches]
    if best and spec.also:
        behind = next(filter(None, (_behind(spec, best, launch) for launch in also)), "" if also else _NOT_COUNTED)
        if behind:
            return Counted(0, _EVERY_CASE, behind)
    most = lab.private.performance_points
    tiers = counted_tiers(spec, shown, most, told=counted.feedback == "full")
    points = round(most * best.part, 6) if best else 0.0
    return Counted(points, _words(spec, tiers, points, most), tiers=tiers)


def _counted_case(spec: CounterSpec, cases: Sequence[Case], verdict: Verdict) -> Case | str:
    """The case whose last launch is counted, or why nothing is."""
    if verdict is not Verdict.PASS or not all(case.passed for case in cases):
        return _EVERY_CASE
    counted = next((case for case in cases if case.name == spec.case and case.launches), None)
    if counted is None or not _is_counted(counted.launches[-1]):
        return "memory traffic was not counted: the CPU executor could not run this kernel to its end"
    if _is_unlike_a_gpus(spec, counted.launches[-1]):
        return _UNLIKE.format(most=spec.most_elements_of_a_thread)
    return counted


def _of_the_known_size(lab: Lab, spec: CounterSpec, counted: Case) -> Counted:
    """What a student's own test can tell. It gives no points: they depend on hidden sizes as well."""
    most = lab.public.speed_points
    tiers = counted_tiers(spec, counted.launches[-1], most, told=True)
    points = max((tier.points for tier in tiers if tier.reached), default=0.0)
    return Counted(0, f"{_words(spec, tiers, points, most)} {_NOT_YET}", tiers=tiers if most else ())


def _behind(spec: CounterSpec, tier: CounterTier, launch: Launch) -> str:
    """Why it does not keep to the tier, for the instructor: students see that the case has failed. Empty: it does."""
    if not _is_counted(launch):
        return _NOT_COUNTED
    if _is_unlike_a_gpus(spec, launch):
        return f"correct, but {_UNLIKE.format(most=spec.most_elements_of_a_thread)} ({launch.shape})"
    if reaches(tier, launch, slack=spec.slack):
        return ""
    assert launch.traffic is not None
    unit, names = launch.traffic.work_unit, dict.fromkeys(name for one in spec.tier for name in one.at_most)
    numbers = "; ".join(f"{per_work(name, launch):.4g} {per_work_words(name, unit)}" for name in names)
    return f"correct, but it asks more of memory than on the size that students know: {numbers} ({launch.shape})"


def _is_unlike_a_gpus(spec: CounterSpec, launch: Launch) -> bool:
    """Whether its counts say nothing of how fast it would be."""
    assert launch.traffic is not None
    moved = launch.counters.get("global_load_bytes", 0) + launch.counters.get("global_store_bytes", 0)
    most = spec.most_elements_of_a_thread
    stored = launch.counters.get("most_elements_of_a_thread", 0)
    # Whoever stores them: the busiest thread's loads and stores, held against those of an element on average.
    busiest = launch.counters.get("most_words_of_a_thread", 0) * launch.counters.get("output_elements", 0)
    does_most = busiest > _UNEVEN * most * launch.counters.get("words_of_all_threads", 0)
    return moved < launch.traffic.compulsory_bytes or stored > most or does_most


def _is_counted(launch: Launch) -> bool:
    return launch.traffic is not None and launch.traffic.complete and launch.traffic.work > 0


def _words(spec: CounterSpec, tiers: Sequence[CountedTier], points: float, most: float) -> str:
    """What was reached, what the next tier asks for, and the lines that keep the kernel from it."""
    said = f"counted memory traffic, not a measured time: {of_full_marks(points, most)}"
    further = next((one for one in tiers if one.points > points), None)
    if further is None:
        return f"{said}. No more are given for counted traffic. {spec.versus}"
    if lines := sorted({line.line for bound in further.bounds if bound.missed for line in bound.lines}):
        rest = "the rest" if further is tiers[-1] and points < most else f"the next {further.points - points:g}"
        said += f", {_named(lines)} {rest}"
    missed = " and ".join(_asked_for(bound) for bound in further.bounds if bound.missed)
    return f"{said}. {further.points:g} points ask for {missed}. {spec.versus} {spec.advice}"


def _named(lines: Sequence[int]) -> str:
    told = [f"{line:,}" for line in lines]
    return f"line {told[0]} costs" if len(told) == 1 else f"lines {', '.join(told[:-1])} and {told[-1]} cost"


def _asked_for(bound: CountedBound) -> str:
    has = f", and this kernel has {bound.found:.4g}" if bound.found is not None else ""
    shares = "; ".join(
        f"line {one.line:,}: {100 * one.share:.0f} % of them" for one in bound.lines if one.share is not None
    )
    return f"at most {bound.at_most:.4g} {bound.words}{has}{f' ({shares})' if shares else ''}"
