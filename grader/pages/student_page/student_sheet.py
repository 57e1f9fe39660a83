"""A student's page as plain data: name, points, conditions, and a part for each lab. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from grader.model import visible_text
from grader.model.result import Environment, LabResult, Result, Submission
from grader.model.verdicts import Verdict, VerdictFacts
from grader.model.visible_text import points, share
from grader.pages.findings.finding_card import Fact
from grader.pages.findings.one_cause import advice, what_happened
from grader.pages.page_section import Section, ShownSection, shown_sections
from grader.pages.speed.gpu_facts import gpu_facts
from grader.pages.speed.speed_figure import speed_figure, tier_section
from grader.pages.student_page.case_section import (
    case_section,
    compiler_errors,
    compiler_warnings,
    mismatch_section,
    printed_section,
)
from grader.pages.student_page.finding_section import finding_section
from grader.pages.student_page.lab_view import LabView
from grader.pages.student_page.standing_section import answer_section, leaderboard_section, standing_section
from grader.pages.student_page.traffic_section import climb_section, traffic_section

# The sections that support a lab's verdict on a student's page, from top to bottom. A new section is a line here.

LAB_SECTIONS: tuple[Section[LabView], ...] = (
    Section("student_page/standing.html.j2", standing_section),
    Section("student_page/findings.html.j2", finding_section),
    Section("student_page/compiler_log.html.j2", compiler_errors),
    Section("student_page/mismatches.html.j2", mismatch_section),
    Section("student_page/cases.html.j2", case_section),
    Section("speed_figures/tiers.html.j2", lambda view: tier_section(view.lab, view.sources)),
    Section("student_page/climb.html.j2", climb_section),
    Section("student_page/traffic.html.j2", traffic_section),
    Section("student_page/printed.html.j2", printed_section),
    Section("student_page/compiler_log.html.j2", compiler_warnings),
    Section("speed_figures/gpu.html.j2", lambda view: gpu_facts(view.lab)),
    Section("speed_figures/speed.html.j2", lambda view: speed_figure(view.lab, instructor=view.instructor)),
    Section("student_page/answers.html.j2", answer_section),
    Section("student_page/leaderboard.html.j2", leaderboard_section),
)


# A lab's part of a student's page: verdict, why, what to do next, and the sections that support it. Pure.

_NOT_YET = "Nothing was handed in yet, and the deadline is still to come."


@dataclass(frozen=True)
class LabReport:
    anchor: str
    id: str
    title: str
    file: str
    look: VerdictFacts
    points: str
    max_points: str
    share: float  # percent of the points
    extra_credit: bool
    sentence: str
    advice: str
    comment: visible_text.Block | None  # the instructor's, to all who made this mistake
    sections: tuple[ShownSection, ...]
    performance: str  # empty: nothing was handed in
    performance_points: str  # "2 / 3"; empty: not in this batch's points


def lab_report(number: int, lab_id: str, view: LabView) -> LabReport:
    """`number` counts the labs of the page from 1."""
    lab = view.lab
    is_open = lab.standing is not None and lab.standing.open
    return LabReport(
        anchor=f"lab-{number}",
        id=visible_text.line(lab_id, 60),
        title=visible_text.line(lab.title, 120),
        file=visible_text.line(lab.file, 80),
        look=lab.look,
        points="–" if is_open else points(lab.points),  # noqa: RUF001 -- a dash stands for no number
        max_points=points(lab.max_points),
        share=share(lab.points, lab.max_points),
        extra_credit=lab.extra_credit,
        sentence=_NOT_YET if is_open else what_happened(lab),
        advice="" if is_open else advice(lab, instructor=view.instructor),
        comment=visible_text.block(lab.comment, lines=60, columns=1000) if lab.comment else None,
        sections=shown_sections(LAB_SECTIONS, view),
        performance="" if lab.verdict is Verdict.MISSING_FILE else visible_text.line(lab.performance, 1200),
        performance_points=f"{points(lab.performance_points)} / {points(lab.performance_max)}"
        if lab.performance_max
        else "",
    )


_MOST_NOTICES = 30
_NOTHING = "Nothing was handed in."


@dataclass(frozen=True)
class StudentSheet:
    name: str
    id: str
    instructor: bool
    preview: bool  # made by the student, about public tests only
    total: str
    maximum: str
    has_maximum: bool  # false where only extra credit was graded
    share: float  # percent
    facts: tuple[Fact, ...]
    refused: str
    notices: tuple[str, ...]
    more_notices: int
    waiting: int  # labs still to be graded on a GPU
    ours: int  # labs that we failed to grade
    not_due: int  # labs that are not handed in and whose deadline is still to come
    full_marks: bool
    labs: tuple[LabReport, ...]


def student_sheet(
    result: Result, sources: Mapping[str, str], *, instructor: bool, preview: bool = False, steps: str | None = None
) -> StudentSheet:
    submission = result.submission
    verdicts = [lab.verdict for lab in result.labs.values()]
    return StudentSheet(
        name=visible_text.person(submission, 100),
        id=visible_text.line(submission.id, 100),
        instructor=instructor,
        preview=preview,
        total=points(result.total),
        maximum=points(result.max),
        has_maximum=result.max > 0,
        share=share(result.total, result.max),
        facts=(*_hand_in(submission), *_facts(result.environment)),
        refused=visible_text.line(submission.refused or "", 600),
        notices=tuple(visible_text.line(notice, 300) for notice in submission.notices[:_MOST_NOTICES]),
        more_notices=max(0, len(submission.notices) - _MOST_NOTICES),
        waiting=verdicts.count(Verdict.NEEDS_GPU),
        ours=verdicts.count(Verdict.INTERNAL_ERROR),
        not_due=sum(lab.standing is not None and lab.standing.open for lab in result.labs.values()),
        full_marks=result.max > 0
        and all(lab.points >= lab.max_points for lab in result.labs.values() if not lab.extra_credit),
        labs=tuple(
            _of_nothing(
                lab_report(number, lab_id, LabView(lab, sources, instructor=instructor or preview, steps=steps)),
                result,
                lab,
            )
            for number, (lab_id, lab) in enumerate(result.labs.items(), start=1)
        ),
    )


def _hand_in(submission: Submission) -> tuple[Fact, ...]:
    """What the platform tells of it."""
    told = (("Attempt", submission.attempt), ("Handed in", submission.at.replace("T", " ")))
    return tuple(Fact(term, visible_text.line(text, 100)) for term, text in told if text)


def _of_nothing(lab: LabReport, result: Result, found: LabResult) -> LabReport:
    """Where nothing was handed in, no file is missing from anything."""
    is_open = found.standing is not None and found.standing.open
    return lab if result.submission.handed_in or is_open else replace(lab, sentence=_NOTHING)


def _facts(environment: Environment) -> tuple[Fact, ...]:
    sandbox = environment.sandbox if environment.sandbox != "none" else "none: the code ran unconfined"
    facts = {
        "Graded": environment.date,
        "Run on": f"CPU executor and {environment.gpu or 'a GPU'}"
        if environment.backend == "cuda"
        else "CPU executor, no GPU",
        "Compiler": environment.compiler,
        "Sandbox": sandbox,
        "Kit": environment.kit,
    }
    return tuple(Fact(term, visible_text.line(detail, 120)) for term, detail in facts.items())
