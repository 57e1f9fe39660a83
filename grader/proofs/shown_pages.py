"""Searches the page and the result.json that a student gets for the seed and for withheld shapes. Pure.

A shape of a case that withholds it is secret, unless a case that shows everything has the same shape.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.course.hidden_facts import shape_pattern
from grader.model.result import Environment, LabResult, Result, Submission
from grader.reports.pages import student_page
from grader.scoring.redaction import for_student

_LARGE = 32  # smaller numbers are everywhere: in blocks, grids and threads


def disclosures(lab: LabResult, seed: int) -> Iterator[str]:
    """What the report on `lab` shows a student although the feedback policy withholds it."""
    whole = Result(
        submission=Submission(id="kernel", name="kernel"),
        environment=Environment(kit="", compiler="", sandbox="", date=""),
        labs={"lab": lab},
        total=lab.points,
        max=lab.max_points,
    )
    shown = for_student(whole)
    texts = shown.model_dump_json(by_alias=True) + re.sub(r"<[^>]*>", " ", student_page(shown, sources={}))
    if str(seed) in texts:
        yield "a student's report on it tells the seed"
    for case, shape in withheld_shapes(lab):
        if shape in texts or _states(texts, shape):
            yield f"a student's report on it tells a shape of {case!r}: {shape}"


def withheld_shapes(lab: LabResult) -> list[tuple[str, str]]:
    """The case and the shape of every launch that a student may not see."""
    shown = {launch.shape for case in lab.cases if case.feedback == "full" for launch in case.launches}
    return [
        (case.name, launch.shape)
        for case in lab.cases
        if case.feedback != "full"
        for launch in case.launches
        if launch.shape not in shown
    ]


def _states(text: str, shape: str) -> bool:
    """Whether `text` states the shape's numbers in this order in any notation: `97 x 13 x 61`."""
    numbers = re.findall(r"\d+", shape)
    if len(numbers) < 2 or max(map(int, numbers)) <= _LARGE:  # noqa: PLR2004 -- one number tells nothing
        return False
    return shape_pattern(numbers).search(text) is not None
