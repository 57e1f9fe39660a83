"""Slurm's commands. Every array of one OUT has the same name, and the queue is asked by that name alone: an array that Slurm has forgotten
is simply not in the answer, and a failing `squeue` always means that the queue itself does not answer. What `sbatch` prints is not read.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from grader.model.errors import RemediableError

# What Slurm says when slurmctld cannot be reached, and not that it does not want this array.
_BUSY = re.compile(r"contact slurm controller|timed out|temporarily|try again|connection refused", re.IGNORECASE)
_SECONDS = 120  # for one command; slurmctld may be busy
DIED = frozenset({"BOOT_FAIL", "FAILED", "LAUNCH_FAILED", "NODE_FAIL"})  # another node may do better
ENDED = DIED | {"CANCELLED", "COMPLETED", "DEADLINE", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED", "TIMEOUT"}


class RefusedError(RemediableError):
    """Slurm does not do what it is asked. The text holds its own words."""


class SilentError(RemediableError):
    """Slurm does not answer at the moment: the same may be asked later."""


class QueuedTask(NamedTuple):
    state: str  # Slurm's word. One that nobody knows is that of a task which may still run
    node: str = ""
    reason: str = ""


class SlurmCommands:
    """The commands as they are on the path. All raise SilentError, or RemediableError where they are not on this machine."""

    def submit(self, command: str, log: Path, tasks: int, name: str, options: Sequence[str]) -> None:
        """`log`: with sbatch's signs in its name. Raises RefusedError: a smaller array may be taken."""
        ours = [f"--array=0-{tasks - 1}", f"--job-name={name}", "--nodes=1", "--ntasks=1", "--no-requeue"]
        output = str(log.parent).replace("%", "%%") + f"/{log.name}"
        _run("sbatch", *options, *ours, f"--output={output}", f"--wrap=exec {command}")

    def queue(self, name: str) -> list[QueuedTask]:
        """The tasks of all arrays called `name` that Slurm knows of, also those that have ended lately."""
        try:
            output = _run("squeue", f"--name={name}", "--array", "--noheader", "--states=all", "--format=%T|%N|%r")
        except RefusedError as error:
            raise SilentError(str(error)) from error
        lines = [line.strip() for line in output.splitlines() if line.strip()]
        if strange := next((line for line in lines if not re.match(r"[A-Z_]+\|[^|]*\|", line)), ""):
            raise SilentError(f"squeue printed a line that is not understood: {strange[:200]!r}")
        return [QueuedTask(*line.split("|", 2)) for line in lines]

    def cancel(self, name: str) -> None:
        """All arrays called `name`. Where it fails, they run on, and what they judge is kept."""
        with suppress(RemediableError):
            _run("scancel", f"--name={name}")


def _run(*command: str) -> str:
    # Without what an allocation around this command has set, and without formats of the person's own.
    theirs = [name for name in os.environ if name.startswith(("SLURM_", "SQUEUE_", "SCANCEL_"))]
    dropped = {*theirs} - {"SLURM_CONF", "SLURM_CLUSTERS"}
    try:
        done = subprocess.run(
            command,
            check=False,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_SECONDS,
            stdin=subprocess.DEVNULL,
            env={name: value for name, value in os.environ.items() if name not in dropped},
        )
    except FileNotFoundError as error:
        raise RemediableError(
            f"there is no {command[0]!r} on this machine: `tilelab grade --slurm` runs where Slurm's commands are, on a login node."
        ) from error
    except subprocess.TimeoutExpired as error:
        raise SilentError(f"{command[0]}: no answer within {_SECONDS} seconds") from error
    except OSError as error:
        raise SilentError(f"{command[0]} cannot be started: {error.strerror}") from error
    if done.returncode != 0:
        words = " ".join(line.strip() for line in done.stderr.splitlines()[-3:] if line.strip())[:500]
        kind = SilentError if _BUSY.search(words) else RefusedError
        raise kind(f"{command[0]} failed: {words or f'it ended with status {done.returncode}'}")
    return done.stdout
