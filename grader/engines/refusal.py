"""A reason why a submission is not run, as plain data."""

from __future__ import annotations

from dataclasses import dataclass

from grader.model.verdicts import Verdict


@dataclass(frozen=True)
class Refusal:
    """One reason, at one line of the submission (0: no particular line)."""

    verdict: Verdict
    line: int
    message: str
    advice: str = ""


class BuildFaultError(Exception):
    """A build failed, and nothing shows that the submission did it: ours to mend, and to be tried again."""
