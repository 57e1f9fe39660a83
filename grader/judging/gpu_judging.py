"""The same submission through nvcc and, where there is a GPU, the same judge with a runner on it.

The cases that count memory traffic stay with the CPU executor, which alone counts it. A machine that fails is never the
submission's fault: what the CPU executor found then stands.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader.engines.checks.entry_points import EntrySignatures
from grader.engines.gpu.gpu_build import GpuBuild, build_for_gpu
from grader.engines.gpu.gpu_toolchain import GpuToolchain
from grader.engines.gpu.occupancy import registers_that_fit
from grader.engines.refusal import Refusal
from grader.judging.agreement import was_run
from grader.judging.judge_call import JudgeCall, run_judge
from grader.judging.sanitizer_run import sanitize
from grader.machine.backend import GPU_RUN_LIMITS, GpuBackend
from grader.machine.gpu_lock import GpuLock
from grader.model.gpu_reports import Sanitized
from grader.model.labs import Lab
from grader.model.outcome import GpuOutcome, JudgedCase
from grader.model.verdicts import Verdict

if TYPE_CHECKING:
    from grader.machine.toolset import Toolset

_TRIES = 2  # of a run that failed through us
_REBUILDS = 3  # for fewer registers: a kernel may be launched with blocks of several sizes


@dataclass(frozen=True)
class GpuSubmission:
    """`built_for_cpu`: whether the CPU executor could run it."""

    source: Path
    lines: Sequence[str]
    entries: EntrySignatures
    built_for_cpu: bool
    cases: tuple[str, ...]  # to be run on the GPU


def judge_on_gpu(
    toolset: Toolset, lab: Lab, submission: GpuSubmission, scratch: Path, call: JudgeCall
) -> tuple[tuple[Refusal, ...], GpuOutcome | None]:
    """Why nvcc refuses the submission, if it does, and what came of it otherwise. None: nothing of NVIDIA's is here."""
    if toolset.gpu.toolchain is None:
        return (), None
    with toolset.gpu.borrowed_device() as device:
        here = dataclasses.replace(toolset, gpu=dataclasses.replace(toolset.gpu, device=device, others=()))
        return _judge(here, lab, submission, scratch, call)


def _judge(
    toolset: Toolset, lab: Lab, submission: GpuSubmission, scratch: Path, call: JudgeCall
) -> tuple[tuple[Refusal, ...], GpuOutcome | None]:
    """On the toolset's one device."""
    gpu = toolset.gpu
    assert gpu.toolchain is not None
    outcome = GpuOutcome(
        gpu.toolchain.name, gpu.target.capability, str(gpu.device or ""), alone=not submission.built_for_cpu
    )
    built = _build(toolset, gpu.toolchain, submission, scratch / "cubin-0", None)
    outcome = dataclasses.replace(outcome, resources=built.resources, log=built.log)
    if built.image is None:
        if not built.refusals:
            return (), dataclasses.replace(
                outcome, trouble="nvcc failed, and not over the submission; its log says how"
            )
        if all(refusal.verdict is Verdict.LAUNCH_ERROR for refusal in built.refusals) and submission.built_for_cpu:
            # The CPU executor refuses every launch of such a kernel, and says so better. One that nothing launches may lie
            # beside the lab's: then the GPU cannot be asked, and the CPU executor's word stands.
            return (), dataclasses.replace(outcome, trouble=built.refusals[0].message)
        return built.refusals, outcome
    if not gpu.runs or not submission.cases:
        return (), outcome
    on_gpu = dataclasses.replace(call, cases=submission.cases)
    return (), _run(toolset, lab, submission, scratch, on_gpu, built, outcome)


