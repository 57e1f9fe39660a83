"""Starts a lab's judge on a runner and reads judge.json.

The judge is ours and trusted; the runner's words that it repeats are not. Source text in a finding comes only from the
submission's own file.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError

from grader.engines.backend import GPU_RUN_LIMITS, Device
from grader.model.course_root import judge_key
from grader.model.labs import Lab
from grader.model.outcome import JudgedCase, located
from grader.model.result import Launch
from grader.model.verdicts import Verdict
from grader.system.confinement import Limits

if TYPE_CHECKING:
    from grader.engines.cpu_build import CpuBuild
    from grader.engines.toolset import Toolset
    from grader.run.programs.program_kernels import ProgramKernel


Report = TypeVar("Report", bound=BaseModel)
# The judge itself ends long before, because every launch has a time limit of its own.
JUDGE_SECONDS = 400
MAX_REPORT_BYTES = 64 << 20
RUN_LIMITS = Limits(
    "run", cpu_seconds=120, wall_seconds=150, memory_bytes=1 << 30, processes=32, file_bytes=64 << 20, open_files=64
)
_MOST_ARRAYS = 3  # that a message names
RUNNER_FILE = "runner.json"


@dataclass(frozen=True)
class JudgeCall:
    """`judge` is the program. `cases` are the Catch2 cases to run; if it is empty, all of them."""

    judge: Path
    seed: int
    cases: Sequence[str] = ()
    order: int = 0  # blocks and threads run in the order shuffled by this number; 0: in order
    until_failure: bool = False  # stop after the first case that fails
    seconds: float | None = None  # time limit of the whole call; None: JUDGE_SECONDS
    # How long the runner may take to end. A tool that watches it writes its report then.
    shutdown_grace_ms: int = 0
    launch_ms: int = 0  # the most that a launch may take; 0: as long as the lab's tests say
    traffic: bool = False  # also of launches whose case does not count it


def run_judge(
    call: JudgeCall, lab: Lab, runner_argv: Sequence[str], folder: Path, lines: Sequence[str]
) -> tuple[JudgedCase, ...]:
    """What the judge saw of that runner. `lines`: the submission's. Raises RuntimeError where the judge fails: ours to investigate."""
    rules = [
        *(["--allow-same-value-writes"] if lab.public.races.same_value_writes == "allowed" else []),
        *(["--through-shared"] if lab.public.through == "shared" else []),
        *(["--early-return-is-error"] if lab.public.barriers.early_return == "error" else []),
    ]
    report = judge_report(call, lab, ["--runner", str(write_runner(runner_argv, folder)), *rules], folder)
    return judged_cases(report, lab, lambda entry: located(Launch.model_validate(entry), {lab.public.file: lines}))


def with_local_arrays(cases: Sequence[JudgedCase], images: Iterable[Path | None]) -> tuple[JudgedCase, ...]:
    """Tells a case that misses its technique of its local arrays in local memory. `images`: what the builder wrote of each kernel."""
    kinds = ("local_load_bytes", "local_store_bytes")
    read = [json.loads(image.read_text(encoding="utf-8")) for image in images if image is not None]
    arrays = sorted({(line, name) for image in read for name, line in image["local_arrays"]})[:_MOST_ARRAYS]
    if not arrays:
        return tuple(cases)
    named = " and ".join(f"`{name}` (line {line})" for line, name in arrays)
    words = (
        f" A GPU keeps {named} in local memory, and not in registers: {'it is' if len(arrays) == 1 else 'they are'} too large, or a"
        " subscript is known only when the kernel runs. Each load and store there counts as one of global memory."
    )
    used = {
        one.name for one in cases if any(launch.counters.get(kind, 0) > 0 for launch in one.launches for kind in kinds)
    }
    missed = {one.name for one in cases if one.message.startswith("correct, but ")}
    return tuple(replace(one, message=one.message + words) if one.name in used & missed else one for one in cases)


