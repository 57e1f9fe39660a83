"""A student's page: name, points, conditions, and a part for each lab. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from grader.model import visible_text
from grader.model.result import Result
from grader.model.verdicts import Verdict
from grader.pages.findings.one_cause import advice, what_happened
from grader.pages.launches.traffic_tables import climb_section, traffic_section
from grader.pages.page_section import Section, Shown, shown_sections
from grader.pages.speed.speed_figure import gpu_facts, speed_figure, tier_section
from grader.pages.student_page.lab_sections import (
    LabView,
    answer_section,
    case_section,
    compiler_log,
    finding_section,
    mismatch_section,
    printed_section,
    standing_section,
)

# The sections that support a lab's verdict on a student's page, from top to bottom. A new section is a line here.

LAB_SECTIONS: tuple[Section[LabView], ...] = (
    Section("student_page/standing.html.j2", standing_section),
    Section("student_page/findings.html.j2", finding_section),
    Section("student_page/output.html.j2", lambda view: compiler_log(view, ok=False)),
    Section("student_page/mismatches.html.j2", mismatch_section),
    Section("student_page/cases.html.j2", case_section),
    Section("speed_figures/tiers.html.j2", lambda view: tier_section(view.lab, view.sources)),
    Section("student_page/climb.html.j2", climb_section),
    Section("student_page/traffic.html.j2", traffic_section),
    Section("student_page/output.html.j2", printed_section),
    Section("student_page/output.html.j2", lambda view: compiler_log(view, ok=True)),
    Section("speed_figures/gpu.html.j2", lambda view: gpu_facts(view.lab)),
    Section("speed_figures/speed.html.j2", lambda view: speed_figure(view.lab, instructor=view.instructor)),
    Section("student_page/answers.html.j2", answer_section),
    Section("student_page/leaderboard.html.j2", lambda view: view.lab.leaderboard),
)

_NOT_YET = "Nothing was handed in yet, and the deadline is still to come."
_NOTHING = "Nothing was handed in."


def student_sheet(
    result: Result, sources: Mapping[str, str], *, instructor: bool, preview: bool = False, steps: str | None = None
) -> Shown:
    """`preview`: made by the student, about public tests only."""
    labs = result.labs.values()
    verdicts = [lab.verdict for lab in labs]
    return Shown(
        result=result,
        instructor=instructor,
        preview=preview,
        facts=_facts(result),
        waiting=Verdict.NEEDS_GPU in verdicts,
        ours=Verdict.INTERNAL_ERROR in verdicts,
        not_due=sum(lab.is_open for lab in labs),
        full_marks=result.max > 0 and all(lab.points >= lab.max_points for lab in labs if not lab.extra_credit),
        labs=[
            _lab_report(
                lab_id,
                LabView(lab, sources, instructor=instructor or preview, steps=steps),
                result.submission.handed_in,
            )
            for lab_id, lab in result.labs.items()
        ],
    )


def _lab_report(lab_id: str, view: LabView, handed_in: bool) -> Shown:
    """Verdict, why, what to do next, and the sections that support it."""
    lab = view.lab
    sentence = what_happened(lab) if handed_in else _NOTHING  # then no file is missing from anything
    return Shown(
        id=lab_id,
        lab=lab,
        sentence=_NOT_YET if lab.is_open else sentence,
        advice="" if lab.is_open else advice(lab, instructor=view.instructor),
        sections=shown_sections(LAB_SECTIONS, view),
        performance="" if lab.verdict is Verdict.MISSING_FILE else lab.performance,
    )


def _facts(result: Result) -> dict[str, str]:
    submission, environment = result.submission, result.environment
    on_gpu = environment.backend == "cuda"
    facts = {
        "Attempt": submission.attempt,  # as the platform tells it
        "Handed in": submission.at.replace("T", " "),
        "Graded": environment.date,
        "Run on": f"CPU executor and {environment.gpu or 'a GPU'}" if on_gpu else "CPU executor, no GPU",
        "Compiler": environment.compiler,
        "Sandbox": environment.sandbox if environment.sandbox != "none" else "none: the code ran unconfined",
        "Kit": environment.kit,
    }
    told = {term: visible_text.line(detail, 120) for term, detail in facts.items()}
    return {term: detail for term, detail in told.items() if detail or term not in {"Attempt", "Handed in"}}
