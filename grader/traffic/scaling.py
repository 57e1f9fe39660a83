"""Counts of a large shape from those of small ones, where they scale exactly; else nothing. Pure.

With every side of a problem of d sizes multiplied by s, what happens in its inner loop grows with s^d and what happens for each
element with s^(d-1). Two counted shapes give both parts of every counter; a third one has to agree to the last count.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from grader.model.result import Traffic

_NEEDED = 3
_LARGE, _COUNTED = 4096, 192  # the longest side that is modelled, and that is counted for it


def shapes_to_count(shape: str) -> dict[int, str] | None:
    """Three shapes by their scale, `shape` among them; None where there are none small enough."""
    sides = [int(side) for side in shape.split("x")]
    longest = max(sides)
    if 3 * longest <= _COUNTED:
        return {s: "x".join(str(s * side) for side in sides) for s in (1, 2, 3)}
    if longest <= _COUNTED and all(side % 4 == 0 for side in sides):
        return {s: "x".join(str(s * side // 4) for side in sides) for s in (1, 2, 4)}
    return None


def large_scale(shape: str) -> tuple[int, str]:
    """How often the shape `shape` fits into one that fills a GPU, and that shape."""
    sides = [int(side) for side in shape.split("x")]
    factor = max(1, _LARGE // max(sides))
    return factor, "x".join(str(factor * side) for side in sides)


def extrapolated(counted: Mapping[int, Traffic], sizes: int, factor: int) -> Traffic | None:
    """The traffic at `factor` times a base shape of `sizes` sides, from that at three other multiples of it.

    None where any counter does not follow the rule: a shape that tiles stick out of, a kernel that branches on sizes.
    """
    if len(counted) != _NEEDED or not all(one.complete for one in counted.values()):
        return None
    first, second, _ = sorted(counted)
    names = {name for one in counted.values() for name in one.metrics}
    metrics: dict[str, int] = {}
    for name in names:
        values = {scale: one.metrics.get(name, 0) for scale, one in counted.items()}
        rule = _rule(first, values[first], second, values[second], sizes)
        if any(_at(rule, scale, sizes) != value for scale, value in values.items()):
            return None
        found = _at(rule, factor, sizes)
        if found.denominator != 1 or found < 0:
            return None
        metrics[name] = int(found)
    one = counted[first]
    ratio = Fraction(factor, first)
    work = one.work * ratio**sizes
    return Traffic(
        metrics=metrics,
        complete=True,
        work_unit=one.work_unit,
        work=int(work),
        compulsory_bytes=int(one.compulsory_bytes * ratio**2),  # matrices: every operand has two sides
    )


def _rule(s: int, at_s: int, t: int, at_t: int, sizes: int) -> tuple[Fraction, Fraction]:
    """A and b of a·s^d + b·s^(d-1)."""
    per_s, per_t = Fraction(at_s, s ** (sizes - 1)), Fraction(at_t, t ** (sizes - 1))  # a·s + b
    a = (per_t - per_s) / (t - s)
    return a, per_s - a * s


def _at(rule: tuple[Fraction, Fraction], s: int, sizes: int) -> Fraction:
    a, b = rule
    power: int = s ** (sizes - 1)
    return a * s * power + b * power
