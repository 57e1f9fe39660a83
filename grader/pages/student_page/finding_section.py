"""The section of findings: what may be the cause, then the findings. Those of one cause are drawn once, with what follows from it. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from grader.model import visible_text
from grader.model.result import Finding, LabResult
from grader.model.verdicts import Verdict, VerdictFacts
from grader.pages.findings.finding_card import FindingCard, LaneFigure, finding_card, lane_figure
from grader.pages.findings.one_cause import CauseGroup, advice, cause_groups, line_numbers, wrong_outputs
from grader.pages.student_page.lab_view import LabView

_OPEN_CARDS = 3  # later findings often repeat the first ones
MOST_CARDS = 24


_STORIES = {
    Verdict.BARRIER_DIVERGENCE: "See who waits where",
    Verdict.UNINITIALIZED_READ: "See who should have written it",
    Verdict.OUT_OF_BOUNDS: "See where it lies",
}
_LANES = "See who reads from whom"


@dataclass(frozen=True)
class Consequence:
    """Another finding of the same cause, in a line."""

    look: VerdictFacts
    text: str
    steps: str


@dataclass(frozen=True)
class CauseCard:
    """`first` is told in full, and drawn."""

    sentence: str  # empty: it is the only finding of its cause
    first: FindingCard
    figure: LaneFigure | None
    consequences: tuple[Consequence, ...]
    wrong: str  # "C is wrong in 3 tests"; empty: not known
    others: tuple[FindingCard, ...]  # in full, folded


@dataclass(frozen=True)
class FindingSection:
    causes: tuple[FindingCard, ...]
    cards: tuple[CauseCard, ...]
    more_cards: tuple[CauseCard, ...]
    unshown_cards: int
    advice: str  # the lab's advice; cards do not repeat it


def finding_section(view: LabView) -> FindingSection | None:
    lab = view.lab
    said = [one for one in lab.findings if not _says_the_verdict_again(one, lab)]
    cards = [_cause_card(one, view) for one in cause_groups(said[:MOST_CARDS])]
    causes = tuple(finding_card(one, lab, view.sources, instructor=view.instructor) for one in lab.causes)
    if not cards and not causes:
        return None
    return FindingSection(
        causes=causes,
        cards=tuple(cards[:_OPEN_CARDS]),
        more_cards=tuple(cards[_OPEN_CARDS:]),
        unshown_cards=max(0, len(said) - MOST_CARDS),
        advice=advice(lab, instructor=view.instructor),
    )


def _says_the_verdict_again(finding: Finding, lab: LabResult) -> bool:
    """A file that is missing, without a guess where it may be."""
    return finding.kind is Verdict.MISSING_FILE and finding.message == f"{lab.file} was not handed in"


def _cause_card(group: CauseGroup, view: LabView) -> CauseCard:
    first, *others = group.findings
    return CauseCard(
        sentence=group.sentence,
        first=_card(first, view),
        figure=lane_figure(first),
        consequences=tuple(_consequence(one, view) for one in others),
        wrong=wrong_outputs(view.lab, group.findings, instructor=view.instructor),
        others=tuple(_card(one, view) for one in others),
    )


def _card(finding: Finding, view: LabView) -> FindingCard:
    return replace(
        finding_card(finding, view.lab, view.sources, instructor=view.instructor),
        steps=view.step_link(finding.kind, finding.line),
        orders=view.step_link(finding.kind, finding.line, "orders"),
        story=view.step_link(finding.kind, finding.line, "story"),
        story_words=_LANES if finding.access in {"shuffle", "mask"} else _STORIES.get(finding.kind, ""),
    )


def _consequence(finding: Finding, view: LabView) -> Consequence:
    lines = [one for one in (finding.line, finding.other.line if finding.other else None) if one is not None]
    where = f" in {line_numbers(lines)}" if lines else ""
    what = visible_text.line(finding.element or finding.array or "", 80)
    times = f", {finding.count:,} times" if finding.count > 1 else ""
    return Consequence(
        finding.kind.facts,
        f"{visible_text.line(finding.called, 80)}{where}{f', {what}' if what else ''}{times}",
        view.step_link(finding.kind, finding.line),
    )
