"""How reports write numbers: points, counts, indices, matrix elements. Pure."""

from __future__ import annotations

import math


def points(value: float) -> str:
    """`7`, `7.5`, `0.25`: never `7.0`."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if math.isfinite(value) else "?"


def share(value: float, maximum: float) -> float:
    """`value` as percent of `maximum`, from 0 to 100. 0 where `maximum` is 0."""
    if not (math.isfinite(value) and maximum > 0):
        return 0.0
    return round(min(100.0, max(0.0, 100.0 * value / maximum)), 2)


def index(triple: tuple[int, int, int] | None) -> str | None:
    """CUDA's `(x,y,z)`, in the form that findings use."""
    return None if triple is None else "({},{},{})".format(*triple)


def element(value: float | None) -> str:
    """An element of an output, with the digits that fp32 can hold."""
    if value is None:
        return "unset or NaN"
    return f"{value:.7g}"


def expected(value: float | None) -> str:
    """What an element must be."""
    return "Inf or NaN" if value is None else element(value)


def difference(expected: float | None, got: float | None) -> str:
    return "" if got is None or expected is None else f"{got - expected:+.3g}"


def counted(number: int, one: str, many: str | None = None) -> str:
    """`1 case`, `1,204 cases`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
