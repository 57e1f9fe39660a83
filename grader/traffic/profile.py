"""A profiled launch: what the tracer writes, and all metrics of it by name. Plain data; nothing here does I/O."""

from __future__ import annotations

from grader.model.result import Launch, Model, Traffic
from grader.traffic.metrics import COMPULSORY, INTENSITY, derived, l1_bytes, work_name

MULTIPLY_ADD = "multiply-add"  # the one unit of work that is arithmetic: two operations each


class ProfileReport(Model):
    """What the tracer writes of a launch whose traffic was counted."""

    shape: str  # "128x128x128"
    launch: Launch  # without traffic: it never came to its end, and says why


def metrics_of(traffic: Traffic | None) -> dict[str, float]:
    """All that is known of the launch, by name."""
    if traffic is None:
        return {}
    named: dict[str, float] = {**traffic.metrics, **derived(traffic.metrics)}
    if traffic.work_unit:
        named[work_name(traffic.work_unit)] = traffic.work
    named[COMPULSORY] = traffic.compulsory_bytes
    if traffic.work_unit == MULTIPLY_ADD and l1_bytes(traffic.metrics):
        named[INTENSITY] = 2 * traffic.work / l1_bytes(traffic.metrics)
    return dict(sorted(named.items()))
