"""The sections of a lab's tests: its cases, what the compiler said, what a kernel printed, and wrong outputs. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from grader.model import visible_text
from grader.model.result import Build, Case, Finding
from grader.model.verdicts import Verdict, VerdictFacts
from grader.pages.findings.finding_card import launch_text, may_show, suspect_changes, suspect_sentence
from grader.pages.findings.mismatch_figure import mismatch_figures
from grader.pages.findings.one_cause import explains_all_wrong_outputs, explanations
from grader.pages.page_section import Shown
from grader.pages.student_page.finding_section import MOST_CARDS
from grader.pages.student_page.lab_view import LabView
from grader.run.lab_verdict import NOT_RUN

_NOT_RUN = "Not run"  # an outcome that needs no other words
_MOST_SHAPES = 40


def case_row(case: Case, *, findings: Sequence[Finding] = (), instructor: bool) -> Shown:
    """`findings`: those that the page shows as cards. The row does not repeat them."""
    launches = case.launches if may_show(case, instructor=instructor) else ()
    look, outcome = _outcome(case)
    return Shown(
        case=case,
        look=look,
        outcome=outcome,  # the look's label, or "Not met"
        message="" if outcome == _NOT_RUN else _brief(case.message, findings),
        shapes=[
            Shown(launch=one, text=launch_text(one), message=_brief(one.message, findings))
            for one in launches[:_MOST_SHAPES]
        ],
        more_shapes=max(0, len(launches) - _MOST_SHAPES),
    )


def _brief(message: str, findings: Sequence[Finding]) -> str:
    """The message without the part that a finding says in full: `M=32 N=32 K=64: line 21`."""
    for finding in findings:
        if finding.message and finding.message in message:
            message = message.replace(finding.message, "").strip().rstrip(":;")
    return visible_text.line(message, 600)


def _outcome(case: Case) -> tuple[VerdictFacts, str]:
    """The outcome's label. Some outcomes have no verdict: a missed technique with a right result, one that does not count, no run."""
    look = case.verdict.facts
    if case.passed:
        return look, look.label if case.points == case.max_points else "Met, not counted"
    if case.verdict is Verdict.PASS:
        return Verdict.WRONG_ANSWER.facts, "Not met"
    return look, _NOT_RUN if case.message == NOT_RUN and not case.launches else look.label


def case_section(view: LabView) -> Shown | None:
    lab = view.lab
    shown = lab.findings[:MOST_CARDS]
    rows = [case_row(case, findings=shown, instructor=view.instructor) for case in lab.cases]
    return Shown(ran=lab.ran, rows=rows) if rows else None


def compiler_log(view: LabView, *, ok: bool) -> Build | None:
    """Errors are shown in full. Warnings are folded, further down the page."""
    build = view.lab.build
    return build if build is not None and build.ok is ok and build.log.strip() else None


_MOST_TEXTS = 3


def printed_section(view: LabView) -> Shown | None:
    """What a kernel printed: each different text once, with the first shape that printed it."""
    shapes: dict[str, str] = {}
    for launch in view.launches():
        if launch.printed.strip():
            shapes.setdefault(launch.printed, launch.shape)
    who = "kernel" if view.lab.contract == "kernel" else "program"
    return Shown(who=who, texts=list(shapes.items())[:_MOST_TEXTS]) if shapes else None


# The section of wrong outputs: the mistake that explains them, where it is known, and pictures of the outputs. Pure.

_OPEN_FIGURES = 1
_MOST_FIGURES = 6
_STORIES = {  # by the beginning of the page's name
    "untouched": "See which thread should have done it",
    "sum": "Follow the sum in a wrong element",
    "copy": "See where a wrong element comes from",
}


def mismatch_section(view: LabView) -> Shown | None:
    explained = explanations(view.lab, instructor=view.instructor)
    figures = mismatch_figures(view.lab, instructor=view.instructor)[:_MOST_FIGURES]
    if not explained and not figures:
        return None
    story = view.step_link(Verdict.WRONG_ANSWER, None, "story")
    return Shown(
        explained=explained,  # the mistakes that reproduce an output
        where=suspect_sentence(view.lab),
        changes=suspect_changes(view.lab) if view.instructor else [],
        figures=figures[:_OPEN_FIGURES],
        more_figures=figures[_OPEN_FIGURES:],
        follows=not explained and explains_all_wrong_outputs(view.lab),  # from findings above
        steps=view.step_link(Verdict.WRONG_ANSWER, None),
        story=story,
        story_words=_STORIES[next((one for one in _STORIES if f"{one}-" in story), "sum")],
    )
