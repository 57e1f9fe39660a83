"""The section of findings: what may be the cause, the first few findings as cards, the rest folded. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from grader.reports.findings.finding_card import FindingCard, finding_card
from grader.reports.findings.lab_summary import advice
from grader.reports.student_page.lab_view import LabView

_OPEN_CARDS = 3  # later findings often repeat the first ones
MOST_CARDS = 24


@dataclass(frozen=True)
class FindingSection:
    causes: tuple[FindingCard, ...]
    cards: tuple[FindingCard, ...]
    more_cards: tuple[FindingCard, ...]
    unshown_cards: int
    advice: str  # the lab's advice; cards do not repeat it


def finding_section(view: LabView) -> FindingSection | None:
    lab = view.lab
    cards = [
        replace(
            finding_card(one, lab, view.sources, instructor=view.instructor),
            steps=view.step_link(one.kind, one.line),
            orders=view.step_link(one.kind, one.line, "orders"),
        )
        for one in lab.findings[:MOST_CARDS]
    ]
    causes = tuple(finding_card(one, lab, view.sources, instructor=view.instructor) for one in lab.causes)
    if not cards and not causes:
        return None
    return FindingSection(
        causes=causes,
        cards=tuple(cards[:_OPEN_CARDS]),
        more_cards=tuple(cards[_OPEN_CARDS:]),
        unshown_cards=max(0, len(lab.findings) - MOST_CARDS),
        advice=advice(lab, instructor=view.instructor),
    )
