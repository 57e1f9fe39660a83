"""Findings of one cause are told once, and those that have nothing to do with each other stay apart."""

from __future__ import annotations

from typing import Any

import pytest

from grader.model.result import Finding, Site
from grader.model.verdicts import Verdict
from grader.pages.findings.finding_card import lane_figure
from grader.pages.findings.one_cause import cause_groups

AROUND = "The __syncthreads() in line 19 does not separate them: one thread can be in line 17 again"


def race(
    line: int, other: int, array: str = "a", *, message: str = "with no __syncthreads()", block: int = 0
) -> Finding:
    there = Site(line=other, access="read", block=(block, 0, 0), thread=(15, 0, 0))
    return finding(Verdict.RACE, line, array, message=message, other=there)


def finding(kind: Verdict, line: int | None, array: str | None = None, **more: Any) -> Finding:  # noqa: ANN401 -- fields of the model
    known: dict[str, Any] = {"message": str(kind), "access": "write", "file": "k.cu", "function": "k"}
    known |= {"block": (0, 0, 0), "thread": (0, 1, 0)}
    return Finding(kind=kind, line=line, array=array, **(known | more))


BARRIER = finding(Verdict.BARRIER_DIVERGENCE, 19, access="barrier")
TOGETHER = {
    "two arrays that one barrier would order": (
        [race(17, 21), race(18, 21, "b")],
        "after lines 17 and 18 and before line 21.",
    ),
    "two arrays around a loop": (
        [race(17, 21, message=AROUND), race(18, 21, "b", message=AROUND)],
        "after line 21 and before lines 17 and 18 of the next pass",
    ),
    "threads that part, and what races after it": ([BARRIER, race(17, 22)], "Threads of one block part"),
    "one access that races and leaves the array": (
        [finding(Verdict.RACE, 20, "out"), finding(Verdict.OUT_OF_BOUNDS, 20, "out")],
        "The index in line 20",
    ),
    "one thread past the edge": (
        [finding(Verdict.OUT_OF_BOUNDS, 14, "A"), finding(Verdict.OUT_OF_BOUNDS, 16, "C")],
        "Thread (0,1,0) of block (0,0,0) is outside in lines 14 and 16: either it has nothing to do there",
    ),
}


@pytest.mark.parametrize("case", TOGETHER)
def test_one_cause_is_told_once(case: str) -> None:
    findings, sentence = TOGETHER[case]
    (group,) = cause_groups(findings)
    assert group.findings == list(findings)
    assert sentence in group.sentence


APART = {
    "races before and after a barrier": [race(10, 12), race(14, 16, "b")],
    "a race within a pass and one around the loop": [race(17, 21), race(18, 21, "b", message=AROUND)],
    "races of two blocks, which no barrier orders": [race(17, 21, block=1), race(18, 21, "b", block=1)],
    "two kernels": [race(17, 21), race(17, 21).model_copy(update={"function": "other"})],
    "two files": [race(17, 21), race(17, 21).model_copy(update={"file": "other.cu"})],
    "an array of another line": [finding(Verdict.OUT_OF_BOUNDS, 5, "A"), finding(Verdict.UNINITIALIZED_READ, 9, "A")],
    "two threads past two edges": [
        finding(Verdict.OUT_OF_BOUNDS, 14, "A"),
        finding(Verdict.OUT_OF_BOUNDS, 16, "C", thread=(7, 0, 0)),
    ],
    "a parting and an error elsewhere": [BARRIER, finding(Verdict.OUT_OF_BOUNDS, 40, "A")],
    "no lines": [finding(Verdict.COMPILE_ERROR, None), finding(Verdict.COMPILE_ERROR, None)],
    "a note": [race(17, 21), race(18, 21, "b").model_copy(update={"severity": "note"})],
}


@pytest.mark.parametrize("case", APART)
def test_what_has_nothing_in_common_stays_apart(case: str) -> None:
    groups = cause_groups(APART[case])
    assert [(len(one.findings), one.sentence) for one in groups] == [(1, "")] * 2


def test_a_race_and_a_parting_are_drawn_with_a_text_for_those_who_see_no_picture() -> None:
    raced = lane_figure(race(17, 21))
    assert raced is not None
    assert "line 17: writes a. Between the lanes: no __syncthreads() here. Thread (15,0,0): line 21: reads a." in (
        raced.alternative
    )
    parted = lane_figure(BARRIER)
    assert parted is not None
    assert parted.deeds == ("line 19: waits at the barrier", "went past it")
    assert lane_figure(finding(Verdict.OUT_OF_BOUNDS, 3, "A")) is None
    assert lane_figure(race(17, 21).model_copy(update={"thread": None})) is None
