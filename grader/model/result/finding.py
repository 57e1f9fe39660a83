"""One place in a submission, and something that was found there."""

from __future__ import annotations

from typing import Literal

from grader.model.result.plain_data import Model
from grader.model.verdicts import Verdict


class Site(Model):
    """One access, barrier or statement in the submission."""

    file: str | None = None  # the submission's own file name, never a path
    line: int | None = None  # 1-based
    source: str | None = None  # that line's text, taken from the submission itself
    columns: tuple[int, int] | None = None  # the part of the line that is meant: from 0, without its end
    function: str | None = None
    access: str | None = None  # "read", "write", "atomic", "barrier"; "skip" and "return" of a thread that misses a
    # barrier; "mask" and "shuffle" of a warp function whose result is undefined
    block: tuple[int, int, int] | None = None  # CUDA's (x, y, z)
    thread: tuple[int, int, int] | None = None


class Finding(Site):
    """Something the build or an observer found, at one place."""

    kind: Verdict
    label: str | None = None  # what it is called, where that says more than the kind's own label: "Memory never freed"
    severity: Literal["error", "note"] = "error"
    message: str
    advice: str | None = None  # what to look at next, without the solution
    array: str | None = None
    element: str | None = None
    other: Site | None = None  # a race's second access, a divergence's other barrier
    launch_line: int | None = None  # where the student's own host code launched the kernel
    count: int = 1  # occurrences folded into this one
    cases: tuple[str, ...] = ()  # the cases in which it was seen
    confirmed_by: tuple[str, ...] = ()  # compute-sanitizer's tools that report the same, if they were used

    @property
    def called(self) -> str:
        """What people call it."""
        return self.label or self.kind.facts.label
