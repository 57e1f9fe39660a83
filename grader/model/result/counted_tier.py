"""Points for memory traffic that was counted, without a GPU."""

from __future__ import annotations

from grader.model.result.plain_data import Model


class CostLine(Model):
    """A line of the submission, and its part of a counted number."""

    line: int
    share: float | None = None  # none: the number is a ratio, and this line's own is too high


class CountedBound(Model):
    """A counted number beside the most that a tier allows."""

    metric: str  # Nsight Compute's name
    words: str  # "sectors loaded for each multiply-add"
    at_most: float
    found: float | None  # None: not told, because the case shows no numbers
    missed: bool
    lines: tuple[CostLine, ...] = ()  # of a number that is too high: where most of it comes from


class CountedTier(Model):
    """Points for counted traffic that stays within every bound."""

    points: float
    reached: bool
    bounds: tuple[CountedBound, ...]
