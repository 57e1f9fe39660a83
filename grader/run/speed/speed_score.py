"""Turns the times of a grading into what a result says about speed: ratios with their intervals, whether the machine was quiet enough to
trust them, tiers, points. Pure.

A run has several rounds. In each round, every contestant is launched once. Every second round runs backwards, so that in two rounds a
pair is launched in the order ABBA, and a steady drift affects both kernels in the same way.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from statistics import median

from grader.engines.backend import Peak
from grader.model.labs import Lab
from grader.model.outcome import LIBRARY, STAND_IN, Contest, LabOutcome, SizeOutcome, SpeedOutcome, measured_one
from grader.model.result import ContestantTimes, Ratio, SweepPoint, SweepTime, TimedTier, Timing
from grader.model.verdicts import Verdict

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
    """Whether more rounds may show on which side of a threshold the kernel is. `share`: of another kernel's speed than the model's."""
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
    if unlike := _unlike_itself(speed.control):
        return f"the machine is too noisy: {unlike}"
    of_others, doubt = max(_doubt(speed.control), _doubt(speed.model_speedup)), _doubt(speed.share)
    if of_others > WIDEST or WIDEST < doubt <= MOST_UNEVEN * of_others:
        doubt = max(doubt, of_others)
        return f"the machine is too noisy: the result is uncertain by {100 * doubt:.1f} % either way; at most 2.5 % is allowed"
    return ""


def _unlike_itself(control: Ratio) -> str:
    if control.low <= CONTROL_HIGH and control.high >= CONTROL_LOW:
        return ""
    return f"naive timed against itself gave {control} and should give 1.00"


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
    return max(flops / peak.flops, bytes_ / peak.bytes) if peak and peak.flops > 0 and peak.bytes > 0 else 0


# The times of a size sweep: what a result says about each size.

_SIZE = re.compile(r"\d+")
_CALLED = {
    "baseline": "naive", "control": "naive", "student": "your kernel", "model": "the model solution", "cublas": "cuBLAS",
}  # fmt: skip


def sweep_points(sizes: Sequence[SizeOutcome], peak: Peak | None = None) -> tuple[SweepPoint, ...]:
    """One point for each size, in the same order. `peak`: that of the device; None: not known."""
    return tuple(_point(one, peak) for one in sizes)


def merged(points: Sequence[SweepPoint]) -> tuple[SweepPoint, ...]:
    """Merges points of the same size, whose kernels were timed against naive in separate runs. Naive's times are the first's."""
    found: dict[tuple[int, ...], SweepPoint] = {}
    for one in points:
        known = found.get(one.sizes)
        if known is None:
            found[one.sizes] = one
            continue
        new = (kernel for kernel in one.kernels if kernel.name not in {each.name for each in known.kernels})
        found[one.sizes] = known.model_copy(
            update={
                "shape": known.shape if known.kernels else one.shape,
                "kernels": (*known.kernels, *new),
                "floor_ms": known.floor_ms or one.floor_ms,
                "trouble": "; ".join(dict.fromkeys(text for text in (known.trouble, one.trouble) if text)),
            }
        )
    return tuple(found.values())


def control_trouble(names: Sequence[str], contest: Contest) -> str:
    """Why these times cannot be trusted: naive against itself is not 1.00. Empty: they can."""
    if "control" not in names:
        return ""
    unlike = _unlike_itself(ratio_interval(_times(contest, names, "baseline"), _times(contest, names, "control")))
    return f"too noisy: {unlike}" if unlike else ""


def _point(one: SizeOutcome, peak: Peak | None) -> SweepPoint:
    contest = one.contest
    if contest is None:
        return SweepPoint(shape=one.shape, sizes=_sizes(one.shape), trouble=one.trouble, ours=one.ours)
    named = {"shape": contest.shape, "sizes": _sizes(contest.shape)}
    if contest.status != "completed" or contest.faults:
        whose = one.names[contest.contestant] if contest.status != "completed" else measured_one(one.names)
        why = contest.detail if contest.status != "completed" else contest.faults[0].fault
        trouble = f"{_CALLED.get(whose, whose)}: {why}"
        wrong = whose == "student" and not contest.slow
        return SweepPoint(**named, trouble=trouble, wrong=wrong, ours=whose != "student")
    kernels = tuple(_time(name, one.names, contest) for name in one.names if name != "control")
    floor = floor_seconds(contest.flops, contest.bytes, peak)
    return SweepPoint(**named, kernels=kernels, floor_ms=1e3 * floor, trouble=control_trouble(one.names, contest))


def _time(name: str, names: Sequence[str], contest: Contest) -> SweepTime:
    times = _times(contest, names, name)
    middle = ratio_interval(times, (1.0,) * len(times))  # the median's interval, in nanoseconds
    return SweepTime(
        name=name,
        milliseconds=middle.middle / 1e6,
        low_ms=middle.low / 1e6,
        high_ms=middle.high / 1e6,
        gflops=contest.flops / middle.middle,
        gbytes=contest.bytes / middle.middle,
        speedup=ratio_interval(_times(contest, names, "baseline"), times) if name != "baseline" else None,
    )


def _times(contest: Contest, names: Sequence[str], name: str) -> tuple[float, ...]:
    return contest.nanoseconds[names.index(name)]


def _sizes(shape: str) -> tuple[int, ...]:
    """The sizes in `M=255 N=33 K=7` or `255x33x7`."""
    return tuple(int(number) for number in _SIZE.findall(shape)[:8])


_IDLE, _APPLICATION_CLOCKS = 0x1, 0x2  # NVML's reasons that are no throttling


def speed_in(names: Sequence[str], contests: Sequence[Contest]) -> Speed | None:
    """None where a run did not end, or an output was wrong."""
    if not contests or any(one.status != "completed" or one.faults for one in contests):
        return None
    student = measured_one(names)
    # Without a model solution, the student is compared only with the baseline.
    model = "model" if "model" in names else student
    of = {name: tuple(time for one in contests for time in _times(one, names, name)) for name in names}
    return speed_of(Times(of["baseline"], of["control"], of[model], of[student]))


def library_share(lab: Lab, names: Sequence[str], contests: Sequence[Contest]) -> Ratio | None:
    """The student's speed as a share of the library's. None where neither the library nor what stands in for it was timed."""
    stand_in = lab.private.stand_in if lab.private else None
    shares = {LIBRARY: 1.0, **({STAND_IN: stand_in.share} if stand_in else {})}
    name, known = next(((one, share) for one, share in shares.items() if one in names), ("", 0.0))
    if not known:
        return None
    theirs, own = ([time for one in contests for time in _times(one, names, who)] for who in (name, "student"))
    ratio = ratio_interval(theirs, own)
    return Ratio(low=known * ratio.low, middle=known * ratio.middle, high=known * ratio.high)


def launch_rate(names: Sequence[str], contests: Sequence[Contest]) -> Ratio:
    """How many of the student's launches take a millisecond."""
    own = [time for one in contests for time in _times(one, names, "student")]
    return ratio_interval([1e6] * len(own), own)


