"""A kernel's speed as a picture: bars for naive, the kernel and the model solution with their intervals, and lines for the tiers. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from rich.console import RenderableType
from rich.text import Text

from grader.engines.occupancy import Resource, resources
from grader.model import visible_text
from grader.model.result import (
    ContestantTimes,
    CountedBound,
    CountedTier,
    GpuKernel,
    LabResult,
    Ratio,
    SampledElement,
    TimedTier,
    Timing,
)
from grader.model.verdicts import Verdict
from grader.model.visible_text import counted, element, points, share
from grader.pages.page_section import Shown
from grader.run.scoring.metrics import metric_words, remarks
from grader.run.speed.speed_score import measured_share, needed, of_full_marks, share_words

# What nvcc says about a kernel, in the words of the labs. What its blocks take of one multiprocessor follows from that and from the largest
# block that was launched: nothing of it was measured.

_UNITS = {"warps": "warps", "blocks": "blocks", "registers": "registers", "shared memory": "bytes of shared memory"}


def occupancy_figure(kernel: GpuKernel) -> Shown | None:
    """None where no launch or no such architecture is known, and where not even one block fits."""
    capability = re.fullmatch(r"sm_(\d+)[a-z]?", kernel.architecture)
    if capability is None:
        return None
    found = resources(
        int(capability[1]),
        threads=kernel.block_threads,
        registers=kernel.registers,
        shared_bytes=kernel.static_shared_bytes + kernel.dynamic_shared_bytes,
    )
    blocks = min((one.blocks for one in found), default=0)
    if not blocks:
        return None
    return Shown(blocks=f"{counted(blocks, 'block')} at once", rows=[_row(one, blocks) for one in found])


def _row(resource: Resource, blocks: int) -> Shown:
    """Widths in percent of the resource: what the blocks take, and what one more would, as far as it is there."""
    width = share(blocks * resource.of_block, resource.available)
    limits = resource.blocks == blocks
    return Shown(
        name=resource.name[:1].upper() + resource.name[1:],
        used=f"{blocks * resource.of_block:,} of {resource.available:,} {_UNITS[resource.name]}",
        room=f"room for {counted(resource.blocks, 'block')}" + (": this is the limit" if limits else ""),
        width=width,
        next_width=min(share(resource.of_block, resource.available), 100 - width),
        limits=limits,
    )


_LIMITS = {
    "warps": "the number of warps: another block of this size does not fit, a smaller one might",
    "blocks": "the number of blocks: larger blocks would use more of the multiprocessor",
    "registers": "the registers of its threads",
    "shared memory": "the shared memory of its blocks",
}


def gpu_facts(lab: LabResult) -> Shown | None:
    """None where there is no nvcc, or the kernel did not compile."""
    kernel = lab.gpu_kernel
    if kernel is None:
        return None
    facts = {"Registers": f"{kernel.registers} a thread", "Shared memory": _shared(kernel)}
    if kernel.warps and kernel.max_warps:
        facts["Occupancy"] = f"{kernel.warps} of {kernel.max_warps} warps"
    return Shown(
        compiled=visible_text.line(f"{kernel.compiler} for {kernel.architecture}", 80),
        facts=facts,
        summary=", ".join(f"{term.lower()}: {detail}" for term, detail in facts.items()),
        full=0 < kernel.max_warps <= kernel.warps,  # nothing is left to gain
        occupancy=_occupancy(kernel),
        figure=occupancy_figure(kernel),
        notes=tuple(_notes(kernel)),  # spills, and that it was compiled again
    )


def gpu_line(lab: LabResult) -> str:
    """The same as one line for a terminal. Empty where nothing is known."""
    facts = gpu_facts(lab)
    if facts is None:
        return ""
    kernel = lab.gpu_kernel
    assert kernel is not None
    named = " and ".join(visible_text.line(one, 40) for one in kernel.limited_by)
    limited = f", limited by {named}" if kernel.warps < kernel.max_warps and kernel.warps else ""
    return f"{facts.summary}{limited}"


def _shared(kernel: GpuKernel) -> str:
    if not kernel.static_shared_bytes + kernel.dynamic_shared_bytes:
        return "none"
    dynamic = f", {kernel.dynamic_shared_bytes:,} of them dynamic" if kernel.dynamic_shared_bytes else ""
    return f"{kernel.static_shared_bytes + kernel.dynamic_shared_bytes:,} bytes a block{dynamic}"


def _occupancy(kernel: GpuKernel) -> str:
    if not (kernel.warps and kernel.max_warps):
        return ""
    held = (
        f"With blocks of {counted(kernel.block_threads, 'thread')}, a multiprocessor runs {counted(kernel.warps, 'warp')} of "
        "this kernel at once"
    )
    if kernel.warps >= kernel.max_warps:
        return f"{held}, which is the maximum."
    limits = [_LIMITS.get(one, visible_text.line(one, 40)) for one in kernel.limited_by]
    return f"{held}; {kernel.max_warps} is the maximum. The limit is: {'; '.join(limits)}." if limits else f"{held}."


def _notes(kernel: GpuKernel) -> list[str]:
    notes = []
    if kernel.spill_store_bytes or kernel.spill_load_bytes:
        notes.append(
            "The kernel's values do not all fit into registers. nvcc keeps some of them in local memory, which is part of global"
            f" memory ({kernel.spill_store_bytes:,} bytes of stores and {kernel.spill_load_bytes:,} bytes of loads in the code)."
        )
    elif kernel.stack_bytes:
        notes.append(
            f"Each thread keeps {kernel.stack_bytes:,} bytes in local memory: an array cannot stay in registers when its index is"
            " known only while the kernel runs."
        )
    if kernel.note:
        notes.append(visible_text.line(kernel.note[:1].upper() + kernel.note[1:], 400) + ".")
    return notes


# How fast a kernel is, for a terminal: the times of naive and of the kernel, the speedup with its interval, and some elements that it
# computed in the timed launches. Pure.

_NAMES = {"baseline": "naive", "student": "yours", "model": "model", "library": "cuBLAS"}
_ELEMENTS = 5


def speed_lines(lab: LabResult) -> Iterator[RenderableType]:
    """Nothing where the lab was not timed."""
    timing = lab.timing
    if timing is None or not timing.contestants:
        return
    yield Text()
    yield Text.assemble(
        ("Speed", "bold"), f"  {visible_text.line(timing.shape, 80)} on {visible_text.line(timing.device, 80)}"
    )
    for kernel in timing.contestants:
        if kernel.name in _NAMES:
            yield Text(f"  {_NAMES[kernel.name]:<6}{rate(kernel)}")
    yield Text(f"  {visible_text.line(timing.words, 300)}", style="green" if timing.speedup else "yellow")
    if timing.elements:
        yield Text(f"  {'element':<16}{'expected':>14}{'yours':>14}{'relative error':>17}", style="dim")
    for place, expected, actual, error in map(_cells, timing.elements[:_ELEMENTS]):
        yield Text(f"  {place:<16}{expected:>14}{actual:>14}{error:>17}")


def kernel_lines(lab: LabResult) -> Iterator[RenderableType]:
    """What nvcc says about a kernel that passes. Nothing where there is no nvcc."""
    facts = gpu_facts(lab) if lab.verdict is Verdict.PASS else None
    if facts is None:
        return
    yield Text()
    yield Text.assemble(("On a GPU", "bold"), f"  {gpu_line(lab)} ({facts.compiled})")
    for note in facts.notes:
        yield Text(f"  {note.replace('`', '')}", style="yellow")


def rate(kernel: ContestantTimes) -> str:
    """`0.4123 ms   5,209 GFLOP/s`. A problem without arithmetic has GB/s instead."""
    speed = f"{kernel.gflops:,.0f} GFLOP/s" if kernel.gflops else f"{kernel.gbytes:,.0f} GB/s"
    return f"{kernel.milliseconds:>9.4f} ms {speed:>16}"


def _cells(one: SampledElement) -> tuple[str, str, str, str]:
    error = "?" if one.relative_error is None else f"{one.relative_error:.1e}"
    return f"[{one.row}][{one.column}]", element(one.expected), element(one.actual), error


WIDTH, BAR_HEIGHT, GAP, LEFT = 560.0, 22.0, 14.0, 90.0
_ROOM = 1.08  # width of the picture by the longest bar


def speed_figure(lab: LabResult, *, instructor: bool) -> Shown | None:
    """None where there is nothing to draw. Then the lab's `performance` says why."""
    timing = lab.timing
    if timing is None or timing.speedup is None:
        return None
    ratios = {"baseline": Ratio(low=1, middle=1, high=1), "student": timing.speedup, "model": timing.model_speedup}
    drawn = [(one, ratio) for one in timing.contestants if (ratio := ratios.get(one.name)) is not None]
    longest = max([ratio.high for _, ratio in drawn]) * _ROOM
    scale = (WIDTH - LEFT) / longest
    bars = [_bar(i, one, ratio, scale) for i, (one, ratio) in enumerate(drawn)]
    from grader.pages.speed.sweep_figure import sweep_figure  # noqa: PLC0415 -- for pages alone

    return Shown(
        timing=timing,
        where=visible_text.line(f"{timing.shape} on {timing.device}", 160),
        bars=bars,
        tiers=_tiers(timing, scale),
        height=len(bars) * (BAR_HEIGHT + GAP) + GAP,
        width=WIDTH,
        left=LEFT,
        facts=_facts(timing),
        elements=[_cells(one) for one in timing.elements[:_ELEMENTS]],
        review=timing.review if instructor else "",
        alternative="; ".join(f"{bar.name}: {bar.label}, {bar.rate}" for bar in bars),
        sweep=sweep_figure(timing.sweep),
    )


