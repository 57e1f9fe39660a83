"""What the tasks of one array are told: a file beside their slices. Plain data.

No seed is in it: a task reads the course's own, and the key of each job shows whether both mean the same.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grader.model.result import Model
from grader.slurm.task_answer import Bench


class JudgingOptions(Model):
    """What `tilelab grade` was asked that judging depends on."""

    allow_no_sandbox: bool = False
    sanitized: bool = False
    sweep: bool = False
    workers: int | None = None  # files judged at once in a task; none: one for each processor that Slurm gave it
    search_seconds: float | None = None  # for the lines of wrong results, in each task; none: an eighth of judging


class SliceJob(Model):
    """One file to judge: `key` names its outcome in the job store, and its copy among the sources."""

    key: str = Field(pattern=r"^[0-9a-f]{64}$")
    lab: str


class ArrayOrder(Model):
    schema_: Literal["tilelab/array-order/v1"] = Field(default="tilelab/array-order/v1", alias="schema")
    labs: tuple[str, ...]  # that a task opens; slices are about some of them
    options: JudgingOptions = JudgingOptions()
    bench: Bench | None = None  # with which a node has to judge; none: it is asked
    slices: tuple[tuple[SliceJob, ...], ...]  # by the task's number; an empty one asks only what a node judges with
