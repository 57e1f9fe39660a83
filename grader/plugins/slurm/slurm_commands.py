"""Slurm's commands: an array is submitted, its tasks are looked up, and cancelled. It asks only for what each version since 20.02 prints
in one way, and takes nothing from their output that it does not understand.

Every array of one OUT has the same name. So the queue is asked by that name alone: an array that Slurm has forgotten is simply not in the
answer, and a failing `squeue` always means that the queue itself does not answer.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.model.errors import RemediableError

# What Slurm says when slurmctld cannot be reached, and not that it does not want this array.
_BUSY = re.compile(r"contact slurm controller|timed out|temporarily|try again|connection refused", re.IGNORECASE)
_UNHEARD = 124  # our own status of a command that did not end or begin
_SECONDS = 120  # for one command; slurmctld may be busy
_FORMAT = "%i|%T|%N|%r"
_TASK = re.compile(r"(\d+)(?:_(\d+)|_\[[^|\]]*\])?")  # of an array: one task, or those that have not begun
REST = -1  # the number that stands for tasks of an array that are not listed one by one
_ID = re.compile(r"(\d+)(;[\w.-]+)?")
_ENDED = frozenset(
    [
        "BOOT_FAIL",
        "CANCELLED",
        "COMPLETED",
        "DEADLINE",
        "FAILED",
        "NODE_FAIL",
        "OUT_OF_MEMORY",
        "PREEMPTED",
        "TIMEOUT",
        "REVOKED",
        "LAUNCH_FAILED",
    ]
)
_OWN = (
    "array",
    "chdir",
    "error",
    "input",
    "job-name",
    "output",
    "parsable",
    "test-only",
    "wait",
    "wrap",
    "ntasks",
    "nodes",
)
_OWN_LETTERS = "aDeiJoWnN"  # the same as letters


class SlurmError(RemediableError):
    """Slurm does not do what it is asked. The text holds its own words."""


class RefusedError(SlurmError):
    """An array was not taken; a smaller one may be. `later`: nobody looked at it, so the same one may be taken later."""

    def __init__(self, message: str, *, later: bool = False) -> None:
        super().__init__(message)
        self.later = later


class QueueLostError(SlurmError):
    """The queue does not answer at the moment."""


@dataclass(frozen=True, order=True)
class TaskId:
    array: int
    number: int

    def __str__(self) -> str:
        return f"{self.array}_{self.number}"


@dataclass(frozen=True)
class TaskState:
    state: str  # Slurm's word
    node: str = ""
    reason: str = ""

    @property
    def ended(self) -> bool:
        """A word that nobody knows is that of a task which may still run."""
        return self.state in _ENDED

    @property
    def waits(self) -> bool:
        return self.state == "PENDING"


def state_of(task: TaskId, states: Mapping[TaskId, TaskState]) -> TaskState | None:
    """None: the queue has forgotten the task."""
    return states.get(task) or states.get(TaskId(task.array, REST))


@dataclass(frozen=True)
class Submission:
    """An array that Slurm is asked to run."""

    script: Path
    tasks: int
    name: str
    folder: Path  # where it starts
    log: Path  # with %A and %a for its number and the task's
    options: tuple[str, ...] = ()  # the instructor's
    excluded: tuple[str, ...] = ()  # nodes


def own_options(text: str) -> tuple[str, ...]:
    """`--slurm-options` as arguments of sbatch. Raises SlurmError where it names what is ours to choose."""
    try:
        options = tuple(shlex.split(text))
    except ValueError as error:
        raise SlurmError(f"--slurm-options {text!r}: {error}.") from error
    for option in options:
        is_ours = option[2:].split("=")[0] in _OWN if option[1:2] == "-" else option[1:2] in {*_OWN_LETTERS}
        if option.startswith("-") and is_ours:
            raise SlurmError(f"--slurm-options: tilelab itself chooses {option.split('=')[0]!r}. Leave it out.")
    if options and not options[0].startswith("-"):
        raise SlurmError(
            f"--slurm-options: {options[0]!r} is no option of sbatch. They begin with a dash, as in '--partition=gpu'."
        )
    return options


class SlurmCommands:
    """The commands as they are on the path."""

    def submit(self, what: Submission) -> int:
        """The array's number. Raises RefusedError, or SlurmError where there is no sbatch here."""
        log = str(what.log.parent).replace("%", "%%") + f"/{what.log.name}"
        command = [
            "sbatch",
            *what.options,
            *([f"--exclude={','.join(what.excluded)}"] if what.excluded else []),
            "--parsable",
            f"--array=0-{what.tasks - 1}",
            f"--job-name={what.name}",
            f"--chdir={what.folder}",
            f"--output={log}",
            "--nodes=1",
            "--ntasks=1",
            "--no-requeue",
            str(what.script),
        ]
        status, output, words = _run(command)
        if status != 0:
            raise RefusedError(
                f"sbatch did not take an array of {what.tasks}: {words or f'it ended with status {status}'}",
                later=status == _UNHEARD or bool(_BUSY.search(words)),
            )
        lines = [line.strip() for line in output.splitlines() if line.strip()]
        found = _ID.fullmatch(lines[-1]) if lines else None
        if found is None:
            raise SlurmError(f"sbatch answered {output.strip()[:200]!r}, in which no number of an array can be found.")
        return int(found.group(1))

    def queue(self, name: str) -> Mapping[TaskId, TaskState]:
        """The tasks of all arrays called `name` that Slurm knows of, also those that have ended lately. Raises QueueLostError."""
        asked = ["squeue", f"--name={name}", "--array", "--noheader", "--states=all", f"--format={_FORMAT}"]
        status, output, words = _run(asked)
        if status != 0:
            raise QueueLostError(f"squeue does not answer: {words or f'it ended with status {status}'}")
        found: dict[TaskId, TaskState] = {}
        for line in output.splitlines():
            parts = line.strip().split("|")
            task = _TASK.fullmatch(parts[0])
            if task is None or len(parts) < 4 or not re.fullmatch(r"[A-Z_]+", parts[1]):  # noqa: PLR2004 -- as in _FORMAT
                if line.strip():
                    raise QueueLostError(f"squeue printed a line that is not understood: {line.strip()[:200]!r}")
                continue
            state = TaskState(parts[1], parts[2], "|".join(parts[3:]))
            if task[2] is not None or not state.ended:
                found[TaskId(int(task[1]), int(task[2] or REST))] = state
        return found

    def why(self, task: TaskId) -> str:
        """What the accounting knows of a task that the queue has forgotten; empty where there is none."""
        try:
            status, output, _ = _run(["sacct", "-n", "-P", "-X", "-j", str(task), "-o", "State,ExitCode,NodeList"])
        except SlurmError:
            return ""
        parts = output.splitlines()[0].split("|") if status == 0 and output.strip() else []
        return f"{parts[0]}, exit code {parts[1]}, on {parts[2]}" if len(parts) == 3 else ""  # noqa: PLR2004 -- as asked

    def cancel(self, name: str, *arrays: int) -> None:
        """All arrays called `name`, or some of them. Those that have ended are no error."""
        try:
            _run(["scancel", *(map(str, arrays) if arrays else [f"--name={name}"])])
        except SlurmError:
            return  # they run on, and what they judge is kept


