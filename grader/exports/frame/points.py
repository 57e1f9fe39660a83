"""Points as exports write them. What is not graded yet is blank, and never zero: people notice a blank, but not a zero. Pure."""

from __future__ import annotations

from grader.model.result import LabResult, Result
from grader.model.verdicts import Verdict

# Neither earned nor lost: we failed, or a machine with a GPU still has to grade it.
UNDECIDED = frozenset({Verdict.INTERNAL_ERROR, Verdict.NEEDS_GPU})


def is_decided(lab: LabResult) -> bool:
    """Whether its points are known: by a grading, or because a person decided them."""
    return (lab.verdict not in UNDECIDED or _by_a_person(lab)) and not is_open(lab)


def is_open(lab: LabResult) -> bool:
    """Whether nothing was handed in and the deadline is still to come: then there is nothing to grade yet."""
    return lab.standing is not None and lab.standing.open


def grade(result: Result) -> float | None:
    """The total so far. None: some lab is not graded yet, or none is due yet."""
    due = [lab for lab in result.labs.values() if not is_open(lab)]
    return result.total if all(map(is_decided, due)) and (due or not result.labs) else None


def _by_a_person(lab: LabResult) -> bool:
    return lab.standing is not None and lab.standing.override is not None


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
