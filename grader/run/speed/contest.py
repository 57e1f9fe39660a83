"""Times kernels against each other on this machine's GPU: holds the device alone while the timer runs them.

`speed_score.py` computes what the times mean. The timer decides whether an output is right; it never loads a
submission.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import secrets
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from grader.engines.entry_points import EntrySignatures
from grader.engines.gpu_build import (
    CUBIN,
    IMAGE,
    build_for_gpu,
    build_native,
    kernel_resources,
    too_much_memory,
    variable_bytes,
)
from grader.engines.gpu_toolchain import cublas_of
from grader.engines.toolset import Toolset
from grader.model.labs import Lab
from grader.model.outcome import LIBRARY, STAND_IN, Contest, measured_one
from grader.run.gpu_judging import native_texts
from grader.run.judge_call import confined_runner, write_runner
from grader.run.program_judging import StartedProgram, build_submission
from grader.run.speed.described_timing import TimedProblem
from grader.system.gpu_lock import GpuLock

# Builds the kernels of a contest: a folder with everything that the runner reads when it times them.
#
# The course's own kernels take part in every grading. Their cubins are cached in the build folder, by a hash of everything that they are
# made from. A submission's kernel is compiled each time.

STAGE, _PLAN = "stage.cubin", ".plan.json"  # a plan is named after its size


class ContestError(Exception):
    """Timing failed, and the fault is ours."""


@dataclass(frozen=True)
class Contestant:
    """A kernel that takes part: a file of the lab, what it is called, and the most registers that it may be compiled with."""

    lab: Lab
    source: Path
    name: str
    max_registers: int | None = None
    lambdas: bool | None = field(default=None, kw_only=True)  # as in GpuTarget
    trusted: bool = field(default=False, kw_only=True)  # the course's own kernel
    program: StartedProgram | None = field(
        default=None, kw_only=True
    )  # a launcher's host code, where it is built already
    # printf prints nothing: to copy its output from the device takes longer than any product.
    silent: bool = field(default=False, kw_only=True)

    @property
    def entries(self) -> EntrySignatures:
        return EntrySignatures(self.lab.public.kernel, self.lab.public.launch)


@dataclass(frozen=True)
class LibraryContestant:
    """A routine of a vendor's library that takes part beside the kernels."""

    name: str
    library: Path
    routine: str  # as in contest.json: "cublasSgemm", or "cublasSgemm with TF32"


@dataclass(frozen=True)
class Built:
    """A folder with the cubin of each contestant and the kit's own cubin. `contestants` is their description in contest.json."""

    folder: Path
    contestants: tuple[dict[str, Any], ...]
    names: tuple[str, ...]
    folders: tuple[Path, ...] = ()  # other folders that the runner reads: a library's
    silent: tuple[str, ...] = ()  # the names of those that were built silent
    lab: Lab | None = None  # of launchers: what they ask of the GPU at each size lies in the folder of each

    @property
    def kept(self) -> int:
        """The contestant whose outputs are checked."""
        return self.names.index(measured_one(self.names))


def build(toolset: Toolset, contestants: Sequence[Contestant | LibraryContestant], folder: Path) -> Built:
    """Compiles the contestants into the empty `folder`. Raises ContestError where nvcc does not compile one."""
    descriptions: list[dict[str, Any]] = []
    folders, silent = [], []
    for number, contestant in enumerate(contestants):
        if isinstance(contestant, LibraryContestant):
            descriptions.append({"library": str(contestant.library), "routine": contestant.routine})
            folders.append(contestant.library.parent)
            continue
        work = folder / str(number)
        if contestant.trusted:
            shutil.copytree(_kept(toolset, contestant), work)
        else:
            work.mkdir()
            if _compile(toolset, contestant, work):
                silent.append(contestant.name)
        image = json.loads((work / IMAGE).read_text(encoding="utf-8"))
        descriptions.append({
            "cubin": f"{number}/{image['cubin']}", "functions": image["functions"], "kernel": image["kernel"],
            "ask_launch": image["ask_launch"], "alone": not contestant.trusted,
        })  # fmt: skip
    labs = (one.lab for one in contestants if isinstance(one, Contestant) and one.lab.public.has_operands)
    shutil.copyfile(stage(toolset), folder / STAGE)
    names = tuple(one.name for one in contestants)
    return Built(folder, tuple(descriptions), names, tuple(dict.fromkeys(folders)), tuple(silent), next(labs, None))


