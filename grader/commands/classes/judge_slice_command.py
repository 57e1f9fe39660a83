"""`tilelab judge-slice`: what a task of `tilelab grade --slurm` runs on its node. People do not call it."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError
from rich.console import Console

from grader.batch.scratch_folder import require_temporary_files
from grader.commands.classes.class_setup import class_setup
from grader.commands.frame.opened_tools import open_toolset
from grader.judging.sanitizer_run import under_sanitizer
from grader.machine.toolset import Toolset
from grader.machine.worker_processes import WorkerProcesses, fitting_count
from grader.model.course_root import course_root, load_labs
from grader.model.errors import RemediableError
from grader.model.labs import Lab
from grader.model.seed import course_seed
from grader.slurm.array_order import ArrayOrder
from grader.slurm.shared_folder import ArrayFolder
from grader.slurm.slice_judging import judge_slice
from grader.slurm.task_answer import Bench, TaskAnswer

_NUMBER, _NODE = "SLURM_ARRAY_TASK_ID", "SLURMD_NODENAME"
_PROCESSORS = ("SLURM_CPUS_PER_TASK", "SLURM_CPUS_ON_NODE")


def judge_array_slice(folder: Path) -> int:
    """Judges the slice that Slurm's environment names. A node that cannot judge says so in its answer, and that is no failure."""
    array, number = ArrayFolder(folder), os.environ.get(_NUMBER, "")
    try:
        order = array.order()
    except (OSError, ValidationError) as error:
        message = f"{folder}: this holds no order for a task: {error}"
        raise RemediableError(message) from error
    if not number.isdecimal() or int(number) >= len(order.slices):
        message = f"{_NUMBER} is {number!r}: this command runs in a task of `tilelab grade --slurm`."
        raise RemediableError(message)
    node = os.environ.get(_NODE) or socket.gethostname()
    try:
        answer = _answer(array, int(number), order, node)
    except RemediableError as error:
        answer = TaskAnswer(node=node, refused=str(error))
    array.write_answer(int(number), answer)
    return 0


def _answer(array: ArrayFolder, number: int, order: ArrayOrder, node: str) -> TaskAnswer:
    require_temporary_files()
    root = course_root(Path.cwd())
    labs = load_labs(root, order.labs)
    toolset = open_toolset(root, allow_no_sandbox=order.options.allow_no_sandbox)
    if order.options.sanitized:
        toolset = under_sanitizer(toolset)
    given = processors(os.environ)
    with WorkerProcesses(fitting_count(order.options.workers or given)) as workers:
        return _judged(array, number, order, labs, toolset.working_with(workers), given, node)


def _judged(  # noqa: PLR0913, PLR0917 -- a step of _answer
    array: ArrayFolder,
    number: int,
    order: ArrayOrder,
    labs: Sequence[Lab],
    toolset: Toolset,
    given: int,
    node: str,
) -> TaskAnswer:
    mine = {job.lab for job in order.slices[number]}
    setup = class_setup(
        toolset,
        [lab for lab in labs if order.bench is None or lab.id in mine],
        course_seed(toolset.root),
        Console(highlight=False),
        sweep=order.options.sweep,
        search_seconds=order.options.search_seconds,
        workers=order.options.workers or given,
    )
    bench = Bench(
        fingerprints=dict(setup.fingerprints),
        environment=setup.environment,
        speed_message=toolset.gpu.speed_message,
    )
    at_once = order.options.workers or (2 * given if toolset.gpu.runs else given)
    asked = {lab.id: lab for lab in labs if lab.id in setup.fingerprints}
    return judge_slice(array, number, order, asked, setup, bench, node=node, workers=at_once, allocation=os.environ)


def processors(environment: Mapping[str, str]) -> int:
    """How many Slurm gave this task. Where it binds tasks to processors, those that this process may use are fewer than the node has."""
    said = [int(value) for name in _PROCESSORS if (value := environment.get(name, "")).isdecimal() and int(value)]
    return max(1, min([len(os.sched_getaffinity(0)), *said[:1]]))
