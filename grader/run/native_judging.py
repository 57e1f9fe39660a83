"""Runs a launcher or a program on a real GPU, beside the CPU run: the same text, compiled by nvcc into a program of its own. The judge
compares what it leaves; where a result came from and every detector are the CPU run's.

The program is hostile, and confined with what a GPU's driver needs. What fails on our side is never the submission's fault: then the
CPU run's result stands, and a person reads why.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path, PurePosixPath
from typing import Any

from grader.engines.backend import GPU_RUN_LIMITS, Device
from grader.engines.gpu_build import BESIDE, SOURCE, build_native
from grader.engines.toolset import Toolset
from grader.model.labs import Lab
from grader.model.outcome import GpuOutcome, JudgedCase, located
from grader.model.result import Launch
from grader.model.verdicts import Verdict
from grader.run.judge_call import JUDGE_SECONDS, JudgeCall, clock_factor, judge_report, judged_cases
from grader.run.programs.launcher_main import launcher_frame
from grader.run.programs.program_run import silently
from grader.system.gpu_lock import GpuLock

_TRIES = 2  # of a run that failed because of us
_SECONDS = 60  # on the wall, for one run: most of it makes the GPU's context
_OURS = ("native_launcher.hpp", "launcher_call.hpp")  # in kit/host
_FILE_BYTES = 64 << 20


def judge_natively(
    toolset: Toolset, lab: Lab, text: str, folder: Path, call: JudgeCall, *, alone: bool
) -> GpuOutcome | None:
    """`call.cases`: those that run on the GPU. `alone`: the CPU executor cannot run the submission. None where no GPU can be used."""
    if toolset.gpu.toolchain is None or not toolset.gpu.runs or not call.cases:
        return None
    with toolset.gpu.borrowed_device() as device:
        if device is None:
            return None
        here = dataclasses.replace(toolset, gpu=dataclasses.replace(toolset.gpu, device=device, others=()))
        return _judge(here, device, lab, text, folder, call, alone=alone)


def _judge(
    toolset: Toolset, device: Device, lab: Lab, text: str, folder: Path, call: JudgeCall, *, alone: bool
) -> GpuOutcome:
    gpu = toolset.gpu
    assert gpu.toolchain is not None
    work = folder / "native"
    work.mkdir()
    built = build_native(gpu.toolchain, toolset.confinement, _texts(toolset, lab, text, device), work, gpu.target)
    outcome = GpuOutcome(gpu.toolchain.name, gpu.target.capability, str(device), alone=alone, log=built.log)
    if built.program is None:
        return dataclasses.replace(outcome, trouble=built.trouble)
    judged = folder / "native-judged"  # the program may read where it lies itself, and nothing here
    judged.mkdir()
    program_file = judged / "native.json"
    program_file.write_text(json.dumps(_program_file(toolset, device, lab, judged, built.program)), encoding="utf-8")
    # One judge for all cases: it keeps the program, and with it the GPU's context, from run to run.
    patient = dataclasses.replace(call, seconds=JUDGE_SECONDS * clock_factor() * len(call.cases))
    cases: tuple[JudgedCase, ...] = ()
    try:
        for _ in range(_TRIES):
            with gpu.turns:
                report = judge_report(patient, lab, ["--program", str(program_file)], judged)
            cases = judged_cases(report, lab, lambda entry: _launch(entry, lab, text))
            if all(case.verdict is not Verdict.INTERNAL_ERROR for case in cases):
                break
    except RuntimeError as error:
        return dataclasses.replace(outcome, trouble=str(error))
    return dataclasses.replace(outcome, cases=cases)


def _texts(toolset: Toolset, lab: Lab, text: str, device: Device) -> dict[str, str]:
    """The student's text with our own around it, and what both include."""
    public = lab.public
    chosen = f"static const cudaError_t tilelab_device = cudaSetDevice({device.ordinal});\n" if device.ordinal else ""
    texts = {PurePosixPath(name).name: _read(lab.public_dir / name) for name in public.headers}
    texts |= {name: _read(toolset.root / "kit" / "gpu" / name) for name in BESIDE}
    if not public.launcher:
        return {**texts, SOURCE: f'#line 1 "{public.file}"\n{text}\n\n{chosen}'}
    ours = {name: _read(toolset.root / "kit" / "host" / name) for name in _OURS}
    frame = launcher_frame(public.launcher)
    before = f'#include "{_OURS[0]}"\n{frame.before}#line 1 "{public.file}"\n'
    return {**texts, **ours, SOURCE: f"{before}{text}\n\n{chosen}{frame.behind}"}


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def _program_file(toolset: Toolset, device: Device, lab: Lab, folder: Path, program: Path) -> dict[str, Any]:
    public = lab.public
    data, scratch = folder / "native-data", folder / "native-judge"
    data.mkdir()
    scratch.mkdir()
    argv = toolset.confinement.wrap(
        [str(program)],
        readable=[program.parent, *device.folders],
        writable=[data],
        limits=dataclasses.replace(GPU_RUN_LIMITS, file_bytes=_FILE_BYTES),
        profile="gpu-program",
    )
    gate, lock = GpuLock(device.lock_name).files()
    file: dict[str, Any] = {
        "conductor": str(toolset.part("conductor")),
        "description": {},
        "folder": str(data),
        "scratch": str(scratch),
        "native": {
            "argv": silently(argv),
            "wall_ms": _SECONDS * 1000 * clock_factor(),
            "gate": str(gate),
            "lock": str(lock),
        },
    }
    if public.launcher:
        file["launcher"] = {"arguments": list(public.arguments), "memory": public.memory}
    return file


def _launch(entry: dict[str, Any], lab: Lab, text: str) -> Launch:
    plain = {key: one for key, one in entry.items() if key != "program"}
    return located(Launch.model_validate(plain), {lab.public.file: text.split("\n")})
