"""A student's page as plain data: name, points, conditions, and a part for each lab. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from grader.model.result import Environment, LabResult, Result, Submission
from grader.model.verdicts import Verdict
from grader.reports.findings.finding_card import Fact
from grader.reports.student_page.lab_report import LabReport, lab_report
from grader.reports.student_page.lab_view import LabView
from grader.reports.text import visible
from grader.reports.text.number_format import points, share

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
        name=visible.person(submission, 100),
        id=visible.line(submission.id, 100),
        instructor=instructor,
        preview=preview,
        total=points(result.total),
        maximum=points(result.max),
        has_maximum=result.max > 0,
        share=share(result.total, result.max),
        facts=(*_hand_in(submission), *_facts(result.environment)),
        refused=visible.line(submission.refused or "", 600),
        notices=tuple(visible.line(notice, 300) for notice in submission.notices[:_MOST_NOTICES]),
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
    return tuple(Fact(term, visible.line(text, 100)) for term, text in told if text)


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
    return tuple(Fact(term, visible.line(detail, 120)) for term, detail in facts.items())
