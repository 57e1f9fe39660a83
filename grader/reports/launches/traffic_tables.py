"""A launch's memory traffic as headings, sentences and tables, for a terminal. Pure.

Costs are passes of a multiprocessor's load/store unit. A request of global memory takes one pass for every 128 bytes, and at least
one. A shared access takes one pass for every wavefront. Source text comes from a submission, so it goes through `visible`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.model.result import Launch, LineTraffic, Traffic
from grader.reports.launches.trace_tables import Heading, Part, Sentence, Table
from grader.reports.text import visible
from grader.traffic.metrics import (
    INTENSITY,
    OPERATIONS,
    Counts,
    GlobalNames,
    Operation,
    SharedNames,
    global_names,
    l1_bytes,
    passes,
    shared_names,
)
from grader.traffic.profile import metrics_of
from grader.traffic.remarks import remarks

KINDS: dict[Operation, str] = {"ld": "load", "st": "store", "atom": "atomic"}
_SOURCE = 48  # the most characters of a source line
SOURCE_LEVEL = (
    "Counted at source level: this is what the statements ask for. An optimising compiler may merge neighbouring accesses "
    "into one wider access."
)


def traffic_parts(lab_id: str, launch: Launch) -> Iterator[Part]:
    text = f"{launch.shape}."
    if launch.grid and launch.block:
        grid, block = (" x ".join(map(str, extent)) for extent in (launch.grid, launch.block))
        text += f" {grid} blocks of {block} threads, in x, y and z."
    yield Heading(f"Memory traffic of {lab_id}")
    yield Sentence(text)
    if launch.traffic is None:
        yield Sentence("Nothing was counted: the launch did not end.")
        return
    if not launch.traffic.complete:
        yield Sentence(
            "The counts are incomplete: the launch stopped early, or a warp did more between two barriers than can be counted."
        )
    counts = launch.traffic.metrics
    yield from _totals(counts)
    yield Sentence(_work(launch.traffic))
    yield Heading("What each line costs")
    yield _by_line(launch.traffic.lines, passes(counts))
    for remark in remarks(launch.traffic.lines):
        yield Sentence(remark)
    yield Sentence(SOURCE_LEVEL)


def _totals(counts: Counts) -> Iterator[Part]:
    rows = [
        (f"global {kind}s", f"{counts[names.requests]:,}", *_sectors(counts, names), "")
        for kind, names in ((KINDS[one], global_names(one)) for one in OPERATIONS)
        if counts.get(names.requests)
    ]
    rows += [
        (f"shared {kind}s", f"{counts[names.instructions]:,}", "", "", _wavefronts(counts, names))
        for kind, names in ((KINDS[one], shared_names(one)) for one in OPERATIONS)
        if counts.get(names.instructions)
    ]
    yield Table(
        ("", "requests of warps", "32-byte sectors", "sectors per request", "wavefronts (conflicts)"),
        tuple(rows),
        frozenset({1, 2, 3, 4}),
    )


def _sectors(counts: Counts, names: GlobalNames) -> tuple[str, str]:
    """All, and of one request. The executor counts none for an atomic."""
    if names.sectors not in counts:
        return "", ""
    return f"{counts[names.sectors]:,}", f"{counts[names.sectors] / counts[names.requests]:.2f}"


def _wavefronts(counts: Counts, names: SharedNames) -> str:
    if names.wavefronts not in counts:
        return ""
    return f"{counts[names.wavefronts]:,} ({counts[names.conflicts]:,})"


def _work(traffic: Traffic) -> str:
    counts = traffic.metrics
    text = (
        f"{l1_bytes(counts):,} bytes of global memory pass through L1. Reading each input once and writing each output once "
        f"would be {traffic.compulsory_bytes:,} bytes."
    )
    if not traffic.work:
        return text
    loads = counts[global_names("ld").sectors] / traffic.work
    text += f" The work is {traffic.work:,} {traffic.work_unit}s; the kernel loads {loads:.4g} sectors for each"
    intensity = metrics_of(traffic).get(INTENSITY)
    return f"{text}, which is {intensity:.3g} FLOP per byte." if intensity is not None else f"{text}."


def _by_line(lines: Sequence[LineTraffic], total: int) -> Table:
    rows = []
    for line in sorted(lines, key=lambda one: (-passes(one.metrics), one.line or 0)):
        cost = passes(line.metrics)
        rows.append(
            (
                str(line.line),
                _shortened(line.source or ""),
                "; ".join(_asked(line.metrics)),
                f"{cost:,}",
                f"{100 * cost / total:.1f} %" if total else "",
            )
        )
    return Table(("line", "", "asks for", "passes", "share"), tuple(rows), frozenset({0, 3, 4}))


def _shortened(source: str) -> str:
    text = visible.code(source.strip())
    return text if len(text) <= _SOURCE else text[: _SOURCE - 1] + "…"


def _asked(counts: Counts) -> Iterator[str]:
    for operation in OPERATIONS:
        names = global_names(operation)
        if requests := counts.get(names.requests, 0):
            of = f" of {counts[names.sectors] / requests:.2f} sectors" if names.sectors in counts else ""
            yield f"{requests:,} global {KINDS[operation]}s{of}"
    for operation in OPERATIONS:
        shared = shared_names(operation)
        if instructions := counts.get(shared.instructions, 0):
            ways = counts.get(shared.wavefronts, 0) / instructions
            of = f" of {ways:.2f} wavefronts" if counts.get(shared.conflicts) else ""
            yield f"{instructions:,} shared {KINDS[operation]}s{of}"
