"""What the CPU executor and a GPU come to together for one case. Pure.

A case counts where both pass it. What a GPU cannot see (a race, a stray read) is no disagreement; a kernel that one of them calls
right and the other wrong for no such reason is: then a person has to look, and sees both.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.model.outcome import JudgedCase
from grader.model.result import OnGpu
from grader.model.verdicts import Verdict


@dataclass(frozen=True)
class Agreed:
    """A case's verdict by both; `difference` is empty where nobody has to look."""

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
            f"the GPU was of no use here, so the CPU executor's word stands: {gpu.message}",
        )
    if verdict is Verdict.NEEDS_GPU:
        return Agreed(gpu.verdict, gpu.passed, gpu.message, seen)
    if passed and not gpu.passed:
        return Agreed(gpu.verdict, False, f"on the GPU: {gpu.message}", seen, both)
    if not passed and gpu.passed and not verdict.facts.unseen_on_gpu:
        return Agreed(verdict, passed, message, seen, both)
    return Agreed(verdict, passed, message, seen)


def was_run(case: JudgedCase) -> bool:
    """After three launches that did not end, a judge runs no more: what it says then is not about these shapes."""
    last = case.launches[-1] if case.launches else None
    return not (case.verdict is Verdict.TIMEOUT and last is not None and last.grid is None)
