"""Nsight Compute's names for what the executor counts, and metrics that are computed from the counts. Pure.

The names are those of Nsight Compute's metrics reference. Names of our own begin with `tilelab__`: the problem's work, and its ratio
to the bytes moved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.model.result import Launch, LineTraffic, Model, Traffic

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
