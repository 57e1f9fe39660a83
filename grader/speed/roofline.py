"""The least time a problem can take on a device: what it must compute and move, at peak rates. Pure.

A measured time below it is a mistake of ours or a trick, and a person has to look at it. The peak rates are upper bounds computed from
the device's own description, so no kernel reaches this time.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.machine.peak_rates import Peak


@dataclass(frozen=True)
class Work:
    """The least work of a problem at one shape."""

    flops: float
    bytes: float  # every input read once, every output written once

    def floor_seconds(self, peak: Peak) -> float:
        return max(self.flops / peak.flops, self.bytes / peak.bytes)


def is_impossible(fastest_seconds: float, work: Work, peak: Peak | None) -> bool:
    return peak is not None and fastest_seconds < work.floor_seconds(peak)