def _compile(toolset: Toolset, one: Contestant, folder: Path) -> bool:
    """Returns whether it is silent. A kernel that compiles only with its printf is timed with it."""
    nvcc, confinement = toolset.gpu.toolchain, toolset.confinement
    assert nvcc is not None
    target = replace(toolset.gpu.target, max_registers=one.max_registers, lambdas=one.lambdas)
    if one.lab.public.has_operands:
        _compile_launcher(toolset, one, folder)
        return False
    built = build_for_gpu(nvcc, confinement, one.source, folder, one.entries, target, silent=one.silent)
    if built.image is None and one.silent:
        return _compile(toolset, replace(one, silent=False), folder)
    if built.image is None or built.sides:
        raise ContestError(f"{one.name} cannot be compiled to be timed: {built.sides or built.log[:500]}")
    return one.silent


def _compile_launcher(toolset: Toolset, one: Contestant, folder: Path) -> None:
    """Its kernels for the GPU, and its host code for the broker."""
    nvcc, lab = toolset.gpu.toolchain, one.lab
    assert nvcc is not None
    text = lab.whole(one.source.read_text(encoding="utf-8", errors="replace"), one.source)
    texts, _ = native_texts(toolset, lab, text)
    built = build_native(nvcc, toolset.confinement, texts, folder, toolset.gpu.target, cubin=True)
    why, program, device = built.trouble, one.program, toolset.gpu.device
    if not why and device is not None:
        most = max(kernel_resources(built.log).values(), key=lambda used: used.stack_bytes, default=None)
        facts = (device.capability, device.multiprocessors, device.memory_bytes)
        why = too_much_memory(variable_bytes(folder / CUBIN), most, *facts)
    if not why and program is None:
        (host := folder / "host").mkdir()
        refused, program = build_submission(toolset, lab, text, host)
        why = "" if program else refused.refusals[0].message
    if why and (one.trusted or (built.program is None and not re.search(r"\berror\b", built.log))):
        raise ContestError(f"{one.name} cannot be compiled to be timed: {why}")
    if not (folder / IMAGE).is_file():
        (folder / IMAGE).write_text('{"cubin": "", "functions": [], "kernel": "", "ask_launch": ""}', encoding="utf-8")
    assert lab.public.performance is not None
    for shape in (lab.public.performance.shape, *lab.public.performance.sweep):
        plan = folder / f"{shape}{_PLAN}"
        plan.write_text(json.dumps({"refusal": why}), encoding="utf-8")
        try:
            if program and not why:
                TimedProblem.of(lab, shape).plan(lab, program, plan)
        except RuntimeError as error:
            raise ContestError(f"{one.name} cannot be run to be timed: {error}") from error


def _kept(toolset: Toolset, contestant: Contestant) -> Path:
    """The cached folder with the cubin of one of the course's kernels and its description. Made where it does not exist yet."""
    folder = toolset.build / "contestants" / _key(toolset, contestant)
    if (folder / IMAGE).is_file():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as name:
        _compile(toolset, contestant, Path(name))
        finished = Path(name) / "finished"
        finished.mkdir()
        for file in (Path(name) / CUBIN, Path(name) / IMAGE, *Path(name).glob(f"*{_PLAN}")):
            shutil.copyfile(file, finished / file.name)
        try:
            finished.rename(folder)
        except OSError:
            if not (folder / IMAGE).is_file():  # otherwise another grading was faster
                raise
    return folder


def _key(toolset: Toolset, one: Contestant) -> str:
    toolchain, target = toolset.gpu.toolchain, toolset.gpu.target
    assert toolchain is not None
    digest = hashlib.sha256(one.source.read_bytes())
    facts = (one.source.name, one.entries, one.max_registers, target, toolchain.root, toolchain.version)
    digest.update(repr(facts).encode())
    if (spec := one.lab.public).has_operands:
        beside = [one.lab.public_dir / name for name in spec.headers] + one.lab.files_beside(one.source.parent)
        digest.update(spec.model_dump_json().encode())
        for path in (toolset.part("broker"), *beside):
            digest.update(path.read_bytes())
    for include in toolchain.includes:
        for header in sorted(path for path in include.rglob("*") if path.is_file()):
            digest.update(header.read_bytes())
    return digest.hexdigest()[:32]


