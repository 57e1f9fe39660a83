"""What was tested of a student's labs, one row a case: for formats that list tests with points. Pure.

The points of a lab's rows add up to the lab's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from grader.exports.frame.points import UNDECIDED, is_decided, is_open, number_text
from grader.model.result import Case, Finding, LabResult, Result

_DUST = 1e-6


@dataclass(frozen=True)
class TestedRow:
    lab: str  # its id
    name: str
    passed: bool | None  # None: not graded yet
    points: float
    max_points: float
    words: str  # empty: it passed, and there is nothing to say

    @property
    def whole_name(self) -> str:
        return f"{self.lab}: {self.name}"


def tested_rows(result: Result) -> tuple[TestedRow, ...]:
    """Of all labs, in their order. `result` has to be redacted."""
    return tuple(row for lab_id, lab in result.labs.items() for row in _rows(lab_id, lab))


def _rows(lab_id: str, lab: LabResult) -> Iterator[TestedRow]:
    rows = [_case_row(lab_id, lab, case) for case in lab.cases]
    if lab.performance_max:
        reached = lab.performance_points >= lab.performance_max
        rows.append(
            TestedRow(lab_id, "performance", reached, lab.performance_points, lab.performance_max, lab.performance)
        )
    whole = abs(sum(row.points for row in rows) - lab.points) < _DUST
    if lab.cases and whole and abs(sum(row.max_points for row in rows) - lab.max_points) < _DUST:
        yield from rows
        return
    passed = lab.points >= lab.max_points if is_decided(lab) else None
    yield TestedRow(lab_id, lab.title, passed, lab.points, lab.max_points, _words(lab))


def _words(lab: LabResult) -> str:
    """Why the lab has the points that it has."""
    standing = lab.standing
    if standing is None:
        return lab.verdict.facts.sentence
    if standing.override is not None:
        return f"decided by {standing.override.author}: {standing.override.reason}"
    if is_open(lab):
        return "nothing was handed in yet, and the deadline is still to come"
    lost = (
        f"\n{number_text(standing.lost)} points less, because it was handed in {standing.late} late"
        if standing.lost
        else ""
    )
    return f"{lab.verdict.facts.sentence}{lost}"


def _case_row(lab_id: str, lab: LabResult, case: Case) -> TestedRow:
    undecided = lab.verdict in UNDECIDED or case.verdict in UNDECIDED
    words = [case.message, case.advice] if not case.passed else [case.message if case.points < case.max_points else ""]
    if undecided or not lab.ran:
        words = [lab.verdict.facts.sentence]
    passed = None if undecided else case.passed
    return TestedRow(lab_id, case.name, passed, case.points, case.max_points, "\n".join(filter(None, words)))


def finding_lines(result: Result) -> list[str]:
    """One line for each finding, as compilers write them."""
    return [_line(lab, one) for lab in result.labs.values() for one in lab.findings]


def _line(lab: LabResult, finding: Finding) -> str:
    place = finding.file or lab.file
    place += f":{finding.line}" if finding.line is not None else ""
    return f"{place}: {finding.called}: {finding.message}"
