"""A profiled launch: what the tracer writes, and all its metrics by name. Plain data, no input or output."""

from __future__ import annotations

from grader.model.result import Launch, Model, Traffic
from grader.traffic.metrics import COMPULSORY, INTENSITY, derived, l1_bytes, work_name

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
