"""Lets a judge run cases with a runner on the GPU: in turns with others, again where the machine failed, alone where one was late."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader.engines.checks.entry_points import EntrySignatures
from grader.judging.agreement import was_run
from grader.judging.judge_call import JudgeCall, run_judge
from grader.machine.backend import GPU_RUN_LIMITS, GpuBackend
from grader.machine.gpu_lock import GpuLock
from grader.model.labs import Lab
from grader.model.outcomes.outcome import JudgedCase
from grader.model.verdicts import Verdict

if TYPE_CHECKING:
    from grader.machine.toolset import Toolset

_TRIES = 2  # of a run that failed because of us


@dataclass(frozen=True)
class GpuSubmission:
    """`built_for_cpu`: whether the CPU executor could run it."""

    source: Path
    lines: Sequence[str]
    entries: EntrySignatures
    built_for_cpu: bool
    cases: tuple[str, ...]  # the cases that run on the GPU


def gpu_cases(  # noqa: PLR0913, PLR0917 -- as judge_on_gpu
    toolset: Toolset, lab: Lab, submission: GpuSubmission, scratch: Path, call: JudgeCall, image: Path
) -> tuple[JudgedCase, ...]:
    """As `cases_once`. A launch that did not end gets another chance with the device alone."""
    argv = confined_runner(toolset, toolset.gpu, image)
    assert toolset.gpu.device is not None
    lock = GpuLock(toolset.gpu.device.lock_name)
    folder = scratch / "gpu"
    cases = cases_once(toolset, lab, submission, scratch, call, image)
    late = next((case.name for case in cases if case.verdict is Verdict.TIMEOUT and was_run(case)), None)
    if late is None:
        return cases
    # Kernels that hang, and contexts that are made and ended, may delay a launch that is not at fault.
    with toolset.gpu.turns, lock.alone():
        again = run_judge(dataclasses.replace(call, cases=(late,)), lab, argv, folder, submission.lines)
        if any(case.verdict is Verdict.TIMEOUT for case in again):
            return cases
        return run_judge(call, lab, argv, folder, submission.lines)


def cases_once(  # noqa: PLR0913, PLR0917 -- as judge_on_gpu
    toolset: Toolset, lab: Lab, submission: GpuSubmission, scratch: Path, call: JudgeCall, image: Path
) -> tuple[JudgedCase, ...]:
    """The cases, while others use the device. Tried again if the machine failed: another program may have caused one failure."""
    assert toolset.gpu.device is not None
    folder = scratch / "gpu"
    folder.mkdir(exist_ok=True)
    argv = confined_runner(toolset, toolset.gpu, image)
    cases: tuple[JudgedCase, ...] = ()
    for _ in range(_TRIES):
        with toolset.gpu.turns, GpuLock(toolset.gpu.device.lock_name).shared():
            cases = run_judge(call, lab, argv, folder, submission.lines)
        if all(case.verdict is not Verdict.INTERNAL_ERROR for case in cases):
            break
    return cases


def confined_runner(toolset: Toolset, gpu: GpuBackend, image: Path) -> list[str]:
    """The command line that starts a runner for the cubin that `image` describes."""
    assert gpu.runner is not None
    folders = gpu.device.folders if gpu.device else []
    return toolset.confinement.wrap(
        [str(gpu.runner), "--image", str(image)],
        readable=[gpu.runner, image.parent, *folders],
        writable=[],
        limits=GPU_RUN_LIMITS,
        profile="gpu",
    )
