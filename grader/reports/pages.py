"""The pages that Tilelab writes, and what each is made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from grader.leaderboard.board import Board
from grader.model.class_insight import NOTHING_KNOWN, ClassInsight
from grader.model.result import Result
from grader.reports.class_page.class_sections import CLASS_SECTIONS
from grader.reports.class_page.class_sheet import class_sheet
from grader.reports.leaderboard_page.board_sheet import board_sheet
from grader.reports.leaderboard_page.names_sheet import names_sheet
from grader.reports.page.rendering import render_drawing, render_page, trusted_text
from grader.reports.similar_page.similar_sheet import similar_sheet
from grader.reports.speed_figures.calibration_sheet import CalibrationSheet
from grader.reports.speed_figures.sweep_figure import SweepFigure
from grader.reports.student_page.lab_sections import LAB_SECTIONS
from grader.reports.student_page.student_sheet import student_sheet
from grader.reports.trace_page.step_scripts import step_script
from grader.reports.trace_page.trace_sheet import trace_sheet
from grader.similarity.similar_files import SimilarFiles
from grader.step_page.story import Story


def student_page(
    result: Result,
    *,
    sources: Mapping[str, str],
    instructor: bool = False,
    preview: bool = False,
    steps: str | None = None,
) -> str:
    """A student's report. `sources`: the submission's own files, name to text. `preview`: a page about public tests only, made by
    the student. `steps`: what a link to the pages that step through a block begins with; None: they do not lie beside this page.

    The page shows all that `result` holds. Redact it first, except for the instructor.
    """
    sheet = student_sheet(result, sources, instructor=instructor, preview=preview, steps=steps)
    return render_page("student_page/student", sheet, sections=LAB_SECTIONS)


def class_page(
    results: Sequence[Result], *, course: str, notes: Sequence[str] = (), insight: ClassInsight = NOTHING_KNOWN
) -> str:
    """The instructor's page about the class. It links into the folder `students/` beside it. `insight`: what else the batch knows."""
    sheet = class_sheet(results, course, notes, insight)
    script = Markup("\n").join(trusted_text(f"class_page/{name}.js") for name in ("sorting", "filtering"))
    return render_page("class_page/class", sheet, sections=CLASS_SECTIONS, script=script)


def similar_page(
    lab_id: str, title: str, found: SimilarFiles, *, names: Mapping[str, str], texts: Mapping[str, str]
) -> str:
    """A lab's similar files, for the instructor alone. It lies in instructor/similar/, and links to the pages in the folder above."""
    return render_page("similar_page/similar", similar_sheet(lab_id, title, found, names, texts))


def leaderboard_page(boards: Sequence[Board]) -> str:
    """The public page: it names students as the boards do, and holds nothing else of them."""
    return render_page("leaderboard_page/board", board_sheet(boards))


def leaderboard_names_page(boards: Sequence[Board]) -> str:
    """Who is who, for the instructor."""
    return render_page("leaderboard_page/names", names_sheet(boards))


def calibration_page(sheet: CalibrationSheet) -> str:
    """The speed of the course's own kernels on a GPU, with a picture for each lab."""
    return render_page("speed_figures/calibration", sheet)


def trace_page(story: Story) -> str:
    """The page that steps through a block of a launch."""
    return render_page("trace_page/trace", trace_sheet(story), script=step_script())


def sweep_drawing(figure: SweepFigure) -> str:
    """A size sweep's picture as an SVG file."""
    return render_drawing("speed_figures/sweep.svg.j2", sweep=figure, style=trusted_text("speed_figures/drawing.css"))
