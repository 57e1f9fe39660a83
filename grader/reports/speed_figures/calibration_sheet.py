"""What `tilelab calibrate` measured, as plain data for a page with a picture for each lab. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.model.result import SweepPoint
from grader.reports.speed_figures.calibration_table import conditions
from grader.reports.speed_figures.sweep_figure import SweepFigure, sweep_figure
from grader.reports.text import visible


@dataclass(frozen=True)
class CalibratedLab:
    id: str
    title: str
    sweep: SweepFigure | None  # none: nothing was measured
    troubles: tuple[str, ...]


@dataclass(frozen=True)
class CalibrationSheet:
    device: str
    conditions: str
    labs: tuple[CalibratedLab, ...]


def calibration_sheet(
    labs: Mapping[str, Sequence[SweepPoint]], titles: Mapping[str, str], *, device: str, toolkit: str, date: str
) -> CalibrationSheet:
    return CalibrationSheet(
        device=visible.line(device, 120),
        conditions=visible.line(conditions(device=device, toolkit=toolkit, date=date), 400),
        labs=tuple(
            CalibratedLab(
                visible.line(lab_id, 60),
                visible.line(titles.get(lab_id, lab_id), 120),
                sweep_figure(points),
                tuple(visible.line(f"{one.shape}: {one.trouble}", 300) for one in points if one.trouble),
            )
            for lab_id, points in labs.items()
        ),
    )
