"""Says in words which tier a measured speed reaches, and how far the next one is. Pure."""

from __future__ import annotations

from grader.model.result import Ratio, TimedTier, Timing

_OF = {"model": "the model solution's speed", "library": "cuBLAS's speed"}


def measured_words(timing: Timing, most: float) -> str:
    """The timing's sentence, with the points and the next tier. `most`: full marks."""
    if timing.speedup is None or not timing.tiers:
        return timing.words
    points = max((tier.points for tier in timing.tiers if tier.reached), default=0.0)
    said = f"{timing.words}: {of_full_marks(points, most)}"
    further = next((tier for tier in timing.tiers if tier.points > points), None)
    return f"{said}, and no tier is higher" if further is None else f"{said}. {_next(timing, further)}"


def of_full_marks(points: float, most: float) -> str:
    """`2 of 3 points`; in a lab with points beyond full marks also `14 points, where 10 are full marks`."""
    return f"{points:g} of {most:g} points" if points <= most else f"{points:g} points, where {most:g} are full marks"


def needed(tier: TimedTier) -> str:
    """`75 % of the model solution's speed`."""
    return f"{100 * tier.share:.4g} % of {_OF[tier.of]}"


def measured_share(timing: Timing, tier: TimedTier) -> Ratio | None:
    """What was measured of the speed that the tier is a share of. None: that kernel was not timed."""
    return timing.share if tier.of == "model" else timing.library_share


def share_words(share: Ratio) -> str:
    """`71.3 % (70.9 to 71.8)`."""
    return f"{100 * share.middle:.1f} % ({100 * share.low:.1f} to {100 * share.high:.1f})"


def _next(timing: Timing, tier: TimedTier) -> str:
    share = measured_share(timing, tier)
    has = f"this kernel has {share_words(share)}" if share else "that was not measured here"
    return f"{tier.points:g} points ask for {needed(tier)}; {has}"
