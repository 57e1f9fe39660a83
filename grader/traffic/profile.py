"""A launch's traffic, as the tracer writes it down, and as `tilelab profile` answers. Plain data; nothing here does I/O."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field

from grader.result import Launch, Model
from grader.traffic.metrics import COMPULSORY, INTENSITY, derived, l1_bytes, work_name

MULTIPLY_ADD = "multiply-add"  # the one unit of work that is arithmetic: two operations each


class LineTraffic(Model):
    file: str
    line: int
    metrics: dict[str, int]


class Traffic(Model):
    metrics: dict[str, int]
    lines: tuple[LineTraffic, ...]
    complete: bool  # False: more happened than was counted


class TrafficReport(Model):
    """What the tracer writes of a launch whose traffic was counted."""

    shape: str  # "128x128x128"
    work_unit: str
    work: int = Field(ge=0)  # of those units, however a kernel goes about it
    compulsory_bytes: int = Field(ge=0)  # each input read once, each output written once
    launch: Launch
    traffic: Traffic | None = None  # None: the launch never came to its end, and `launch` says why


@dataclass(frozen=True)
class CostlyLine:
    """A line of the submission that accesses memory."""

    number: int
    source: str
    counts: dict[str, int]


def own_lines(traffic: Traffic, file: str, lines: Sequence[str]) -> tuple[CostlyLine, ...]:
    """Those of the submission's own file, whose text is taken from itself."""
    return tuple(
        CostlyLine(one.line, lines[one.line - 1], one.metrics)
        for one in traffic.lines
        if one.file == file and 0 < one.line <= len(lines)
    )


def metrics_of(report: TrafficReport) -> dict[str, float]:
    """All that is known of the launch, by name."""
    if report.traffic is None:
        return {}
    counts = report.traffic.metrics
    named: dict[str, float] = {**counts, **derived(counts)}
    if report.work_unit:
        named[work_name(report.work_unit)] = report.work
    named[COMPULSORY] = report.compulsory_bytes
    if report.work_unit == MULTIPLY_ADD and l1_bytes(counts):
        named[INTENSITY] = 2 * report.work / l1_bytes(counts)
    return dict(sorted(named.items()))