def timing_of(lab: Lab, outcome: LabOutcome, *, correct: bool) -> Timing | None:
    """What a result says about a kernel's speed. None where the lab is not timed."""
    if lab.public.performance is None:
        return None
    speed = outcome.speed
    if speed is None or not speed.contests:
        if outcome.verdict is not None or not correct:
            return Timing(words="a kernel is timed only when every correctness case passes")
        return Timing(words=speed.trouble if speed and speed.trouble else "there was no GPU to measure it on")
    return _measured(lab, speed)


def wrong_when_timed(outcome: LabOutcome) -> str:
    """What a kernel did wrong in timed launches although its cases passed. Empty: nothing."""
    if outcome.speed is None:
        return ""
    for contest in outcome.speed.contests:
        if contest.faults:
            first = contest.faults[0]
            return f"in timed launch {first.round + 1}, {first.fault}; the same kernel was right in every case"
        broke = contest.status != "completed" and not contest.slow
        if broke and outcome.speed.names[contest.contestant] == "student":
            return f"the kernel failed while it was timed at {contest.shape}: {contest.detail}"
    return ""


def wrong_verdict(outcome: LabOutcome) -> Verdict:
    assert outcome.speed is not None
    statuses = {one.status for one in outcome.speed.contests} - {"completed"}
    return Verdict(next(iter(statuses))) if statuses else Verdict.WRONG_ANSWER


