"""The outcome of one launch as parts of a page: that nothing is wrong, or what is wrong and where. Pure."""

from __future__ import annotations

from grader.model.result import Finding, Launch
from grader.model.verdicts import Verdict
from grader.reports.launches.trace_tables import Heading, Part, Sentence, number
from grader.reports.text import visible


def verdict_parts(launch: Launch) -> list[Part]:
    notes = [one for one in launch.findings if one.severity == "note"]
    if launch.verdict is Verdict.PASS and not notes:
        return [Sentence("The results are right, and no mistake was found in this launch.")]
    parts: list[Part] = []
    shown = [finding for finding in launch.findings if finding.line]
    if launch.verdict is not Verdict.PASS:
        parts.append(Heading(launch.verdict.facts.label))
        if not any(finding.message in launch.message for finding in shown):
            parts.append(Sentence(visible.line(launch.message, 1000)))
    if launch.mismatch and launch.mismatch.first:
        one = launch.mismatch.first[0]
        got = "not a number" if one.got is None else number(one.got)
        right = "Inf or NaN" if one.expected is None else number(one.expected)
        parts.append(
            Sentence(
                f"The first wrong element, in row {one.row} and column {one.column}, is {got} and should be {right}."
            )
        )
    parts += [Sentence(_place(finding)) for finding in shown]
    return parts


def _place(finding: Finding) -> str:
    source = f": {visible.code(finding.source.strip())}" if finding.source else ""
    return f"{finding.kind.value} in line {finding.line}{source}\n  {visible.line(finding.message, 1000)}"
