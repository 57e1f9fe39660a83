"""Turns the times of a grading into what a result says about speed: ratios, tiers, points. Pure."""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence

from grader.engines.backend import Peak
from grader.model.labs import Lab, TierSpec
from grader.model.outcome import Contest, LabOutcome, SizeOutcome, SpeedOutcome
from grader.model.result import ContestantTimes, Ratio, SweepPoint, SweepTime, TimedTier, Timing
from grader.model.verdicts import Verdict
from grader.run.speed.contest import STAND_IN, library_share, measured_one
from grader.run.speed.paired_times import (
    CONTROL_HIGH,
    CONTROL_LOW,
    Speed,
    Times,
    floor_seconds,
    is_unsteady,
    noise_trouble,
    ratio_interval,
    reaches,
    speed_of,
)

# Turns the times of a size sweep into what a result says about each size. Pure.

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
    control = ratio_interval(_times(contest, names, "baseline"), _times(contest, names, "control"))
    if control.low <= CONTROL_HIGH and control.high >= CONTROL_LOW:
        return ""
    return f"too noisy: naive timed against itself gave {control} and should give 1.00"


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
    of_library = library_share(lab, outcome.names, contests)
    return Timing(
        words=_sentence(lab, outcome, speed, of_library),
        **facts,
        speedup=speed.speedup,
        model_speedup=speed.model_speedup if with_model else None,
        share=speed.share if with_model else None,
        library_share=of_library,
        tiers=_tiers(lab, speed, of_library, counts=not impossible) if with_model else (),
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


def _tiers(lab: Lab, speed: Speed, of_library: Ratio | None, *, counts: bool) -> tuple[TimedTier, ...]:
    if lab.private is None:
        return ()
    most, shares = lab.private.performance_points, {"model": speed.share, "library": of_library}

    def is_reached(tier: TierSpec) -> bool:
        share = shares[tier.of]
        return counts and share is not None and reaches(speed, tier.share, share)

    return tuple(
        TimedTier(of=tier.of, share=tier.share, points=round(most * tier.part, 6), reached=is_reached(tier))
        for tier in sorted(lab.private.tier, key=lambda one: one.part)
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
    middle = statistics.median(samples)
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
