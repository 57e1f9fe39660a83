"""Which two inputs are multiplied, where the tracer does not say it: a lab's judge knows no more than inputs and what is right. Pure."""

from __future__ import annotations

import math

from grader.model.result import Mismatch
from grader.single_launch.trace_steps import TracedInput, TraceReport

_NEAR = 1e-4  # relative to the sum of the products' sizes


def factors_of(report: TraceReport) -> tuple[str, ...]:
    """Two inputs whose product of matrices gives what is expected of each wrong element that is told; empty: there are none."""
    wrong = report.launch.mismatch
    if report.factors or wrong is None or len(report.inputs) != 2:  # noqa: PLR2004 -- factors
        return report.factors
    one, other = report.inputs
    expected = [element for element in wrong.first if element.expected is not None]
    if not expected or not _fit(one, other, wrong):
        return ()
    for element in expected:
        products = [
            one.values[element.row * one.columns + k] * other.values[k * other.columns + element.column]
            for k in range(one.columns)
        ]
        if abs(math.fsum(products) - (element.expected or 0.0)) > _NEAR * math.fsum(map(abs, products)):
            return ()
    return one.name, other.name


def _fit(one: TracedInput, other: TracedInput, wrong: Mismatch) -> bool:
    return (
        one.columns > 0
        and len(one.values) == wrong.rows * one.columns
        and other.columns == wrong.columns
        and len(other.values) == one.columns * other.columns
    )
