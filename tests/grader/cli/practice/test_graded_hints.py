"""Hints come one by one, from the lab's own public files, and never from a solution."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.cli.practice.watch_loop import graded_hints
from grader.course.leaks import cut, leaks, secrets_of
from grader.model.course_root import load_labs
from grader.model.labs import Lab
from grader.model.result import Build, Case, Finding, LabResult, Site
from grader.model.verdicts import Verdict
from grader.pages.screens.first_mistake import Tried

ROOT = Path(__file__).resolve().parents[4]
LABS = load_labs(ROOT, [])


def failed(lab: Lab, verdict: Verdict, *, untouched: bool = False) -> Tried:
    cases = tuple(
        Case(
            name=one.name, visibility="public", verdict=verdict, passed=False, points=0, max_points=1, advice=one.advice
        )
        for one in lab.public.case
    )
    found = Finding(
        kind=verdict,
        message="m",
        line=3,
        access="write",
        thread=(0, 0, 0),
        other=Site(line=5, access="read", thread=(1, 0, 0)),
    )
    result = LabResult(
        title=lab.public.title, file=lab.public.file, verdict=verdict, points=0, max_points=1, build=Build(ok=True), cases=cases,
        findings=(found,),
    )  # fmt: skip
    return Tried(lab.id, result, "", f"assignments/{lab.id}/{lab.public.file}", untouched=untouched)


def write_up(lab: Lab) -> str:
    return (lab.public_dir / "README.md").read_text(encoding="utf-8")


def lab_of(name: str) -> Lab:
    return next(lab for lab in LABS if lab.id == name)


def test_they_go_from_a_question_to_the_place_in_the_write_up() -> None:
    lab = lab_of("02-tiled")
    hints = graded_hints(failed(lab, Verdict.RACE), write_up(lab))
    assert hints[0].endswith("?")
    assert hints[1] == lab.public.case[0].advice
    assert hints[-2].startswith("Read again in README.md: “")
    assert "__syncthreads" in hints[-1]


def test_a_starter_gets_what_there_is_to_do_and_a_passed_lab_nothing() -> None:
    lab = lab_of("01-naive")
    assert any(
        lab.public.file in one for one in graded_hints(failed(lab, Verdict.WRONG_ANSWER, untouched=True), write_up(lab))
    )
    assert graded_hints(failed(lab, Verdict.PASS), write_up(lab)) != []  # a case of it fails
    done = failed(lab, Verdict.PASS)
    passed = done.result.model_copy(update={"cases": (), "findings": ()})
    assert graded_hints(Tried(lab.id, passed, "", ""), write_up(lab)) == []


def test_no_hint_repeats_another_and_none_is_empty() -> None:
    for lab in LABS:
        for verdict in (Verdict.RACE, Verdict.WRONG_ANSWER, Verdict.OUT_OF_BOUNDS):
            hints = graded_hints(failed(lab, verdict), write_up(lab))
            assert len(hints) == len(set(hints)) >= 2, (lab.id, verdict)
            assert all(one.strip() for one in hints)


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.id)
def test_no_hint_shows_a_piece_of_a_solution(lab: Lab) -> None:
    assert lab.private_dir is not None
    solutions = {
        lab.id: [cut(path.read_text(encoding="utf-8"), path.name) for path in sorted(lab.private_dir.glob("*.cu"))]
    }
    secrets = secrets_of(solutions).for_lab(lab.id)
    for verdict in Verdict:
        assert leaks("\n".join(graded_hints(failed(lab, verdict), write_up(lab))), secrets) == []


def test_a_write_up_that_is_missing_or_hostile_does_no_harm() -> None:
    lab = lab_of("02-tiled")
    assert graded_hints(failed(lab, Verdict.RACE), "")
    hints = graded_hints(failed(lab, Verdict.RACE), "## a \x1b[31m barrier\n\n\x1b[2J __syncthreads() " + "x" * 5000)
    assert not any("\x1b" in one for one in hints)
    assert max(map(len, hints)) < 800
