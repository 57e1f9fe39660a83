"""What a run of arrays needs of others: Slurm, the clock, and somebody who is told what came of jobs."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Protocol

from grader.slurm.slurm_commands import Submission, TaskId, TaskState
from grader.slurm.task_answer import TaskAnswer


class Slurm(Protocol):
    """What SlurmCommands does."""

    def submit(self, what: Submission, /) -> int: ...
    def queue(self, name: str, /) -> Mapping[TaskId, TaskState]: ...
    def why(self, task: TaskId, /) -> str: ...
    def cancel(self, name: str, /, *arrays: int) -> None: ...


@dataclass(frozen=True)
class Waiting:
    """How long for what, in seconds."""

    shortest: float = 2.0  # between two looks at the queue, at first
    longest: float = 10.0
    grace: float = 30.0  # for the answer of a task that has ended: shared file systems show new files late
    patience: float = 1800.0  # for a queue that does not answer
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


@dataclass(frozen=True)
class Lost:
    """Jobs that were tried often enough, and why their last task ended."""

    keys: tuple[str, ...]
    why: str


class Judged(Protocol):
    """Told what came of jobs. Each of them asks for the keys that are still open."""

    def stored(self, keys: Collection[str], /) -> Collection[str]:
        """Takes the outcomes of those of `keys` that the store holds by now, and says which they are."""

    def answered(self, key: str, answer: TaskAnswer, /, *, last: bool) -> bool:
        """Takes what an answer alone says of a job. False: nothing that counts, and unless it is the `last` try it is tried again."""

    def lost(self, lost: Lost, /) -> None: ...
