"""Reads a judged launch and prints what its student gets: the result, as one line of JSON, and the page."""

from __future__ import annotations

import json
import sys
from typing import Literal

from grader.model.outcome import located
from grader.model.result import Case, Environment, LabResult, Launch, Result, Submission
from grader.pages.pages import student_page
from grader.run.scoring.lab_score import deduplicate
from grader.run.scoring.redaction import for_student

FILE, LINES = "kernel.cu", ["C[2] = 1;", "C[2] = 2;"]
CASE, SECRET_CASE = "a hidden case", "a hidden case that gives its verdict only"


def case(name: str, feedback: Literal["full", "verdict"], launch: Launch) -> Case:
    return Case(
        name=name,
        visibility="hidden",
        feedback=feedback,
        verdict=launch.verdict,
        passed=False,
        points=0,
        max_points=1,
        message=launch.message,
        launches=(launch,),
    )


def result(launch: Launch) -> Result:
    lab = LabResult(
        title="A lab",
        file=FILE,
        verdict=launch.verdict,
        points=0,
        max_points=1,
        cases=(case(CASE, "full", launch), case(SECRET_CASE, "verdict", launch)),
        findings=deduplicate([(CASE, one) for one in launch.findings]),
    )
    environment = Environment(kit="1", compiler="a compiler", sandbox="none", date="2026-01-01")
    return Result(
        submission=Submission(id="ada", name="ada"), environment=environment, labs={"lab": lab}, total=0, max=1
    )


if __name__ == "__main__":
    judged = located(Launch.model_validate(json.load(sys.stdin)), {FILE: LINES})
    shown = for_student(result(judged))
    page = student_page(shown, sources={FILE: "\n".join(LINES)})
    sys.stdout.write(f"{shown.model_dump_json(by_alias=True)}\n{page}\n")
