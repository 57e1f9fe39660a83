"""A kernel's speed as a picture: bars for naive, the kernel and the model solution with their intervals, and lines for the tiers. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from grader.model.result import ContestantTimes, LabResult, Ratio, TimedTier, Timing
from grader.reports.speed_figures.speed_lines import rate
from grader.reports.speed_figures.sweep_figure import SweepFigure, sweep_figure
from grader.reports.text import visible
from grader.reports.text.number_format import element, points
from grader.speed.tier_words import measured_share

WIDTH, BAR_HEIGHT, GAP, LEFT = 560.0, 22.0, 14.0, 90.0
_NAMES = {"baseline": "naive", "student": "your kernel", "model": "model"}
_ROOM = 1.08  # width of the picture by the longest bar


@dataclass(frozen=True)
class SpeedBar:
    kind: str  # "baseline", "student", "model"
    name: str
    y: float
    middle: float
    width: float
    low: float  # x of the interval's two ends
    high: float
    label: str  # how many times as fast
    rate: str  # "0.2790 ms, 7,697 GFLOP/s"


@dataclass(frozen=True)
class TierLine:
    x: float
    label: str  # "2.1 points"
    reached: bool


@dataclass(frozen=True)
class SpeedElement:
    place: str
    expected: str
    actual: str
    error: str


@dataclass(frozen=True)
class SpeedFigure:
    sentence: str
    where: str  # shape and device
    bars: tuple[SpeedBar, ...]
    tiers: tuple[TierLine, ...]
    height: float
    width: float
    left: float
    facts: tuple[str, ...]
    elements: tuple[SpeedElement, ...]
    review: str
    alternative: str
    sweep: SweepFigure | None


def speed_figure(lab: LabResult, *, instructor: bool) -> SpeedFigure | None:
    """None where there is nothing to draw. Then the lab's `performance` says why."""
    timing = lab.timing
    if timing is None or timing.speedup is None:
        return None
    ratios = {"baseline": Ratio(low=1, middle=1, high=1), "student": timing.speedup, "model": timing.model_speedup}
    drawn = [(one, ratio) for one in timing.contestants if (ratio := ratios.get(one.name)) is not None]
    longest = max([ratio.high for _, ratio in drawn]) * _ROOM
    scale = (WIDTH - LEFT) / longest
    bars = tuple(_bar(i, one, ratio, scale) for i, (one, ratio) in enumerate(drawn))
    return SpeedFigure(
        sentence=visible.line(timing.words, 300),
        where=visible.line(f"{timing.shape} on {timing.device}", 160),
        bars=bars,
        tiers=tuple(_tiers(timing, scale)),
        height=len(bars) * (BAR_HEIGHT + GAP) + GAP,
        width=WIDTH,
        left=LEFT,
        facts=tuple(_facts(timing)),
        elements=tuple(
            SpeedElement(
                f"[{one.row}][{one.column}]",
                element(one.expected),
                element(one.actual),
                "?" if one.relative_error is None else f"{one.relative_error:.1e}",
            )
            for one in timing.elements[:5]
        ),
        review=visible.line(timing.review, 200) if instructor else "",
        alternative="; ".join(f"{bar.name}: {bar.label}, {bar.rate}" for bar in bars),
        sweep=sweep_figure(timing.sweep),
    )


def _bar(index: int, one: ContestantTimes, ratio: Ratio, scale: float) -> SpeedBar:
    y = round(GAP + index * (BAR_HEIGHT + GAP), 2)
    return SpeedBar(
        kind=one.name,
        name=_NAMES[one.name],
        y=y,
        middle=round(y + BAR_HEIGHT / 2, 2),
        width=round(ratio.middle * scale, 2),
        low=round(LEFT + ratio.low * scale, 2),
        high=round(LEFT + ratio.high * scale, 2),
        label=f"{ratio.middle:.2f}×",  # noqa: RUF001 -- the sign for times
        rate=" ".join(rate(one).split()),
    )


def _tiers(timing: Timing, scale: float) -> list[TierLine]:
    """Lines where the tiers are. Those beyond the picture's edge are left out: the table beside it has them all."""
    places = [(tier, speed) for tier in timing.tiers if (speed := _speedup_at(timing, tier))]
    drawn = [(tier, round(LEFT + speed * scale, 2)) for tier, speed in places]
    return [TierLine(x, f"{points(tier.points)} points", tier.reached) for tier, x in drawn if x <= WIDTH]


def _speedup_at(timing: Timing, tier: TimedTier) -> float:
    """How many times as fast as naive a kernel is there. 0: not known."""
    share = measured_share(timing, tier)
    return tier.share * timing.speedup.middle / share.middle if timing.speedup and share and share.middle else 0.0


def _facts(timing: Timing) -> list[str]:
    facts = [
        f"{timing.rounds} rounds, each with its own inputs; {timing.outputs_checked} outputs were checked afterwards"
    ]
    if timing.control is not None:
        control = timing.control
        facts.append(
            f"naive timed against itself, which should be 1: {control.middle:.3f} ({control.low:.3f} to {control.high:.3f})"
        )
    if timing.sm_mhz[0]:
        facts.append(
            f"clock {timing.sm_mhz[0]:,} MHz before, {timing.sm_mhz[1]:,} MHz after, {timing.temperature_c} °C"
        )
    if timing.throttle_reasons:
        facts.append(f"the GPU lowered its clock rate during the run (NVML reasons {timing.throttle_reasons:#x})")
    if timing.floor_ms:
        facts.append(f"no kernel can take less than {timing.floor_ms:.4f} ms on this GPU")
    return facts
