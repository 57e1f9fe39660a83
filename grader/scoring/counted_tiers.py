"""How far a launch's counted traffic is from each tier of its lab: every bound beside the number that was counted, and the lines of the
source that make up a number that is too high. Pure. What a case's feedback policy withholds never gets in here.
"""

from __future__ import annotations

from collections.abc import Sequence

from grader.model.performance_spec import CounterSpec, CounterTier
from grader.model.result import CostLine, CountedBound, CountedTier, Launch
from grader.traffic.metric_words import per_work_words
from grader.traffic.metrics import LOAD, SECTOR_BYTES, STORE, derived, shared_names

# What counts as well, by the metric that it is added to: a counter, and how much of it is one. Local arrays that no GPU keeps in
# registers lie where global memory lies. An atomic function in shared memory is a load as well, and passes the same banks.
_BESIDE = {
    LOAD.sectors: ("local_load_bytes", SECTOR_BYTES),
    STORE.sectors: ("local_store_bytes", SECTOR_BYTES),
    shared_names("ld").wavefronts: ("shared_atomic_wavefronts", 1),
    shared_names("ld").conflicts: ("shared_atomic_conflicts", 1),
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


def next_tier(tiers: Sequence[CountedTier]) -> CountedTier | None:
    """The lowest that gives more than what was reached. None: there is none."""
    best = max((one.points for one in tiers if one.reached), default=0.0)
    return next((one for one in tiers if one.points > best), None)


def costly_lines(tier: CountedTier) -> tuple[int, ...]:
    """The lines that keep a launch from the tier, in order."""
    return tuple(sorted({line.line for bound in tier.bounds if bound.missed for line in bound.lines}))


def reaches(tier: CounterTier, launch: Launch, *, slack: float = 1) -> bool:
    return all(per_work(name, launch) <= slack * bound + _TOLERANCE for name, bound in tier.at_most.items())


def per_work(name: str, launch: Launch) -> float:
    """The number that a tier bounds: a sum divided by the units of work, or a ratio itself. A metric that was not counted is 0."""
    assert launch.traffic is not None
    value = {**launch.traffic.metrics, **derived(launch.traffic.metrics)}.get(name, 0)
    if name.endswith(".ratio"):
        return value
    return (value + _beside(name, launch)) / launch.traffic.work


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
