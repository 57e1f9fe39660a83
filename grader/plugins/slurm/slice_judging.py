"""What a task does on its node: judges one slice of an array into the job store, exactly as a batch does, and leaves an answer.

A node whose controls fail answers so and keeps nothing; so does one that would judge with other tools than the array was made for, or
whose key of a job is another one, because then it sees another course, another seed or another file.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer
from pydantic import Field
from rich.console import Console

from grader.model.course_root import course_root, course_seed, load_labs
from grader.model.errors import RemediableError
from grader.model.labs import Lab
from grader.model.outcome import LabOutcome
from grader.model.result import Environment, Model
from grader.roll.batch.controls import class_setup
from grader.roll.batch.job_store import JobStore, job_key, lab_fingerprint
from grader.roll.batch.judging_jobs import JudgingOptions, JudgingPlan, JudgingSetup, Progress, judge_class
from grader.roll.batch.opened_tools import open_toolset
from grader.roll.batch.output_folder import read_kept, require_temporary_files, scratch_folder
from grader.run.gpu_judging import under_sanitizer
from grader.system.own_files import write_atomically
from grader.system.worker_processes import WorkerProcesses

_TRACE = 4000  # characters of a fault that are passed on
_LOG_BYTES = 4000  # of a log's end that are looked at


class Bench(Model):
    """What a node judges with. Outcomes of two nodes are of one class only where this is the same."""

    fingerprints: dict[str, str]  # by lab, as job keys have them
    environment: Environment
    speed_message: str = ""

    def differences(self, other: Bench) -> str:
        """In words, what is known of them; empty: nothing differs in the labs that `other` tells of."""
        if all(self.fingerprints.get(lab) == one for lab, one in other.fingerprints.items()):
            return ""
        words = ("kit", "compiler", "backend", "gpu", "sandbox")
        both = [(word, getattr(other.environment, word), getattr(self.environment, word)) for word in words]
        told = [f"{word} {its or 'none'!r} instead of {mine or 'none'!r}" for word, its, mine in both if its != mine]
        return ", ".join(told) or "its files of the course, the compiler or the grader are other ones"


class Slice(Model):
    """What one task judges: files of one lab, because it judges the controls of its lab first."""

    lab: str = ""
    keys: tuple[
        Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")], ...
    ] = ()  # in the job store, and of copies of the files


class ArrayOrder(Model):
    """What the tasks of one array are told. No seed is in it: a task reads the course's own, and keys show whether both are the same."""

    schema_: Literal["tilelab/array-order/v2"] = Field(default="tilelab/array-order/v2", alias="schema")
    labs: tuple[str, ...] = ()  # that a task opens; slices are about some of them
    options: JudgingOptions = JudgingOptions()
    slurm_options: tuple[str, ...] = ()
    bench: Bench | None = None  # with which a node has to judge; none: it is only asked what it judges with
    slices: tuple[Slice, ...] = ()  # by the task's number


class TaskAnswer(Model):
    """`refused`: why this node judged nothing, its controls among the reasons. Then nothing that it says of a submission counts."""

    schema_: Literal["tilelab/task-answer/v2"] = Field(default="tilelab/task-answer/v2", alias="schema")
    node: str
    bench: Bench | None = None
    refused: str = ""
    # What was not kept: failures of ours, and times that are to be measured again.
    outcomes: dict[str, LabOutcome] = Field(default_factory=dict)
    faults: tuple[str, ...] = ()  # what broke on our side, behind the key that it concerns


@dataclass(frozen=True)
class ArrayFolder:
    """Of one array, in OUT/instructor/slurm/arrays: its order, copies of the files to judge, and what its tasks leave. Files are
    written whole or not at all.
    """

    path: Path

    @property
    def private(self) -> Path:
        """The instructor's folder in OUT."""
        return self.path.parents[2]

    @property
    def log(self) -> Path:
        """As sbatch has it: %A and %a are the numbers of array and task, %N is the node."""
        return self.path / "%A_%a-%N.log"

    def source(self, key: str) -> Path:
        return self.path / "sources" / key

    def order(self) -> ArrayOrder:
        """Raises OSError or ValueError."""
        return ArrayOrder.model_validate_json((self.path / "order.json").read_bytes())

    def answer(self, number: int) -> TaskAnswer | None:
        """None: there is none, or it is damaged, which is the same."""
        return read_kept(self.path / f"answer-{number}.json", TaskAnswer)

    def write_answer(self, number: int, answer: TaskAnswer) -> None:
        write_atomically(self.path / f"answer-{number}.json", answer.model_dump_json(by_alias=True) + "\n")

    def answered(self) -> int:
        """How many tasks have left an answer."""
        return len([*self.path.glob("answer-*.json")])

    def last_words(self, number: int) -> str:
        """Of a task without an answer: where it ended, and the end of its log."""
        for log in self.path.glob(f"*_{number}-*.log"):
            lines = []
            with suppress(OSError), log.open("rb") as file:
                file.seek(max(0, log.stat().st_size - _LOG_BYTES))
                lines = file.read().decode("utf-8", "replace").splitlines()[-3:]
            task, _, node = log.stem.partition("-")
            words = " / ".join(line.strip() for line in lines if line.strip())[:400]
            return f"task {task} on {node} ended without an answer" + (f"; its log ends: {words}" if words else "")
        return "a task ended before it began"


