"""Judging a class on a Slurm cluster: `tilelab grade --slurm`, its options, and what they come to for `sbatch`. See docs/clusters.md."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import Annotated

import typer

from grader.model.errors import RemediableError
from grader.roll.batch.plugin import Command, OtherMachines

# As sbatch has it: minutes, minutes:seconds, hours:minutes:seconds, days-hours, and so on.
_TIME = re.compile(r"(\d+-)?\d+(:\d+){0,2}")
# Options of sbatch that are ours to choose, and the same as letters.
_OWN = re.compile(
    r"--(array|chdir|error|input|job-name|output|parsable|test-only|wait|wrap|ntasks|nodes)(=.*)?|-[aDeiJoWnN].*",
    re.DOTALL,
)


@dataclass(frozen=True)
class SlurmOptions:
    slurm: Annotated[
        bool, typer.Option("--slurm", help="judge on a Slurm cluster, as arrays of tasks: see docs/clusters.md")
    ] = False
    slurm_options: Annotated[
        str, typer.Option(help="for sbatch: '--partition=gpu --gres=gpu:1'", metavar="OPTIONS")
    ] = ""
    slurm_slice: Annotated[
        int | None, typer.Option(min=1, max=10_000, help="how many files a task judges; default: 32")
    ] = None
    slurm_time: Annotated[
        str, typer.Option(help="the time limit of a task, as sbatch has it; default: the partition's", metavar="TIME")
    ] = ""

    def asked(self) -> bool:
        """Whether a cluster judges. Raises RemediableError where options about it are given and it does not."""
        if not self.slurm and (self.slurm_options.strip() or self.slurm_slice is not None or self.slurm_time.strip()):
            raise RemediableError(
                "--slurm-options, --slurm-slice and --slurm-time go with --slurm. Give that too, or leave them out."
            )
        return self.slurm

    def of_sbatch(self, workers: int | None) -> tuple[str, ...]:
        """`workers`: how many processors a task asks for; none: as many as the cluster gives by itself, or as the options say."""
        time = self.slurm_time.strip()
        if time and not _TIME.fullmatch(time):
            needed = "a time as sbatch has it is needed, such as 30 (minutes) or 1:30:00"
            raise RemediableError(f"--slurm-time {time!r}: {needed}.")
        processors = (f"--cpus-per-task={workers}",) if workers else ()
        return (*processors, *own_options(self.slurm_options), *((f"--time={time}",) if time else ()))


def own_options(text: str) -> tuple[str, ...]:
    """`--slurm-options` as arguments of sbatch. Raises RemediableError where it names what is ours to choose."""
    try:
        options = tuple(shlex.split(text))
    except ValueError as error:
        raise RemediableError(f"--slurm-options {text!r}: {error}.") from error
    if ours := next(filter(_OWN.fullmatch, options), ""):
        raise RemediableError(f"--slurm-options: tilelab itself chooses {ours.split('=')[0]!r}. Leave it out.")
    if options and not options[0].startswith("-"):
        raise RemediableError(
            f"--slurm-options: {options[0]!r} is no option of sbatch. They begin with a dash, as in '--partition=gpu'."
        )
    return options


PLUGINS = (
    OtherMachines("slurm", SlurmOptions, SlurmOptions.asked, "grader.plugins.slurm.array_run:slurm_cluster"),
    Command("judge-slice", "grader.plugins.slurm.slice_judging:judge_array_slice", hidden=True),
)
