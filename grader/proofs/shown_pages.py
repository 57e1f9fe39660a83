"""Searches what a student is shown of a graded kernel, page and result.json, for the seed and for shapes that are withheld.

Pure. A shape is a secret of the cases that withhold it, unless a case that shows everything has it too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.course.hidden_facts import spoken
from grader.model.result import Environment, LabResult, Result, Submission
from grader.reports.pages import student_page
from grader.scoring.redaction import for_student

_LARGE = 32  # smaller numbers stand everywhere: in blocks, grids and threads


def given_away(lab: LabResult, seed: int) -> Iterator[str]:
    """What a student would learn from the report on `lab` that the feedback policy withholds."""
    whole = Result(
        submission=Submission(id="kernel", name="kernel"),
        environment=Environment(kit="", compiler="", sandbox="", date=""),
        labs={"lab": lab},
        total=lab.points,
        max=lab.max_points,
    )
    shown = for_student(whole)
    told = shown.model_dump_json(by_alias=True) + re.sub(r"<[^>]*>", " ", student_page(shown, sources={}))
    if str(seed) in told:
        yield "a student's report on it tells the seed"
    for case, shape in withheld_shapes(lab):
        if shape in told or _says(told, shape):
            yield f"a student's report on it tells a shape of {case!r}: {shape}"


def withheld_shapes(lab: LabResult) -> list[tuple[str, str]]:
    """Case and shape of every launch that a student may not see."""
    shown = {launch.shape for case in lab.cases if case.feedback == "full" for launch in case.launches}
    return [
        (case.name, launch.shape)
        for case in lab.cases
        if case.feedback != "full"
        for launch in case.launches
        if launch.shape not in shown
    ]


def _says(text: str, shape: str) -> bool:
    """Whether the shape's numbers stand one after the other in other words: `97 x 13 x 61`."""
    numbers = re.findall(r"\d+", shape)
    if len(numbers) < 2 or max(map(int, numbers)) <= _LARGE:  # noqa: PLR2004 -- one number says little
        return False
    return spoken(numbers).search(text) is not None
