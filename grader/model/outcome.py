"""What judging found for one lab of one submission, before any points: the boundary between judging and scoring.

Plain data without I/O. The batch keeps it between runs, so that after a change of points only scoring runs again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from grader.model.advice import advice_for
from grader.model.result import Build, Finding, Launch, Model, Place, SampledElement, StepPage, Suspect
from grader.model.verdicts import Verdict

# Reports of NVIDIA's tools about a kernel, as plain data: its resources from ptxas, and compute-sanitizer's reports.

Tool = Literal["memcheck", "racecheck", "initcheck", "synccheck"]


@dataclass(frozen=True)
class KernelResources:
    """The resources that one thread and one block of a kernel use, as ptxas assigned them."""

    registers: int  # of a thread
    static_shared_bytes: int  # of a block
    stack_bytes: int  # of a thread
    spill_store_bytes: int
    spill_load_bytes: int


@dataclass(frozen=True)
class Sanitized:
    """One report, at the first place of the submission that it names; `line` is None if it names none."""

    tool: Tool
    kind: Verdict
    line: int | None
    words: str  # the first line of its text
    lines: tuple[int, ...] = ()  # every line of the submission that it names
    source: str = ""  # the text of `line`


@dataclass(frozen=True)
class JudgedCase:
    """One case as the judge reported it."""

    name: str
    passed: bool
    verdict: Verdict
    message: str = ""
    launches: tuple[Launch, ...] = ()
    seen: int = 1  # how often the judge saw it; any number except 1 is our failure


@dataclass(frozen=True)
class GpuOutcome:
    """What nvcc and, if there is one, a GPU found. Empty `device`: it was only compiled. Empty `cases`: it was not run."""

    compiler: str  # "nvcc 13.0"
    capability: int  # 90 for 9.0
    device: str = ""
    resources: KernelResources | None = None  # of the build that cases with full feedback asked for
    cases: tuple[JudgedCase, ...] = ()
    alone: bool = False  # the CPU executor cannot run this kernel, so only these cases exist
    # Compiled again with at most so many registers, so that their blocks can be launched.
    register_limit: int | None = None
    lambdas: bool = True  # whether nvcc took lambdas for the device
    log: str = ""
    trouble: str = ""  # why it was not run; not the submission's fault
    sanitized: tuple[Sanitized, ...] | None = None  # compute-sanitizer's reports; None: it was not used


class Clocks(Model):
    """What a device reports about itself. Zero: unknown."""

    sm_mhz: int = 0
    memory_mhz: int = 0
    temperature_c: int = 0
    power_mw: int = 0
    throttle_reasons: int = 0  # NVML's bit mask


class WrongOutput(Model):
    round: int
    fault: str


class LaunchShape(Model):
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared_bytes: int


LIBRARY, STAND_IN = "library", "stand-in"  # names of those whose speed is the measure beside the lab's own kernels


def measured_one(names: Sequence[str]) -> str:
    """Whom a contest is about: the student's kernel, or the one that the course measures."""
    others = [name for name in names if name not in {"baseline", "control"}]
    return "student" if "student" in others else next(iter(others), "baseline")


class Contest(Model):
    """What the timer wrote about one run: the times of every contestant for each round, and what it found in the outputs that it
    kept.
    """

    status: Literal["completed", "launch-error", "timeout", "crash", "internal-error"]
    detail: str = ""
    contestant: int = 0  # of any other status: whose launch it was
    slow: bool = False  # with `timeout`: the launch does end, but is too slow to be timed; with `launch-error`: it cannot be done again
    configs: tuple[LaunchShape, ...] = ()
    nanoseconds: tuple[tuple[float, ...], ...] = ()
    before: Clocks = Clocks()
    after: Clocks = Clocks()
    warm_up_ms: float = 0
    timed_ms: float = 0
    warm_up_rounds: int = 0
    shape: str
    flops: float
    bytes: float
    looked_at: int = 0  # outputs that were inspected, chosen so that no kernel can know which
    faults: tuple[WrongOutput, ...] = ()
    elements: tuple[SampledElement, ...] = ()
    # The largest root mean square of an output's errors by that of its values; None: not looked at.
    relative_error: float | None = None
    device: str
    device_seconds: float = 0  # how long nobody else used the device


