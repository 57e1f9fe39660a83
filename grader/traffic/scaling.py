"""Computes the counts of a large shape from those of small shapes, where they scale exactly. Pure.

Take a problem of d sizes and multiply each size by s. What happens in its inner loop grows with s^d, and what happens once for each
element with s^(d-1). Two counted shapes give both parts of every counter. The third counted shape has to agree exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from grader.model.result import Traffic

_NEEDED = 3
_LARGE, _COUNTED = 4096, 192  # the longest side of the modelled shape, and of the counted shapes


def shapes_to_count(shape: str) -> dict[int, str] | None:
    """Three shapes by their scale, with `shape` among them. None where they would not be small enough."""
    sides = [int(side) for side in shape.split("x")]
    longest = max(sides)
    if 3 * longest <= _COUNTED:
        return {s: "x".join(str(s * side) for side in sides) for s in (1, 2, 3)}
    if longest <= _COUNTED and all(side % 4 == 0 for side in sides):
        return {s: "x".join(str(s * side // 4) for side in sides) for s in (1, 2, 4)}
    return None


def large_scale(shape: str) -> tuple[int, str]:
    """A factor, and `shape` multiplied by it, which is large enough to fill a GPU."""
    sides = [int(side) for side in shape.split("x")]
    factor = max(1, _LARGE // max(sides))
    return factor, "x".join(str(factor * side) for side in sides)


def extrapolated(counted: Mapping[int, Traffic], sizes: int, factor: int) -> Traffic | None:
    """The traffic at `factor` times a base shape with `sizes` sizes, computed from the traffic at three other multiples of it.

    None where a counter does not follow the rule: where tiles do not divide the shape, or the kernel branches on sizes.
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
    """The coefficients a and b of a·s^d + b·s^(d-1)."""
    per_s, per_t = Fraction(at_s, s ** (sizes - 1)), Fraction(at_t, t ** (sizes - 1))  # a·s + b
    a = (per_t - per_s) / (t - s)
    return a, per_s - a * s


def _at(rule: tuple[Fraction, Fraction], s: int, sizes: int) -> Fraction:
    a, b = rule
    power: int = s ** (sizes - 1)
    return a * s * power + b * power
