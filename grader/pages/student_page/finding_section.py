"""The section of findings: what may be the cause, then the findings. Those of one cause are drawn once, with what follows from it. Pure."""

from __future__ import annotations

from grader.model import visible_text
from grader.model.result import Finding, LabResult
from grader.model.verdicts import Verdict
from grader.pages.findings.finding_card import finding_card, lane_figure, line_numbers
from grader.pages.findings.one_cause import CauseGroup, advice, cause_groups, wrong_outputs
from grader.pages.page_section import Shown
from grader.pages.student_page.lab_view import LabView

_OPEN_CARDS = 3  # later findings often repeat the first ones
MOST_CARDS = 24
_STORIES = {
    Verdict.BARRIER_DIVERGENCE: "See who waits where",
    Verdict.UNINITIALIZED_READ: "See who should have written it",
    Verdict.OUT_OF_BOUNDS: "See where it lies",
}
_LANES = "See who reads from whom"


def finding_section(view: LabView) -> Shown | None:
    lab = view.lab
    said = [one for one in lab.findings if not _says_the_verdict_again(one, lab)]
    cards = [_cause_card(one, view) for one in cause_groups(said[:MOST_CARDS])]
    if not cards and not lab.causes:
        return None
    return Shown(
        causes=[finding_card(one, lab, view.sources, instructor=view.instructor) for one in lab.causes],
        cards=cards[:_OPEN_CARDS],
        more_cards=cards[_OPEN_CARDS:],
        unshown_cards=max(0, len(said) - MOST_CARDS),
        advice=advice(lab, instructor=view.instructor),  # cards do not repeat it
    )


def _says_the_verdict_again(finding: Finding, lab: LabResult) -> bool:
    """A file that is missing, without a guess where it may be."""
    return finding.kind is Verdict.MISSING_FILE and finding.message == f"{lab.file} was not handed in"


def _cause_card(group: CauseGroup, view: LabView) -> Shown:
    """The first finding is told in full, and drawn. The others are a line each, and in full where that is unfolded."""
    first, *others = (_card(one, view) for one in group.findings)
    return Shown(
        sentence=group.sentence,
        first=first,
        figure=lane_figure(first.finding),
        wrong=wrong_outputs(view.lab, group.findings, instructor=view.instructor),
        others=others,
    )


def _card(finding: Finding, view: LabView) -> Shown:
    card = finding_card(finding, view.lab, view.sources, instructor=view.instructor)
    card.in_a_line = _in_a_line(finding)
    card.steps = view.step_link(finding.kind, finding.line)
    card.orders = view.step_link(finding.kind, finding.line, "orders")  # plays both orders of a race
    card.story = view.step_link(finding.kind, finding.line, "story")
    card.story_words = _LANES if finding.access in {"shuffle", "mask"} else _STORIES.get(finding.kind, "")
    return card


def _in_a_line(finding: Finding) -> str:
    lines = [one for one in (finding.line, finding.other.line if finding.other else None) if one is not None]
    where = f" in {line_numbers(lines)}" if lines else ""
    what = visible_text.line(finding.element or finding.array or "", 80)
    times = f", {finding.count:,} times" if finding.count > 1 else ""
    return f"{visible_text.line(finding.called, 80)}{where}{f', {what}' if what else ''}{times}"
