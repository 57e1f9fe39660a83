"""What the page's script sorts and filters by: one block of data for all rows, in their order. Pure.

The rows themselves hold only what a reader sees, so that a page of 500 students stays light.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grader.model.result import Result
from grader.model.standing import GradeChange
from grader.model.verdicts import LOOKS
from grader.reports.class_week.class_view import ClassView, brought_nothing, is_open
from grader.reports.class_week.follow_up import needs_help
from grader.reports.text import visible

FILTERS = {
    "nothing": "handed in nothing",
    "help": "need help",
    "open": "total not final",
    "changed": "grade changed last",
}
_NO_POINTS = -1.0  # of a lab that the result does not hold


def row_data(view: ClassView, rows: Sequence[Result], names: Sequence[str]) -> dict[str, object]:
    """`rows`: in the order of the table. `names`: what they are sorted by. Verdicts and sections are numbers in lists."""
    labs = list(view.labs)
    seen = {lab.look for result in rows for lab in result.labs.values()}
    looks = [one for one in LOOKS if one in seen]
    sections = [*view.sections, ""]
    flags = _flags(view)
    mistakes = [mistake for lab in view.insight.mistakes for mistake in lab.mistakes]
    making: dict[str, list[int]] = {}
    for at, mistake in enumerate(mistakes):
        for student in mistake.students:
            making.setdefault(student, []).append(at)
    return {
        "labs": [visible.line(one, 60) for one in labs],
        "verdicts": [one.label for one in looks],
        "sections": [visible.line(one, 60) for one in view.sections],
        "filters": FILTERS,
        "mistakes": [[one.key, visible.line(one.title, 120)] for one in mistakes],
        "rows": [
            {
                "name": name,
                "section": sections.index(result.submission.student.section),
                "flags": [flag for flag in FILTERS if result.submission.id in flags[flag]],
                "points": [result.labs[one].points if one in result.labs else _NO_POINTS for one in labs],
                "verdicts": [looks.index(result.labs[one].look) if one in result.labs else -1 for one in labs],
                "total": result.total,
                "mistakes": making.get(result.submission.id, []),
            }
            for result, name in zip(rows, names, strict=True)
        ],
    }


def last_change(view: ClassView) -> str:
    """When a batch last found a grade other than before; empty: never."""
    return max((one.date for result in view.results for one in _moved(result)), default="")


def _moved(result: Result) -> list[GradeChange]:
    return [one for lab in result.labs.values() for one in lab.changes if one.before != one.after]


def _flags(view: ClassView) -> Mapping[str, frozenset[str]]:
    last = last_change(view)
    return {
        "nothing": frozenset(one.submission.id for one in view.results if brought_nothing(one)),
        "help": frozenset(needs_help(view)),
        "open": frozenset(one.submission.id for one in view.results if is_open(one)),
        "changed": frozenset(
            one.submission.id for one in view.results if any(change.date == last for change in _moved(one))
        ),
    }
