"""What a task does on its node: judges one slice of an array into the job store, exactly as a batch does, and leaves an answer.

A node whose controls fail answers so and keeps nothing; so does one that would judge with other tools than the array was made for, or
whose key of a job is another one, because then it sees another course, another seed or another file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grader.model.labs import Lab
from grader.model.outcome import LabOutcome
from grader.model.result import Submission
from grader.plugins.slurm.shared_folder import ArrayFolder, ArrayOrder, Bench, SharedFolder, SliceJob, TaskAnswer
from grader.roll.batch.job_store import JobStore, job_key, lab_fingerprint
from grader.roll.batch.judging_jobs import judge_class, plan_judging
from grader.roll.batch.judging_setup import JudgingSetup, Progress
from grader.roll.batch.output_folder import scratch_folder
from grader.roll.intake.attempts import Intake

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


def judge_slice(  # noqa: PLR0913 -- what is judged, with what, and where
    array: ArrayFolder,
    number: int,
    order: ArrayOrder,
    labs: Mapping[str, Lab],
    setup: JudgingSetup,
    bench: Bench,
    *,
    node: str,
    workers: int,
    allocation: Mapping[str, str],
) -> TaskAnswer:
    """`allocation`: the environment, in which Slurm says what it gave. Every lab of the slice is among `labs`."""
    if taken := gpu_is_shared(list(labs.values()), bench, allocation):
        return TaskAnswer(node=node, bench=bench, refused=taken)
    if order.bench is None:
        return TaskAnswer(node=node, bench=bench)
    if differences := order.bench.differences(bench):
        message = f"it would judge with other tools than the rest of the class: {differences}"
        return TaskAnswer(node=node, bench=bench, refused=message)
    shared = SharedFolder(array.path.parents[2])
    jobs = order.slices[number]
    if strange := _strange(jobs, labs, setup, shared):
        return TaskAnswer(node=node, bench=bench, refused=strange)
    students = [
        Intake(Submission(id=job.key, name=job.key), {labs[job.lab].public.file: shared.source(job.key)})
        for job in jobs
    ]
    found: dict[str, LabOutcome] = {}
    faults: dict[str, str] = {}
    others: list[str] = []
    store = JobStore(shared.private / "jobs")
    # One lab after the other: a file belongs to the lab that it was handed in for, and several labs may ask for a file of one name.
    for lab in (labs[one] for one in dict.fromkeys(job.lab for job in jobs)):
        mine = [student for student, job in zip(students, jobs, strict=True) if job.lab == lab.id]
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
