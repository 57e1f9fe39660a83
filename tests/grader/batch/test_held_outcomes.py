"""What is held until controls have passed is not kept by another way."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from fake_course import FakeControls

from grader.batch.held_outcomes import HeldOutcomes
from grader.batch.job_store import JobStore
from grader.model.labs import Lab
from grader.model.outcome import LabOutcome, unjudged
from grader.model.verdicts import Verdict

LAB = cast("Lab", SimpleNamespace(id="a", cases=(), public=SimpleNamespace(performance=None)))
WRONG = unjudged("a", Verdict.REJECTED, "it hides")


def settled(tmp_path: Path, fails: frozenset[int]) -> LabOutcome | None:
    """What the store holds of an outcome of which more was found while the last look went on."""
    with HeldOutcomes(JobStore(tmp_path), FakeControls(fails=fails)) as held:
        assert not held.begun(held.begin([LAB]).result())
        assert not held.take("key", LAB, WRONG)
        answer = held.last_look()
        held.keep("key", dataclasses.replace(WRONG, searched="1"))
        assert JobStore(tmp_path).find("key") is None
        assert bool(held.settled(answer.result())) == bool(fails)
    return JobStore(tmp_path).find("key")


def test_what_was_found_of_a_held_outcome_is_kept_with_it(tmp_path: Path) -> None:
    found = settled(tmp_path, frozenset())
    assert found is not None
    assert found.searched == "1"


def test_what_was_found_of_a_held_outcome_is_not_kept_where_controls_fail(tmp_path: Path) -> None:
    assert settled(tmp_path, frozenset({2})) is None


def test_what_was_found_of_an_outcome_that_was_kept_before_is_kept(tmp_path: Path) -> None:
    with HeldOutcomes(JobStore(tmp_path), FakeControls()) as held:
        held.keep("key", WRONG)
    assert JobStore(tmp_path).find("key") == WRONG
