"""Kernels timed against each other on this machine's GPU: builds each, holds the device alone, lets the timer run them.

What the times mean is `grader.timing`'s affair; whether an output is right was decided by the timer, which never loads a
submission.
"""

from __future__ import annotations

import json
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from grader.backend import GPU_RUN_LIMITS, Device
from grader.engines.entry_points import EntrySignatures
from grader.engines.gpu_build import build_for_gpu
from grader.errors import RemediableError
from grader.gpu_lock import GpuLock
from grader.labs import Lab
from grader.outcome import Contest
from grader.workshop import Workshop

WARM_UP_MS = 200
LIMIT_MS = 20_000  # for the context, the warm-up and all rounds; a kernel that hangs holds the device no longer
_STAGE = "stage.cubin"


class ContestError(Exception):
    """Timing broke on our side."""


@dataclass(frozen=True)
class Entrant:
    """A kernel that takes part: its source, what it is called there, and for how many registers it has to be compiled."""

    name: str
    source: Path
    entries: EntrySignatures
    max_registers: int | None = None


@dataclass(frozen=True)
class Built:
    """A folder with the cubin of each entrant and the kit's own; `entrants` is what contest.json says of them."""

    folder: Path
    entrants: tuple[dict[str, Any], ...]


def entrant_of(lab: Lab, source: Path, name: str, max_registers: int | None = None) -> Entrant:
    return Entrant(name, source, EntrySignatures(lab.public.kernel, lab.public.launch), max_registers)


def build(workshop: Workshop, entrants: Sequence[Entrant], folder: Path) -> Built:
    """Compiles them into the empty `folder`. Raises ContestError where nvcc does not take one."""
    toolchain = workshop.gpu.toolchain
    assert toolchain is not None
    said = []
    for number, entrant in enumerate(entrants):
        work = folder / str(number)
        work.mkdir()
        built = build_for_gpu(
            toolchain,
            workshop.confinement,
            entrant.source,
            work,
            entrant.entries,
            workshop.gpu.target,
            max_registers=entrant.max_registers,
        )
        if built.image is None:
            message = f"{entrant.name} cannot be compiled to be timed: {built.log[:500]}"
            raise ContestError(message)
        image = json.loads(built.image.read_text(encoding="utf-8"))
        said.append({
            "cubin": f"{number}/{image['cubin']}", "functions": image["functions"], "kernel": image["kernel"],
            "ask_launch": image["ask_launch"],
        })  # fmt: skip
    shutil.copyfile(stage(workshop), folder / _STAGE)
    return Built(folder, tuple(said))


def stage(workshop: Workshop) -> Path:
    """The cubin of the kit's own kernels, compiled once for each kind of GPU. It is our code: nothing confines it."""
    toolchain, kit = workshop.gpu.toolchain, workshop.root / "kit"
    assert toolchain is not None
    source = kit / "cuda" / "stage" / "stage_kernels.cu"
    made = (
        workshop.build
        / "stage"
        / f"sm_{workshop.gpu.target.capability}-{toolchain.version[0]}.{toolchain.version[1]}.cubin"
    )
    newest = max(source.stat().st_mtime_ns, (kit / "runner" / "timed_input.hpp").stat().st_mtime_ns)
    if made.is_file() and made.stat().st_mtime_ns > newest:
        return made
    made.parent.mkdir(parents=True, exist_ok=True)
    ours = replace(toolchain, includes=(*toolchain.includes, kit))
    with tempfile.TemporaryDirectory(dir=made.parent) as name:
        draft = Path(name) / made.name
        command = ours.compile(str(source), str(draft), workshop.gpu.target.capability)
        finished = subprocess.run(command, cwd=name, capture_output=True, text=True, check=False)
        if finished.returncode != 0:
            message = f"nvcc does not compile {source}: {finished.stderr[:1000]}"
            raise ContestError(message)
        draft.replace(made)
    return made


def hold(  # noqa: PLR0913 -- what is timed, and how
    workshop: Workshop,
    built: Built,
    problem: str,
    shape: str,
    *,
    rounds: int,
    kept: int,
    first_round: int = 0,
    seed: int | None = None,
    warm_up_ms: int = WARM_UP_MS,
) -> Contest:
    """Times what was built, the device held alone. `kept`: the entrant whose outputs are looked at; `seed` None: nobody can know it.

    Raises ContestError where the timer itself fails; a kernel that does is a result.
    """
    device = free_device(workshop)
    with GpuLock(device.lock_name).alone():
        return _timed(
            workshop, device, built, {
                "--problem": problem, "--shape": shape, "--rounds": rounds, "--first-round": first_round, "--kept": kept,
                "--seed": secrets.randbits(63) if seed is None else seed, "--warm-up-ms": warm_up_ms, "--limit-ms": LIMIT_MS,
            },
        )  # fmt: skip


def free_device(workshop: Workshop) -> Device:
    """One that nobody holds alone just now, else the first."""
    devices = workshop.gpu.devices
    assert devices
    return next((one for one in devices if GpuLock(one.lock_name).is_free()), devices[0])


def _timed(workshop: Workshop, device: Device, built: Built, options: dict[str, object]) -> Contest:
    target = device.target
    image = {
        "driver": target.driver, "device": target.device, "stage": _STAGE, "contestants": list(built.entrants),
    }  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="timed-", dir=built.folder) as name:
        scratch = Path(name)
        contest = built.folder / f"{scratch.name}.json"  # beside the cubins: its paths are relative
        runner, report = scratch / "runner.json", scratch / "timing.json"
        contest.write_text(json.dumps(image), encoding="utf-8")
        runner.write_text(json.dumps({"argv": _runner(workshop, device, contest)}), encoding="utf-8")
        words = [str(word) for pair in options.items() for word in pair]
        command = [str(timer(workshop)), *words, "--runner", str(runner), "--report", str(report)]
        try:
            finished = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        except subprocess.TimeoutExpired as error:
            message = "the timer did not end"
            raise ContestError(message) from error
        if finished.returncode != 0:
            message = f"the timer failed with status {finished.returncode}: {finished.stderr[:1000]}"
            raise ContestError(message)
        try:
            said = Contest.model_validate({**json.loads(report.read_text(encoding="utf-8")), "device": device.name})
        except (ValueError, ValidationError) as error:
            message = f"the timer wrote what cannot be read: {error}"
            raise ContestError(message) from error
    if said.status == "internal-error":
        raise ContestError(said.detail)
    return said


def timer(workshop: Workshop) -> Path:
    program = workshop.build / "bin" / "timer"
    if not program.is_file():
        message = f"{program} is missing: run `make setup` to build it."
        raise RemediableError(message)
    return program


def _runner(workshop: Workshop, device: Device, contest: Path) -> list[str]:
    assert workshop.gpu.runner is not None
    return workshop.confinement.wrap(
        [str(workshop.gpu.runner), "--contest", str(contest)],
        readable=[workshop.gpu.runner, contest.parent, *device.folders],
        writable=[],
        limits=GPU_RUN_LIMITS,
        profile="gpu",
    )
