"""Turns one source file into a cubin and a description for the GPU runner. nvcc runs confined, and its output is read as data.

As in `cpu_build.py`, nothing of the submission runs here, and a failure of the submission is an outcome and no exception.
"""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from grader.engines.checks.attribution import used_up
from grader.engines.checks.entry_points import EntrySignatures, name_of
from grader.engines.cpu.compiler_home import home_of
from grader.engines.gpu.gpu_toolchain import GpuToolchain
from grader.engines.gpu.launch_tail import ASK_LAUNCH, POISON_SHARED, launch_tail
from grader.engines.gpu.nvcc_log import kernel_resources, needs_too_much_shared, nvcc_refusals
from grader.engines.refusal import Refusal
from grader.model.outcomes.gpu_reports import KernelResources
from grader.model.verdicts import Verdict
from grader.sandbox import Confinement, Limits, run_confined

# The corpus needs some seconds. A machine that is so loaded that they take `wall_seconds` is no fault of a submission.
NVCC_LIMITS = Limits(
    cpu_seconds=40,  # of one process: behind `all_seconds`
    wall_seconds=180,
    memory_bytes=4 << 30,
    processes=64,
    file_bytes=128 << 20,
    open_files=256,
    all_seconds=30,
)
TAIL, CUBIN, IMAGE = "launch_tail.cu", "submission.cubin", "cubin.json"
MAX_LOG = 8_000  # characters
MAX_CUBIN_BYTES = 64 << 20


@dataclass(frozen=True)
class GpuTarget:
    """What the cubin is compiled for, and which device runs it."""

    capability: int  # 90 for 9.0
    device: int = 0  # the driver's number
    driver: str = ""  # the path of libcuda; empty: the usual name


@dataclass(frozen=True)
class GpuBuild:
    """The result. Where there is neither `image` nor `refusals`, the fault is ours, and `log` says what happened."""

    image: Path | None = None
    refusals: tuple[Refusal, ...] = ()
    resources: KernelResources | None = None
    log: str = ""
    seconds: float = 0.0
    starved: str = ""  # how little of its time nvcc could compute, where the time was over


def build_for_gpu(  # noqa: PLR0913, PLR0917 -- those of build_for_cpu, and the target
    toolchain: GpuToolchain,
    confinement: Confinement,
    source: Path,
    folder: Path,
    entries: EntrySignatures,
    target: GpuTarget,
    *,
    max_registers: int | None = None,
    silent: bool = False,
) -> GpuBuild:
    """Builds `source` in the empty folder `folder`. The cubin and its description stay there.

    `max_registers`: the most registers of a thread, so that the kernel can be launched with its block. `silent`: printf prints nothing.
    """
    began = time.monotonic()
    (folder / source.name).write_bytes(source.read_bytes())
    (folder / TAIL).write_text(launch_tail(source.name, entries, silent=silent), encoding="utf-8")
    home = home_of(toolchain.host_compiler)
    finished = run_confined(
        confinement,
        [*home.before, *toolchain.compile(TAIL, CUBIN, target.capability, max_registers)],
        readable=[toolchain.root, *toolchain.includes, *home.places],
        writable=[folder],
        limits=NVCC_LIMITS,
        profile="build",
        cwd=folder,
    )
    output = (finished.stderr + finished.stdout).decode("utf-8", "replace").replace(f"{folder}/", "")
    log = output if len(output) <= MAX_LOG else output[:MAX_LOG] + "\n…"
    seconds = time.monotonic() - began
    if finished.returncode != 0 and (limit := used_up(finished, NVCC_LIMITS, output)):
        message = f"nvcc was stopped: it needed more than {limit} for {source.name}."
        return GpuBuild(refusals=(Refusal(Verdict.COMPILE_ERROR, 0, message),), log=log, seconds=seconds)
    if finished.timed_out:
        starved = f"nvcc did not end within {NVCC_LIMITS.wall_seconds:g} seconds, and computed in {finished.cpu_seconds:.0f} of them"
        return GpuBuild(log=log, seconds=seconds, starved=starved)
    if finished.returncode != 0:
        return GpuBuild(refusals=_refusals(output, source, entries), log=log, seconds=seconds)
    names = _kernels(folder / CUBIN)
    image = {
        "driver": target.driver,
        "device": target.device,
        "cubin": CUBIN,
        "functions": names,
        "kernel": entries.kernel,
        "ask_launch": ASK_LAUNCH if entries.launch else "",
        "poison_shared": POISON_SHARED,
    }
    (folder / IMAGE).write_text(json.dumps(image), encoding="utf-8")
    return GpuBuild(folder / IMAGE, resources=_resources(output, entries), log=log, seconds=seconds)


def _refusals(output: str, file: Path, entries: EntrySignatures) -> tuple[Refusal, ...]:
    if large := needs_too_much_shared(output):
        text = "A block asks for more than 49152 bytes of static shared memory, which is the maximum."
        name = name_of(entries.kernel)
        the_kernel = re.compile(rf"_ZL?{len(name)}{name}(?!\d)")
        if any(one == name or the_kernel.match(one) for one in large):
            return (Refusal(Verdict.LAUNCH_ERROR, 0, text),)
        advice = "Remove the kernels that the lab does not ask for."
        return (Refusal(Verdict.COMPILE_ERROR, 0, f"In `{large[0]}`, which is not the lab's kernel: {text}", advice),)
    text = file.read_text(encoding="utf-8", errors="replace")
    return nvcc_refusals(output, file.name, TAIL, kernel=entries.kernel, launch=entries.launch, source=text)


def _resources(output: str, entries: EntrySignatures) -> KernelResources | None:
    """The kernel's resources. The kernel is the function whose mangled name contains the length of its name and its name."""
    name = name_of(entries.kernel)
    found = kernel_resources(output)
    mangled = f"{len(name)}{name}"
    return next((one for key, one in found.items() if key == name or mangled in key), None)


def _kernels(cubin: Path) -> list[str]:
    """The names of a cubin's functions, for drivers that cannot list them. Empty where the cubin cannot be read."""
    if cubin.is_symlink() or cubin.stat().st_size > MAX_CUBIN_BYTES:
        return []
    try:
        with cubin.open("rb") as file:
            tables = [one for one in ELFFile(file).iter_sections() if isinstance(one, SymbolTableSection)]
            symbols = [symbol for table in tables for symbol in table.iter_symbols()]
            return [symbol.name for symbol in symbols if symbol["st_info"]["type"] == "STT_FUNC"]
    except (ELFError, KeyError, ValueError, IndexError):
        return []
