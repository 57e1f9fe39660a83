"""The options of `tilelab grade` about a cluster, and what they come to."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from grader.batch.judging_setup import JudgingSetup
from grader.batch.output_folder import OutputFolder
from grader.model.errors import RemediableError
from grader.slurm.array_order import JudgingOptions
from grader.slurm.shared_folder import SharedFolder
from grader.slurm.slurm_cluster import SLICE, SlurmCluster
from grader.slurm.slurm_commands import own_options

# As sbatch has it: minutes, minutes:seconds, hours:minutes:seconds, days-hours, and so on.
_TIME = re.compile(r"(\d+-)?\d+(:\d+){0,2}")


@dataclass(frozen=True)
class SlurmOptions:
    slurm: bool = False
    options: str = ""  # for sbatch, as a shell would have them
    slice_size: int | None = None
    time: str = ""  # of one task, as sbatch has it

    def asked(self) -> bool:
        """Whether a cluster judges. Raises RemediableError where options about it are given and it does not."""
        if not self.slurm and (self.options.strip() or self.slice_size is not None or self.time.strip()):
            message = (
                "--slurm-options, --slurm-slice and --slurm-time go with --slurm. Give that too, or leave them out."
            )
            raise RemediableError(message)
        return self.slurm

    def of_sbatch(self, workers: int | None) -> tuple[str, ...]:
        """`workers`: how many processors a task asks for; none: as many as the cluster gives by itself, or as the options say."""
        time = self.time.strip()
        if time and not _TIME.fullmatch(time):
            message = f"--slurm-time {time!r}: a time as sbatch has it is needed, such as 30 (minutes) or 1:30:00."
            raise RemediableError(message)
        processors = (f"--cpus-per-task={workers}",) if workers else ()
        return (*processors, *own_options(self.options), *((f"--time={time}",) if time else ()))


def slurm_cluster(
    options: SlurmOptions, judging: JudgingOptions, setup: JudgingSetup, out: OutputFolder, root: Path
) -> SlurmCluster:
    """`setup`: as this machine would judge."""
    program = Path(sys.executable).with_name("tilelab")
    return SlurmCluster(
        SharedFolder(out.path / "instructor"),
        judging,
        options.of_sbatch(judging.workers),
        (sys.executable, str(program), "judge-slice"),
        root.resolve(),
        setup.fingerprints,
        options.slice_size or SLICE,
    )
