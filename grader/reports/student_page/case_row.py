"""One graded case as a row of a lab's table, with the shapes it ran. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.judging.lab_verdict import NOT_RUN
from grader.model.result import Case, Finding, Launch
from grader.model.verdicts import Verdict, VerdictFacts
from grader.reports.findings.finding_card import launch_text, may_show
from grader.reports.text import visible
from grader.reports.text.number_format import points

_NOT_RUN = "Not run"  # an outcome that needs no other words
_MOST_SHAPES = 40


@dataclass(frozen=True)
class ShapeRow:
    look: VerdictFacts
    text: str  # "M=33 N=17 K=65, grid (2,3,1), block (16,16,1)"
    inputs: str
    message: str


@dataclass(frozen=True)
class CaseRow:
    name: str
    tags: tuple[str, ...]  # "public" or "hidden", then "technique"
    passed: bool
    look: VerdictFacts
    outcome: str  # the look's label, or "Technique not met"
    points: str
    max_points: str
    message: str
    advice: str
    shapes: tuple[ShapeRow, ...]
    more_shapes: int


def case_row(case: Case, *, findings: Sequence[Finding] = (), instructor: bool) -> CaseRow:
    """`findings`: those that the page shows as cards. The row does not repeat them."""
    launches = case.launches if may_show(case, instructor=instructor) else ()
    look, outcome = _outcome(case)
    return CaseRow(
        name=visible.line(case.name, 160),
        tags=(case.visibility, *(["technique"] if case.role == "technique" else [])),
        passed=case.passed,
        look=look,
        outcome=outcome,
        points=points(case.points),
        max_points=points(case.max_points),
        message="" if outcome == _NOT_RUN else _brief(case.message, findings),
        advice=visible.line(case.advice, 600),
        shapes=tuple(_shape(launch, findings) for launch in launches[:_MOST_SHAPES]),
        more_shapes=max(0, len(launches) - _MOST_SHAPES),
    )


def _brief(message: str, findings: Sequence[Finding]) -> str:
    """The message without the part that a finding says in full: `M=32 N=32 K=64: line 21`."""
    for finding in findings:
        if finding.message and finding.message in message:
            message = message.replace(finding.message, "").strip().rstrip(":;")
    return visible.line(message, 600)


def _outcome(case: Case) -> tuple[VerdictFacts, str]:
    """The outcome's label. Some outcomes have no verdict: a missed technique with a right result, one that does not count, no run."""
    look = case.verdict.facts
    if case.passed:
        return look, look.label if case.points == case.max_points else "Met, not counted"
    if case.verdict is Verdict.PASS:
        return Verdict.WRONG_ANSWER.facts, "Not met"
    return look, _NOT_RUN if case.message == NOT_RUN and not case.launches else look.label


def _shape(launch: Launch, findings: Sequence[Finding]) -> ShapeRow:
    return ShapeRow(
        launch.verdict.facts, launch_text(launch), visible.line(launch.inputs, 80), _brief(launch.message, findings)
    )
