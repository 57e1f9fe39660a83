"""Combines the verdicts of the CPU executor and a GPU for one case. Pure.

A case counts if both pass it. A finding that a GPU cannot see (a race, a stray read) is no disagreement. If one executor
calls a kernel right, the other wrong, and there is no such reason, a person has to look and sees both verdicts.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.model.outcomes.outcome import JudgedCase
from grader.model.result import OnGpu
from grader.model.verdicts import Verdict


@dataclass(frozen=True)
class Agreed:
    """A case's combined verdict. `difference` is empty if nobody has to look."""

    verdict: Verdict
    passed: bool
    message: str
    on_gpu: OnGpu | None = None
    difference: str = ""


def agreed(verdict: Verdict, message: str, gpu: JudgedCase | None, *, passed: bool) -> Agreed:
    """`verdict`, `passed` and `message` are the CPU executor's."""
    if gpu is None or not was_run(gpu):
        return Agreed(verdict, passed, message)
    seen = OnGpu(verdict=gpu.verdict, passed=gpu.passed, message=gpu.message)
    both = f"the CPU executor says {verdict.value} ({message}), the GPU {gpu.verdict.value} ({gpu.message})"
    if gpu.verdict is Verdict.INTERNAL_ERROR or gpu.seen != 1:
        return Agreed(
            verdict,
            passed,
            message,
            seen,
            f"the GPU could not judge this case, so the CPU executor's verdict counts: {gpu.message}",
        )
    if verdict is Verdict.NEEDS_GPU:
        return Agreed(gpu.verdict, gpu.passed, gpu.message, seen)
    if passed and not gpu.passed:
        return Agreed(gpu.verdict, False, f"on the GPU: {gpu.message}", seen, both)
    if not passed and gpu.passed and not verdict.facts.unseen_on_gpu:
        return Agreed(verdict, passed, message, seen, both)
    return Agreed(verdict, passed, message, seen)


def was_run(case: JudgedCase) -> bool:
    """Whether the judge ran these shapes. After three launches that did not end it runs no more, and its message says nothing
    about them.
    """
    last = case.launches[-1] if case.launches else None
    return not (case.verdict is Verdict.TIMEOUT and last is not None and last.grid is None)