def _bar(index: int, one: ContestantTimes, ratio: Ratio, scale: float) -> Shown:
    """With x of the interval's two ends."""
    y = round(GAP + index * (BAR_HEIGHT + GAP), 2)
    from grader.pages.speed.sweep_figure import called  # noqa: PLC0415 -- as above

    return Shown(
        kind=one.name,
        name=called(one.name),
        y=y,
        middle=round(y + BAR_HEIGHT / 2, 2),
        width=round(ratio.middle * scale, 2),
        low=round(LEFT + ratio.low * scale, 2),
        high=round(LEFT + ratio.high * scale, 2),
        label=f"{ratio.middle:.2f}×",  # noqa: RUF001 -- the sign for times
        rate=" ".join(rate(one).split()),
    )


def _tiers(timing: Timing, scale: float) -> list[Shown]:
    """Lines where the tiers are. Those beyond the picture's edge are left out: the table beside it has them all."""
    drawn = []
    for tier in timing.tiers:
        if timing.speedup and (share := measured_share(timing, tier)) and share.middle:
            x = round(LEFT + tier.share * timing.speedup.middle / share.middle * scale, 2)
            drawn.append(Shown(x=x, tier=tier))
    return [one for one in drawn if one.x <= WIDTH]


def _facts(timing: Timing) -> list[str]:
    rounds = f"{timing.rounds} rounds, each with its own inputs"
    facts = [f"{rounds}; {timing.outputs_checked} outputs were checked afterwards"]
    if (one := timing.control) is not None:
        what = "naive timed against itself, which should be 1"
        facts.append(f"{what}: {one.middle:.3f} ({one.low:.3f} to {one.high:.3f})")
    before, after = timing.sm_mhz
    if before:
        facts.append(f"clock {before:,} MHz before, {after:,} MHz after, {timing.temperature_c} °C")
    if timing.throttle_reasons:
        facts.append(f"the GPU lowered its clock rate during the run (NVML reasons {timing.throttle_reasons:#x})")
    if timing.floor_ms:
        facts.append(f"no kernel can take less than {timing.floor_ms:.4f} ms on this GPU")
    return facts


