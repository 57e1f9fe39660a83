"""Points as exports write them. What is not graded yet is blank, and never zero: people notice a blank, but not a zero. Pure."""

from __future__ import annotations

from grader.model.result import LabResult, Result
from grader.model.verdicts import Verdict

# Neither earned nor lost: we failed, or a machine with a GPU still has to grade it.
UNDECIDED = frozenset({Verdict.INTERNAL_ERROR, Verdict.NEEDS_GPU})


def is_decided(lab: LabResult) -> bool:
    return lab.verdict not in UNDECIDED


def grade(result: Result) -> float | None:
    """The total. None: some lab is not graded yet."""
    return result.total if all(map(is_decided, result.labs.values())) else None


def most(result: Result) -> float:
    """The maximum; where every lab is extra credit, what they give together."""
    return result.max or sum(lab.max_points for lab in result.labs.values())


def number_text(points: float) -> str:
    """At most two decimals, and none that say nothing."""
    return f"{points:.2f}".rstrip("0").rstrip(".")


def grade_text(result: Result) -> str:
    """Empty: not graded yet."""
    points = grade(result)
    return "" if points is None else number_text(points)
