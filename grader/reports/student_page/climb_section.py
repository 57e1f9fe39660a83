"""Where a right kernel stands on its lab's climb: what binds it, the next step, and a roofline with the course's kernels. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from grader.model.verdicts import Verdict
from grader.reports.launches.climb_words import binding_words, measured_words, prediction_words, step_words
from grader.reports.speed_figures.climb_figure import ClimbFigure, climb_figure, numbered
from grader.reports.student_page.lab_view import LabView
from grader.traffic.gpu_figures import gpu_named


@dataclass(frozen=True)
class ClimbSection:
    prediction: str
    measured: str  # empty: not measured
    binding: str
    steps: tuple[str, ...]
    terms: tuple[tuple[str, str], ...]  # name, milliseconds
    rungs: tuple[tuple[int, str, str], ...]  # number, title, TFLOP/s
    figure: ClimbFigure
    shape: str
    gpu: str


def climb_section(view: LabView) -> ClimbSection | None:
    """None where the lab has no climb, or the kernel is not right yet."""
    found, timing = view.lab.outlook, view.lab.timing
    if found is None or view.lab.verdict is not Verdict.PASS:
        return None
    times = [one.gflops for one in timing.contestants if one.name == "student"] if timing else []
    return ClimbSection(
        prediction=prediction_words(found),
        measured=measured_words(found, timing),
        binding=binding_words(found),
        steps=tuple(step_words(found)),
        terms=tuple((one.name, f"{one.milliseconds:.3g}") for one in found.terms),
        rungs=tuple(numbered(found.rungs)),
        figure=climb_figure(found, times[0] if times else 0),
        shape=found.shape,
        gpu=gpu_named(found.gpu).name,
    )