# What the points for speed were given for, on a page: each tier, what it asks for beside what was found, and the lines of the source that
# keep the kernel from the next one. Pure.


def tier_section(lab: LabResult, sources: Mapping[str, str]) -> Shown | None:
    """None where points for speed are not assessed, or no tier decided them."""
    timing = lab.timing
    if lab.counted_tiers:
        given = [(tier.points, tier.reached, [_counted(one) for one in tier.bounds]) for tier in lab.counted_tiers]
    elif lab.performance_max and timing and timing.tiers:
        given = [(tier.points, tier.reached, [_measured(timing, tier)]) for tier in timing.tiers]
    else:
        return None
    reached_points = max((worth for worth, reached, _ in given if reached), default=0.0)
    following = min((worth for worth, reached, _ in given if worth > reached_points), default=0.0)
    next_counted = next((tier for tier in lab.counted_tiers if tier.points == following), None)
    return Shown(
        how="counted" if lab.counted_tiers else "measured",
        given=of_full_marks(reached_points, lab.performance_max)
        if lab.performance_max
        else f"{reached_points:g} points if hidden sizes keep to it",
        rows=[
            Shown(points=worth, reached=reached, following=worth == following, bounds=bounds)
            for worth, reached, bounds in given
        ],
        lines=list(_lines(next_counted, sources.get(lab.file, ""))) if next_counted else [],
        following=points(following) if following else "",  # points of the lowest that was not reached
        performance=lab.performance,
    )