def _run(  # noqa: PLR0913, PLR0917 -- a step of judge_on_gpu
    toolset: Toolset,
    lab: Lab,
    submission: GpuSubmission,
    scratch: Path,
    call: JudgeCall,
    built: GpuBuild,
    outcome: GpuOutcome,
) -> GpuOutcome:
    """The cases on the GPU; compiled again for fewer registers while a block does not get the ones it needs."""
    assert toolset.gpu.toolchain is not None
    for number in range(1, _REBUILDS + 1):
        assert built.image is not None
        try:
            cases = _judged(toolset, lab, submission, scratch, call, built.image)
        except RuntimeError as error:
            return dataclasses.replace(outcome, trouble=str(error))
        outcome = dataclasses.replace(outcome, cases=cases, resources=built.resources)
        limit = register_limit(cases)
        if limit is None or number == _REBUILDS:
            break
        again = _build(toolset, toolset.gpu.toolchain, submission, scratch / f"cubin-{number}", limit)
        if again.image is None:
            break
        built, outcome = again, dataclasses.replace(outcome, register_limit=limit, log=again.log)
    if toolset.gpu.sanitizer is None or built.image is None:
        return outcome
    sanitized, trouble = _sanitized(toolset, lab, submission, scratch, call, built.image)
    return dataclasses.replace(outcome, sanitized=sanitized, trouble=trouble)


def _sanitized(  # noqa: PLR0913, PLR0917 -- a step of judge_on_gpu
    toolset: Toolset, lab: Lab, submission: GpuSubmission, scratch: Path, call: JudgeCall, image: Path
) -> tuple[tuple[Sanitized, ...], str]:
    gpu = toolset.gpu
    assert gpu.sanitizer is not None
    assert gpu.runner is not None
    assert gpu.device is not None
    folder = scratch / "sanitized"
    folder.mkdir()
    with gpu.turns, GpuLock(gpu.device.lock_name).shared():
        return sanitize(gpu.sanitizer, gpu.runner, lab, image, call, folder, submission.lines)


def register_limit(cases: Sequence[JudgedCase]) -> int | None:
    """The registers a thread may have for the largest block that could not be launched for want of them; None: no such."""
    blocks = [
        launch.block
        for case in cases
        for launch in case.launches
        if launch.verdict is Verdict.LAUNCH_ERROR and launch.counters.get("short_of_registers") and launch.block
    ]
    return min((registers_that_fit(x * y * z) for x, y, z in blocks), default=None)


def _build(
    toolset: Toolset, toolchain: GpuToolchain, submission: GpuSubmission, folder: Path, limit: int | None
) -> GpuBuild:
    folder.mkdir()
    return build_for_gpu(
        toolchain,
        toolset.confinement,
        submission.source,
        folder,
        submission.entries,
        toolset.gpu.target,
        max_registers=limit,
    )


def _judged(  # noqa: PLR0913, PLR0917 -- a step of judge_on_gpu
    toolset: Toolset, lab: Lab, submission: GpuSubmission, scratch: Path, call: JudgeCall, image: Path
) -> tuple[JudgedCase, ...]:
    """Tried again where the machine failed, for what fails once may have been another program's doing."""
    argv = confined_runner(toolset, toolset.gpu, image)
    assert toolset.gpu.device is not None
    lock = GpuLock(toolset.gpu.device.lock_name)
    folder = scratch / "gpu"
    folder.mkdir(exist_ok=True)
    for _ in range(_TRIES):
        with toolset.gpu.turns, lock.shared():
            cases = run_judge(call, lab, argv, folder, submission.lines)
        if all(case.verdict is not Verdict.INTERNAL_ERROR for case in cases):
            break
    late = next((case.name for case in cases if case.verdict is Verdict.TIMEOUT and was_run(case)), None)
    if late is None:
        return cases
    # Beside kernels that hang, and contexts that come and go, a launch may be late through no fault of its own.
    with toolset.gpu.turns, lock.alone():
        again = run_judge(dataclasses.replace(call, cases=(late,)), lab, argv, folder, submission.lines)
        if any(case.verdict is Verdict.TIMEOUT for case in again):
            return cases
        return run_judge(call, lab, argv, folder, submission.lines)


def confined_runner(toolset: Toolset, gpu: GpuBackend, image: Path) -> list[str]:
    """What starts a runner for the cubin that `image` describes."""
    assert gpu.runner is not None
    folders = gpu.device.folders if gpu.device else []
    return toolset.confinement.wrap(
        [str(gpu.runner), "--image", str(image)],
        readable=[gpu.runner, image.parent, *folders],
        writable=[],
        limits=GPU_RUN_LIMITS,
        profile="gpu",
    )
