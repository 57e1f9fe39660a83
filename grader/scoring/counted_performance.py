"""Performance points from counted memory traffic, for a course without a GPU. They are the same on every machine. Pure.

A kernel earns them only if it passes every case of its lab, technique cases included.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.model.labs import CounterTier, Lab
from grader.model.result import Case, Traffic
from grader.model.verdicts import Verdict
from grader.traffic.metrics import derived

NOT_ASSESSED = "not assessed"
_TOLERANCE = 1e-9  # a bound that is reached exactly counts as kept, whatever division rounds to


@dataclass(frozen=True)
class Counted:
    points: float
    words: str


def counted_performance(lab: Lab, cases: Sequence[Case], verdict: Verdict) -> Counted | None:
    """None where the lab has no counter tiers: then performance is not assessed."""
    spec = lab.private.counters if lab.private else None
    if lab.private is None or spec is None:
        return None
    if verdict is not Verdict.PASS or not all(case.passed for case in cases):
        return Counted(0, "memory traffic is counted as soon as every case passes")
    counted = next((case for case in cases if case.name == spec.case and case.launches), None)
    traffic = counted.launches[-1].traffic if counted else None
    if traffic is None or not traffic.complete or not traffic.work:
        return Counted(0, "memory traffic was not counted: the CPU executor could not run this kernel to its end")
    part = max((tier.part for tier in spec.tier if reaches(tier, traffic)), default=0.0)
    words = f"counted memory traffic, not a measured time: {_said(spec.tier, traffic, counted)}. {spec.versus}"
    return Counted(round(lab.private.performance_points * part, 6), words if part == 1 else f"{words} {spec.advice}")


def reaches(tier: CounterTier, traffic: Traffic) -> bool:
    return all(_per_work(name, traffic) <= bound + _TOLERANCE for name, bound in tier.at_most.items())


def _per_work(name: str, traffic: Traffic) -> float:
    """The number that a tier bounds: a sum divided by the units of work, or a ratio itself. A metric that was not counted is 0."""
    value = {**traffic.metrics, **derived(traffic.metrics)}.get(name, 0)
    return value if name.endswith(".ratio") else value / traffic.work


def _said(tiers: Sequence[CounterTier], traffic: Traffic, case: Case | None) -> str:
    """The numbers, where the student may know the launch that they were counted in."""
    if case is None or case.feedback != "full":
        return "on sizes that are not told"
    return "; ".join(f"{value:.4g} {words}" for words, value in _asked(tiers, traffic))


def _asked(tiers: Sequence[CounterTier], traffic: Traffic) -> list[tuple[str, float]]:
    names = dict.fromkeys(name for tier in tiers for name in tier.at_most)
    return [(_in_words(name, traffic.work_unit), _per_work(name, traffic)) for name in names]


_WORDS = {
    "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio": "sectors per load request",
    "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio": "sectors per store request",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": "load requests",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": "store requests",
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
