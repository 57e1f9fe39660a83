"""The section of wrong outputs: the mistake that explains them, where it is known, and pictures of the outputs. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from grader.model.verdicts import Verdict
from grader.reports.findings.lab_summary import explanations
from grader.reports.findings.mismatch_figure import MismatchFigure, mismatch_figures
from grader.reports.findings.one_cause import explains_all_wrong_outputs
from grader.reports.findings.suspect_lines import suspect_changes, suspect_sentence
from grader.reports.student_page.lab_view import LabView
from grader.reports.text import visible

_OPEN_FIGURES = 1
_MOST_FIGURES = 6
_STORIES = {  # by the beginning of the page's name
    "untouched": "See which thread should have done it",
    "sum": "Follow the sum in a wrong element",
    "copy": "See where a wrong element comes from",
}


@dataclass(frozen=True)
class MismatchSection:
    explained: tuple[str, ...]  # a sentence for each mistake that reproduces an output
    where: str  # which lines to look at; empty: unknown
    changes: tuple[str, ...]  # of these lines, for the instructor
    figures: tuple[MismatchFigure, ...]
    more_figures: tuple[MismatchFigure, ...]
    follows: bool  # findings say what may have spoiled each of them
    steps: str  # link to a page that steps through the block of the first wrong element; empty: there is none
    story: str  # link to a page that tells more of one wrong element; empty: there is none
    story_words: str


def mismatch_section(view: LabView) -> MismatchSection | None:
    explained = explanations(view.lab, instructor=view.instructor)
    figures = mismatch_figures(view.lab, instructor=view.instructor)[:_MOST_FIGURES]
    if not explained and not figures:
        return None
    story = view.step_link(Verdict.WRONG_ANSWER, None, "story")
    return MismatchSection(
        explained=tuple(visible.line(one.sentence, 600) for one in explained),
        where=suspect_sentence(view.lab),
        changes=tuple(suspect_changes(view.lab)) if view.instructor else (),
        figures=tuple(figures[:_OPEN_FIGURES]),
        more_figures=tuple(figures[_OPEN_FIGURES:]),
        follows=not explained and explains_all_wrong_outputs(view.lab),
        steps=view.step_link(Verdict.WRONG_ANSWER, None),
        story=story,
        story_words=_STORIES[next((one for one in _STORIES if f"{one}-" in story), "sum")],
    )
