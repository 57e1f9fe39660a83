"""Counted memory traffic: Nsight Compute's names for what the executor counts, metrics that are computed from the counts, what they mean,
and performance points by them. Pure.

The names are those of Nsight Compute's metrics reference. Names of our own begin with `tilelab__`: the problem's work, and its ratio
to the bytes moved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.model.labs import CounterSpec, CounterTier, Lab
from grader.model.result import Case, CostLine, CountedBound, CountedTier, Launch, LineTraffic, Model, Traffic
from grader.model.verdicts import Verdict
from grader.run.speed.speed_score import of_full_marks

SECTOR_BYTES = 32
SECTORS_PER_PASS = 4  # 128 bytes, a line of L1: the most that one pass of a multiprocessor's load/store unit moves
Counts = Mapping[str, int]


@dataclass(frozen=True)
class MetricNames:
    """What is counted of one kind of access: in global memory, and then in shared memory."""

    kind: str
    requests: str
    sectors: str
    bytes_: str
    per_request: str
    instructions: str
    wavefronts: str
    conflicts: str


def _named(kind: str, operation: str) -> MetricNames:
    end = f"pipe_lsu_mem_global_op_{operation}"
    return MetricNames(
        kind,
        f"l1tex__t_requests_{end}.sum",
        f"l1tex__t_sectors_{end}.sum",
        f"l1tex__t_bytes_{end}.sum",
        f"l1tex__average_t_sectors_per_request_{end}.ratio",
        f"smsp__inst_executed_op_shared_{operation}.sum",
        f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{operation}.sum",
        f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{operation}.sum",
    )


METRICS = LOAD, STORE, ATOMIC = _named("load", "ld"), _named("store", "st"), _named("atomic", "atom")
INTENSITY = "tilelab__flop_per_l1_byte.ratio"
COMPULSORY = "tilelab__compulsory_bytes.sum"


def work_name(unit: str) -> str:
    """The metric's name for a unit of work: tilelab__multiply_adds.sum for "multiply-add"."""
    return f"tilelab__{unit.replace('-', '_').replace(' ', '_')}s.sum"


def derived(counts: Counts) -> dict[str, float]:
    """Bytes, and sectors per request where there are requests."""
    found: dict[str, float] = {}
    for names in METRICS:
        if names.sectors not in counts:
            continue
        found[names.bytes_] = SECTOR_BYTES * counts[names.sectors]
        if counts.get(names.requests, 0):
            found[names.per_request] = counts[names.sectors] / counts[names.requests]
    return found


def l1_bytes(counts: Counts) -> int:
    """The bytes of global memory that pass L1, in whole sectors."""
    return SECTOR_BYTES * sum(counts.get(names.sectors, 0) for names in METRICS)


