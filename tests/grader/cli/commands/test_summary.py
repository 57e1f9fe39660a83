"""The batch's table for a terminal of 80 columns."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console

from grader.cli.classes.grade_command import headings, summary
from grader.model.graded_class import GradedClass
from grader.model.result import Case, Environment, LabResult, Result, Submission
from grader.model.verdicts import Verdict
from grader.roll.batch.class_batch import BatchReport
from grader.roll.batch.judging_jobs import JudgedClass
from grader.roll.batch.publishing import Published


@pytest.mark.parametrize(
    ("labs", "expected"),
    [
        (["01-naive", "02-tiled"], ["01-naive", "02-tiled"]),
        ([f"{number:02}-a-long-name" for number in range(4)], ["00", "01", "02", "03"]),
        (["scan-one-block", "scan-many-blocks", "scan-by-warps-alone"], None),
    ],
)
def test_labs_are_named_by_their_numbers_where_there_are_many(labs: list[str], expected: list[str] | None) -> None:
    assert headings(labs) == (expected or labs)


def test_a_right_result_that_misses_the_technique_has_a_row_of_its_own() -> None:
    environment = Environment(kit="0", compiler="g++", sandbox="none", date="2026-01-01")
    results = []
    for student, met in (("ada", True), ("ben", False), ("cleo", False)):
        case = Case(
            name="tiles",
            visibility="public",
            role="technique",
            verdict=Verdict.PASS,
            passed=met,
            points=1,
            max_points=1,
        )
        lab = LabResult(title="T", file="t.cu", verdict=Verdict.PASS, points=1, max_points=1, cases=(case,))
        submission = Submission(id=student, name=student)
        results.append(Result(submission=submission, environment=environment, labs={"t": lab}, total=1, max=1))
    report = BatchReport(
        GradedClass("c", ("t",), tuple(results)),
        Path("out"),
        environment,
        JudgedClass((), 3, 0),
        Published((), (), (), (), frozenset()),
    )
    console = Console(width=80)
    with console.capture() as captured:
        console.print(summary(report))
    rows = [line.replace("│", " ").replace("|", " ").split() for line in captured.get().splitlines()]
    assert ["pass", "1"] in rows
    assert ["pass,", "technique", "missed", "2"] in rows
