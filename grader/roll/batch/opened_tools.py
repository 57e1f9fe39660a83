"""What several commands open before they begin: the toolset, a lab's judge, the conditions that a result states."""

# ruff: noqa: PLC0415 -- a student waits for `tilelab test` many times a day: each command imports what it needs

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from grader import __version__
from grader.model.course_root import PUBLIC_SEED
from grader.model.result import Environment

if TYPE_CHECKING:
    from rich.console import Console

    from grader.engines.backend import BackendChoice
    from grader.engines.toolset import Toolset
    from grader.model.labs import Lab
    from grader.roll.batch.judging_setup import JudgingSetup
    from grader.run.lab_judging import LabJudge
    from grader.run.speed.speed_run import SizeSweep


def open_toolset(root: Path, *, allow_no_sandbox: bool, backend: BackendChoice | None = None) -> Toolset:
    """`backend` None: as TILELAB_BACKEND has it."""
    from grader.engines.backend import backend_choice
    from grader.engines.toolset import Toolset

    return Toolset.open(root, allow_no_sandbox=allow_no_sandbox, backend=backend or backend_choice())


def lab_judge(toolset: Toolset, seed: int, *, public_only: bool, draws: bool = False) -> LabJudge:
    """`draws`: also makes the pages that step through a block with a mistake, for those who write reports."""
    from grader.run.lab_judging import LabJudge

    judge = LabJudge(toolset, seed, public_only=public_only)
    if not draws:
        return judge
    from grader.roll.batch.drawn_pages import drawn_block

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
    from grader.run.speed.speed_run import SizeSweep

    if toolset.gpu.runs:
        return SizeSweep(toolset)
    console.print(
        f"sizes cannot be measured on this machine: {'; '.join(toolset.gpu.reasons)}", markup=False, soft_wrap=True
    )
    return None


def jobs_at_once(toolset: Toolset) -> int:
    """How many files are judged at a time. With a GPU, about half of them wait for it, and the cores are for the others."""
    cores = os.cpu_count() or 1
    return 2 * cores if toolset.gpu.runs else cores


def class_setup(
    toolset: Toolset,
    labs: Sequence[Lab],
    seed: int,
    console: Console,
    *,
    sweep: bool,
    search_seconds: float | None,
    workers: int,
) -> JudgingSetup:
    """What a class is judged with on this machine. `workers`: as many as this process has cores."""
    from grader.explain.suspect_search import ClassSearch
    from grader.roll.batch.controls import Controls
    from grader.roll.batch.job_store import judging_fingerprints
    from grader.roll.batch.judging_setup import JudgingSetup, LineSearch
    from grader.run.compiler_trial import compiler_trouble

    judge = lab_judge(toolset, seed, public_only=False, draws=True)
    return JudgingSetup(
        judge=judge,
        environment=environment_of(toolset),
        fingerprints=judging_fingerprints(toolset, labs),
        seed=seed,
        sweep=size_sweep(toolset, console) if sweep else None,
        lines=LineSearch(ClassSearch(toolset, seed, PUBLIC_SEED), search_seconds, workers=workers),
        controls=Controls(
            replace(judge, explained=False, drawn=None),
            workers=workers,
            compiler=partial(compiler_trouble, toolset),
            on_cpu=replace(judge, toolset=toolset.without_gpu(), explained=False, drawn=None),
        ),
    )
