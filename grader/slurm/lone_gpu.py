"""Whether a task has its GPU for itself. Kernels are timed nowhere else: what another job does there would cost a student points.

Slurm says in a task's environment what it gave: whole devices, shards of one, or a part of one through MPS. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grader.model.labs import Lab
from grader.slurm.task_answer import Bench

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
