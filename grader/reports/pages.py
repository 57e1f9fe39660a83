"""Renders view models to self-contained HTML: one strict, escaping environment, and a policy that forbids the rest."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache

import jinja2
from markupsafe import Markup

from grader.model.result import Result
from grader.reports.class_page.class_sheet import ClassSheet, class_sheet
from grader.reports.speed_figures.calibration_sheet import CalibrationSheet
from grader.reports.speed_figures.sweep_figure import SweepFigure
from grader.reports.student_page.student_sheet import StudentSheet, student_sheet
from grader.reports.text.inline_code import inline_code


def student_page(result: Result, *, sources: Mapping[str, str], instructor: bool = False, preview: bool = False) -> str:
    """A student's report. `sources`: the submission's own files, name to text. `preview`: of public tests alone, made
    by the student.

    Shows what `result` holds: redact it first unless it is for the instructor.
    """
    sheet = student_sheet(result, sources, instructor=instructor, preview=preview)
    return _render("student_page/student", sheet, script="")


def class_page(results: Sequence[Result], *, course: str, notes: Sequence[str] = ()) -> str:
    """The instructor's dashboard, beside the folder `students/` that it links into."""
    sheet = class_sheet(results, course, notes)
    return _render("class_page/class", sheet, script=_ours("class_page/sorting.js"))


def calibration_page(sheet: CalibrationSheet) -> str:
    """What a GPU makes of the course's own kernels, with a picture for each lab."""
    return _render("speed_figures/calibration", sheet, script="")


def sweep_drawing(figure: SweepFigure) -> str:
    """A size sweep's picture as a file of its own, SVG."""
    template = _environment().get_template("speed_figures/sweep.svg.j2")
    return template.render(sweep=figure, style=_ours("speed_figures/drawing.css"))


def _render(name: str, sheet: ClassSheet | StudentSheet | CalibrationSheet, *, script: str) -> str:
    template = _environment().get_template(f"{name}.html.j2")
    return template.render(sheet=sheet, style=_ours(f"{name}.css"), script=script, policy=_policy(script))


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("grader.reports"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["inline_code"] = inline_code
    return environment


def _ours(name: str) -> Markup:
    """A style sheet or script of this package: the only text that goes into a page unescaped."""
    return Markup(_environment().get_template(name).render())  # noqa: S704 -- holds nothing from a submission


def _policy(script: str) -> str:
    """Content Security Policy: should something slip through escaping, the browser still fetches and runs nothing."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    scripts = f"'sha256-{digest}'" if script else "'none'"
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src {scripts}; base-uri 'none'; form-action 'none'"