def _run(command: Sequence[str]) -> tuple[int, str, str]:
    """Status, output, and the last words of the errors."""
    try:
        done = subprocess.run(
            command,
            check=False,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_SECONDS,
            stdin=subprocess.DEVNULL,
            env=_environment(),
        )
    except FileNotFoundError as error:
        raise SlurmError(
            f"there is no {command[0]!r} on this machine: `tilelab grade --slurm` runs where Slurm's commands are, on a login node."
        ) from error
    except subprocess.TimeoutExpired:
        return _UNHEARD, "", f"no answer within {_SECONDS} seconds"
    except OSError as error:
        return _UNHEARD, "", f"{command[0]} cannot be started: {error.strerror}"
    words = " ".join(line.strip() for line in done.stderr.splitlines()[-3:] if line.strip())
    return done.returncode, done.stdout, words[:500]


def _environment() -> dict[str, str]:
    """Without what an allocation around this command has set, and without formats of the person's own."""
    theirs = [name for name in os.environ if name.startswith(("SLURM_", "SQUEUE_", "SACCT_", "SCANCEL_"))]
    dropped = {*theirs} - {"SLURM_CONF", "SLURM_CLUSTERS"}
    return {name: value for name, value in os.environ.items() if name not in dropped}


@dataclass(frozen=True)
class Waiting:
    """How long for what, in seconds."""

    shortest: float = 2.0  # between two looks at the queue, at first
    longest: float = 10.0
    grace: float = 30.0  # for the answer of a task that has ended: shared file systems show new files late
    patience: float = 1800.0  # for a queue that does not answer
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
