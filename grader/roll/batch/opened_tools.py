"""What several commands open before they begin: the toolset, a lab's judge, the conditions that a result states."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from grader import __version__
from grader.engines.backend import BackendChoice, backend_choice
from grader.engines.toolset import Toolset
from grader.model.result import Environment
from grader.run.lab_judging import LabJudge

if TYPE_CHECKING:  # a student waits for `tilelab test` many times a day
    from rich.console import Console

    from grader.run.speed.speed_run import SizeSweep


def open_toolset(root: Path, *, allow_no_sandbox: bool, backend: BackendChoice | None = None) -> Toolset:
    """`backend` None: as TILELAB_BACKEND has it."""
    return Toolset.open(root, allow_no_sandbox=allow_no_sandbox, backend=backend or backend_choice())


def lab_judge(toolset: Toolset, seed: int, *, public_only: bool, draws: bool = False) -> LabJudge:
    """`draws`: also makes the pages that step through a block with a mistake, for those who write reports."""
    judge = LabJudge(toolset, seed, public_only=public_only)
    if not draws:
        return judge
    from grader.roll.batch.drawn_pages import drawn_block  # noqa: PLC0415 -- as above

    return replace(judge, drawn=drawn_block)


def environment_of(toolset: Toolset) -> Environment:
    return Environment(
        kit=__version__,
        compiler=toolset.compiler_version,
        backend="cuda" if toolset.gpu.runs else "cpu",
        gpu=str(toolset.gpu.device) if toolset.gpu.runs else "",
        sandbox=toolset.confinement.name,
        date=dt.datetime.now(tz=dt.UTC).date().isoformat(),
    )


def size_sweep(toolset: Toolset, console: Console) -> SizeSweep | None:
    """None if no sweep can be made here. Then a message says so, and the command continues."""
    from grader.run.speed.speed_run import SizeSweep  # noqa: PLC0415 -- as above

    if toolset.gpu.runs:
        return SizeSweep(toolset)
    console.print(
        f"sizes cannot be measured on this machine: {'; '.join(toolset.gpu.reasons)}", markup=False, soft_wrap=True
    )
    return None
