"""Runs a program that was built: writes program.json, starts the broker, and reads what it recorded.

The program is hostile and confined: it reads and writes the current folder, and no network. Its output goes straight to the user.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO, Any, get_args

from grader.engines.refusal import Refusal
from grader.engines.toolset import Toolset
from grader.model.errors import MachineError
from grader.model.verdicts import Verdict
from grader.run.judge_call import RUN_LIMITS, read_report, runner_argv
from grader.run.programs.host_build import DEVICE_ARCH
from grader.run.programs.host_toolchain import places_of
from grader.run.programs.program_findings import (
    Ending,
    ProgramRefusal,
    ProgramReport,
    crashed,
    ending,
    host_findings,
    kernel_findings,
)
from grader.run.programs.program_kernels import BuiltProgram, ProgramKernel, ProgramRecipe, Progress, build_program
from grader.run.programs.run_record import REFUSED_FILE, HostRecord, RefusalRecord, RunFacts, RunRecord
from grader.system.confinement import Limits

OUTPUT_BYTES = 16 << 20  # of a program's output, where it is kept
_MOST_RECORD_BYTES = 64 << 20
_EVENT_BUDGET = 10**13  # no launch gets so far: its time ends first
# Thousandths of the run's time: so the launch that does not end is stopped first, and its line is told.
_SHARE_OF_A_LAUNCH = 700
_GRACE_SECONDS = 30.0  # for the broker to end what runs and to write its record
# The broker ends a program whose processor time is up, and knows why it did. The kernel's limit, which a program meets with a signal of
# its own choice, is later.
_LATER_SECONDS = 2
_SILENTLY = ("/bin/sh", "-c", 'exec "$@" 2>/dev/null', "sh")


@dataclass(frozen=True)
class ProgramRequest:
    arguments: Sequence[str]
    folder: Path  # the current folder
    seconds: int  # for the whole run
    program: Path = Path()
    readable: Sequence[Path] = ()  # besides the current folder
    writable: Sequence[Path] = ()  # the same
    settings: Mapping[str, bool] = field(default_factory=dict)  # of every launch: kit/program/program_description.hpp
    keeps_output: bool = False  # instead of showing it
    launch_seconds: int = 0  # of processor time for one launch; 0: seven tenths of what the whole run may take
    host_seconds: int = 0  # of processor time for host code; 0: as many as the whole run may take
    idle_seconds: int = 0  # in which it does nothing but wait; 0: no limit, since a person may have to type something
    device_bytes: int = 8 << 30
    host_bytes: int = 8 << 30
    file_bytes: int = 2 << 30  # of a file that it writes
    printed_bytes: int = 64 << 20  # by kernels
    processes: int = 256  # and threads
    silent: bool = False  # nothing of its standard error is kept or shown


def run_program(
    toolset: Toolset, request: ProgramRequest, kernels: Sequence[ProgramKernel], scratch: Path
) -> tuple[RunRecord, bytes]:
    """With its output where that is kept, at most a byte more than OUTPUT_BYTES. Raises MachineError where the broker fails."""
    broker = toolset.part("broker")
    described, report = scratch / "program.json", scratch / "run.json"
    described.write_text(json.dumps(program_description(toolset, request, kernels)), encoding="utf-8")
    command = [str(broker), "--program", str(described), "--report", str(report)]
    with tempfile.TemporaryFile() as kept:
        status, said = _run_with_broker(command, request, kept if request.keeps_output else None)
        kept.seek(0)
        output = kept.read(OUTPUT_BYTES + 1)
    if not report.is_file() or report.stat().st_size > _MOST_RECORD_BYTES:
        raise MachineError(f"the broker failed with status {status}: {said[-2000:].strip()}")
    return read_report(report.read_bytes(), RunRecord), output


def _run_with_broker(command: Sequence[str], request: ProgramRequest, kept: IO[bytes] | None) -> tuple[int, str]:
    """The broker's status and its own words. The program inherits its standard streams."""
    sys.stdout.flush()
    sys.stderr.flush()
    with _interrupted_by_sigterm(), subprocess.Popen(command, cwd=request.folder, stdout=kept) as process:
        try:
            return process.wait(timeout=request.seconds * 2 + _GRACE_SECONDS), ""
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait(), "it did not end in time"
        except KeyboardInterrupt:
            process.send_signal(signal.SIGTERM)  # it ends the program and its kernels
            try:
                process.wait(timeout=_GRACE_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
            raise


@contextmanager
def _interrupted_by_sigterm() -> Iterator[None]:
    """Who ends this command ends the program too."""

    def interrupt(_signal: int, _frame: object) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield  # signals are the main thread's
        return
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def program_description(toolset: Toolset, request: ProgramRequest, kernels: Sequence[ProgramKernel]) -> dict[str, Any]:
    """program.json, which says to the broker how the program and its kernels are started."""
    host_seconds = request.host_seconds or request.seconds + 1
    argv = toolset.confinement.wrap(
        [str(request.program), *request.arguments],
        readable=[request.program.parent, *request.readable],
        writable=[request.folder, *request.writable],
        limits=Limits(
            "program",
            cpu_seconds=host_seconds + _LATER_SECONDS,
            wall_seconds=3600,
            memory_bytes=request.host_bytes,
            processes=request.processes,
            file_bytes=request.file_bytes,
            open_files=256,
        ),
    )
    if request.silent:
        argv = silently(argv)
    return {
        **({"options": dict(request.settings)} if request.settings else {}),
        "host": {"argv": argv},
        "kernels": {one.name.symbol: _kernel(toolset, one, request) for one in kernels},
        "limits": {
            "clock_ms": request.launch_seconds * 1000 or request.seconds * _SHARE_OF_A_LAUNCH,
            "wall_ms": request.seconds * 1000,
            "host_clock_ms": host_seconds * 1000,
            "idle_ms": request.idle_seconds * 1000,
            "host_bytes": request.host_bytes,
            "file_bytes": request.file_bytes,
            "event_budget": _EVENT_BUDGET,
            "memory_bytes": request.device_bytes,
            "output_bytes": request.printed_bytes,
        },
    }


def silently(argv: Sequence[str]) -> list[str]:
    """The command without its standard error. What is appended to it reaches it."""
    return [*_SILENTLY, *argv]


def _kernel(toolset: Toolset, kernel: ProgramKernel, request: ProgramRequest) -> dict[str, Any]:
    if kernel.runner is None or kernel.image is None or kernel.description is None:
        refusal = asdict(kernel.refusal) if kernel.refusal else None
        return {"name": kernel.name.shown, "refusal": refusal}
    seconds = request.seconds + 1
    limits = replace(RUN_LIMITS, cpu_seconds=seconds, wall_seconds=seconds, memory_bytes=2 * request.device_bytes)
    return {**kernel.description, "runner": {"argv": runner_argv(toolset, kernel, limits)}}


# `tilelab run`: builds both sides of a program, runs it, and says what was found. Grades nothing.


def run_whole(
    toolset: Toolset, recipe: ProgramRecipe, request: ProgramRequest, scratch: Path, progress: Progress
) -> ProgramReport:
    """`request` names no program yet. `scratch`: an empty folder. Raises MachineError where something of ours failed."""
    began = time.monotonic()
    toolset = toolset.compiling_for(DEVICE_ARCH)
    recipe = replace(recipe, kept=toolset.build / "programs")
    built = build_program(toolset, recipe, scratch, progress)
    if built.host.program is None:
        refusals = tuple(
            ProgramRefusal(
                verdict=one.verdict,
                message=one.message,
                file=one.file or None,
                line=one.line or None,
                columns=one.columns,
            )
            for one in built.host.refusals
        )
        return ProgramReport(ended="not-built", refusals=refusals, left_out=tuple(built.host.left_out))
    built_after = time.monotonic() - began
    # nvcc compiles all of a file: one that it refuses does not run, whether this kernel would be launched or not.
    bad = [
        one for one in (*built.kernels, *built.unused) if one.refusal and one.refusal.verdict is Verdict.COMPILE_ERROR
    ]
    if bad:
        refusals = tuple(_refusal(one.name.shown, one, one.refusal, None) for one in bad if one.refusal)
        return ProgramReport(ended="not-built", refusals=refusals, left_out=tuple(built.host.left_out))
    progress("")
    record, output = run_program(toolset, replace(request, program=built.host.program), built.kernels, scratch)
    if record.ended == "internal":
        raise MachineError(f"the program could not be run: {record.detail}")
    record = record.model_copy(update={"host": tuple(_with_folder(one, request) for one in record.host)})
    own, addresses = set(built.host.source.texts), record.places()
    places = places_of(built.toolchain, toolset.confinement, built.host.program, addresses, own)
    facts = RunFacts(record, places, built.host.source.lines(), built.names, built.host.unused)
    report = _report(facts, output, built, request.seconds)
    seconds = {"building": round(built_after, 3), "running": round(time.monotonic() - began - built_after, 3)}
    return report.model_copy(update={"left_out": tuple(built.host.left_out), "seconds": seconds})


def _with_folder(record: HostRecord, request: ProgramRequest) -> HostRecord:
    """Of a file that could not be opened: which folder an option has to name, where the sandbox alone is why."""
    path = Path(request.folder, record.text("path"))
    if record.kind != REFUSED_FILE or not record.text("path"):
        return record
    write = record.flag("write")
    allowed = [request.folder, *request.writable, *(() if write else request.readable)]
    try:
        file = path.resolve()
        is_there = file.parent.is_dir() if write else file.is_file()
        if not is_there or any(file.is_relative_to(one.resolve()) for one in allowed):
            return record
    except OSError:
        return record
    return record.model_copy(update={"folder": str(Path(record.text("path")).parent)})


def _report(facts: RunFacts, output: bytes, built: BuiltProgram, seconds: int) -> ProgramReport:
    record = facts.record
    launched = dict.fromkeys(facts.kernels.get(one.kernel, one.kernel) for one in record.launches)
    otherwise: Ending = "exit" if record.ended == "finished" else "stopped"
    ended = next((one for one in get_args(Ending) if one == record.ended), otherwise)
    return ProgramReport(
        ended="signal" if crashed(record) else ended,
        status=record.status,
        message="" if record.ended in {"exit", "refused"} and not crashed(record) else ending(record, seconds),
        findings=kernel_findings(facts),
        host=host_findings(facts),
        refusals=_refusals(facts, built.kernels),
        kernels=tuple(launched),
        not_launched=tuple(
            dict.fromkeys(one.name.shown for one in (*built.kernels, *built.unused) if one.name.shown not in launched)
        ),
        launches=sum(one.count for one in record.launches),
        limit=ended == "timeout" or bool(record.limit),
        output=output[:OUTPUT_BYTES].decode("utf-8", "replace"),
        output_cut=len(output) > OUTPUT_BYTES,
    )


def _refusals(facts: RunFacts, kernels: Sequence[ProgramKernel]) -> tuple[ProgramRefusal, ...]:
    """The kernel that was launched and could not be built, or the call of a library."""
    refusal = facts.record.refusal
    if refusal is None:
        return ()
    kernel = next((one for one in kernels if one.name.symbol == refusal.kernel), None)
    place = facts.places.get(refusal.at)
    why = kernel.refusal if kernel and kernel.refusal else refusal
    name = facts.kernels.get(refusal.kernel, refusal.kernel)
    return (_refusal(name, kernel, why, place.line if place else None),)


def _refusal(
    name: str, kernel: ProgramKernel | None, why: Refusal | RefusalRecord, launched: int | None
) -> ProgramRefusal:
    cannot = "does not compile" if why.verdict is Verdict.COMPILE_ERROR else "cannot be run here"
    said = f"The kernel `{name}` {cannot}.\n{why.message}" if name else why.message
    file = (why.file if isinstance(why, Refusal) else "") or (kernel.unit if kernel else None)
    return ProgramRefusal(
        verdict=why.verdict, message=said, kernel=name, file=file, line=why.line or None, launch_line=launched
    )
