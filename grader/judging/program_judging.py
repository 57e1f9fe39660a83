"""Judges a submission whose host code is the student's own: a launcher, or a whole program. It is built as `tilelab run` builds a program
and run by the lab's judge, under the conductor. What a kernel's lab has besides (timing, causes, suspects) there is not.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from grader.engines.refusal import Refusal
from grader.judging.judge_call import JudgeCall, clock_factor, judge_report, judged_cases
from grader.judging.program_launches import ProgramReader, with_findings_of_the_host
from grader.kernel_files.kernel_source import KernelSource
from grader.machine.toolset import Toolset
from grader.model.labs import Lab
from grader.model.outcomes.outcome import JudgedCase
from grader.model.verdicts import Verdict
from grader.programs.built_program import NO_FRAME, BuiltProgram, ProgramRecipe, build_program
from grader.programs.host.host_refusals import HostRefusal, library_of_header
from grader.programs.host.launcher_main import launcher_frame, name_of, refusal_of_launcher
from grader.programs.host.program_source import ProgramSource
from grader.programs.program_kernels import ProgramKernel
from grader.programs.program_run import ProgramRequest, ProgramSizes, program_description

_RUN_SECONDS = 90  # on the wall, for one run of the program: a machine that is busy is no mistake of its author
_HOST_SECONDS = 20  # of processor time, for its host code
_IDLE_SECONDS = 20  # in which no thread of it wants a processor or a disk, and nothing is asked of the device
_SIZES = ProgramSizes(device=1 << 30, host=4 << 30, file=64 << 20, printed=1 << 20, processes=64)
_MOST_KERNELS = 32
_WITH = ": name the source that defines it with --with"
_LAUNCH_SECONDS = 10  # of processor time, for one launch
# A file with such a kernel is refused before anything runs: no compiler takes it, or it hides something.
_REFUSES_THE_FILE = (Verdict.INTERNAL_ERROR, Verdict.REJECTED, Verdict.COMPILE_ERROR)


@dataclass(frozen=True)
class BuiltSubmission:
    """`refusals`: why nothing is run; empty where `program` can be judged."""

    program: BuiltProgram
    refusals: tuple[Refusal, ...]
    seconds: float

    @property
    def log(self) -> str:
        return self.program.host.log if self.refusals else ""


@dataclass(frozen=True)
class StartedProgram:
    """What a judge needs to run a submission that was built. `file`: what it reads; the folder beside it is the runs' own."""

    built: BuiltProgram
    file: Path


def build_submission(toolset: Toolset, lab: Lab, text: str, folder: Path) -> BuiltSubmission:
    """`text`: the submission's. `folder`: an empty one of the caller's."""
    began = time.monotonic()
    public = lab.public
    headers = {PurePosixPath(name).name: _header(lab, name) for name in public.headers}
    source = ProgramSource((KernelSource(public.file, {public.file: text, **headers}),))
    frame = launcher_frame(public.launcher) if public.launcher else NO_FRAME
    built = build_program(
        toolset, ProgramRecipe(source, frame=frame, most_kernels=_MOST_KERNELS), folder, lambda _: None
    )
    found = _refusals(lab, text, built)
    return BuiltSubmission(built, found, time.monotonic() - began)


def judge_submission(  # noqa: PLR0913, PLR0917 - as judge_lab
    toolset: Toolset, lab: Lab, started: StartedProgram, text: str, folder: Path, call: JudgeCall
) -> tuple[JudgedCase, ...]:
    """Runs the lab's cases. Raises RuntimeError, which is ours to investigate."""
    report = judge_report(call, lab, ["--program", str(started.file)], folder)
    try:
        reader = ProgramReader.over(toolset, lab, started.built, text, report)
    except (ValueError, KeyError, TypeError) as error:
        message = f"the judge of {lab.id} wrote a report that cannot be read: {error}"
        raise RuntimeError(message) from error
    return tuple(with_findings_of_the_host(case) for case in judged_cases(report, lab, reader.launch))


