"""What `tilelab calibrate` measured, as plain data for a page with a picture for each lab. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from grader.model.labs import StandInSpec
from grader.model.result import SweepPoint
from grader.pages.page_section import Shown
from grader.pages.speed.sweep_figure import sweep_figure
from grader.run.speed.contest import LIBRARY, STAND_IN
from grader.run.speed.speed_run import LabTiers, Measurement, TierPlace

# What `tilelab calibrate` measured, as a Markdown table, which can go into a course's page and is readable on a terminal. Pure.

_HEAD = (
    "| lab | kernel | shape | naive ms | GFLOP/s | kernel ms | GFLOP/s | speedup over naive | naive against itself |"
)


def conditions(*, device: str, toolkit: str, date: str) -> str:
    return (
        f"{date}, {device}, {toolkit}. Medians of 31 rounds with new inputs and a flushed L2 in each; 95 % intervals."
    )


def calibration_table(found: Sequence[Measurement], conditions: str, pictures: Mapping[str, str] | None = None) -> str:
    """`pictures`: for each lab, the name of a file beside the page."""
    lines = [
        conditions,
        "",
        _HEAD,
        "|---|---|---|---|---|---|---|---|---|",
        *(row(one) for one in found),
        *(line for lab_id, name in (pictures or {}).items() for line in ("", f"![{lab_id} over sizes]({name})")),
    ]
    return "\n".join(lines) + "\n"


def row(one: Measurement) -> str:
    cells = [one.lab_id, one.kernel, one.point.shape]
    if one.control is None:
        return "| " + " | ".join([*cells, "", "", "", "", f"not measured: {one.trouble}", ""]) + " |"
    for kernel in one.point.kernels:
        cells += [f"{kernel.milliseconds:.4f}", f"{kernel.gflops:,.0f}"]
    cells += [str(one.point.kernels[-1].speedup or ""), f"{one.control}{' **noisy**' if one.trouble else ''}"]
    return "| " + " | ".join(cells) + " |"


def calibration_sheet(
    labs: Mapping[str, Sequence[SweepPoint]], titles: Mapping[str, str], device: str, conditions: str
) -> Shown:
    shown = [
        Shown(id=lab_id, title=titles.get(lab_id, lab_id), sweep=sweep_figure(points), points=points)
        for lab_id, points in labs.items()
    ]
    return Shown(device=device, conditions=conditions, labs=shown)


# Which tiers a course's kernels reach on this machine, as Markdown, and what their shares are shares of here. Pure.

_DIFFERS = 0.05  # of the share in the lab's file: more is told


def tier_calibration_table(found: Sequence[LabTiers]) -> str:
    return "\n".join(line for one in found for line in _of_lab(one))


def _of_lab(found: LabTiers) -> Iterator[str]:
    lab = found.lab
    assert lab.private is not None
    yield f"Tiers of {lab.id} on this machine, of {lab.private.performance_points:g} points for full marks:"
    yield ""
    yield "| kernel | shape | share of the model's speed | share of cuBLAS's speed | points |"
    yield "|---|---|--:|--:|--:|"
    yield from map(_row, found.places)
    yield ""
    if any(tier.of == LIBRARY for tier in lab.private.tier):
        yield _reference(found, lab.private.stand_in)
        yield ""


def _row(place: TierPlace) -> str:
    if place.points is None:
        return f"| {place.kernel} | | | not measured: {place.timing.words} | |"
    shares = f"{place.timing.share or ''} | {place.timing.library_share or ''}"
    return f"| {place.kernel} | {place.timing.shape} | {shares} | {place.points:g} |"


def _reference(found: LabTiers, stand_in: StandInSpec | None) -> str:
    """What a grading on this machine takes as cuBLAS's speed."""
    if found.reference == STAND_IN and stand_in:
        return (
            f"cuBLAS cannot be timed here. A grading times {stand_in.file} in its place, and takes it to have {stand_in.share:g} of "
            f"cuBLAS's speed, as on an {stand_in.measured_on}. On another GPU that is a guess: install libcublas of the CUDA toolkit."
        )
    if found.reference != LIBRARY:
        return (
            "Neither cuBLAS nor a kernel that stands in for it can be timed here: tiers of its speed cannot be reached."
        )
    said = "A grading on this machine times cuBLAS in the same rounds."
    here = next((one for one in found.places if stand_in and stand_in.file.endswith(f"{one.kernel}.cu")), None)
    here_share = here.timing.library_share if here else None
    if stand_in is None or here_share is None:
        return said
    said += f" Without cuBLAS it would time {stand_in.file}, which has {here_share} of cuBLAS's speed here."
    if abs(here_share.middle / stand_in.share - 1) > _DIFFERS:
        said += (
            f" grading.toml says {stand_in.share:g}, measured on an {stand_in.measured_on}: if you grade on machines like this one"
            f" without cuBLAS, write `share = {here_share.middle:.3f}` there."
        )
    return said
