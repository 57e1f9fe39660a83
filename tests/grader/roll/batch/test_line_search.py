"""The search after judging: only what lacks a cause, within its time, kept, and never in the way of a grade."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from grader.model.errors import RemediableError
from grader.model.labs import Lab
from grader.model.outcome import LabOutcome
from grader.model.result import Suspect
from grader.roll.batch.job_store import JobStore
from grader.roll.batch.judging_jobs import LEAST_SECONDS, SHARE, LineSearch

LAB = cast("Lab", SimpleNamespace(id="07-lab"))  # nobody here looks at more of it


@dataclasses.dataclass
class FakeSearch:
    """Takes `takes` seconds of the clock for each file. Finds line 7, or breaks."""

    takes: float = 0
    breaks: Exception | None = None
    now: float = 0
    given: list[float] = dataclasses.field(default_factory=list)
    workers: list[int] = dataclasses.field(default_factory=list)

    def lacks(self, lab: Lab, outcome: LabOutcome) -> bool:  # noqa: ARG002
        return outcome.lab_id == "wrong" and not outcome.searched

    def add(self, lab: Lab, source: Path, outcome: LabOutcome, seconds: float, workers: int) -> LabOutcome:  # noqa: ARG002
        self.given.append(seconds)
        self.workers.append(workers)
        self.now += self.takes
        if self.breaks:
            raise type(self.breaks)(*self.breaks.args)  # a new one, as nothing raises one error twice
        return dataclasses.replace(outcome, suspects=(Suspect(lines=(7,)),), searched="1")


def searched(
    search: FakeSearch, tmp_path: Path, *labs: str, judging: float = 1, seconds: float | None = None
) -> dict[str, LabOutcome]:
    outcomes = {str(at): LabOutcome(lab) for at, lab in enumerate(labs)}
    files = {key: (LAB, tmp_path / f"{key}.cu") for key in outcomes}
    LineSearch(search, seconds, lambda: search.now).run(files, outcomes, JobStore(tmp_path).keep, judging)
    return outcomes


def faults_of(search: FakeSearch, folder: Path) -> tuple[str, ...]:
    outcomes = {str(at): LabOutcome("wrong") for at in range(2)}
    files = dict.fromkeys(outcomes, (LAB, folder))
    return LineSearch(search, 60, lambda: search.now).run(files, outcomes, JobStore(folder).keep, 1)


def test_what_lacks_a_cause_is_searched_and_kept(tmp_path: Path) -> None:
    search = FakeSearch()
    outcomes = searched(search, tmp_path, "right", "wrong")
    assert [bool(one.suspects) for one in outcomes.values()] == [False, True]
    assert JobStore(tmp_path).find("1") == outcomes["1"]
    again = FakeSearch()
    LineSearch(again).run({"1": (LAB, tmp_path)}, outcomes, JobStore(tmp_path).keep, 1)
    assert again.given == []


@pytest.mark.parametrize("judging", [1.0, 1000.0])
def test_the_time_is_a_share_of_what_judging_took_and_the_files_share_it(tmp_path: Path, judging: float) -> None:
    whole = max(LEAST_SECONDS, SHARE * judging)
    search = FakeSearch(takes=whole / 8)
    searched(search, tmp_path, "wrong", "wrong", judging=judging)
    assert search.given == pytest.approx([whole / 2, whole * 7 / 8])


def test_what_is_left_when_the_time_is_over_is_not_searched(tmp_path: Path) -> None:
    outcomes = searched(FakeSearch(takes=2 * LEAST_SECONDS), tmp_path, "wrong", "wrong")
    assert [one.searched for one in outcomes.values()] == ["1", ""]


@pytest.mark.parametrize("error", [OSError("no space left"), RemediableError("run `make setup`"), KeyError("column")])
def test_a_search_that_breaks_leaves_the_outcome_as_it_is(tmp_path: Path, error: Exception) -> None:
    search = FakeSearch(breaks=error)
    assert not any(one.searched for one in searched(search, tmp_path, "wrong", "wrong").values())
    assert len(search.given) == 2


@pytest.mark.parametrize(("files", "workers"), [(1, [8]), (3, [2, 2, 2]), (20, [1] * 20)])
def test_the_tries_of_several_files_share_the_cores(tmp_path: Path, files: int, workers: list[int]) -> None:
    search = FakeSearch()
    outcomes = {str(at): LabOutcome("wrong") for at in range(files)}
    of = dict.fromkeys(outcomes, (LAB, tmp_path))
    LineSearch(search, 80, lambda: search.now, workers=8).run(of, outcomes, JobStore(tmp_path).keep, 1)
    assert search.workers == workers
    assert min(search.given) == pytest.approx(80 / -(-files // min(files, 8)))
    assert all(one.searched for one in outcomes.values())


def test_the_instructor_is_told_of_what_nobody_expected_to_break_and_once(tmp_path: Path) -> None:
    (fault,) = faults_of(FakeSearch(breaks=KeyError("column")), tmp_path)
    assert fault.startswith("07-lab: the search for the line of a wrong result broke: Traceback")
    assert "KeyError: 'column'" in fault
    assert faults_of(FakeSearch(breaks=OSError("no space left")), tmp_path) == ()
    assert faults_of(FakeSearch(), tmp_path) == ()


def test_nothing_is_searched_where_nothing_was_judged_unless_somebody_asks(tmp_path: Path) -> None:
    for judging, seconds, times in ((0.0, None, 0), (0.0, 60.0, 1), (1000.0, 0.0, 0)):
        search = FakeSearch()
        searched(search, tmp_path, "wrong", judging=judging, seconds=seconds)
        assert len(search.given) == times
