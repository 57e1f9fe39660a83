"""`tilelab calibrate`: opens the toolset, measures, prints and writes the table."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console

from grader.machine.atomic_file import write_atomically
from grader.machine.backend import backend_choice
from grader.machine.toolset import Toolset
from grader.model.course_root import course_root, load_labs, matching_lab
from grader.model.errors import RemediableError
from grader.reports.pages import calibration_page, sweep_drawing
from grader.reports.speed_figures.calibration_sheet import calibration_sheet
from grader.reports.speed_figures.calibration_table import calibration_table, row
from grader.reports.speed_figures.sweep_figure import sweep_figure
from grader.reports.speed_figures.tier_calibration_table import tier_calibration_table
from grader.speed.calibration import Measurement, calibrate, swept_labs
from grader.speed.contestants import ContestError
from grader.speed.tier_calibration import calibrate_tiers


@dataclass(frozen=True)
class Facts:
    """The conditions under which something was measured."""

    device: str
    toolkit: str
    date: str


def calibrate_labs(wanted: Sequence[str], *, sweep: bool, out: Path | None) -> int:
    console = Console(highlight=False)
    root = course_root(Path.cwd())
    labs = load_labs(root, [matching_lab(root, name) for name in wanted])
    toolset = Toolset.open(root, allow_no_sandbox=True, backend=backend_choice())
    if not toolset.gpu.runs:
        message = f"nothing can be measured on this machine: {'; '.join(toolset.gpu.reasons)}."
        raise RemediableError(message)
    try:
        found = calibrate(
            toolset, labs, sweep=sweep, tell=lambda one: console.print(row(one), markup=False, soft_wrap=True)
        )
    except ContestError as error:
        raise RemediableError(str(error)) from error
    assert toolset.gpu.toolchain is not None
    facts = Facts(str(toolset.gpu.device), toolset.gpu.toolchain.name, dt.datetime.now(tz=dt.UTC).date().isoformat())
    console.print(f"\n{calibration_table(found, **asdict(facts))}", markup=False, soft_wrap=True)
    tiers = tier_calibration_table(
        calibrate_tiers(toolset, labs, tell=lambda what: console.print(f"timed as a submission: {what}", markup=False))
    )
    console.print(f"\n{tiers}", markup=False, soft_wrap=True)
    if out is not None:
        write(out, found, {lab.id: lab.public.title for lab in labs}, facts, tiers=tiers)
        console.print(f"report: {out}", markup=False, soft_wrap=True)
    return 0


def write(out: Path, found: Sequence[Measurement], titles: Mapping[str, str], facts: Facts, *, tiers: str = "") -> None:
    """Writes a page with a picture for each lab if `out` ends in .html. Otherwise it writes Markdown, with the pictures in files
    beside it, and `tiers` at its end.
    """
    swept = swept_labs(found)
    if out.suffix.lower() in {".html", ".htm"}:
        write_atomically(out, calibration_page(calibration_sheet(swept, titles, **asdict(facts))))
        return
    pictures = {}
    for lab_id, points in swept.items():
        figure = sweep_figure(points) if len(points) > 1 else None
        if figure is not None:
            pictures[lab_id] = f"{out.stem}-{lab_id}.svg"
            write_atomically(out.parent / pictures[lab_id], sweep_drawing(figure))
    table = calibration_table(found, **asdict(facts), pictures=pictures)
    write_atomically(out, f"{table}\n{tiers}\n" if tiers else table)
