"""What a task does on its node: judges one slice of an array into the job store, exactly as a batch does, and leaves an answer.

A node whose controls fail answers so and keeps nothing; so does one that would judge with other tools than the array was made for, or
whose key of a job is another one, because then it sees another course, another seed or another file.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError
from rich.console import Console

from grader.model.course_root import course_root, course_seed, load_labs
from grader.model.errors import RemediableError
from grader.model.labs import Lab
from grader.model.outcome import LabOutcome
from grader.model.result import Submission
from grader.plugins.slurm.shared_folder import ArrayFolder, ArrayOrder, Bench, SharedFolder, SliceJob, TaskAnswer
from grader.roll.batch.controls import class_setup
from grader.roll.batch.job_store import JobStore, job_key, lab_fingerprint
from grader.roll.batch.judging_jobs import JudgingSetup, Progress, judge_class, plan_judging
from grader.roll.batch.opened_tools import open_toolset
from grader.roll.batch.output_folder import require_temporary_files, scratch_folder
from grader.roll.intake.attempts import Intake
from grader.run.gpu_judging import under_sanitizer
from grader.system.worker_processes import WorkerProcesses

# Whether a task has its GPU for itself. Kernels are timed nowhere else: what another job does there would cost a student points.
#
# Slurm says in a task's environment what it gave: whole devices, shards of one, or a part of one through MPS. Pure.

_WHOLE = ("SLURM_JOB_GPUS", "SLURM_STEP_GPUS")
_PARTS = ("SLURM_SHARDS_ON_NODE", "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE")


def gpu_is_shared(labs: Sequence[Lab], bench: Bench, allocation: Mapping[str, str]) -> str:
    """Why a timed lab of `labs` cannot be judged in this allocation; empty: it can, or nothing is timed here."""
    timed = [lab.id for lab in labs if lab.public.performance is not None]
    if not timed or bench.environment.backend != "cuda":
        return ""
    whole = any(allocation.get(name) for name in _WHOLE)
    part = next((name for name in _PARTS if allocation.get(name)), "")
    if whole and not part:
        return ""
    seen = f"{part} is set, so others may use it" if part else "Slurm gave this task no GPU of its own"
    return (
        f"{timed[0]} is timed, and only where a GPU is alone: {seen}. Ask for a whole one, as in "
        '--slurm-options "--gres=gpu:1", or grade without it with TILELAB_BACKEND=cpu'
    )


_TRACE = 4000  # characters of a fault that are passed on


@dataclass(frozen=True)
class SliceTask:
    """The task of an array that judges the slice of its number."""

    array: ArrayFolder
    number: int
    order: ArrayOrder
    node: str


def judge_slice(
    task: SliceTask,
    labs: Mapping[str, Lab],
    setup: JudgingSetup,
    bench: Bench,
    *,
    workers: int,
    allocation: Mapping[str, str],
) -> TaskAnswer:
    """`allocation`: the environment, in which Slurm says what it gave. Every lab of the slice is among `labs`."""
    order, node = task.order, task.node
    shared, jobs = SharedFolder(task.array.path.parents[2]), order.slices[task.number]
    refused = gpu_is_shared(list(labs.values()), bench, allocation)
    if order.bench is not None and not refused and (differences := order.bench.differences(bench)):
        refused = f"it would judge with other tools than the rest of the class: {differences}"
    if order.bench is None or refused or (refused := _strange(jobs, labs, setup, shared)):
        return TaskAnswer(node=node, bench=bench, refused=refused)
    found: dict[str, LabOutcome] = {}
    faults: dict[str, str] = {}
    others: list[str] = []
    store = JobStore(shared.private / "jobs")
    # One lab after the other: a file belongs to the lab that it was handed in for, and several labs may ask for a file of one name.
    for lab in (labs[one] for one in dict.fromkeys(job.lab for job in jobs)):
        keys, file = [job.key for job in jobs if job.lab == lab.id], lab.public.file
        mine = [Intake(Submission(id=key, name=key), {file: shared.source(key)}) for key in keys]
        with scratch_folder() as scratch:
            plan = plan_judging(mine, [lab], setup, store)
            judged = judge_class(plan, scratch / "jobs", Progress(), workers=workers)
        if judged.stopped:
            return TaskAnswer(node=node, bench=bench, refused=judged.stopped)
        found |= {one.submission.id: one.outcomes[lab.id] for one in judged.students}
        for fault in judged.faults:
            key, _, words = fault.partition(": ")
            if key in found:
                faults[key] = words[:_TRACE]
            else:
                others.append(fault[:_TRACE])
    kept = store.keys()
    return TaskAnswer(
        node=node,
        bench=bench,
        outcomes={key: outcome for key, outcome in found.items() if key not in kept or key in faults},
        faults=faults,
        other_faults=tuple(dict.fromkeys(others)),
    )


def _strange(jobs: Sequence[SliceJob], labs: Mapping[str, Lab], setup: JudgingSetup, shared: SharedFolder) -> str:
    """Why this node may not judge `jobs`; empty: it may."""
    asked = {lab_id: lab_fingerprint(labs[lab_id]) for lab_id in {job.lab for job in jobs}}
    for job in jobs:
        source = shared.source(job.key)
        try:
            text = source.read_bytes()
        except OSError as error:
            return f"it cannot read {source} ({error.strerror}): OUT has to lie on a file system that every node shares"
        if job_key(text, asked[job.lab], setup=setup.fingerprints[job.lab], seed=setup.seed) != job.key:
            return f"it sees other files of {job.lab}, or another seed, than the command that submitted it"
    return ""


# `tilelab judge-slice`: what a task of `tilelab grade --slurm` runs on its node. People do not call it.

_NUMBER, _NODE = "SLURM_ARRAY_TASK_ID", "SLURMD_NODENAME"
_PROCESSORS = ("SLURM_CPUS_PER_TASK", "SLURM_CPUS_ON_NODE")


def judge_array_slice(array: Annotated[Path, typer.Argument(help="the folder of an array in OUT")]) -> int:
    """What a task of `grade --slurm` runs on its node."""  # a node that cannot judge says so in its answer: that is no failure
    folder, number = ArrayFolder(array), os.environ.get(_NUMBER, "")
    try:
        order = folder.order()
    except (OSError, ValidationError) as error:
        raise RemediableError(f"{array}: this holds no order for a task: {error}") from error
    if not number.isdecimal() or int(number) >= len(order.slices):
        raise RemediableError(f"{_NUMBER} is {number!r}: this command runs in a task of `tilelab grade --slurm`.")
    node = os.environ.get(_NODE) or socket.gethostname()
    try:
        answer = _answer(SliceTask(folder, int(number), order, node))
    except RemediableError as error:
        answer = TaskAnswer(node=node, refused=str(error))
    folder.write_answer(int(number), answer)
    return 0


def _answer(task: SliceTask) -> TaskAnswer:
    order = task.order
    require_temporary_files()
    root = course_root(Path.cwd())
    labs = load_labs(root, order.labs)
    toolset = open_toolset(root, allow_no_sandbox=order.options.allow_no_sandbox)
    if order.options.sanitized:
        toolset = under_sanitizer(toolset)
    given = processors(os.environ)
    workers = order.options.workers or given
    mine = {job.lab for job in order.slices[task.number]}
    asked = {lab.id: lab for lab in labs if order.bench is None or lab.id in mine}
    with WorkerProcesses(workers) as processes:
        toolset = toolset.working_with(processes)
        setup = class_setup(
            toolset,
            list(asked.values()),
            course_seed(root),
            Console(highlight=False),
            sweep=order.options.sweep,
            search_seconds=order.options.search_seconds,
            workers=workers,
        )
        bench = Bench(
            fingerprints=dict(setup.fingerprints),
            environment=setup.environment,
            speed_message=toolset.gpu.speed_message,
        )
        at_once = order.options.workers or (2 * given if toolset.gpu.runs else given)
        return judge_slice(task, asked, setup, bench, workers=at_once, allocation=os.environ)


def processors(environment: Mapping[str, str]) -> int:
    """How many Slurm gave this task. Where it binds tasks to processors, those that this process may use are fewer than the node has."""
    said = [int(value) for name in _PROCESSORS if (value := environment.get(name, "")).isdecimal() and int(value)]
    return max(1, min([len(os.sched_getaffinity(0)), *said[:1]]))
