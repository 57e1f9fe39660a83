"""Compiles a file with host code into a program for a real GPU, with nvcc. nvcc runs confined, and nothing of the file runs here.

As in `gpu_build.py`, a failure of the submission is an outcome and no exception. Whoever runs the program confines it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.engines.checks.attribution import used_up
from grader.engines.cpu.compiler_home import home_of
from grader.engines.gpu.gpu_build import MAX_LOG, NVCC_LIMITS, GpuTarget
from grader.engines.gpu.gpu_toolchain import PROGRAM_STANDARDS, GpuToolchain
from grader.sandbox import Confinement, run_confined

PROGRAM, SOURCE = "native", "native_program.cu"
BESIDE = ("thread_names.cpp", "program_turns.cpp")  # in kit/cuda: compiled with the program
_ERROR = re.compile(r"^[^\n]*(?:\): |: |\b)(?:fatal )?error\b[^\n]*$", re.MULTILINE)


@dataclass(frozen=True)
class NativeBuild:
    """`trouble`: why there is no program, in one line."""

    program: Path | None = None
    log: str = ""
    trouble: str = ""


def build_native(
    toolchain: GpuToolchain, confinement: Confinement, texts: Mapping[str, str], folder: Path, target: GpuTarget
) -> NativeBuild:
    """`texts`: SOURCE, those BESIDE it, and what they include, by plain names. `folder`: an empty one, where the program comes to lie."""
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    tries: list[NativeBuild] = []
    for standard in PROGRAM_STANDARDS:
        built = _built(toolchain, confinement, folder, target, standard)
        if built.program is not None:
            return built
        tries.append(built)
        if not _ERROR.search(built.log):
            break
    return tries[0]


def _built(
    toolchain: GpuToolchain, confinement: Confinement, folder: Path, target: GpuTarget, standard: str
) -> NativeBuild:
    home = home_of(toolchain.host_compiler)
    finished = run_confined(
        confinement,
        [*home.before, *toolchain.link([SOURCE, *BESIDE], PROGRAM, target.capability, standard)],
        readable=[toolchain.root, *toolchain.includes, *home.places],
        writable=[folder],
        limits=NVCC_LIMITS,
        profile="build",
        cwd=folder,
    )
    output = (finished.stderr + finished.stdout).decode("utf-8", "replace").replace(f"{folder}/", "")
    log = output if len(output) <= MAX_LOG else output[:MAX_LOG] + "\n…"
    program = folder / PROGRAM
    if finished.returncode == 0 and program.is_file() and not program.is_symlink():
        return NativeBuild(program, log)
    if limit := used_up(finished, NVCC_LIMITS, output):
        return NativeBuild(log=log, trouble=f"nvcc needed more than {limit}")
    first = _ERROR.search(output)
    said = first[0].strip()[:300] if first else "it gives no reason"
    return NativeBuild(log=log, trouble=f"nvcc does not compile the file: {said}")
