"""Judging a class on a Slurm cluster: `tilelab grade --slurm`. See docs/clusters.md."""

# ruff: noqa: PLC0415 -- imports lie inside of functions: a student waits for `tilelab test` many times a day

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from grader.roll.batch.plugin import Command, OtherMachines

if TYPE_CHECKING:
    from grader.roll.batch.judging_setup import Elsewhere, JudgingOptions, JudgingSetup

OPTIONS: Mapping[str, tuple[Any, object]] = {
    "slurm": (
        Annotated[
            bool, typer.Option("--slurm", help="judge on a Slurm cluster, as arrays of tasks: see docs/clusters.md")
        ],
        False,
    ),
    "slurm_options": (
        Annotated[str, typer.Option(help="for sbatch: '--partition=gpu --gres=gpu:1'", metavar="OPTIONS")],
        "",
    ),
    "slurm_slice": (
        Annotated[int | None, typer.Option(min=1, max=10_000, help="how many files a task judges; default: 32")],
        None,
    ),
    "slurm_time": (
        Annotated[
            str,
            typer.Option(help="the time limit of a task, as sbatch has it; default: the partition's", metavar="TIME"),
        ],
        "",
    ),
}


def _asked(options: Mapping[str, Any]) -> bool:
    from grader.plugins.slurm.slurm_cluster import SlurmOptions

    return SlurmOptions(**options).asked()


def _opened(
    options: Mapping[str, Any], judging: JudgingOptions, setup: JudgingSetup, out: Path, root: Path
) -> Elsewhere:
    from grader.plugins.slurm.slurm_cluster import SlurmOptions, slurm_cluster

    return slurm_cluster(SlurmOptions(**options), judging, setup, out, root)


def judge_slice_command(array: Annotated[Path, typer.Argument(help="the folder of an array in OUT")]) -> int:
    """What a task of `grade --slurm` runs on its node."""
    from grader.plugins.slurm.slice_judging import judge_array_slice

    return judge_array_slice(array)


PLUGINS = (
    OtherMachines("slurm", OPTIONS, _asked, _opened),
    Command("judge-slice", judge_slice_command, hidden=True),
)