def _counted(bound: CountedBound) -> Shown:
    found = "" if bound.found is None else f"{bound.found:.4g}"
    return Shown(asked=f"at most {bound.at_most:.4g} {bound.words}", found=found, missed=bound.missed)


def _measured(timing: Timing, tier: TimedTier) -> Shown:
    share = measured_share(timing, tier)
    asked = needed(tier) if tier.of == "time" else f"at least {needed(tier)}"
    return Shown(asked=asked, found=share_words(share, tier) if share else "", missed=not tier.reached)


def _lines(tier: CountedTier, source: str) -> Iterator[Shown]:
    """Each line once, with every number that it makes too high."""
    costs: dict[int, list[str]] = {}
    for bound in tier.bounds:
        for one in bound.lines:
            what = metric_words(bound.metric)
            what = what if one.share is None else f"{100 * one.share:.0f} % of the {what}"
            costs.setdefault(one.line, []).append(what)
    text = source.split("\n")
    for number in sorted(costs):
        shown = text[number - 1].strip() if 0 < number <= len(text) else ""
        yield Shown(number=number, source=shown, costs="; ".join(costs[number]))


# What bank conflicts may cost a kernel that passes, for a terminal: which points, and in which line. Pure.
#
# A note alone: points for speed are given where times and hidden sizes are known, and no verdict depends on it.


def cost_lines(lab: LabResult, speed_points: float, most: int) -> Iterator[RenderableType]:
    """Nothing where the lab gives no points for speed, or where there is nothing to say. `most`: so many numbers and remarks are shown."""
    counted = [launch.traffic for case in lab.cases for launch in case.launches if launch.traffic]
    said = list(remarks(counted[-1].lines, of_conflicts_alone=True)) if counted and counted[-1].complete else []
    if not speed_points or not (said or lab.counted_tiers):
        return
    yield Text()
    if lab.counted_tiers:
        yield from _tier_lines(lab, speed_points, most)
    else:
        worth = f"{speed_points:g} point{'' if speed_points == 1 else 's'}"
        yield Text.assemble(("Speed", "bold"), f"  {worth} of this lab are for speed, and this can cost some of them:")
    for remark in said[:most]:
        yield Text(f"  {visible_text.line(remark, 400)}", style="yellow")


def _tier_lines(lab: LabResult, speed_points: float, most: int) -> Iterator[Text]:
    """What was reached, and what the next tier asks for. The write-up has all tiers."""
    points = max((tier.points for tier in lab.counted_tiers if tier.reached), default=0.0)
    following = next((tier for tier in lab.counted_tiers if tier.points > points), None)
    lines = sorted({line.line for bound in following.bounds for line in bound.lines}) if following else []
    named = f", line{'s' if len(lines) > 1 else ''} {' and '.join(map(str, lines))}" if lines else ""
    cost = (
        f"{named} cost{'' if len(lines) > 1 else 's'} the next {following.points - points:g}"
        if named and following
        else ""
    )
    yield Text.assemble(("Speed", "bold"), f"  counted: {of_full_marks(points, speed_points)}{cost}")
    missed = [bound for bound in following.bounds if bound.missed and bound.found is not None] if following else []
    for bound in missed[:most]:
        asked = f"{following.points:g} points ask for at most {bound.at_most:.4g}" if following else ""
        yield Text(f"  {bound.found:.4g} {visible_text.line(bound.words, 120)}: {asked}", style="yellow")
