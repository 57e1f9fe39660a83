"""A student's page: name, points, conditions, and a part for each lab. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from grader.model import visible_text
from grader.model.result import Result
from grader.model.several_files import of_lab
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

_FINDINGS = "student_page/findings.html.j2"
_TIERS = "speed_figures/tiers.html.j2"
LAB_SECTIONS: tuple[Section[LabView], ...] = (
    Section(_FINDINGS, finding_section),
    Section("student_page/output.html.j2", lambda view: compiler_log(view, ok=False)),
    Section("student_page/mismatches.html.j2", mismatch_section),
    Section("student_page/cases.html.j2", case_section),
    Section("student_page/standing.html.j2", standing_section),
    Section(_TIERS, lambda view: tier_section(view.lab, view.sources)),
    Section("student_page/climb.html.j2", climb_section),
    Section("student_page/traffic.html.j2", traffic_section),
    Section("student_page/output.html.j2", printed_section),
    Section("student_page/output.html.j2", lambda view: compiler_log(view, ok=True)),
    Section(
        "speed_figures/gpu.html.j2", lambda view: gpu_facts(view.lab) if view.lab.verdict is Verdict.PASS else None
    ),
    Section("speed_figures/speed.html.j2", lambda view: speed_figure(view.lab, instructor=view.instructor)),
    Section("student_page/answers.html.j2", answer_section),
    Section("student_page/leaderboard.html.j2", lambda view: view.lab.leaderboard),
)

_FIRST = {"bad": 0, "partial": 1}  # labs in which something is to be done come before the others
_NOT_YET = "Nothing was handed in yet, and the deadline is still to come."
_NOTHING = "Nothing was handed in."


def student_sheet(
    result: Result, sources: Mapping[str, str], *, instructor: bool, preview: bool = False, steps: str | None = None
) -> Shown:
    """`preview`: made by the student, about public tests only."""
    labs = result.labs.values()
    verdicts = [lab.verdict for lab in labs]
    reports = [
        _lab_report(
            number,
            lab_id,
            LabView(lab, of_lab(sources, lab.file), instructor=instructor or preview, steps=steps),
            result,
        )
        for number, (lab_id, lab) in enumerate(result.labs.items(), 1)
    ]
    without = [one for one in reports if _has_no_file(one, result)]
    with_file = [one for one in reports if not _has_no_file(one, result)]
    return Shown(
        result=result,
        instructor=instructor,
        preview=preview,
        upload=_terms({"Attempt": result.submission.attempt, "Handed in": result.submission.at.replace("T", " ")}),
        facts=_facts(result),
        waiting=Verdict.NEEDS_GPU in verdicts,
        ours=Verdict.INTERNAL_ERROR in verdicts,
        not_due=sum(lab.is_open for lab in labs),
        full_marks=result.max > 0 and all(lab.points >= lab.max_points for lab in labs if not lab.extra_credit),
        several=len(reports) > 1,
        with_file=with_file,
        in_full=sorted(with_file, key=lambda one: _FIRST.get(one.lab.look.tone, len(_FIRST))),
        without_file=without,
        without_words=next((f"{one.sentence} {one.advice}" for one in without if not one.lab.is_open), _NOT_YET),
    )


def _has_no_file(report: Shown, result: Result) -> bool:
    """Whether there is nothing to say of this lab alone: no file of it was handed in, or nothing of the upload was taken."""
    without = report.lab.verdict is Verdict.MISSING_FILE and not report.sections
    return not report.lab.comment and (not report.lab.ran if result.submission.refused else without)


def _lab_report(number: int, lab_id: str, view: LabView, result: Result) -> Shown:
    """Verdict, why, what to do next, and the sections that support it."""
    lab = view.lab
    sentence = what_happened(lab) if result.submission.handed_in else _NOTHING  # then no file is missing from anything
    sections = shown_sections(LAB_SECTIONS, view)
    # The finding itself, with its lines, is what a reader should see first.
    told = next((one.content for one in sections if one.template == _FINDINGS), None)
    tiers = any(one.template == _TIERS for one in sections)  # which say it
    return Shown(
        id=lab_id,
        number=number,
        lab=lab,
        sentence=_NOT_YET if lab.is_open else "" if told and told.says_all else sentence,
        advice="" if lab.is_open or told else advice(lab, instructor=view.instructor),
        sections=sections,
        performance="" if lab.verdict is Verdict.MISSING_FILE or tiers else lab.performance,
    )


def _facts(result: Result) -> dict[str, str]:
    environment = result.environment
    on_gpu = environment.backend == "cuda"
    facts = {
        "Graded": environment.date,
        "Run on": f"CPU executor and {environment.gpu or 'a GPU'}" if on_gpu else "CPU executor, no GPU",
        "Compiler": environment.compiler,
        "Sandbox": environment.sandbox if environment.sandbox != "none" else "none: the code ran unconfined",
        "Kit": environment.kit,
    }
    return _terms(facts)


def _terms(facts: Mapping[str, str]) -> dict[str, str]:
    return {term: told for term, detail in facts.items() if (told := visible_text.line(detail, 120))}
