"""Makes what exports are made from: a graded class without anything that a hidden case's feedback policy withholds.

It is apart from export.py because it loads much of the grader, and students start `tilelab test` many times a day.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from grader.exports.frame.export import Grades
from grader.model.result.graded_class import GradedClass
from grader.scoring.redaction import for_student


def grades_of(
    graded: GradedClass,
    *,
    assignment: str = "",
    at: str = "",
    page: Callable[[str], bytes | None] = lambda _: None,
) -> Grades:
    """`graded` without anything that a case's feedback policy withholds. `assignment` empty: the class's title."""
    redacted = tuple(for_student(result) for result in graded.results)
    return Grades(replace(graded, results=redacted), assignment or graded.title, at, page)
