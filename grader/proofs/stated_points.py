"""Compares the points that a write-up states under "How it is graded" with those in `lab.toml` and `grading.toml`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.course.diagnostic import Diagnostic
from grader.model.labs import Lab

_HEADING = "## How it is graded"
_ROW = re.compile(r"\| (public|hidden|technique|speed)\b[^|]* \| ([\d.]+) \|")


def given(lab: Lab) -> dict[str, float]:
    """The points, by what they are given for. What gets no points is left out."""
    cases = lab.cases
    public = {case.name for case in lab.public.case}
    points = {
        "public": sum(one.points for one in cases if one.name in public and one.role != "technique"),
        "technique": sum(one.points for one in cases if one.role == "technique"),
        "hidden": sum(one.points for one in cases if one.name not in public and one.role != "technique"),
        "speed": lab.private.performance_points if lab.private else 0,
    }
    return {what: worth for what, worth in points.items() if worth}


def wrong_points(lab: Lab, text: str, page: str) -> Iterator[Diagnostic]:
    """Rows of the table with wrong points, and points that no row states."""
    lines = text.splitlines()
    if _HEADING not in lines:
        yield Diagnostic(page, None, f"has no `{_HEADING}`: students are not told what the points are for")
        return
    start = lines.index(_HEADING) + 1
    length = next((n for n, line in enumerate(lines[start:]) if line.startswith("## ")), len(lines) - start)
    expected = given(lab)
    stated: set[str] = set()
    for number, line in enumerate(lines[start : start + length], start=start + 1):
        if row := _ROW.fullmatch(line.strip()):
            stated.add(row[1])
            if float(row[2]) != expected.get(row[1], 0):
                yield Diagnostic(
                    page, number, f"says {row[2]} points for {row[1]}, and it is {expected.get(row[1], 0):g}"
                )
    if lab.private and lab.public.speed_points not in {0, expected.get("speed", 0)}:
        told = f"lab.toml says {lab.public.speed_points:g} points for speed, and it is {expected.get('speed', 0):g}"
        yield Diagnostic(page, start, told)
    for what in sorted(expected.keys() - stated):
        yield Diagnostic(page, start, f"does not say that there are {expected[what]:g} points for {what}")
