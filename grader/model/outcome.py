"""What judging found for one lab of one submission, before any points: the seam between judging and scoring.

Plain data without I/O. It is what the batch keeps between runs, so that changed points only need scoring anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import TypeAdapter

from grader.model.gpu_reports import KernelResources, Sanitized
from grader.model.result import Build, Finding, Launch, Model, SampledElement
from grader.model.verdicts import Verdict


@dataclass(frozen=True)
class JudgedCase:
    """One case as the judge reported it."""

    name: str
    passed: bool
    verdict: Verdict
    message: str = ""
    launches: tuple[Launch, ...] = ()
    seen: int = 1  # how often the judge saw it; any number but 1 is our failure


@dataclass(frozen=True)
class GpuOutcome:
    """What nvcc and, where there is one, a GPU made of it. Empty `device`: compiled only. Empty `cases`: not run."""

    compiler: str  # "nvcc 13.0"
    capability: int  # 90 for 9.0
    device: str = ""
    resources: KernelResources | None = None
    cases: tuple[JudgedCase, ...] = ()
    alone: bool = False  # the CPU executor cannot run this kernel: these cases are all there is
    register_limit: int | None = None  # compiled again for so few registers, so that a block can be launched
    log: str = ""
    trouble: str = ""  # why it was not run, through no fault of the submission
    sanitized: tuple[Sanitized, ...] | None = None  # what compute-sanitizer said; None: it was not asked


class Clocks(Model):
    """What a device said of itself; zero: it does not say."""

    sm_mhz: int = 0
    memory_mhz: int = 0
    temperature_c: int = 0
    power_mw: int = 0
    throttle_reasons: int = 0  # NVML's bits


class WrongOutput(Model):
    round: int
    fault: str


class LaunchShape(Model):
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared_bytes: int


class Contest(Model):
    """What the timer wrote of one run: the times of every contestant, round by round, and what it found in the outputs it kept."""

    status: Literal["completed", "launch-error", "timeout", "crash", "internal-error"]
    detail: str = ""
    contestant: int = 0  # of any other status: whose launch it was
    slow: bool = False  # timed out, but it does end: too slow to be timed
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
    looked_at: int = 0  # outputs, drawn so that no kernel can know which
    faults: tuple[WrongOutput, ...] = ()
    elements: tuple[SampledElement, ...] = ()
    device: str
    device_seconds: float = 0  # for how long nobody else had the device


@dataclass(frozen=True)
class SizeOutcome:
    """One size of a size sweep. No contest: `trouble` says why."""

    shape: str  # as it was asked for: "1024x1024x1024"
    names: tuple[str, ...] = ()  # who took part
    contest: Contest | None = None
    trouble: str = ""
    ours: bool = False  # what broke is ours


@dataclass(frozen=True)
class SpeedOutcome:
    """A submission's kernel timed: the runs of one grading, in which `names` took part. Empty `contests`: `trouble` says why."""

    names: tuple[str, ...] = ()  # "baseline", "student", "model", "control"
    contests: tuple[Contest, ...] = ()
    trouble: str = ""  # through no fault of the submission: to be done again
    peak_flops: float = 0  # of the device, in a second; 0: not known
    peak_bytes: float = 0
    tries: int = 1
    silent: bool = False  # the student's kernel was timed without what it prints
    sweep: tuple[SizeOutcome, ...] = ()  # a picture's data; nothing is scored by it


@dataclass(frozen=True)
class LabOutcome:
    """One lab of one submission."""

    lab_id: str
    verdict: Verdict | None = None  # set when judging never ran: rejected, missing-file, compile-error, …
    build: Build | None = None
    findings: tuple[Finding, ...] = ()  # intake's and the build's; those of a launch stay with it
    cases: tuple[JudgedCase, ...] = ()
    seconds: float = 0.0
    gpu: GpuOutcome | None = None
    speed: SpeedOutcome | None = None  # none: there was nothing to time it on, or no reason to


OUTCOME_JSON: TypeAdapter[LabOutcome] = TypeAdapter(LabOutcome)


def unjudged(lab_id: str, verdict: Verdict, message: str, *, file: str | None = None) -> LabOutcome:
    """The outcome of a lab that never came to be judged, with the one sentence that says why."""
    return LabOutcome(lab_id, verdict, findings=(Finding(kind=verdict, message=message, file=file),))
