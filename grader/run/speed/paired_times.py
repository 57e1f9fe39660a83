"""Computes from the times of one run: a kernel's speedup over naive, its share of the model solution's speed, and whether the machine was
quiet enough to trust them. Pure.

A run has several rounds. In each round, every contestant is launched once. Every second round runs backwards, so that in two rounds a
pair is launched in the order ABBA, and a steady drift affects both kernels in the same way.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from statistics import median

from grader.engines.backend import Peak
from grader.model.result import Ratio

# The median of paired ratios with its bootstrap interval. Pure and deterministic: it uses no random numbers.
#
# The bootstrap finds out how the median varies over samples that are drawn with replacement from the measured ones. For a median, the
# exact answer is a binomial sum (Maritz and Jarrett 1978; Efron 1979). So it is computed here instead of simulated: the interval is the
# one that infinitely many samples would give. It takes microseconds, and everybody gets the same result.

CONFIDENCE = 0.95


def ratio_interval(over: Sequence[float], under: Sequence[float], confidence: float = CONFIDENCE) -> Ratio:
    """The interval of over[i] / under[i], where both times come from the same round. The number of pairs has to be odd, so that the median
    is one of the ratios.

    It works on logarithms, so that swapping the two gives the reciprocal interval. Raises ValueError for times that are not positive.
    """
    if len(over) != len(under) or len(over) % 2 == 0:
        raise ValueError(f"an odd number of pairs of times is needed, not {len(over)} and {len(under)} times")
    if any(not (0 < time < math.inf) for time in (*over, *under)):
        raise ValueError("every time has to be a positive number")
    logs = sorted(math.log(one / other) for one, other in zip(over, under, strict=True))
    at = _low_position(len(logs), (1 - confidence) / 2)
    low, high = _between(logs, at), _between(logs, len(logs) - 1 - at)
    return Ratio(low=math.exp(low), middle=math.exp(logs[len(logs) // 2]), high=math.exp(high))


def _between(ordered: Sequence[float], position: float) -> float:
    """The value at a position, which may be between two of `ordered`."""
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])


@cache
def _low_position(count: int, tail: float) -> float:
    """The position among `count` ordered values, counted from 0, below which the bootstrap distribution of the median has `tail`.

    The distribution has steps at the values. Between the middles of neighbouring steps, a straight line is used instead. With the steps,
    an interval of 95 % would really be one of 93 % for 31 normal values. With the line it is 95.5 %, and 95.1 % for 61 values.
    """
    shares = [0.0, *(_median_at_most(count, rank) for rank in range(1, count + 1))]
    middles = [(one + other) / 2 for one, other in itertools.pairwise(shares)]
    if tail <= middles[0]:
        return 0.0
    above = next(i for i, middle in enumerate(middles) if middle >= tail)
    return above - 1 + (tail - middles[above - 1]) / (middles[above] - middles[above - 1])


def _median_at_most(count: int, rank: int) -> float:
    """The probability that the median of `count` values, drawn with replacement, is at most the `rank`-th smallest of them all."""
    half, share = count // 2 + 1, rank / count
    return math.fsum(math.comb(count, n) * share**n * (1 - share) ** (count - n) for n in range(half, count + 1))


FIRST_ROUNDS, ALL_ROUNDS = 31, 61
# 1.00 with two decimals. A control that repeats to a tenth of a per cent may still be off by a twentieth of a per cent.
CONTROL_LOW, CONTROL_HIGH = 0.995, 1.005
# If half of the interval, relative to the ratio, is wider than this, tiers 5 % apart cannot be told apart.
WIDEST = 0.025
SPIKE = 4  # times the median
MOST_UNEVEN = 2  # a kernel's interval, relative to those of the course's kernels, that may be the machine's doing


@dataclass(frozen=True)
class Times:
    """Nanoseconds of each contestant in each round. `control` is the baseline again, launched as another contestant."""

    baseline: tuple[float, ...]
    control: tuple[float, ...]
    model: tuple[float, ...]
    student: tuple[float, ...]


@dataclass(frozen=True)
class Speed:
    """All fields are ratios of times from the same rounds."""

    speedup: Ratio  # baseline / student
    model_speedup: Ratio  # baseline / model
    share: Ratio  # model / student: 1 where the student is as fast as the model solution
    control: Ratio  # baseline / baseline
    rounds: int
    # How many times as long as the others a launch of the student's took, alone in its round; 0: none did.
    spike: float = 0


def speed_of(times: Times) -> Speed:
    return Speed(
        speedup=ratio_interval(times.baseline, times.student),
        model_speedup=ratio_interval(times.baseline, times.model),
        share=ratio_interval(times.model, times.student),
        control=ratio_interval(times.baseline, times.control),
        rounds=len(times.student),
        spike=_lone_spike(times),
    )


def _lone_spike(times: Times) -> float:
    """A machine that stumbles makes every kernel of a round slow, or seldom one of ours as well."""
    ours = (times.baseline, times.control, times.model)
    slow = [
        taken / median(times.student)
        for number, taken in enumerate(times.student)
        if taken > SPIKE * median(times.student) and all(one[number] < SPIKE / 2 * median(one) for one in ours)
    ]
    return max(slow, default=0)


def needs_more(speed: Speed, thresholds: Sequence[float], share: Ratio | None = None) -> bool:
    """Whether a threshold is inside the interval. Then more rounds may show on which side of it the kernel is. `share`: of another
    kernel's speed than the model's.
    """
    measured = share or speed.share
    return speed.rounds < ALL_ROUNDS and any(measured.low < one <= measured.high for one in thresholds)


def reaches(speed: Speed, threshold: float, share: Ratio | None = None) -> bool:
    """Whether the threshold is reached. In a machine's doubt the student gets it: the interval's upper end decides. A kernel's own
    doubt is not to its advantage: the lower end decides. `share`: of another kernel's speed than the model's.
    """
    measured = share or speed.share
    return (measured.low if is_unsteady(speed) else measured.high) >= threshold


def noise_trouble(speed: Speed) -> str:
    """Why this run must not be graded. Empty: it may. A kernel that varies far more than the course's own beside it is no sign of a
    noisy machine: no submission can keep its class from being measured.
    """
    control = speed.control
    if control.low > CONTROL_HIGH or control.high < CONTROL_LOW:
        return f"the machine is too noisy: naive timed against itself gave {control} and should give 1.00"
    of_others, doubt = max(_doubt(speed.control), _doubt(speed.model_speedup)), _doubt(speed.share)
    if of_others > WIDEST or WIDEST < doubt <= MOST_UNEVEN * of_others:
        doubt = max(doubt, of_others)
        return f"the machine is too noisy: the result is uncertain by {100 * doubt:.1f} % either way; at most 2.5 % is allowed"
    return ""


def is_unsteady(speed: Speed) -> bool:
    """Whether the kernel takes now more, now less time, on a machine where others do not."""
    return not noise_trouble(speed) and _doubt(speed.share) > WIDEST


def _doubt(ratio: Ratio) -> float:
    return (ratio.high - ratio.low) / (2 * ratio.middle)


# The least time a problem can take on a device: what it must compute and move, at peak rates. Pure.
#
# A measured time below it is a mistake of ours or a trick, and a person has to look at it. The peak rates are upper bounds computed from
# the device's own description, so no kernel reaches this time.


def floor_seconds(flops: float, bytes_: float, peak: Peak | None) -> float:
    """`bytes_`: every input read once, every output written once. 0: the peak rates are not known."""
    known = peak is not None and peak.flops > 0 and peak.bytes > 0
    return max(flops / peak.flops, bytes_ / peak.bytes) if peak and known else 0
