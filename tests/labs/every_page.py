"""Every page, screen and export that a graded lab can come to, rendered: a kernel whose result one of them cannot show fails the test
that graded it.
"""

from __future__ import annotations

import io

from rich.console import Console

from grader.model.graded_class import GradedClass
from grader.model.result import Environment, LabResult, Result, Student, Submission
from grader.pages.pages import class_page, student_page
from grader.pages.screens.first_mistake import Tried
from grader.pages.screens.lab_screen import Screen
from grader.roll.batch.plugin import Export, Grades, registered
from grader.run.scoring.redaction import for_student, redacted

_STUDENT = Student(name="A student", login="a", number="1", email="a@example.org", platform_ids={"Canvas": "1"})
_ENVIRONMENT = Environment(kit="0", compiler="g++", sandbox="none", date="2026-09-01")


def render_everything(lab_id: str, lab: LabResult, source: str) -> list[str]:
    """Raises whatever a page raises."""
    result = Result(
        submission=Submission(id="a-student", name="A student", student=_STUDENT, files=(lab.file,)),
        environment=_ENVIRONMENT,
        labs={lab_id: lab},
        total=lab.points,
        max=lab.max_points,
    )
    sources = {lab.file: source}
    whole = GradedClass("a class", (lab_id,), (result,))
    return [
        student_page(for_student(result), sources=sources),
        student_page(result, sources=sources, instructor=True),
        student_page(result, sources=sources, preview=True),
        class_page(whole.results, course=whole.title, notes=("a note",)),
        for_student(result).model_dump_json(by_alias=True),
        *(
            f"{path}\n{contents!s}"
            for export in registered(Export)
            for path, contents in export.made(Grades(redacted(whole), whole.title))[0].items()
        ),
        *(_screen(lab_id, lab, source, lines) for lines in (None, 24)),
    ]


def _screen(lab_id: str, lab: LabResult, source: str, lines: int | None) -> str:
    tried = Tried(lab_id, lab, source, lab.file)
    out = io.StringIO()
    Console(file=out, width=100, color_system=None).print(Screen([tried], tried, lines=lines))
    return out.getvalue()
