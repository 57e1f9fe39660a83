"""Performance points from counted memory traffic, for a course without a GPU. They are the same on every machine. Pure.

A kernel earns them only if it passes every case of its lab, technique cases included. The tier follows from the launch that students
know. Hidden sizes have to keep to that tier. If they do not, their case has failed: so the points never tell more than its verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.model.labs import CounterSpec, CounterTier, Lab
from grader.model.result import Case, Launch
from grader.model.verdicts import Verdict
from grader.traffic.metrics import LOAD, SECTOR_BYTES, STORE, derived, shared_names

NOT_ASSESSED = "not assessed"
_EVERY_CASE = "memory traffic is counted as soon as every case passes"
_UNLIKE = (
    "no points for counted traffic: a launch moves less than the operation has to, or one thread does the work of more than {most}"
    " elements of the result"
)
# What counts as well, by the metric that it is added to: a counter, and how much of it is one. Local arrays that no GPU keeps in
# registers lie where global memory lies. An atomic function in shared memory is a load as well, and passes the same banks.
_BESIDE = {
    LOAD.sectors: ("local_load_bytes", SECTOR_BYTES),
    STORE.sectors: ("local_store_bytes", SECTOR_BYTES),
    shared_names("ld").wavefronts: ("shared_atomic_wavefronts", 1),
    shared_names("ld").conflicts: ("shared_atomic_conflicts", 1),
}
_UNEVEN = 1.5  # threads that compute equally much need not load equally much
_TOLERANCE = 1e-9  # a bound that is reached exactly counts as kept, whatever division rounds to


@dataclass(frozen=True)
class Counted:
    points: float
    words: str
    missed: str = ""  # why hidden sizes fall behind the size that students know; empty: they do not


def counted_performance(lab: Lab, cases: Sequence[Case], verdict: Verdict) -> Counted | None:
    """None where the lab has no counter tiers: then performance is not assessed."""
    spec = lab.private.counters if lab.private else None
    if lab.private is None or spec is None:
        return None
    if verdict is not Verdict.PASS or not all(case.passed for case in cases):
        return Counted(0, _EVERY_CASE)
    counted = next((case for case in cases if case.name == spec.case and case.launches), None)
    if counted is None or not _is_counted(counted.launches[-1]):
        return Counted(0, "memory traffic was not counted: the CPU executor could not run this kernel to its end")
    shown = counted.launches[-1]
    if _is_unlike_a_gpus(spec, shown):
        return Counted(0, _UNLIKE.format(most=spec.most_elements_of_a_thread))
    best = max((tier for tier in spec.tier if reaches(tier, shown)), key=lambda tier: tier.part, default=None)
    also = [launch for case in cases if case.name == spec.also for launch in case.launches]
    behind = next((launch for launch in also if best and not _keeps_to(spec, best, launch)), None)
    if behind or (spec.also and best and not also):
        return Counted(0, _EVERY_CASE, _behind(spec, behind))
    part = best.part if best else 0.0
    words = f"counted memory traffic, not a measured time: {_said(spec.tier, shown, counted)}. {spec.versus}"
    most = lab.private.performance_points
    if part < 1:
        words = f"{words} {_lost(spec, shown, counted, (1 - part) * most, most)} {spec.advice}"
    return Counted(round(most * part, 6), words)


def reaches(tier: CounterTier, launch: Launch, *, slack: float = 1) -> bool:
    return all(_per_work(name, launch) <= slack * bound + _TOLERANCE for name, bound in tier.at_most.items())


def _keeps_to(spec: CounterSpec, tier: CounterTier, launch: Launch) -> bool:
    return _is_counted(launch) and not _is_unlike_a_gpus(spec, launch) and reaches(tier, launch, slack=spec.slack)


def _behind(spec: CounterSpec, launch: Launch | None) -> str:
    """For the instructor: students see that the case has failed."""
    if launch is None or not _is_counted(launch):
        return "correct, but its traffic was not counted"
    if _is_unlike_a_gpus(spec, launch):
        return f"correct, but {_UNLIKE.format(most=spec.most_elements_of_a_thread)} ({launch.shape})"
    numbers = "; ".join(f"{value:.4g} {words}" for words, value in _asked(spec.tier, launch))
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


def _per_work(name: str, launch: Launch) -> float:
    """The number that a tier bounds: a sum divided by the units of work, or a ratio itself. A metric that was not counted is 0."""
    assert launch.traffic is not None
    value = {**launch.traffic.metrics, **derived(launch.traffic.metrics)}.get(name, 0)
    if name.endswith(".ratio"):
        return value
    counter, unit = _BESIDE.get(name, ("", 1))
    return (value + launch.counters.get(counter, 0) / unit) / launch.traffic.work


def _said(tiers: Sequence[CounterTier], launch: Launch, case: Case) -> str:
    """The numbers, where the student may know the launch that they were counted in."""
    if case.feedback != "full":
        return "on sizes that are not told"
    return "; ".join(f"{value:.4g} {words}" for words, value in _asked(tiers, launch))


def _lost(spec: CounterSpec, launch: Launch, case: Case, points: float, most: float) -> str:
    """Which of the highest tier's numbers were missed, and the line that did most of it. A hidden case's lines are not told."""
    highest = max(spec.tier, key=lambda tier: tier.part)
    missed = [name for name, bound in highest.at_most.items() if _per_work(name, launch) > bound + _TOLERANCE]
    told = [_WORDS.get(name, name) + (_where(name, launch) if case.feedback == "full" else "") for name in missed]
    return f"{points:.4g} of {most:.4g} points are lost to {' and '.join(told)}."


def _where(name: str, launch: Launch) -> str:
    lines = launch.traffic.lines if launch.traffic else ()
    worst = max(lines, key=lambda one: one.metrics.get(name, 0), default=None)
    return f" (most in line {worst.line:,})" if worst and worst.line and worst.metrics.get(name, 0) else ""


def _asked(tiers: Sequence[CounterTier], launch: Launch) -> list[tuple[str, float]]:
    assert launch.traffic is not None
    names = dict.fromkeys(name for tier in tiers for name in tier.at_most)
    return [(_in_words(name, launch.traffic.work_unit), _per_work(name, launch)) for name in names]


_WORDS = {
    "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio": "sectors per load request",
    "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio": "sectors per store request",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": "load requests",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": "store requests",
    "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum": "requests of atomic functions",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": "sectors loaded",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": "sectors stored",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": "wavefronts of shared loads",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum": "wavefronts of shared stores",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum": "bank conflicts of shared loads",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum": "bank conflicts of shared stores",
}


def _in_words(name: str, unit: str) -> str:
    words = _WORDS.get(name, name)
    return words if name.endswith(".ratio") else f"{words} for each {unit}"
