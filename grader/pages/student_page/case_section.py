"""The section of cases: a row for each. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.model import visible_text
from grader.model.result import Build, Case, Finding, Launch
from grader.model.verdicts import Verdict, VerdictFacts
from grader.model.visible_text import points
from grader.pages.findings.finding_card import launch_text, may_show, suspect_changes, suspect_sentence
from grader.pages.findings.mismatch_figure import MismatchFigure, mismatch_figures
from grader.pages.findings.one_cause import explains_all_wrong_outputs, explanations
from grader.pages.student_page.finding_section import MOST_CARDS
from grader.pages.student_page.lab_view import LabView
from grader.run.lab_verdict import NOT_RUN

# One graded case as a row of a lab's table, with the shapes it ran. Pure.

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
        name=visible_text.line(case.name, 160),
        tags=(case.visibility, *(["technique"] if case.role == "technique" else [])),
        passed=case.passed,
        look=look,
        outcome=outcome,
        points=points(case.points),
        max_points=points(case.max_points),
        message="" if outcome == _NOT_RUN else _brief(case.message, findings),
        advice=visible_text.line(case.advice, 600),
        shapes=tuple(_shape(launch, findings) for launch in launches[:_MOST_SHAPES]),
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


def _shape(launch: Launch, findings: Sequence[Finding]) -> ShapeRow:
    return ShapeRow(
        launch.verdict.facts,
        launch_text(launch),
        visible_text.line(launch.inputs, 80),
        _brief(launch.message, findings),
    )


@dataclass(frozen=True)
class CaseSection:
    ran: bool  # whether any case could run
    cases: tuple[CaseRow, ...]


def case_section(view: LabView) -> CaseSection | None:
    lab = view.lab
    shown = lab.findings[:MOST_CARDS]
    rows = tuple(case_row(case, findings=shown, instructor=view.instructor) for case in lab.cases)
    return CaseSection(ran=lab.ran, cases=rows) if rows else None


# The section of the compiler's log. Errors are shown in full. Warnings are folded, further down the page. Pure.

_MOST_LINES = 80


@dataclass(frozen=True)
class CompilerLog:
    block: visible_text.Block
    failed: bool


def compiler_errors(view: LabView) -> CompilerLog | None:
    build = view.lab.build
    return None if build is None or build.ok else _log(build)


def compiler_warnings(view: LabView) -> CompilerLog | None:
    build = view.lab.build
    return _log(build) if build is not None and build.ok else None


def _log(build: Build) -> CompilerLog | None:
    log = build.log.strip("\n")
    return CompilerLog(visible_text.block(log, lines=_MOST_LINES), failed=not build.ok) if log.strip() else None


# The section of what a kernel printed: each different text once, with the first shape that printed it. Pure.

_MOST_TEXTS = 3
_PRINTED_SECTION_MOST_LINES = 40


@dataclass(frozen=True)
class Printed:
    who: str  # "kernel"
    shape: str
    block: visible_text.Block


def printed_section(view: LabView) -> tuple[Printed, ...]:
    shapes: dict[str, str] = {}
    for launch in view.launches():
        if launch.printed.strip():
            shapes.setdefault(launch.printed, launch.shape)
    texts = list(shapes.items())[:_MOST_TEXTS]
    who = "kernel" if view.lab.contract == "kernel" else "program"
    return tuple(
        Printed(who, visible_text.line(shape, 80), visible_text.block(text, lines=_PRINTED_SECTION_MOST_LINES))
        for text, shape in texts
    )


# The section of wrong outputs: the mistake that explains them, where it is known, and pictures of the outputs. Pure.

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
        explained=tuple(visible_text.line(one.sentence, 600) for one in explained),
        where=suspect_sentence(view.lab),
        changes=tuple(suspect_changes(view.lab)) if view.instructor else (),
        figures=tuple(figures[:_OPEN_FIGURES]),
        more_figures=tuple(figures[_OPEN_FIGURES:]),
        follows=not explained and explains_all_wrong_outputs(view.lab),
        steps=view.step_link(Verdict.WRONG_ANSWER, None),
        story=story,
        story_words=_STORIES[next((one for one in _STORIES if f"{one}-" in story), "sum")],
    )