def judge_report(call: JudgeCall, lab: Lab, arguments: Sequence[str], folder: Path) -> list[dict[str, Any]]:
    """The cases of judge.json. `arguments`: what is judged. Raises RuntimeError as above."""
    report_file = folder / "judge.json"
    command = [
        str(call.judge), *arguments, *described_cases(lab, call.seed, folder),
        "--shuffle", str(call.order), *(["--abort"] if call.until_failure else []),
        *(["--shutdown-grace-ms", str(call.shutdown_grace_ms)] if call.shutdown_grace_ms else []),
        *(["--launch-ms", str(call.launch_ms)] if call.launch_ms else []), *(["--traffic"] if call.traffic else []),
    ]  # fmt: skip
    seconds = JUDGE_SECONDS * clock_factor() if call.seconds is None else call.seconds
    name, task = f"the judge of {lab.id}", _task(call, lab)
    written = run_reporter(name, command, report_file, seconds, task=task, fulfilled=(0, 1))
    try:
        return list(json.loads(written.decode("utf-8", "replace"))["cases"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise _unreadable(lab, error) from error


def described_cases(lab: Lab, seed: int, folder: Path) -> list[str]:
    """Tells the judge of the cases of a lab that lab.toml describes. Raises LabError where they cannot be made."""
    if lab.public.described is None:
        return []
    from grader.run.described_cases import write_cases  # noqa: PLC0415 -- few labs need it

    return ["--cases", str(write_cases(lab, seed, folder))]


def run_reporter(
    name: str,
    command: Sequence[str],
    report: Path,
    seconds: float,
    *,
    task: bytes = b"",
    fulfilled: Sequence[int] = (0,),
    refused: Mapping[int, type[Exception]] | None = None,
) -> bytes:
    """What a program of ours writes to `report`, beside which it runs. Where it ends with a status in `refused`, that is raised with what
    it said. It limits what it runs, so whatever else ends it is ours to investigate: RuntimeError.
    """
    command = [*command, "--report", str(report)]
    try:
        done = subprocess.run(command, cwd=report.parent, input=task, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired as error:
        raise RuntimeError(f"{name} was still busy after {seconds} seconds") from error
    status, said = done.returncode, (done.stderr + done.stdout).decode("utf-8", "replace").strip()[-2000:]
    if refused and status in refused:
        raise refused[status](said)
    if status not in fulfilled or not report.is_file() or report.stat().st_size > MAX_REPORT_BYTES:
        message = f"{name} {f'was ended by signal {-status}' if status < 0 else f'failed with status {status}'}: {said}"
        raise RuntimeError(message)
    return report.read_bytes()


def read_report(text: bytes, report: type[Report]) -> Report:
    """What a program of ours wrote about what it ran. Raises RuntimeError where it cannot be read."""
    try:
        return report.model_validate_json(text)
    except ValidationError as error:
        raise RuntimeError(f"the launch was watched, but its report cannot be read: {error}") from error


def judged_cases(
    report: Sequence[dict[str, Any]], lab: Lab, launch: Callable[[dict[str, Any]], Launch]
) -> tuple[JudgedCase, ...]:
    """`launch` reads one launch of a case. Raises RuntimeError where the report cannot be read."""
    try:
        read = ((one, tuple(map(launch, one["launches"]))) for one in report)
        cases = [
            JudgedCase(one["name"], bool(one["passed"]), Verdict(one["verdict"]), one["message"], launches)
            for one, launches in read
        ]
    except (ValueError, KeyError, TypeError, ValidationError) as error:
        raise _unreadable(lab, error) from error
    seen = [judged.name for judged in cases]
    return tuple(
        replace(judged, seen=seen.count(name)) for name, judged in {judged.name: judged for judged in cases}.items()
    )


def _unreadable(lab: Lab, error: Exception) -> RuntimeError:
    return RuntimeError(f"the judge of {lab.id} wrote a report that cannot be read: {error}")


def _task(call: JudgeCall, lab: Lab) -> bytes:
    """For its standard input: on a command line, everybody on this machine could read the key. Cases that show a student everything
    run first: what a hidden case does to the time or to a GPU's memory shows in none of them.
    """
    policies = {case.name: case.feedback for case in lab.cases}
    asked = list(call.cases or policies)
    groups = [[name for name in asked if policies.get(name, "none") == one] for one in ("full", "verdict", "none")]
    key, told = judge_key(call.seed, lab.id).hex(), [group for group in groups if group]
    return json.dumps({"key": key, "groups": told, "and_others": not call.cases}).encode()


def clock_factor() -> int:
    """How many times slower an emulator is. The judge reads it too, and reports a value that is no number from 1 to 100."""
    text = os.environ.get("TILELAB_CLOCK_FACTOR", "1")
    return int(text) if text.isdecimal() else 1


def program_file(toolset: Toolset, lab: Lab, folder: Path) -> dict[str, Any]:
    """What kit/judge/programs/brokered_run.hpp reads, without the description. `folder`: runs happen in two new folders of it."""
    public, data, scratch = lab.public, folder / "data", folder / "judge"
    data.mkdir()
    scratch.mkdir()
    file = {"broker": str(toolset.part("broker")), "description": {}, "folder": str(data), "scratch": str(scratch)}
    launcher = {"arguments": list(public.host_parameters), "memory": public.memory}
    return {**file, "launcher": launcher} if public.has_operands else file


def write_runner(argv: Sequence[str], folder: Path) -> Path:
    """The file that says how to start the runner."""
    file = folder / RUNNER_FILE
    file.write_text(json.dumps({"argv": list(argv)}), encoding="utf-8")
    return file


def runner_argv(toolset: Toolset, built: CpuBuild | ProgramKernel, limits: Limits | None = None) -> list[str]:
    """What starts the runner of a file that was built, confined."""
    if built.runner is None or built.image is None:
        raise ValueError("there is no runner to launch")
    argv, folder = [str(built.runner), "--image", str(built.image)], built.runner.parent
    return toolset.confinement.wrap(argv, readable=[folder], limits=limits or RUN_LIMITS)


def confined_runner(
    toolset: Toolset, device: Device | None, file: Path, option: str = "--image", folders: Sequence[Path] = ()
) -> list[str]:
    """The command line that starts a runner on a GPU, for what `file` describes. `folders`: others that it reads."""
    runner = toolset.gpu.runner
    assert runner is not None
    readable = [runner, file.parent, *(device.folders if device else []), *folders]
    return toolset.confinement.wrap([str(runner), option, str(file)], readable=readable, limits=GPU_RUN_LIMITS)
