"""Judging a class on a Slurm cluster: `tilelab grade --slurm`. See docs/clusters.md."""

# ruff: noqa: PLC0415 -- imports lie inside of functions: a student waits for `tilelab test` many times a day

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grader.plugins.slurm.slurm_options import SlurmOptions
from grader.roll.batch.plugin import Command, OtherMachines

if TYPE_CHECKING:
    from grader.roll.batch.judging_setup import Elsewhere, JudgingOptions, JudgingSetup


def _opened(options: SlurmOptions, judging: JudgingOptions, setup: JudgingSetup, out: Path, root: Path) -> Elsewhere:
    from grader.plugins.slurm.slurm_cluster import slurm_cluster

    return slurm_cluster(options, judging, setup, out, root)


def judge_slice_command(array: Annotated[Path, typer.Argument(help="the folder of an array in OUT")]) -> int:
    """What a task of `grade --slurm` runs on its node."""
    from grader.plugins.slurm.slice_judging import judge_array_slice

    return judge_array_slice(array)


PLUGINS = (
    OtherMachines("slurm", SlurmOptions, SlurmOptions.asked, _opened),
    Command("judge-slice", judge_slice_command, hidden=True),
)
