"""Findings that several students of a class share: the same kind on the same line of code. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from grader.model.result import Finding, LabResult
from grader.model.verdicts import Verdict, VerdictFacts
from grader.reports.text import visible
from grader.reports.text.number_format import counted

_MOST = 5


@dataclass(frozen=True)
class Recurring:
    look: VerdictFacts
    text: str
    is_code: bool  # whether `text` is a line of source; else it is the finding's message
    students: str  # "12 students"


def recurring(labs: Iterable[LabResult]) -> tuple[Recurring, ...]:
    """The most common findings, those of most students first. A student counts once, however often a finding repeats."""
    tally: Counter[tuple[Verdict, str, bool]] = Counter()
    for lab in labs:
        tally.update({_key(finding) for finding in lab.findings if _is_a_mistake(finding)})
    order = list(Verdict)
    ranked = sorted(tally.items(), key=lambda item: (-item[1], order.index(item[0][0]), item[0][1]))
    return tuple(
        Recurring(kind.facts, text, is_code, counted(count, "student"))
        for (kind, text, is_code), count in ranked[:_MOST]
    )


def _is_a_mistake(finding: Finding) -> bool:
    """Whether a lecturer can discuss it in class: no missing file, no failure of ours, no attempt at cheating."""
    told_elsewhere = finding.kind is Verdict.REJECTED or finding.kind.facts.tone in {"absent", "ours"}
    return finding.severity == "error" and not told_elsewhere


def _key(finding: Finding) -> tuple[Verdict, str, bool]:
    """The line without its indentation and outer spaces. Where there is no line, the message."""
    if finding.source and finding.source.strip():
        return finding.kind, visible.code(" ".join(finding.source.split()), 120), True
    return finding.kind, visible.line(finding.message, 160), False
