"""What nvcc knows of a kernel, with the occupancy of the largest block it was launched with. Pure.

Students are told, so it is about the launches of cases that show everything, and no others.
"""

from __future__ import annotations

from dataclasses import asdict

from grader.engines.gpu.occupancy import occupancy
from grader.model.labs import Lab
from grader.model.outcomes.outcome import LabOutcome
from grader.model.result import GpuKernel, Launch


def gpu_kernel(lab: Lab, outcome: LabOutcome) -> GpuKernel | None:
    gpu = outcome.gpu
    if gpu is None or gpu.resources is None:
        return None
    facts = asdict(gpu.resources)
    told = {spec.name for spec in lab.cases if spec.feedback == "full"}
    cases = [case for case in outcome.cases or gpu.cases if case.name in told]
    launches = [launch for case in cases for launch in case.launches if _threads(launch)]
    largest = max(launches, key=lambda launch: (_threads(launch), launch.shared_bytes), default=None)
    if largest is not None:
        facts |= {"block_threads": _threads(largest), "dynamic_shared_bytes": largest.shared_bytes}
        shared = gpu.resources.static_shared_bytes + largest.shared_bytes
        found = occupancy(
            gpu.capability, threads=_threads(largest), registers=gpu.resources.registers, shared_bytes=shared
        )
        if found is not None:
            facts |= {"warps": found.warps, "max_warps": found.max_warps, "limited_by": found.limited_by}
    return GpuKernel(
        compiler=gpu.compiler, architecture=f"sm_{gpu.capability}", note=_note(gpu.register_limit), **facts
    )


def _note(register_limit: int | None) -> str:
    if register_limit is None:
        return ""
    return (
        f"this kernel was compiled again with `-maxrregcount={register_limit}`, because the threads of a block needed more "
        "registers than there are. To tell the compiler yourself, put `__launch_bounds__` with the block's size before the "
        "kernel's name"
    )


def _threads(launch: Launch) -> int:
    x, y, z = launch.block or (0, 0, 0)
    return x * y * z
