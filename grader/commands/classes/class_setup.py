"""What a class is judged with on this machine: by `tilelab grade`, and by a task of a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from rich.console import Console

from grader.batch.controls import Controls
from grader.batch.job_store import judging_fingerprints
from grader.batch.judging_setup import JudgingSetup
from grader.batch.line_search import LineSearch
from grader.canaries.compiler_trial import compiler_trouble
from grader.commands.frame.opened_tools import environment_of, lab_judge, size_sweep
from grader.machine.toolset import Toolset
from grader.model.labs import Lab
from grader.practice.public_tests import PUBLIC_SEED
from grader.suspects.class_search import ClassSearch


def class_setup(  # noqa: PLR0913 -- what judging is done with, each by name
    toolset: Toolset,
    labs: Sequence[Lab],
    seed: int,
    console: Console,
    *,
    sweep: bool,
    search_seconds: float | None,
    workers: int,
) -> JudgingSetup:
    """`workers`: as many as this process has cores."""
    judge = lab_judge(toolset, seed, public_only=False, draws=True)
    return JudgingSetup(
        judge=judge,
        environment=environment_of(toolset),
        fingerprints=judging_fingerprints(toolset, labs),
        seed=seed,
        sweep=size_sweep(toolset, console) if sweep else None,
        lines=LineSearch(ClassSearch(toolset, seed, PUBLIC_SEED), search_seconds, workers=workers),
        controls=Controls(
            partial(judge, explained=False, drawn=None),
            workers=workers,
            compiler=partial(compiler_trouble, toolset),
            on_cpu=partial(lab_judge(toolset.without_gpu(), seed, public_only=False), explained=False),
        ),
    )
