"""`tilelab calibrate`: opens the workshop, measures, prints and writes the table."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from grader.backend import wish
from grader.calibration import calibrate
from grader.course import course_root, load_labs, matching_lab
from grader.entrants import ContestError
from grader.errors import RemediableError
from grader.landing import land
from grader.reports.calibration_table import calibration_table, row
from grader.workshop import Workshop


def calibrate_labs(wanted: Sequence[str], *, sweep: bool, out: Path | None) -> int:
    console = Console(highlight=False)
    root = course_root(Path.cwd())
    labs = load_labs(root, [matching_lab(root, name) for name in wanted])
    workshop = Workshop.open(root, allow_no_sandbox=True, backend=wish())
    if not workshop.gpu.runs:
        message = f"nothing can be measured here: {'; '.join(workshop.gpu.reasons)}."
        raise RemediableError(message)
    try:
        found = calibrate(
            workshop, labs, sweep=sweep, tell=lambda one: console.print(row(one), markup=False, soft_wrap=True)
        )
    except ContestError as error:
        raise RemediableError(str(error)) from error
    assert workshop.gpu.toolchain is not None
    table = calibration_table(
        found,
        device=str(workshop.gpu.device),
        toolkit=workshop.gpu.toolchain.name,
        date=dt.datetime.now(tz=dt.UTC).date().isoformat(),
    )
    console.print(f"\n{table}", markup=False, soft_wrap=True)
    if out is not None:
        land(out, table)
    return 0