def global_passes(counts: Counts) -> int:
    """The fewest passes of the load/store unit for the global accesses: at least one for each request, and for each 128 bytes."""
    passes = 0
    for names in METRICS:
        requests, sectors = counts.get(names.requests, 0), counts.get(names.sectors, 0)
        passes += max(requests, -(-sectors // SECTORS_PER_PASS))
    return passes


def passes(counts: Counts) -> int:
    """With the wavefronts of shared memory: the same unit serves one of them in a pass."""
    return global_passes(counts) + sum(counts.get(names.wavefronts, 0) for names in METRICS)


# What counted numbers are called in reports and write-ups, and what they mean. Pure. The keys are Nsight Compute's names.

_WORDS = {
    LOAD.per_request: "sectors per load request",
    STORE.per_request: "sectors per store request",
    LOAD.requests: "load requests",
    STORE.requests: "store requests",
    ATOMIC.requests: "requests of atomic functions",
    LOAD.sectors: "sectors loaded",
    STORE.sectors: "sectors stored",
    LOAD.wavefronts: "wavefronts of shared loads",
    STORE.wavefronts: "wavefronts of shared stores",
    LOAD.conflicts: "bank conflicts of shared loads",
    STORE.conflicts: "bank conflicts of shared stores",
}
# In the order in which a page explains them. Each begins with the word that it explains.
_MEANINGS = {
    "sectors": "A sector is 32 bytes of global memory. A GPU loads and stores whole sectors.",
    "requests": "A request is one access by the threads of a warp together.",
    "wavefronts": "A wavefront is one pass through shared memory, in which a warp reaches each of the 32 banks once.",
    "bank conflicts": "A bank conflict is a further pass, because threads of a warp want different words of the same bank.",
}


def metric_words(name: str) -> str:
    """`sectors loaded`; a name that has no words is its own."""
    return _WORDS.get(name, name)


def per_work_words(name: str, unit: str) -> str:
    """`sectors loaded for each multiply-add`; a ratio is for no unit of work."""
    words = metric_words(name)
    return words if name.endswith(".ratio") else f"{words} for each {unit}"


def meanings(names: list[str]) -> list[str]:
    """A sentence for each thing that these metrics count."""
    said = " ".join(metric_words(name) for name in names)
    return [meaning for word, meaning in _MEANINGS.items() if word in said]


# Says what to look at in a kernel's memory traffic, line by line, in the words of the labs and without a solution. Pure.

# With more sectors per request, the elements of a warp do not lie side by side. Floats side by side take 4 or 5 sectors.
_SCATTERED = 1.5 * SECTORS_PER_PASS
_LEAST_SHARE = 0.05  # of all passes; a line with less gets no remark
_CONFLICTS = 1.25  # wavefronts with conflicts by wavefronts without; above that, a remark is made


def remarks(lines: Sequence[LineTraffic], *, of_conflicts_alone: bool = False) -> Iterator[str]:
    total = sum(passes(line.metrics) for line in lines)
    for line in lines:
        if passes(line.metrics) < _LEAST_SHARE * total:
            continue
        for names in () if of_conflicts_alone else METRICS:
            requests, sectors = line.metrics.get(names.requests, 0), line.metrics.get(names.sectors, 0)
            if requests and sectors / requests > _SCATTERED:
                yield (
                    f"Line {line.line}: one request of a warp touches {sectors / requests:.3g} sectors of 32 bytes; 32 neighbouring "
                    "floats need only 4. Which index does threadIdx.x change, and how far apart in memory are the elements of two "
                    "neighbouring threads?"
                )
        for names in METRICS:
            wavefronts, conflicts = line.metrics.get(names.wavefronts, 0), line.metrics.get(names.conflicts, 0)
            if conflicts and wavefronts > _CONFLICTS * (wavefronts - conflicts):
                yield (
                    f"Line {line.line}: because of bank conflicts, {wavefronts - conflicts:,} wavefronts become {wavefronts:,}. In "
                    "which of the 32 banks are the elements that a warp uses here?"
                )


# A profiled launch: what the tracer writes, and all its metrics by name. Plain data, no input or output.

MULTIPLY_ADD = "multiply-add"  # the only unit of work that is arithmetic; each has two operations


class ProfileReport(Model):
    """What the tracer writes about a launch whose traffic was counted."""

    shape: str  # "128x128x128"
    takes_any_shape: bool = True  # False: only the shapes of the lab's public tests
    launch: Launch  # without traffic: it did not reach its end, and says why


def metrics_of(traffic: Traffic | None) -> dict[str, float]:
    """All known metrics of the launch, by name."""
    if traffic is None:
        return {}
    named: dict[str, float] = {**traffic.metrics, **derived(traffic.metrics)}
    if traffic.work_unit:
        named[work_name(traffic.work_unit)] = traffic.work
    named[COMPULSORY] = traffic.compulsory_bytes
    if traffic.work_unit == MULTIPLY_ADD and l1_bytes(traffic.metrics):
        named[INTENSITY] = 2 * traffic.work / l1_bytes(traffic.metrics)
    return dict(sorted(named.items()))


# Performance points from counted memory traffic, for a course without a GPU. They are the same on every machine.
#
# A kernel earns them only if it passes every case of its lab, technique cases included. The tier follows from the launch that students
# know. Hidden sizes have to keep to that tier. If they do not, their case has failed: so the points never tell more than its verdict. What
# a case's feedback policy withholds never gets in here.

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
_LEAST_NAMED = 0.2  # of a number: a line with less is not named


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
        counted = [(line, value) for line, value in counted if all_of_it and value >= _LEAST_NAMED * all_of_it]
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
        *others, last = (f"{line:,}" for line in lines)
        said += f", lines {', '.join(others)} and {last} cost {rest}" if others else f", line {last} costs {rest}"
    missed = " and ".join(_asked_for(bound) for bound in further.bounds if bound.missed)
    return f"{said}. {further.points:g} points ask for {missed}. {spec.versus} {spec.advice}"


def _asked_for(bound: CountedBound) -> str:
    has = f", and this kernel has {bound.found:.4g}" if bound.found is not None else ""
    shares = "; ".join(
        f"line {one.line:,}: {100 * one.share:.0f} % of them" for one in bound.lines if one.share is not None
    )
    return f"at most {bound.at_most:.4g} {bound.words}{has}{f' ({shares})' if shares else ''}"