def gpu_is_shared(labs: Sequence[Lab], bench: Bench, allocation: Mapping[str, str]) -> str:
    """Why a timed lab of `labs` cannot be judged in this allocation, in which Slurm says whether it gave whole devices, shards of one, or
    a part of one through MPS: what another job does there would cost a student points. Empty: it can, or nothing is timed here.
    """
    timed = [lab.id for lab in labs if lab.public.performance is not None]
    whole = any(allocation.get(name) for name in ("SLURM_JOB_GPUS", "SLURM_STEP_GPUS"))
    parts = [one for one in ("SLURM_SHARDS_ON_NODE", "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE") if allocation.get(one)]
    if not timed or bench.environment.backend != "cuda" or (whole and not parts):
        return ""
    seen = f"{parts[0]} is set, so others may use it" if parts else "Slurm gave this task no GPU of its own"
    return (
        f"{timed[0]} is timed, and only where a GPU is alone: {seen}. Ask for a whole one, as in "
        '--slurm-options "--gres=gpu:1", or grade without it with TILELAB_BACKEND=cpu'
    )


def judge_slice(
    array: ArrayFolder,
    labs: Mapping[str, Lab],
    setup: JudgingSetup,
    allocation: Mapping[str, str],
    *,
    workers: int,
    speed_message: str = "",
) -> TaskAnswer:
    """What the task of `allocation` answers. The lab of its slice is among `labs`."""
    order, (number, node) = array.order(), task_of(allocation)
    bench = Bench(fingerprints=dict(setup.fingerprints), environment=setup.environment, speed_message=speed_message)
    refused = gpu_is_shared(list(labs.values()), bench, allocation)
    if order.bench is None or refused:
        return TaskAnswer(node=node, bench=bench, refused=refused)
    mine = order.slices[number]
    lab = labs[mine.lab]
    if differences := order.bench.differences(bench):
        refused = f"it would judge with other tools than the rest of the class: {differences}"
    plan = JudgingPlan((), [lab], setup, JobStore(array.private / "jobs"))
    for key in mine.keys:
        refused = refused or _strange(array.source(key), key, lab, setup)
        plan.add(key, lab, array.source(key), key)
    if refused:
        return TaskAnswer(node=node, refused=refused)
    with scratch_folder() as scratch:
        judged = judge_class(plan, scratch / "jobs", Progress(), workers=workers)
    if judged.stopped:
        return TaskAnswer(node=node, refused=judged.stopped)
    faults = tuple(fault[:_TRACE] for fault in judged.faults)
    open_ones = {*mine.keys} - plan.store.keys() | {fault.partition(": ")[0] for fault in faults}
    found = {key: outcome for key, outcome in plan.outcomes.items() if key in open_ones}
    return TaskAnswer(node=node, outcomes=found, faults=faults)


def _strange(source: Path, key: str, lab: Lab, setup: JudgingSetup) -> str:
    """Why this node may not judge a file; empty: it may."""
    try:
        text = source.read_bytes()
    except OSError as error:
        return f"it cannot read {source} ({error.strerror}): OUT has to lie on a file system that every node shares"
    if job_key(text, lab_fingerprint(lab), setup=setup.fingerprints[lab.id], seed=setup.seed) != key:
        return f"it sees other files of {lab.id}, or another seed, than the command that submitted it"
    return ""


def task_of(allocation: Mapping[str, str]) -> tuple[int, str]:
    """The task's number in its array, and its node."""
    number = allocation.get("SLURM_ARRAY_TASK_ID", "")
    if not number.isdecimal():
        said = f"SLURM_ARRAY_TASK_ID is {number!r}"
        raise RemediableError(f"{said}: this command runs in a task of `tilelab grade --slurm`.")
    return int(number), allocation.get("SLURMD_NODENAME") or socket.gethostname()


def judge_array_slice(array: Annotated[Path, typer.Argument(help="the folder of an array in OUT")]) -> int:
    """What a task of `grade --slurm` runs on its node."""  # a node that cannot judge says so in its answer: that is no failure
    folder, (number, node) = ArrayFolder(array), task_of(os.environ)
    try:
        order = folder.order()
        one = order.slices[number]
    except (OSError, ValueError, IndexError) as error:
        raise RemediableError(f"{array}: this holds no order for a task: {error}") from error
    try:
        answer = _answer(folder, order, order.labs if order.bench is None else (one.lab,))
    except RemediableError as error:
        answer = TaskAnswer(node=node, refused=str(error))
    folder.write_answer(number, answer)
    return 0


def _answer(folder: ArrayFolder, order: ArrayOrder, ids: Sequence[str]) -> TaskAnswer:
    require_temporary_files()
    root = course_root(Path.cwd())
    labs = load_labs(root, ids)
    toolset = open_toolset(root, allow_no_sandbox=order.options.allow_no_sandbox)
    if order.options.sanitized:
        toolset = under_sanitizer(toolset)
    given = processors(os.environ)
    workers = order.options.workers or given
    with WorkerProcesses(workers) as processes:
        toolset = toolset.working_with(processes)
        setup = class_setup(
            toolset,
            labs,
            course_seed(root),
            Console(highlight=False),
            sweep=order.options.sweep,
            search_seconds=order.options.search_seconds,
            workers=workers,
        )
        at_once = order.options.workers or (2 * given if toolset.gpu.runs else given)
        by_id, message = {lab.id: lab for lab in labs}, toolset.gpu.speed_message
        return judge_slice(folder, by_id, setup, os.environ, workers=at_once, speed_message=message)


def processors(environment: Mapping[str, str]) -> int:
    """How many Slurm gave this task. Where it binds tasks to processors, those that this process may use are fewer than the node has."""
    names = ("SLURM_CPUS_PER_TASK", "SLURM_CPUS_ON_NODE")
    said = [int(value) for name in names if (value := environment.get(name, "")).isdecimal() and int(value)]
    return max(1, min([len(os.sched_getaffinity(0)), *said[:1]]))
