"""Runs a lab's correctness cases again on a GPU, under each of compute-sanitizer's tools.

Under a tool runs the kit's own runner, outside the sandbox, because the tool does not work under the sandbox's limits. It
holds only a cubin of the submission, which nvcc made from its source, and the GPU keeps that code from the host.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from grader.engines.gpu.sanitizer_log import TOOLS, find_sanitizer, reports, sanitizer_command
from grader.judging.judge_call import JudgeCall, run_judge
from grader.machine.toolset import Toolset
from grader.model.errors import RemediableError
from grader.model.labs import Lab
from grader.model.outcomes.gpu_reports import Sanitized, Tool

SHUTDOWN_GRACE_MS = 30_000
TOOL_SECONDS = 120  # for one tool and all cases
MAX_LOG_BYTES = 4 << 20


def sanitize(  # noqa: PLR0913, PLR0917 -- a step of judge_on_gpu
    program: Path, runner: Path, lab: Lab, image: Path, call: JudgeCall, folder: Path, lines: Sequence[str]
) -> tuple[tuple[Sanitized, ...], str]:
    """What the tools reported, each thing once. Also which tools did not finish, and why."""
    said: dict[Sanitized, None] = {}
    troubles = []

    def passes(tool: Tool, name: str, *, until_failure: bool) -> bool:
        work = folder / name
        work.mkdir()
        argv = sanitizer_command(program, tool, work, [str(runner), "--watched", str(image)])
        under_tool = dataclasses.replace(
            call, shutdown_grace_ms=SHUTDOWN_GRACE_MS, seconds=TOOL_SECONDS, until_failure=until_failure
        )
        passed = True  # or unknown
        try:
            passed = all(case.passed for case in run_judge(under_tool, lab, argv, work, lines))
        except RuntimeError as error:
            troubles.append(f"compute-sanitizer's {tool}: {error}")
        said.update(dict.fromkeys(_read(work, tool, lab.public.file, lines)))
        return passed

    # A report of memcheck ends the launch and its context, and a new process for each of many launches would take minutes. So
    # memcheck first runs until one case fails. If that case is merely wrong, a later case may still access memory out of bounds:
    # then it runs all.
    if not passes("memcheck", "first", until_failure=True) and not said:
        passes("memcheck", "memcheck", until_failure=False)
    for tool in TOOLS:
        if tool != "memcheck":
            passes(tool, tool, until_failure=False)
    return tuple(said), "; ".join(troubles)


def under_sanitizer(toolset: Toolset) -> Toolset:
    """The toolset that also uses compute-sanitizer. Raises RemediableError if it cannot."""
    if not toolset.gpu.runs:
        message = f"compute-sanitizer needs a GPU that can be used: {'; '.join(toolset.gpu.reasons)}."
        raise RemediableError(message)
    program = find_sanitizer(toolset.gpu.toolchain)
    if program is None:
        message = "compute-sanitizer was not found: it comes with NVIDIA's CUDA toolkit; put its folder on PATH."
        raise RemediableError(message)
    return dataclasses.replace(toolset, gpu=dataclasses.replace(toolset.gpu, sanitizer=program))


def _read(folder: Path, tool: Tool, file: str, lines: Sequence[str]) -> list[Sanitized]:
    logs = sorted(folder.glob("sanitizer-*.log"))
    found: list[Sanitized] = []
    for log in logs:
        with log.open("rb") as stream:
            found += reports(stream.read(MAX_LOG_BYTES).decode("utf-8", "replace"), tool, file, lines)
    return found
