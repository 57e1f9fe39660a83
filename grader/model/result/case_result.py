"""One case of a lab: its launches, its verdict and its points."""

from __future__ import annotations

from typing import Literal

from grader.model.result.launch_result import Launch
from grader.model.result.plain_data import Model
from grader.model.verdicts import Verdict

# Of a technique case that nobody could check. It tells nothing of the case.
UNCOUNTED = (
    "only the CPU executor counts what a kernel loads, and it cannot run this kernel: your instructor will decide"
)


class OnGpu(Model):
    """What a GPU made of one case that the CPU executor ran as well."""

    verdict: Verdict
    passed: bool
    message: str = ""


class Case(Model):
    name: str
    visibility: Literal["public", "hidden"]
    # What a student may see. full: everything. verdict: verdict, findings and lines, but no shapes and values. none: only whether
    # it passed.
    feedback: Literal["full", "verdict", "none"] = "full"
    role: Literal["correctness", "technique"] = "correctness"
    verdict: Verdict
    passed: bool
    points: float
    max_points: float
    message: str = ""  # one line: why it did not pass, or "4 shapes"
    advice: str = ""  # for a case that failed: what to look at, from the lab's files
    launches: tuple[Launch, ...] = ()  # shapes up to the first that failed
    on_gpu: OnGpu | None = None  # none: it did not run there, or only there
    difference: str = ""  # how the executors disagree, if a person must look; for the instructor only
