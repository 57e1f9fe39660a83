"""Which tiers a course's kernels reach on this machine, as Markdown, and what their shares are shares of here. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.model.performance_spec import StandInSpec
from grader.model.result import Ratio
from grader.speed.tier_calibration import LabTiers, TierPlace
from grader.speed.yardstick import LIBRARY, STAND_IN

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
        yield _yardstick(found, lab.private.stand_in)
        yield ""


def _row(place: TierPlace) -> str:
    if place.points is None:
        return f"| {place.kernel} | | | not measured: {place.trouble} | |"
    return (
        f"| {place.kernel} | {place.shape} | {_share(place.of_model)} | {_share(place.of_library)} | {place.points:g} |"
    )


def _share(ratio: Ratio | None) -> str:
    return f"{ratio.middle:.3f} ({ratio.low:.3f} to {ratio.high:.3f})" if ratio else ""


def _yardstick(found: LabTiers, stand_in: StandInSpec | None) -> str:
    """What a grading on this machine takes as cuBLAS's speed."""
    if found.yardstick == STAND_IN and stand_in:
        return (
            f"cuBLAS cannot be timed here. A grading times {stand_in.file} in its place, and takes it to have {stand_in.share:g} of "
            f"cuBLAS's speed, as on an {stand_in.measured_on}. On another GPU that is a guess: install libcublas of the CUDA toolkit."
        )
    if found.yardstick != LIBRARY:
        return (
            "Neither cuBLAS nor a kernel that stands in for it can be timed here: tiers of its speed cannot be reached."
        )
    said = "A grading on this machine times cuBLAS in the same rounds."
    here = next((one for one in found.places if stand_in and stand_in.file.endswith(f"{one.kernel}.cu")), None)
    if stand_in is None or here is None or here.of_library is None:
        return said
    said += (
        f" Without cuBLAS it would time {stand_in.file}, which has {_share(here.of_library)} of cuBLAS's speed here."
    )
    if abs(here.of_library.middle / stand_in.share - 1) > _DIFFERS:
        said += (
            f" grading.toml says {stand_in.share:g}, measured on an {stand_in.measured_on}: if you grade on machines like this one"
            f" without cuBLAS, write `share = {here.of_library.middle:.3f}` there."
        )
    return said
