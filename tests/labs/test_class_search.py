"""The search in a class: what public cases show is for the student, what hidden cases show for the instructor. It builds and runs."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from grader.judging.lab_judging import judge_lab
from grader.machine.toolset import Toolset
from grader.model.labs import load_lab
from grader.model.outcomes.outcome import LabOutcome
from grader.model.verdicts import Verdict
from grader.practice.public_tests import PUBLIC_SEED
from grader.suspects.class_search import ClassSearch

ROOT = Path(__file__).resolve().parents[2]
WRONG = ROOT / "tests" / "labs" / "mistakes" / "01-naive" / "no_plus.cu"
SEED = 5_318_008
WORKERS = os.cpu_count() or 1


@pytest.fixture(scope="module")
def toolset() -> Toolset:
    return Toolset.open(ROOT, allow_no_sandbox=True)


@pytest.fixture(scope="module")
def judged(toolset: Toolset, tmp_path_factory: pytest.TempPathFactory) -> LabOutcome:
    lab = load_lab(ROOT, "01-naive")
    return judge_lab(toolset, lab, WRONG, tmp_path_factory.mktemp("judged"), seed=SEED, public_only=False)


def test_the_change_is_known_to_pass_hidden_cases_and_is_searched_once(toolset: Toolset, judged: LabOutcome) -> None:
    lab, search = load_lab(ROOT, "01-naive"), ClassSearch(toolset, SEED, PUBLIC_SEED)
    assert search.lacks(lab, judged)
    found = search.add(lab, WRONG, judged, 60, WORKERS)
    (suspect,) = found.suspects
    assert suspect.public
    assert suspect.every
    assert "+=" in suspect.after
    assert WRONG.read_text(encoding="utf-8").split("\n")[suspect.lines[0] - 1].strip() == suspect.before
    assert not search.lacks(lab, found)
    assert replace(found, suspects=(), searched="") == judged


def test_what_only_hidden_cases_show_is_for_the_instructor(toolset: Toolset, judged: LabOutcome) -> None:
    lab, search = load_lab(ROOT, "01-naive"), ClassSearch(toolset, SEED, PUBLIC_SEED)
    public = {case.name for case in lab.public.case}
    hidden = replace(
        judged,
        cases=tuple(
            replace(case, passed=True, verdict=Verdict.PASS, launches=()) if case.name in public else case
            for case in judged.cases
        ),
    )
    (suspect,) = search.add(lab, WRONG, hidden, 60, WORKERS).suspects
    assert not suspect.public
    assert suspect.every


def test_a_search_out_of_time_goes_on_where_it_ended(toolset: Toolset, judged: LabOutcome) -> None:
    lab, search = load_lab(ROOT, "01-naive"), ClassSearch(toolset, SEED, PUBLIC_SEED)
    late = search.add(lab, WRONG, judged, -1, WORKERS)
    assert not late.suspects
    assert search.lacks(lab, late)
    assert search.add(lab, WRONG, late, 60, WORKERS).suspects


def test_nothing_is_looked_for_where_something_else_is_wrong_or_the_cause_is_known(
    toolset: Toolset, judged: LabOutcome
) -> None:
    lab, search = load_lab(ROOT, "01-naive"), ClassSearch(toolset, SEED, PUBLIC_SEED)
    raced = replace(judged, cases=tuple(replace(case, verdict=Verdict.RACE) for case in judged.cases))
    assert not search.lacks(lab, raced)
    passed = replace(judged, cases=tuple(replace(case, passed=True, verdict=Verdict.PASS) for case in judged.cases))
    assert not search.lacks(lab, passed)
