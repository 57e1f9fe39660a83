"""Builds one canary exactly as a submission is built, launches it under every detector, and says what went otherwise than it must."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from grader.canaries.canary import ELEMENTS, KERNEL, SHARED_BYTES, STEPS, Canary
from grader.engines.checks.entry_points import EntrySignatures
from grader.kernel_files.kernel_source import KernelSource
from grader.launch_arguments.argument_text import parse_argument
from grader.machine.toolset import Toolset
from grader.single_launch.kernel_check import CheckRequest, check_built, refusals_of

_ENTRIES = EntrySignatures(KERNEL, by_name=True)
_CLOCK_MS = 10_000


def run_canary(toolset: Toolset, canary: Canary, scratch: Path | None = None) -> str:
    """Empty where all is as it must be. `scratch`: where its folder is made; None: where temporary files go."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="control-", dir=scratch))
    except OSError as error:
        return f"could not be built: {error}"
    try:
        return _run(toolset, canary, folder)
    except Exception as error:  # noqa: BLE001 -- whatever it is, submissions are in no better hands
        return f"could not be judged: {error}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(toolset: Toolset, canary: Canary, folder: Path) -> str:
    work = folder / "work"
    work.mkdir()
    build = toolset.cpu_build(canary.source, work, _ENTRIES, scanned=not canary.unscanned)
    if build.runner is None:
        source = KernelSource(canary.source.name, {canary.source.name: canary.text})
        findings = refusals_of(source, build)
        return canary.missed(findings[0].kind, findings)
    request = CheckRequest(
        file=canary.source.name,
        kernel=KERNEL,
        grid=(1, 1, 1),
        block=(ELEMENTS, 1, 1),
        shared_bytes=SHARED_BYTES,
        arguments=[
            parse_argument(one) for one in (f"float[{ELEMENTS}]", f"float[{ELEMENTS}]=random", f"int={ELEMENTS}")
        ],
        event_budget=STEPS,
        clock_ms=_CLOCK_MS,
    )
    checked = check_built(toolset, build, request, folder)
    return canary.missed(checked.verdict, checked.findings, checked.message, checked.counters | checked.metrics)
