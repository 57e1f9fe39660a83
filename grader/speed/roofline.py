"""The least time a problem can take on a device: what it must compute and move, at peak rates. Pure.

A measured time below it is no record but a mistake of ours or a trick, for a person to look at. Peak rates are upper bounds made
from a device's own description, so the floor is lower than what any kernel reaches.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.machine.peak_rates import Peak


@dataclass(frozen=True)
class Work:
    """What a problem of one shape cannot do without."""

    flops: float
    bytes: float  # each input read once, each output written once

    def floor_seconds(self, peak: Peak) -> float:
        return max(self.flops / peak.flops, self.bytes / peak.bytes)


def is_impossible(fastest_seconds: float, work: Work, peak: Peak | None) -> bool:
    return peak is not None and fastest_seconds < work.floor_seconds(peak)
