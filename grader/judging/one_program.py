"""Whether nvcc and the CPU executor's compiler are given the same program by one file. Both preprocessors run confined; what they
leave is compared by `compiler_view.py`.
"""

from __future__ import annotations

from pathlib import Path

from grader.engines.checks.attribution import asked_for
from grader.engines.checks.bare_code import plain_text
from grader.engines.compiler_views.compiler_view import CompilerView, different_programs, no_one_program
from grader.engines.cpu.build_steps import BUILD_LIMITS, MAX_TEXT_BYTES
from grader.engines.cpu.compiler_home import home_of
from grader.engines.cpu.cpu_toolchain import DECIDED
from grader.engines.gpu.device_preprocessing import device_preprocessing
from grader.engines.gpu.gpu_build import TAIL
from grader.engines.refusal import Refusal
from grader.machine.toolset import Toolset
from grader.model.verdicts import Verdict
from grader.sandbox import Finished, run_confined

_ON_CPU, _ON_GPU = "cpu.ii", "gpu.ii"


def two_programs(toolset: Toolset, source: Path, folder: Path) -> Refusal | None:
    """Why `source` is refused; None where it is one program. `folder` is empty. Raises StrangeToolkit, or RuntimeError where a
    preprocessor fails over nothing that the file did.
    """
    text = source.read_text(encoding="utf-8", errors="replace")
    if refusal := no_one_program(text):
        return refusal
    (folder / source.name).write_text(plain_text(text), encoding="utf-8")
    (folder / TAIL).write_text(f'#include "{source.name}"\n', encoding="utf-8")
    gpu = toolset.gpu
    assert gpu.toolchain is not None
    commands = {
        _ON_CPU: toolset.toolchain.decide(source.name, _ON_CPU, gpu.toolchain.host_compiler),
        _ON_GPU: device_preprocessing(gpu.toolchain, gpu.target.capability, TAIL, _ON_GPU, DECIDED),
    }
    host = gpu.toolchain.host_compiler
    # The CPU executor's compiler sees nothing of the toolkit, here as where it builds: it would answer for headers that lie there.
    seen = {
        _ON_CPU: (commands[_ON_CPU][0], [*toolset.toolchain.includes, toolset.toolchain.prelude.parent]),
        _ON_GPU: (host, [gpu.toolchain.root, *gpu.toolchain.includes]),
    }
    for output, command in commands.items():
        finished = _confined(toolset, command, *seen[output], folder)
        if refusal := _failed(finished, folder / output, source.name, text):
            return refusal
    kit = tuple(str(path) for path in toolset.toolchain.includes)
    return different_programs(
        text, source.name, CompilerView(_read(folder / _ON_CPU), kit), CompilerView(_read(folder / _ON_GPU), (TAIL,))
    )


def _confined(toolset: Toolset, command: list[str], compiler: str, headers: list[Path], folder: Path) -> Finished:
    home = home_of(compiler)
    return run_confined(
        toolset.confinement,
        [*home.before, *command],
        readable=[*headers, *home.places],
        writable=[folder],
        limits=BUILD_LIMITS,
        profile="build",
        cwd=folder,
    )


def _failed(finished: Finished, output: Path, name: str, text: str) -> Refusal | None:
    """Both compilers took the file before: what fails only here is of the file's making where the compiler names it."""
    if finished.returncode == 0 and output.is_file() and not output.is_symlink():
        if output.stat().st_size <= MAX_TEXT_BYTES:
            return None
        return Refusal(Verdict.REJECTED, 0, "The file is too large once its includes are expanded.")
    said = finished.stderr.decode("utf-8", "replace")
    if finished.timed_out or f"{name}:" in said:
        message = (
            "The file is no plain program: what nvcc would read cannot be compared with what the CPU executor reads."
        )
        return Refusal(Verdict.REJECTED, 0, message)
    if file := asked_for(said, text):
        return Refusal(Verdict.REJECTED, 0, f"The file asks for {file}, which a submission may not read.")
    message = f"a file could not be preprocessed to be compared (status {finished.returncode}): {said[-1000:]}"
    raise RuntimeError(message)


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")
