"""Exports carry the points after policy: what is decided is graded, what is not due is blank, and late points are explained."""

from __future__ import annotations

import csv
import io
import json

from export_class import ALAN, contents, export, make_result, right_lab, ungraded_lab, unpacked

from grader.model.result import LabResult, Override, Result, Standing
from grader.model.verdicts import Verdict
from grader.plugins.exports import grade_tables as tested
from grader.plugins.exports.grade_tables import grade

DUE = "2026-10-19T23:59:00+02:00"


def late() -> LabResult:
    standing = Standing(judged_points=10, due=DUE, late="1 day", late_seconds=86_400, late_days=1, lost=1.5)
    return right_lab().model_copy(update={"points": 8.5, "standing": standing})


def not_due() -> LabResult:
    return ungraded_lab(Verdict.MISSING_FILE).model_copy(
        update={"standing": Standing(judged_points=0, due=DUE, open=True)}
    )


def decided(verdict: Verdict) -> LabResult:
    standing = Standing(judged_points=0, override=Override(points=7, reason="shown in the lab", author="me"))
    return ungraded_lab(verdict).model_copy(update={"points": 7.0, "standing": standing})


def with_labs(**labs: LabResult) -> Result:
    result = make_result("alan", ALAN, right_lab())
    total = sum(one.points for one in labs.values())
    return result.model_copy(update={"labs": labs, "total": total, "max": 10.0 * len(labs)})


def canvas_points(result: Result) -> str:
    [file] = export("canvas", [result]).files
    return list(csv.reader(io.StringIO(contents(file).decode())))[2][-1]


def test_a_lab_that_is_not_due_is_blank_alone_and_left_out_of_a_total() -> None:
    assert canvas_points(with_labs(a=not_due())) == ""
    assert canvas_points(with_labs(a=not_due(), b=late())) == "8.5"
    assert canvas_points(with_labs(a=ungraded_lab(Verdict.MISSING_FILE), b=late())) == "8.5"
    assert canvas_points(with_labs(a=ungraded_lab(Verdict.INTERNAL_ERROR), b=not_due())) == ""


def test_what_a_person_decided_is_graded_also_where_the_grader_failed() -> None:
    for verdict in (Verdict.INTERNAL_ERROR, Verdict.NEEDS_GPU, Verdict.MISSING_FILE):
        assert grade(with_labs(a=decided(verdict))) == 7
        assert canvas_points(with_labs(a=decided(verdict))) == "7"


def test_the_rows_of_a_lab_add_up_to_the_points_that_count_and_say_why() -> None:
    [row] = tested.tested_rows(with_labs(a=late()))
    assert (row.points, row.max_points) == (8.5, 10)
    assert "1.5 points less, because it was handed in 1 day late" in row.words
    [row] = tested.tested_rows(with_labs(a=decided(Verdict.RACE)))
    assert row.words == "decided by me: shown in the lab"
    [row] = tested.tested_rows(with_labs(a=not_due()))
    assert (row.passed, row.words) == (None, "nothing was handed in yet, and the deadline is still to come")


def test_gradescope_gets_the_points_that_count() -> None:
    made = unpacked(export("gradescope", [with_labs(a=late())]))
    assert json.loads(made["alan/results.json"])["score"] == 8.5
