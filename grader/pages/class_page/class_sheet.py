"""The class page as plain data: the summary, its sections, a row for each student. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from statistics import fmean, median
from typing import Any

from grader.model import visible_text
from grader.model.graded_class import ClassInsight
from grader.model.result import Result
from grader.model.visible_text import counted, points
from grader.pages.class_page.attention import attention, decisions, follow_up, moved, needs_help
from grader.pages.class_page.class_sections import (
    by_section,
    class_answers,
    histogram,
    lab_panels,
    measured_speed,
    mistake_cards,
    solution_heat,
)
from grader.pages.class_page.class_view import ClassView, brought_nothing, full_link, is_open, report_link
from grader.pages.page_section import Section, Shown, shown_sections

# The sections of the class page between the summary and the table of students, from top to bottom. A new section is a line here.

CLASS_SECTIONS: tuple[Section[ClassView], ...] = (
    Section("class_page/attention.html.j2", lambda view: attention(view.results)),
    Section("class_page/attention.html.j2", lambda view: decisions(view.results)),
    Section("class_page/attention.html.j2", follow_up),
    Section("class_page/by_section.html.j2", by_section),
    Section("class_page/lab_panels.html.j2", lab_panels),
    Section("class_page/mistakes.html.j2", mistake_cards),
    Section("class_page/solution_heat.html.j2", solution_heat),
    Section("class_page/similar.html.j2", lambda view: tuple(one for one in view.insight.similar if one[1])),
    Section("class_page/class_answers.html.j2", class_answers),
    Section("class_page/measured_speed.html.j2", lambda view: measured_speed(view.results)),
)


# What the page's script sorts and filters by: one block of data for all rows, in their order. Pure.
#
# The rows themselves hold only what a reader sees, so that a page of 500 students stays light.

FILTERS = {
    "nothing": "handed in nothing",
    "help": "need help",
    "open": "total not final",
    "changed": "grade changed last",
}
_NO_POINTS = -1.0  # of a lab that the result does not hold


def row_data(view: ClassView, rows: Sequence[Result], names: Sequence[str]) -> dict[str, Any]:
    """`rows`: in the order of the table. `names`: what they are sorted by. Verdicts and sections are numbers in lists."""
    labs = list(view.labs)
    sections = [*view.sections, ""]
    changed = {one.submission.id: {change.date for change in moved(one)} for one in view.results}
    last = max(set().union(*changed.values()), default="")  # when a batch last found a grade other than before
    flags: dict[str, Collection[str]] = {
        "nothing": {one.submission.id for one in view.results if brought_nothing(one)},
        "help": needs_help(view),
        "open": {one.submission.id for one in view.results if is_open(one)},
        "changed": {student for student, dates in changed.items() if last in dates},
    }
    mistakes = [mistake for lab in view.insight.mistakes for mistake in lab.mistakes]
    making: dict[str, list[int]] = {}
    for at, mistake in enumerate(mistakes):
        for student in mistake.students:
            making.setdefault(student, []).append(at)
    return {
        "labs": [visible_text.line(one, 60) for one in labs],
        "verdicts": [one.label for one in view.looks],
        "sections": [visible_text.line(one, 60) for one in view.sections],
        "mistakes": [[one.key, visible_text.line(one.title, 120)] for one in mistakes],
        "rows": [
            {
                "name": name,
                "section": sections.index(result.submission.student.section),
                "flags": [flag for flag in FILTERS if result.submission.id in flags[flag]],
                "points": [result.labs[one].points if one in result.labs else _NO_POINTS for one in labs],
                "verdicts": [view.looks.index(result.labs[one].look) if one in result.labs else -1 for one in labs],
                "total": result.total,
                "mistakes": making.get(result.submission.id, []),
            }
            for result, name in zip(rows, names, strict=True)
        ],
    }


def class_sheet(results: Sequence[Result], course: str, notes: Sequence[str], insight: ClassInsight) -> Shown:
    view = ClassView(results, insight)
    totals = [result.total for result in view.handed_in]  # of others there is nothing to judge
    maximum = max((result.max for result in results), default=0.0)
    ordered = sorted(results, key=lambda each: each.submission.called.casefold())
    names = [visible_text.person(one.submission) for one in ordered]
    data = row_data(view, ordered, [one.casefold() for one in names])
    # Each choice of rows: its name, its label, and what can be chosen, as the script compares it and as people read it.
    same = ((label, [(one, one) for one in data[f"{label.lower()}s"]]) for label in ("Section", "Lab", "Verdict"))
    mistakes = [(key, f"{key.split('/')[0]}: {title}") for key, title in data["mistakes"]]
    choices = [("who", "Show", list(FILTERS.items())), *((label.lower(), label, each) for label, each in same)]
    choices.append(("mistake", "Mistake", mistakes))
    conditions = (  # several where the results come from different runs
        f"{one.date} · {'GPU: ' + one.gpu if one.gpu else 'CPU'} · {one.compiler} · sandbox: {one.sandbox} · kit {one.kit}"
        for one in (result.environment for result in results)
    )
    return Shown(
        course=visible_text.line(course, 120) or "Class report",
        handed_in=len(view.handed_in),
        of_whom="handed in" if len(view.handed_in) == len(results) else f"of {len(results):,} handed in",
        students_text=counted(len(results), "student"),
        maximum=maximum,  # 0: every lab is extra credit
        mean=points(round(fmean(totals), 1)) if totals else "?",
        mean_text=f"mean of {points(maximum)}" if maximum else "mean, all extra credit" if results else "mean",
        median=points(round(median(totals), 1)) if totals else "?",
        conditions=tuple(visible_text.line(text, 240) for text in dict.fromkeys(conditions))[:6],
        notes=notes,
        histogram=histogram(totals, max((result.most for result in results), default=0.0)),
        sections=shown_sections(CLASS_SECTIONS, view),
        view=view,
        legend=view.looks[::-1],
        rows=[
            Shown(result=one, name=name, link=report_link(one), full_link=full_link(one), flag=is_open(one))
            for one, name in zip(ordered, names, strict=True)
        ],
        choices=choices,
        data=data,
    )