def is_measured(timing: Timing | None) -> bool:
    return timing is not None and (timing.speedup is not None or timing.too_slow)


def performance_points(lab: Lab, timing: Timing | None) -> float:
    most = lab.private.performance_points if lab.private else 0
    return max((tier.points for tier in timing.tiers if tier.reached), default=0) if timing and most else 0


def _measured(lab: Lab, outcome: SpeedOutcome) -> Timing:
    contests = outcome.contests
    first, last = contests[0], contests[-1]
    facts = {
        "shape": first.shape,
        "device": first.device,
        "rounds": sum(len(one.nanoseconds[0]) if one.nanoseconds else 0 for one in contests),
        "sm_mhz": (first.before.sm_mhz, last.after.sm_mhz),
        "throttle_reasons": (first.before.throttle_reasons | last.after.throttle_reasons)
        & ~(_IDLE | _APPLICATION_CLOCKS),
        "temperature_c": last.after.temperature_c,
        "device_seconds": sum(one.device_seconds for one in contests),
        "outputs_checked": sum(one.looked_at for one in contests),
        "relative_error": max((one.relative_error for one in contests if one.relative_error is not None), default=None),
        "elements": next((one.elements for one in contests if one.elements), ()),
        "sweep": sweep_points(outcome.sweep, Peak(outcome.peak_flops, outcome.peak_bytes)),
    }
    speed = speed_in(outcome.names, contests)
    if speed is None:
        broken = next(one for one in contests if one.status != "completed" or one.faults)
        whose = outcome.names[broken.contestant]
        if broken.slow:
            if broken.status != "timeout":
                return Timing(words=f"not timed: {broken.detail}", **facts, too_slow=whose == "student")
            why = f"{broken.detail}. Does the kernel print, or does one thread do the work of many?"
            return Timing(words=f"too slow to be timed: {why}", **facts, too_slow=whose == "student")
        why = broken.faults[0].fault if broken.faults else broken.detail
        return Timing(words=f"not measured: {'your kernel' if whose == 'student' else whose}: {why}", **facts)
    with_model = "model" in outcome.names
    floor = floor_seconds(first.flops, first.bytes, Peak(outcome.peak_flops, outcome.peak_bytes))
    kernels = tuple(_contestant(name, i, contests) for i, name in enumerate(outcome.names))
    fastest = min(min(one.samples) for one in kernels if one.name == "student") / 1e9
    facts |= {"contestants": kernels, "floor_ms": 1e3 * floor, "control": speed.control}
    if trouble := noise_trouble(speed):
        return Timing(words=f"not graded: {trouble}", **facts)
    impossible = fastest < floor
    of_library, rate = library_share(lab, outcome.names, contests), launch_rate(outcome.names, contests)
    return Timing(
        words=_sentence(lab, outcome, speed, of_library),
        **facts,
        speedup=speed.speedup,
        model_speedup=speed.model_speedup if with_model else None,
        share=speed.share if with_model else None,
        library_share=of_library,
        rate=rate,
        tiers=_tiers(lab, speed, (of_library, rate, first.device), counts=not impossible) if with_model else (),
        review=_review(speed, impossible=impossible),
    )


def _review(speed: Speed, *, impossible: bool) -> str:
    """Why a person has to look. Empty: nobody has to."""
    if impossible:
        return "this is faster than the GPU can be: look at the kernel before you give points"
    if speed.spike:
        times = f"{speed.spike:.0f} times as long as its others, each time it was tried, and no other kernel's did"
        return f"one of its launches took {times}: look whether that launch does the work of several"
    return ""