def stage(toolset: Toolset) -> Path:
    """The cubin of the kit's own kernels, compiled once for each kind of GPU. It is our own code, so nvcc is not confined."""
    toolchain, kit = toolset.gpu.toolchain, toolset.root / "kit"
    assert toolchain is not None
    source = kit / "gpu" / "stage" / "stage_kernels.cu"
    version = f"{toolchain.version[0]}.{toolchain.version[1]}"
    made = toolset.build / "stage" / f"sm_{toolset.gpu.target.capability}-{version}.cubin"
    newest = max(source.stat().st_mtime_ns, (kit / "protocol" / "timed_input.hpp").stat().st_mtime_ns)
    if made.is_file() and made.stat().st_mtime_ns > newest:
        return made
    made.parent.mkdir(parents=True, exist_ok=True)
    ours = replace(toolchain, includes=(*toolchain.includes, kit))
    with tempfile.TemporaryDirectory(dir=made.parent) as name:
        draft = Path(name) / made.name
        command = ours.compile(str(source), str(draft), toolset.gpu.target.capability)
        finished = subprocess.run(command, cwd=name, capture_output=True, text=True, check=False)
        if finished.returncode != 0:
            raise ContestError(f"nvcc does not compile {source}: {finished.stderr[:1000]}")
        draft.replace(made)
    return made


WARM_UP_MS = 200  # until the clocks of an idle device are up
_WARM_UP_MS_IN_A_ROW = (
    50  # the contest before has just ended: an H200's clocks stay up for longer than the next one takes to begin
)
LIMIT_MS = 20_000  # for the context, the warm-up and all rounds together, so that a kernel that hangs does not block the device
_STEP_LIMIT_SECONDS = 300  # for one step of the timer
# In it, nobody else uses the device. It gives whether another contest ended just before.
Alone = Callable[[], AbstractContextManager[bool]]


def run_contest(
    toolset: Toolset,
    built: Built,
    problem: str,
    shape: str,
    *,
    rounds: int,
    kept: int,
    warm_up_ms: int = WARM_UP_MS,
) -> Contest:
    """With a seed that nobody can know. `kept`: whose outputs are checked. Raises ContestError where the timer itself fails: a kernel
    that fails is a result.
    """
    with (
        toolset.gpu.borrowed_device() as device,
        tempfile.TemporaryDirectory(prefix="timed-", dir=built.folder) as name,
    ):
        assert device is not None
        scratch = Path(name)
        contest = built.folder / f"{scratch.name}.json"  # beside the cubins, because its paths are relative
        report, target = scratch / "timing.json", device.target
        described, asked = None, dict[str, object]({"--problem": problem, "--shape": shape})
        contestants = [dict(one) for one in built.contestants]
        if built.lab:
            described = TimedProblem.of(built.lab, shape)
            for number, one in enumerate(contestants):
                one["plan"] = f"{number}/{shape}{_PLAN}"
                if why := json.loads((built.folder / one["plan"]).read_text(encoding="utf-8"))["refusal"]:
                    return _untimed(device.name, shape, built.names, number, why)
            asked = {"--described": described.write(scratch / "timed.json")}
        image = {"driver": target.driver, "device": target.device, "stage": STAGE, "contestants": contestants}
        contest.write_text(json.dumps(image), encoding="utf-8")
        runner = write_runner(confined_runner(toolset, device, contest, "--contest", built.folders), scratch)
        options = {
            **asked, "--rounds": rounds, "--kept": kept, "--seed": secrets.randbits(63),
            "--warm-up-ms": warm_up_ms, "--limit-ms": LIMIT_MS, "--runner": runner, "--report": report,
        }  # fmt: skip
        command = [str(toolset.part("launch-problem")), "time", *(str(one) for pair in options.items() for one in pair)]
        alone = partial(toolset.gpu.alone.alone, device.lock_name, GpuLock(device.lock_name))
        seconds = run_timer(command, alone, toolset.gpu.turns, scratch / "stderr")
        try:
            written = json.loads(report.read_text(encoding="utf-8"))
            if described:
                written |= described.compared(written.pop("written", ()))
            result = Contest.model_validate({**written, "device": device.name, "device_seconds": seconds})
        except (ValueError, ValidationError) as error:
            raise ContestError(f"the timer's report cannot be read: {error}") from error
    if result.status == "internal-error":
        raise ContestError(result.detail)
    return result


