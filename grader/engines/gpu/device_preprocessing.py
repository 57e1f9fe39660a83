"""How nvcc preprocesses a file for the device: the host compiler's command line, taken from what `nvcc --dryrun` says it would run.

That is a tool's text. Where it holds no such command, nothing is taken to be one.
"""

from __future__ import annotations

import functools
import shlex
import subprocess

from grader.engines.gpu.gpu_toolchain import GpuToolchain

_SOURCE, _SECONDS = "submission.cu", 60


class StrangeToolkit(Exception):  # noqa: N818 -- a finding, not an error
    """nvcc does not say how it preprocesses."""


def device_preprocessing(
    toolchain: GpuToolchain, capability: int, source: str, output: str, options: tuple[str, ...] = ()
) -> list[str]:
    """The command with `options` more, for a file in the working directory. Raises StrangeToolkit."""
    command = list(_command(toolchain, capability))
    at = command.index(_SOURCE)
    return [*command[:at], *options, source, "-o", output]


@functools.cache
def _command(toolchain: GpuToolchain, capability: int) -> tuple[str, ...]:
    """Up to the name of the source."""
    asked = [*toolchain.compile(_SOURCE, "submission.cubin", capability), "--dryrun"]
    try:
        said = subprocess.run(asked, capture_output=True, text=True, check=True, timeout=_SECONDS).stderr
        commands = [shlex.split(line.removeprefix("#$ ")) for line in said.splitlines() if " -E " in line]
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        message = f"{toolchain.nvcc} --dryrun does not work: {error}"
        raise StrangeToolkit(message) from error
    wanted = f"-D__CUDA_ARCH__={10 * capability}"
    for command in commands:
        if wanted in command and command.count(_SOURCE) == 1 and command[-3:-1] == [_SOURCE, "-o"]:
            return tuple(command[:-2])
    message = f"{toolchain.nvcc} --dryrun names no command that preprocesses for sm_{capability}"
    raise StrangeToolkit(message)
