"""Searches the page and the result.json that a student gets for the seed and for withheld shapes. Pure.

A shape of a case that withholds it is secret, unless a case that shows everything has the same shape.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.course.hidden_facts import shape_pattern, stated_size
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
    if re.search(rf"(?<!\d){seed}(?!\d)", texts):
        yield "a student's report on it tells the seed"
    for case, shape in withheld_shapes(lab):
        if _states(texts, shape):
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
    """Whether `text` states this very shape (`n=2` is not in `n=255`), or the numbers of a large one in any notation: `97 x 13 x 61`."""
    if re.search(rf"(?<![\w.]){re.escape(shape)}(?!\w|\.\d)", text):
        return True
    numbers = re.findall(r"\d+", shape)
    if not numbers or max(map(int, numbers)) <= _LARGE:
        return False
    pattern = shape_pattern(numbers) if len(numbers) > 1 else stated_size(shape.partition("=")[0].strip(), numbers[0])
    return pattern.search(text) is not None
