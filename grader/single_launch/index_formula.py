"""The formula of a subscript: `y`, `x + 16`, `4y + x`, where it is the same for all threads of a group. Pure.

A formula is told only if it gives the exact value for every thread of the group. Divisions and remainders are not found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grader.single_launch.trace_phases import Index3

_NAMES = ("x", "y", "z")


def formula(values: Mapping[Index3, int]) -> str | None:
    """The formula for the value of each thread. None where no sum of multiples of x, y and z gives all of them."""
    found = coefficients(values)
    return None if found is None else _written(found[0], found[1])


def coefficients(values: Mapping[Index3, int]) -> tuple[int, Index3] | None:
    """The constant, and what x, y and z are multiplied by."""
    threads = list(values)
    first = threads[0]
    factors = [0, 0, 0]
    for axis in range(3):
        other = next((one for one in threads if _differs_only(one, first, axis)), None)
        if other is None and any(one[axis] != first[axis] for one in threads):
            other = _pair_along(threads, axis)
            if other is None:
                return None
        if other is not None:
            start = _partner(threads, other, axis)
            factor, rest = divmod(values[other] - values[start], other[axis] - start[axis])
            if rest:
                return None
            factors[axis] = factor
    constant = values[first] - sum(factor * at for factor, at in zip(factors, first, strict=True))
    for thread, value in values.items():
        if value != constant + sum(factor * at for factor, at in zip(factors, thread, strict=True)):
            return None
    return constant, (factors[0], factors[1], factors[2])


def _differs_only(one: Index3, other: Index3, axis: int) -> bool:
    return all((one[at] == other[at]) != (at == axis) for at in range(3))


def _pair_along(threads: Sequence[Index3], axis: int) -> Index3 | None:
    """A thread that has a neighbour along this axis."""
    return next((one for one in threads if any(_differs_only(two, one, axis) for two in threads)), None)


def _partner(threads: Sequence[Index3], one: Index3, axis: int) -> Index3:
    return next(two for two in threads if _differs_only(two, one, axis))


def _written(constant: int, factors: Sequence[int]) -> str:
    """`y + 4x` is written `4x + y`: the larger factor first, the constant last."""
    terms = sorted(
        ((factor, name) for factor, name in zip(factors, _NAMES, strict=True) if factor), key=lambda one: -one[0]
    )
    text = ""
    for factor, name in terms:
        sign = " + " if factor > 0 else " - "
        text += f"{sign}{name if abs(factor) == 1 else f'{abs(factor)}{name}'}"
    if constant or not terms:
        text += f" + {constant}" if constant >= 0 else f" - {-constant}"
    return text.removeprefix(" + ").replace(" - ", "-", 1) if text.startswith(" - ") else text.removeprefix(" + ")


def ranges(threads: Sequence[Index3]) -> list[tuple[Index3, Index3]]:
    """The threads as boxes, each from its lowest thread to its highest one, in their order."""
    rows: dict[tuple[int, int], list[int]] = {}
    for x, y, z in threads:
        rows.setdefault((z, y), []).append(x)
    boxes: list[tuple[Index3, Index3]] = []
    open_: dict[tuple[int, int], tuple[Index3, Index3]] = {}
    last = (-1, -1)
    for (z, y), found in sorted(rows.items()):
        spans = _spans(sorted(found))
        going = {} if last != (z, y - 1) else open_
        boxes += [box for span, box in open_.items() if span not in spans or not going]
        open_ = {span: ((going[span][0] if span in going else (span[0], y, z)), (span[1], y, z)) for span in spans}
        last = (z, y)
    return sorted([*boxes, *open_.values()], key=lambda box: box[0][::-1])


def _spans(numbers: Sequence[int]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for number in numbers:
        if spans and spans[-1][1] == number - 1:
            spans[-1] = (spans[-1][0], number)
        else:
            spans.append((number, number))
    return spans