def _tiers(lab: Lab, speed: Speed, measured: tuple[Ratio | None, Ratio, str], *, counts: bool) -> tuple[TimedTier, ...]:
    """`measured`: of the library's speed, launches in a millisecond, and the device."""
    if lab.private is None:
        return ()
    of_library, rate, device = measured
    most, shares = lab.private.performance_points, {"model": speed.share, "library": of_library, "time": rate}
    tiers = sorted(lab.private.tier, key=lambda one: one.part)
    of = ((one, shares[one.of] if one.gpu in device else None) for one in tiers)
    found = ((one, counts and share is not None and reaches(speed, one.threshold, share)) for one, share in of)
    return tuple(
        TimedTier(of=one.of, share=one.threshold, gpu=one.gpu, points=round(most * one.part, 6), reached=reached)
        for one, reached in found
    )


def _sentence(lab: Lab, outcome: SpeedOutcome, speed: Speed, of_library: Ratio | None) -> str:
    ratio, silent = speed.speedup, outcome.silent
    sentence = f"{ratio.middle:.2f} times as fast as naive ({ratio.low:.2f} to {ratio.high:.2f})"
    if "model" in outcome.names:
        sentence += f", {100 * speed.share.middle:.0f} % of the model solution's speed"
    if of_library:
        about = "about " if STAND_IN in outcome.names else ""
        sentence += f", {about}{100 * of_library.middle:.1f} % of cuBLAS's"
    if STAND_IN in outcome.names and lab.private and lab.private.stand_in:
        known = lab.private.stand_in
        sentence += (
            f" (it cannot be timed here; a kernel of the course stands in for it, with {100 * known.share:.0f} % of its speed"
            f" on an {known.measured_on})"
        )
    if is_unsteady(speed):
        sentence += "; its times vary more than those of other kernels beside it, so the slower ones count"
    return f"{sentence}; timed without its printf calls" if silent else sentence


def _contestant(name: str, index: int, contests: Sequence[Contest]) -> ContestantTimes:
    samples = tuple(time for one in contests for time in one.nanoseconds[index])
    middle = median(samples)
    work = contests[0]
    return ContestantTimes.model_validate({
        "name": name, "milliseconds": middle / 1e6, "gflops": work.flops / middle, "gbytes": work.bytes / middle, "samples": samples,
    })  # fmt: skip


# Says in words which tier a measured speed reaches, and how far the next one is. Pure.

_OF = {"model": "the model solution's speed", "library": "cuBLAS's speed"}


def measured_words(timing: Timing, most: float) -> str:
    """The timing's sentence, with the points and the next tier. `most`: full marks."""
    if timing.speedup is None or not timing.tiers:
        return timing.words
    points = max((tier.points for tier in timing.tiers if tier.reached), default=0.0)
    said = f"{timing.words}: {of_full_marks(points, most)}"
    further = next((tier for tier in timing.tiers if tier.points > points), None)
    if further is None:
        return f"{said}, and no tier is higher"
    share = measured_share(timing, further)
    has = f"this kernel has {share_words(share, further)}" if share else "that was not measured here"
    return f"{said}. {further.points:g} points ask for {needed(further)}; {has}"


def of_full_marks(points: float, most: float) -> str:
    """`2 of 3 points`; in a lab with points beyond full marks also `14 points, where 10 are full marks`."""
    return f"{points:g} of {most:g} points" if points <= most else f"{points:g} points, where {most:g} are full marks"


def needed(tier: TimedTier) -> str:
    """`75 % of the model solution's speed`, `at most 5 ms on the A100`."""
    if tier.of == "time":
        return f"at most {1 / tier.share:.4g} ms on the {tier.gpu}"
    return f"{100 * tier.share:.4g} % of {_OF[tier.of]}"


def measured_share(timing: Timing, tier: TimedTier) -> Ratio | None:
    """What was measured of the speed that the tier is a share of. None: that kernel was not timed, or it is for another GPU."""
    found = {"model": timing.share, "library": timing.library_share, "time": timing.rate}[tier.of]
    return found if tier.gpu in timing.device else None


def share_words(share: Ratio, tier: TimedTier) -> str:
    """`71.3 % (70.9 to 71.8)`, `5.3 ms (5.2 to 5.4)`."""
    if tier.of == "time":
        return f"{1 / share.middle:.4g} ms ({1 / share.high:.4g} to {1 / share.low:.4g})"
    return f"{100 * share.middle:.1f} % ({100 * share.low:.1f} to {100 * share.high:.1f})"
