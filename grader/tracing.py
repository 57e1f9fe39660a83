"""`tilelab trace`: builds one file as the grader builds submissions, and lets the tracer run it on one small shape.

The file is hostile here as everywhere: compiler and runner are confined, and what the runner says is bounded twice.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from grader.course import lab_at
from grader.engines.cpu_build import build_for_cpu
from grader.engines.entry_points import EntrySignatures, name_of
from grader.engines.refusal import Refusal
from grader.errors import RemediableError
from grader.judge_call import JUDGE_SECONDS, MAX_REPORT_BYTES, located
from grader.judging import RUN_LIMITS
from grader.labs import Lab, LabError
from grader.result import Verdict
from grader.sourcetext import normalise
from grader.trace import TraceReport
from grader.trace_phases import BlockTrace, Index3, block_trace
from grader.workshop import Workshop

_CANNOT = 2  # the tracer's exit status for what cannot be done as asked
_REFUSALS = 3
MAX_SOURCE_BYTES = 1 << 20


class TraceError(RemediableError):
    """There is nothing to trace, and why."""


@dataclass(frozen=True)
class TraceRequest:
    shape: str = "8x8x8"
    inputs: str = "worked"
    block: Index3 = (0, 0, 0)


@dataclass(frozen=True)
class Traced:
    """A traced launch; `steps` None: it never came to run the block, and `report.launch` says why."""

    lab: Lab
    request: TraceRequest
    report: TraceReport
    steps: BlockTrace | None


def recognise(labs: Sequence[Lab], source: Path, text: str, root: Path) -> Lab:
    """The lab of a file: by its name, else by the kernel in it, else by where it lies. Raises TraceError."""
    if named := [lab for lab in labs if lab.public.file == source.name]:
        return named[0]
    kernels = {lab.id: name_of(lab.public.kernel) for lab in labs}
    found = [lab for lab in labs if re.search(rf"\b{re.escape(kernels[lab.id])}\b", text)]
    if len(found) == 1:
        return found[0]
    try:
        here = lab_at(root, source.parent)
    except LabError:
        which = "several labs' kernels" if found else "no lab's kernel"
        message = f"{source} holds {which} ({', '.join(kernels.values())}). Say which lab it is for: --lab {labs[0].id}"
        raise TraceError(message) from None
    return next(lab for lab in labs if lab.id == here)


def read_source(source: Path) -> bytes:
    """Raises TraceError, naming the file."""
    try:
        data = source.read_bytes() if source.is_file() and source.stat().st_size <= MAX_SOURCE_BYTES else None
    except OSError as error:
        message = f"{source} cannot be read: {error.strerror}"
        raise TraceError(message) from error
    if data is None:
        message = f"{source}: there is no such file, or it is no kernel's source. Name a .cu file."
        raise TraceError(message)
    return normalise(data)[0]


def trace_file(workshop: Workshop, lab: Lab, source: bytes, request: TraceRequest, scratch: Path) -> Traced:
    """`scratch` is an empty folder of the caller's. Raises TraceError where nothing can be traced as asked."""
    copy, work = scratch / lab.public.file, scratch / "work"
    copy.write_bytes(source)
    work.mkdir()
    entries = EntrySignatures(lab.public.kernel, lab.public.launch)
    built = build_for_cpu(workshop.toolchain, workshop.confinement, copy, work, entries)
    if built.runner is None or built.image is None:
        raise TraceError("\n".join(_refusal(lab, one) for one in built.refusals[:_REFUSALS]))
    argv = workshop.confinement.wrap(
        [str(built.runner), "--image", str(built.image)],
        readable=[work],
        writable=[],
        limits=RUN_LIMITS,
        profile="run",
    )
    runner_file = scratch / "runner.json"
    runner_file.write_text(json.dumps({"argv": argv}), encoding="utf-8")
    report = _run_tracer(workshop, lab, request, runner_file, scratch / "trace.json")
    lines = source.decode("utf-8", "replace").split("\n")
    launch = located(report.launch, lab, lines)
    report = report.model_copy(update={"launch": launch})
    asked = launch.verdict is not Verdict.LAUNCH_ERROR and launch.grid
    if report.trace is None and asked and not _inside(request.block, asked):
        grid = " x ".join(map(str, asked))
        message = f"block {request.block} is outside the grid: the launch has {grid} blocks in x, y and z"
        raise TraceError(message)
    if report.trace is None or launch.block is None:
        return Traced(lab, request, report, None)
    return Traced(lab, request, report, block_trace(report.trace, report.factors, launch.block, lab.public.file))


def _inside(block: Index3, grid: Index3) -> bool:
    return all(one < extent for one, extent in zip(block, grid, strict=True))


def _refusal(lab: Lab, refusal: Refusal) -> str:
    where = f"{lab.public.file}:{refusal.line}" if refusal.line > 0 else lab.public.file
    return f"{where}: {refusal.verdict.value}: {refusal.message} {refusal.advice}".strip()


def _run_tracer(
    workshop: Workshop, lab: Lab, request: TraceRequest, runner_file: Path, report_file: Path
) -> TraceReport:
    tracer = workshop.build / "bin" / "tracer"
    if not tracer.is_file():
        message = f"{tracer} is missing: run `make setup` to build it."
        raise TraceError(message)
    options = {
        "--problem": Path(lab.public.problem).stem,
        "--shape": request.shape,
        "--inputs": request.inputs,
        "--block": ",".join(map(str, request.block)),
        "--runner": str(runner_file),
        "--report": str(report_file),
    }
    command = [str(tracer), *(word for option in options.items() for word in option)]
    finished = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, timeout=JUDGE_SECONDS, check=False
    )
    said = (finished.stderr + finished.stdout).decode("utf-8", "replace").strip()[-2000:]
    if finished.returncode == _CANNOT:
        raise TraceError(said)
    if finished.returncode != 0 or not report_file.is_file() or report_file.stat().st_size > MAX_REPORT_BYTES:
        message = f"the tracer failed with status {finished.returncode}: {said}"
        raise RuntimeError(message)
    try:
        return TraceReport.model_validate_json(report_file.read_bytes())
    except ValidationError as error:
        message = f"the tracer wrote a report that cannot be read: {error}"
        raise RuntimeError(message) from error