def _untimed(device: str, shape: str, names: Sequence[str], number: int, why: str) -> Contest:
    """A student's file earns no tier then, and keeps nobody else from being timed. Raises ContestError."""
    if names[number] != "student":
        raise ContestError(f"{names[number]}: {why}")
    facts = {"detail": why, "contestant": number, "shape": shape, "flops": 0, "bytes": 0, "device": device}
    return Contest.model_validate({"status": "launch-error", "slow": True, **facts})


def run_timer(command: list[str], alone: Alone, turns: threading.BoundedSemaphore, stderr: Path) -> float:
    """Runs the timer, and holds the device alone from when the timer is prepared until its last launch has ended. Contexts are made and
    outputs checked while others may use the device. `turns` is held while there is a context. Returns the seconds for which the
    device was held alone.
    """
    with stderr.open("wb") as errors, contextlib.ExitStack() as left:
        with turns:
            process = left.enter_context(
                subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
            )
            held = _hold_while_timed(process, alone)
        with _time_limit(process):
            status = process.wait()
    if status != 0:
        text = stderr.read_text(encoding="utf-8", errors="replace")[:1000]
        ended = "did not end" if status == -signal.SIGKILL else f"failed with status {status}: {text}"
        raise ContestError(f"the timer {ended}")
    return held


def _hold_while_timed(process: subprocess.Popen[bytes], alone: Alone) -> float:
    """Returns seconds, or 0 where the timer ended before it was prepared."""
    assert process.stdin is not None
    assert process.stdout is not None
    with _time_limit(process):
        prepared = process.stdout.readline()
    if not prepared:
        return 0
    with alone() as in_a_row, _time_limit(process):
        began = time.monotonic()
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(b"%d\n" % (_WARM_UP_MS_IN_A_ROW if in_a_row else WARM_UP_MS))
            process.stdin.flush()
        process.stdout.readline()
        return time.monotonic() - began


@contextlib.contextmanager
def _time_limit(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Kills the timer where a step takes too long. Waiting for the device has no limit."""
    watch = threading.Timer(_STEP_LIMIT_SECONDS, process.kill)
    watch.start()
    try:
        yield
    finally:
        watch.cancel()


# What a lab's tiers are shares of besides its model solution: the routine of NVIDIA's library, timed in the same rounds.
#
# Where the library is not on the machine, the kernel in `[stand_in]` is timed instead. Its share of the library's speed is known from
# another machine, so a share of the library's speed follows from its time. Nothing here is kept between runs.

Reference = tuple[Contestant | LibraryContestant, ...]


def references(toolset: Toolset, lab: Lab) -> Iterator[Reference]:
    """What to time beside the kernels: the best first, the others for where it cannot be used. The last is nothing at all."""
    wanted = lab.private is None or any(tier.of == LIBRARY for tier in lab.private.tier)
    if wanted and (library := library_of(toolset, lab, LIBRARY)):
        yield library
    if wanted and lab.private and lab.private_dir and lab.private.stand_in:
        yield (Contestant(lab, lab.private_dir / lab.private.stand_in.file, STAND_IN, trusted=True),)
    yield ()


def library_of(toolset: Toolset, lab: Lab, name: str) -> tuple[LibraryContestant, ...]:
    """The routine of NVIDIA's library that does the same work. Empty where there is no such routine, or no library here."""
    routine = lab.public.performance.library if lab.public.performance else None
    library = cublas_of(toolset.gpu.toolchain) if routine else None
    return (LibraryContestant(name, library, routine),) if routine and library else ()


def thresholds(lab: Lab, of: str) -> list[float]:
    """Those of the lab's tiers."""
    return [tier.threshold for tier in lab.private.tier if tier.of == of] if lab.private else []