def started_program(toolset: Toolset, lab: Lab, built: BuiltSubmission, folder: Path) -> StartedProgram:
    """`folder`: of the caller's; runs happen in it."""
    file = folder / "judged.json"
    file.write_text(json.dumps(_program_file(toolset, lab, built.program, folder)), encoding="utf-8")
    return StartedProgram(built.program, file)


def _program_file(toolset: Toolset, lab: Lab, built: BuiltProgram, folder: Path) -> dict[str, Any]:
    """What the judge has to know: kit/program_judge/conducted_run.hpp reads it."""
    public = lab.public
    data, scratch = folder / "data", folder / "judge"
    data.mkdir()
    scratch.mkdir()
    factor = clock_factor()
    program = built.host.program
    assert program is not None
    request = ProgramRequest(
        program,
        (),
        data,
        _RUN_SECONDS * factor,
        launch_seconds=_LAUNCH_SECONDS * factor,
        sizes=_SIZES,
        host_seconds=_HOST_SECONDS * factor,
        idle_seconds=_IDLE_SECONDS * factor,
        silent=True,
    )
    description = program_description(toolset, request, built.kernels)
    description["options"] = {
        "allow_same_value_writes": public.races.same_value_writes == "allowed",
        "early_return_is_error": public.barriers.early_return == "error",
    }
    file: dict[str, Any] = {
        "conductor": str(toolset.part("conductor")),
        "description": description,
        "folder": str(data),
        "scratch": str(scratch),
    }
    if public.launcher:
        file["launcher"] = {"arguments": list(public.arguments), "memory": public.memory}
    return file


def _header(lab: Lab, name: str) -> str:
    return (lab.public_dir / name).read_text(encoding="utf-8", errors="replace")


def _refusals(lab: Lab, text: str, built: BuiltProgram) -> tuple[Refusal, ...]:
    host = built.host
    if host.program is None:
        entry = (
            refusal_of_launcher(host.log, text, lab.public.file, lab.public.launcher) if lab.public.launcher else None
        )
        return tuple(_of_host(lab, one) for one in ((entry,) if entry else host.refusals))
    absent = [one for one in host.missing if not library_of_header(one.header)]
    if absent:  # no compiler takes the file then, needed or not
        said = f"{absent[0].header} was not found: a submission is one file, and may include what the lab hands out."
        return (Refusal(Verdict.COMPILE_ERROR, absent[0].line, said),)
    name = name_of(lab.public.launcher)
    if name and any(one.name.signature in {name, lab.public.launcher} for one in built.kernels):
        said = f"`{name}` is a kernel, and the lab asks for a host function that launches kernels: remove __global__ from it."
        return (Refusal(Verdict.MISSING_ENTRY_POINT, 0, said),)
    refused = [one for one in built.kernels if one.refusal and _verdict(one) in _REFUSES_THE_FILE]
    refused.sort(key=lambda one: _REFUSES_THE_FILE.index(_verdict(one)))
    return tuple(_of_kernel(one) for one in refused[:1])


def _of_host(lab: Lab, refusal: HostRefusal) -> Refusal:
    verdict = Verdict.COMPILE_ERROR
    if refusal.is_ours:
        verdict = Verdict.INTERNAL_ERROR
    elif refusal.is_entry:
        verdict = Verdict.MISSING_ENTRY_POINT
    elif refusal.needs_gpu:
        verdict = Verdict.NEEDS_GPU
    message = refusal.message.replace(_WITH, "")  # what `tilelab run` has, and a hand-in has not
    return Refusal(verdict, refusal.line if refusal.file in {"", lab.public.file} else 0, message)


def _verdict(kernel: ProgramKernel) -> Verdict:
    return Verdict(str((kernel.refusal or {}).get("verdict", Verdict.INTERNAL_ERROR.value)))


def _of_kernel(kernel: ProgramKernel) -> Refusal:
    refusal = kernel.refusal or {}
    line = refusal.get("line")
    return Refusal(
        _verdict(kernel), line if isinstance(line, int) else 0, str(refusal.get("said") or refusal.get("message", ""))
    )
