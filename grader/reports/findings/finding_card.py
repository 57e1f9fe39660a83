"""A finding as a card: what, where, which thread, which element, what to look at next. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from grader.model.result import Case, Finding, LabResult, Launch
from grader.model.verdicts import Verdict, VerdictFacts
from grader.reports.findings.excerpt import Excerpt, excerpt
from grader.reports.text import visible
from grader.reports.text.number_format import counted, index

_MOST_CASES = 4


@dataclass(frozen=True)
class Fact:
    term: str
    detail: str


@dataclass(frozen=True)
class FindingCard:
    look: VerdictFacts
    label: str
    is_note: bool
    where: str  # "kernel.cu, line 22"; empty where no line is known
    message: str
    advice: str
    facts: tuple[Fact, ...]
    excerpt: Excerpt | None
    steps: str = ""  # link to a page that steps through the block; empty: there is none
    orders: str = ""  # link to a page that plays both orders of a race; empty: there is none
    story: str = ""  # link to the finding's own story; empty: there is none
    story_words: str = ""  # of that link


def finding_card(finding: Finding, lab: LabResult, sources: Mapping[str, str], *, instructor: bool) -> FindingCard:
    return FindingCard(
        look=finding.kind.facts,
        label=visible.line(finding.called, 80),
        is_note=finding.severity == "note",
        where=_where(finding),
        message=visible.line(finding.message, 600),
        advice=visible.line(finding.advice or "", 600),
        facts=tuple(_facts(finding, lab, instructor=instructor)),
        excerpt=excerpt(finding, sources),
    )


def shape_of(finding: Finding, lab: LabResult, *, instructor: bool) -> Launch | None:
    """The first launch with this finding that may be shown."""
    return next(
        (
            launch
            for case in lab.cases
            if may_show(case, instructor=instructor)
            for launch in case.launches
            if any(_place(seen) == _place(finding) for seen in launch.findings)
        ),
        None,
    )


def may_show(case: Case, *, instructor: bool) -> bool:
    """Whether shapes and values may be shown. Redaction removed them already, but pages do not rely on that."""
    return instructor or case.feedback == "full"


def launch_text(launch: Launch) -> str:
    """`M=33 N=17 K=65, grid (2,3,1), block (16,16,1)`."""
    parts = [visible.line(launch.shape, 80)]
    parts += [f"grid {index(launch.grid)}"] if launch.grid else []
    parts += [f"block {index(launch.block)}"] if launch.block else []
    parts += [f"{launch.shared_bytes:,} bytes of dynamic shared memory"] if launch.shared_bytes else []
    return ", ".join(parts)


def _place(finding: Finding) -> tuple[Verdict, str | None, int | None]:
    return finding.kind, finding.file, finding.line


def _where(finding: Finding) -> str:
    file = visible.line(finding.file or "", 80)
    if finding.line is None:
        return file
    return f"{file}, line {finding.line:,}" if file else f"line {finding.line:,}"


def _facts(finding: Finding, lab: LabResult, *, instructor: bool) -> list[Fact]:
    launch = shape_of(finding, lab, instructor=instructor)
    known = {
        "Thread": index(finding.thread),
        "Block": index(finding.block),
        "Element": visible.line(finding.element or finding.array or "", 80),
        "Function": visible.line(finding.function or "", 120),
        "Launched": f"in line {finding.launch_line:,}" if finding.launch_line else "",
        "Shape": launch_text(launch) if launch else "",
        "Seen": f"{finding.count:,} times" if finding.count > 1 else "",
        "Confirmed by": f"compute-sanitizer ({', '.join(finding.confirmed_by)})" if finding.confirmed_by else "",
        "Cases": _cases(finding.cases),
    }
    return [Fact(term, detail) for term, detail in known.items() if detail]


def _cases(names: tuple[str, ...]) -> str:
    shown = "; ".join(visible.line(name, 120) for name in names[:_MOST_CASES])
    more = len(names) - _MOST_CASES
    return f"{shown}; and {counted(more, 'other')}" if more > 0 else shown
