"""`tilelab run`: builds both sides of a program, runs it, and says what was found. Grades nothing.

The file is treated as hostile: compilers, the program and its kernels are confined.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.engines.toolset import Toolset
from grader.model.errors import MachineError
from grader.model.verdicts import Verdict
from grader.run.programs.host_build import DEVICE_ARCH, HostBuild
from grader.run.programs.host_facts import RunFacts
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
from grader.run.programs.program_run import ProgramRequest, ProgramRun, run_program
from grader.run.programs.program_source import ProgramSource
from grader.run.programs.run_record import RunRecord

_ENDED: dict[str, Ending] = {
    "exit": "exit",
    "finished": "exit",
    "signal": "signal",
    "timeout": "timeout",
    "refused": "refused",
    "garbled": "garbled",
    "stopped": "stopped",
}


@dataclass(frozen=True)
class WholeProgram:
    source: ProgramSource
    arguments: Sequence[str]
    folder: Path  # where it runs
    seconds: int
    definitions: Sequence[str] = ()
    readable: Sequence[Path] = ()
    keeps_output: bool = False


def run_whole(toolset: Toolset, program: WholeProgram, scratch: Path, progress: Progress) -> ProgramReport:
    """`scratch`: an empty folder of the caller's. Raises MachineError where something of ours failed."""
    began = time.monotonic()
    toolset = toolset.compiling_for(DEVICE_ARCH)
    recipe = ProgramRecipe(program.source, program.definitions, kept=toolset.build / "programs")
    built = build_program(toolset, recipe, scratch, progress)
    if built.host.program is None:
        return _not_built(built.host)
    built_after = time.monotonic() - began
    progress("")
    request = ProgramRequest(
        built.host.program, program.arguments, program.folder, program.seconds, program.readable, program.keeps_output
    )
    run = run_program(toolset, request, built.kernels, scratch)
    if run.record.ended == "internal":
        message = f"the program could not be run: {run.record.detail}"
        raise MachineError(message)
    facts = _facts(toolset, built, run.record)
    report = _report(facts, run, built.kernels, program.seconds)
    seconds = {"building": round(built_after, 3), "running": round(time.monotonic() - began - built_after, 3)}
    return report.model_copy(update={"left_out": built.host.left_out, "seconds": seconds})


def _not_built(built: HostBuild) -> ProgramReport:
    refusals = tuple(
        ProgramRefusal(verdict=Verdict.COMPILE_ERROR, message=one.message, file=one.file or None, line=one.line or None)
        for one in built.refusals
    )
    return ProgramReport(ended="not-built", refusals=refusals, left_out=built.left_out)


def _facts(toolset: Toolset, built: BuiltProgram, record: RunRecord) -> RunFacts:
    program, own = built.host.program or Path(), set(built.source.texts)
    places = places_of(built.toolchain, toolset.confinement, program, record.places(), own)
    return RunFacts(record, places, built.source.lines(), built.names, built.host.unused)


def _report(facts: RunFacts, run: ProgramRun, kernels: Sequence[ProgramKernel], seconds: int) -> ProgramReport:
    record = facts.record
    launched = dict.fromkeys(facts.kernels.get(one.kernel, one.kernel) for one in record.launches)
    return ProgramReport(
        ended="signal" if crashed(record) else _ENDED.get(record.ended, "stopped"),
        status=record.status,
        message="" if record.ended in {"exit", "refused"} and not crashed(record) else ending(record, seconds),
        findings=kernel_findings(facts),
        host=host_findings(facts),
        refusals=_refusals(facts, kernels),
        kernels=tuple(launched),
        launches=sum(one.count for one in record.launches),
        output=run.output,
        output_cut=run.output_cut,
    )


def _refusals(facts: RunFacts, kernels: Sequence[ProgramKernel]) -> tuple[ProgramRefusal, ...]:
    """The kernel that was launched and could not be built, or the call of a library."""
    refusal = facts.record.refusal
    if refusal is None:
        return ()
    kernel = next((one for one in kernels if one.name.symbol == refusal.kernel), None)
    place = facts.places.get(refusal.at)
    known = kernel.refusal if kernel and kernel.refusal else refusal
    name = facts.kernels.get(refusal.kernel, refusal.kernel)
    return (
        ProgramRefusal(
            verdict=known.verdict,
            message=f"The kernel `{name}` cannot be run here.\n{known.message}" if name else refusal.message,
            kernel=name,
            file=kernel.unit if kernel else None,
            line=known.line or refusal.line or None,
            launch_line=place.line if place else None,
        ),
    )
