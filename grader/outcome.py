"""What judging found for one lab of one submission, before any points: the seam between judging and scoring.

Plain data without I/O. It is what the batch keeps between runs, so that changed points only need scoring anew.
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import TypeAdapter

from grader.engines.nvcc_words import KernelResources
from grader.result import Build, Finding, Launch, Verdict


@dataclass(frozen=True)
class JudgedCase:
    """One case as the judge reported it."""

    name: str
    passed: bool
    verdict: Verdict
    message: str = ""
    launches: tuple[Launch, ...] = ()
    seen: int = 1  # how often the judge saw it; anything but 1 is our failure


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


OUTCOME_JSON: TypeAdapter[LabOutcome] = TypeAdapter(LabOutcome)


def unjudged(lab_id: str, verdict: Verdict, message: str, *, file: str | None = None) -> LabOutcome:
    """The outcome of a lab that never came to be judged, with the one sentence that says why."""
    return LabOutcome(lab_id, verdict, findings=(Finding(kind=verdict, message=message, file=file),))