@dataclass(frozen=True)
class SizeOutcome:
    """One size of a size sweep. If there is no contest, `trouble` says why."""

    shape: str  # as requested: "1024x1024x1024"
    names: tuple[str, ...] = ()  # the contestants
    contest: Contest | None = None
    trouble: str = ""
    ours: bool = False  # the failure is ours


@dataclass(frozen=True)
class SpeedOutcome:
    """The timing of a submission's kernel: the runs of one grading, with the contestants in `names`. If `contests` is empty,
    `trouble` says why.
    """

    names: tuple[str, ...] = ()  # "baseline", "student", "model", "control"
    contests: tuple[Contest, ...] = ()
    trouble: str = ""  # not the submission's fault; to be repeated
    peak_flops: float = 0  # of the device, in a second; 0: unknown
    peak_bytes: float = 0
    tries: int = 1
    silent: bool = False  # the student's kernel was timed without its output
    sweep: tuple[SizeOutcome, ...] = ()  # data of a figure; scoring ignores it


@dataclass(frozen=True)
class LabOutcome:
    """One lab of one submission."""

    lab_id: str
    verdict: Verdict | None = None  # set if judging never ran: rejected, missing-file, compile-error, …
    build: Build | None = None
    findings: tuple[Finding, ...] = ()  # of intake and the build; those of a launch are stored with it
    cases: tuple[JudgedCase, ...] = ()
    seconds: float = 0.0
    gpu: GpuOutcome | None = None
    speed: SpeedOutcome | None = None  # none: no GPU to time it on, or no reason to
    causes: tuple[Finding, ...] = ()  # what in the text may have made a public case fail; they decide nothing
    suspects: tuple[Suspect, ...] = ()  # lines to look at, where a case has a wrong result; they decide nothing
    step_pages: tuple[StepPage, ...] = ()  # of public cases whose feedback is full; they decide nothing
    searched: str = ""  # which version of the search has looked for them, and how many changes it tried; empty: none


def unjudged(
    lab_id: str, verdict: Verdict, message: str, *, file: str | None = None, advice: str | None = None
) -> LabOutcome:
    """The outcome of a lab that was never judged, with one sentence that says why."""
    return LabOutcome(lab_id, verdict, findings=(Finding(kind=verdict, message=message, file=file, advice=advice),))


NOTHING_HANDED_IN = "Nothing was handed in under this name."


def nothing_handed_in(lab_id: str) -> LabOutcome:
    """The outcome of a student whom the roster names, and of whom there is no upload. No file's name is to blame."""
    advice = "If you did hand in, tell your instructor when, and under which name or number."
    return unjudged(lab_id, Verdict.MISSING_FILE, NOTHING_HANDED_IN, advice=advice)


# Findings with the text of their lines: only lines of the submission's own files, whatever a runner said. Pure.

_LONGEST = (
    1000  # characters of a line: no person's is longer, and what reads it may take a time that grows with its square
)
Kind = TypeVar("Kind", bound=Launch)
Found = TypeVar("Found", bound=Finding)


def quoted(lines: Sequence[str], number: int | None) -> str | None:
    """The text of a line as a finding has it, or None if there is no such line."""
    return lines[number - 1][:_LONGEST] if number is not None and 0 < number <= len(lines) else None


def located(launch: Kind, sources: Mapping[str, Sequence[str]]) -> Kind:
    """Adds the source line and advice to each finding. `sources`: the submission's own lines by file, its main file first."""
    findings = tuple(located_finding(finding, sources) for finding in launch.findings)
    placed = [one.model_copy(update=_place(one, sources)) for one in launch.traffic.lines] if launch.traffic else []
    own = {"lines": tuple(one for one in placed if one.line is not None)}
    traffic = launch.traffic.model_copy(update=own) if launch.traffic else None
    return launch.model_copy(update={"findings": findings, "traffic": traffic})


def located_finding(finding: Found, sources: Mapping[str, Sequence[str]]) -> Found:
    """Keeps only lines of the submission's own files, and adds their text and advice."""
    other = finding.other.model_copy(update=_place(finding.other, sources)) if finding.other else None
    placed = finding.model_copy(update={**_place(finding, sources), "other": other})
    return placed.model_copy(update={"advice": finding.advice or advice_for(placed)})


def _place(site: Place, sources: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    lines = sources.get(site.file or "", ())
    text = quoted(lines, site.line)
    return {"source": text} if text is not None else {"file": next(iter(sources), None), "line": None, "source": None}
