"""What judging found for one lab of one submission, before any points: the seam between judging and scoring.

Plain data without I/O. It is what the batch keeps between runs, so that changed points only need scoring anew.
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import TypeAdapter

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
class LabOutcome:
    """One lab of one submission."""

    lab_id: str
    verdict: Verdict | None = None  # set when judging never ran: rejected, missing-file, compile-error, …
    build: Build | None = None
    findings: tuple[Finding, ...] = ()  # intake's and the build's; those of a launch stay with it
    cases: tuple[JudgedCase, ...] = ()
    seconds: float = 0.0


OUTCOME_JSON: TypeAdapter[LabOutcome] = TypeAdapter(LabOutcome)


def unjudged(lab_id: str, verdict: Verdict, message: str, *, file: str | None = None) -> LabOutcome:
    """The outcome of a lab that never came to be judged, with the one sentence that says why."""
    return LabOutcome(lab_id, verdict, findings=(Finding(kind=verdict, message=message, file=file),))
