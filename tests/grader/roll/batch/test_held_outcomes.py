"""What is held until controls have passed is not kept by another way."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from fake_course import FakeControls

from grader.model.labs import Lab
from grader.model.outcome import LabOutcome, unjudged
from grader.model.verdicts import Verdict
from grader.roll.batch.job_store import HeldOutcomes, JobStore

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


class Slow(FakeControls):
    """Every look but the first takes until `go` is set, and ten seconds by `clock`."""

    def __init__(self, fails: frozenset[int] = frozenset()) -> None:
        super().__init__(fails)
        self.go, self.now = threading.Event(), 0.0

    def clock(self) -> float:
        return self.now

    def trouble(self, labs: Sequence[Lab]) -> str:
        found = super().trouble(labs)
        if len(self.asked) > 1:
            assert self.go.wait(60)
            self.now += 10
        return found


def taken(held: HeldOutcomes, first: int, count: int) -> list[str]:
    return [held.take(f"key{number}", LAB, WRONG) for number in range(first, first + count)]


def test_a_class_goes_on_while_controls_are_judged_and_what_came_before_them_is_kept_then(tmp_path: Path) -> None:
    controls, store = Slow(), JobStore(tmp_path)
    with HeldOutcomes(store, controls, clock=controls.clock) as held:
        assert not held.begun(held.begin([LAB]).result())
        assert not any(taken(held, 0, 40))  # the look goes on
        assert store.find("key0") is None
        controls.go.set()
        answer = held.last_look()
        answer.result()
        assert controls.asked == [["a"], ["a"], ["a"]]
        assert not any(taken(held, 40, 1))
        assert store.find("key31") is not None
        assert store.find("key32") is None  # came after that look began
        assert not held.settled("")
    assert store.find("key40") is not None


def test_looks_rest_for_some_times_as_long_as_they_take(tmp_path: Path) -> None:
    controls = Slow()
    controls.go.set()
    with HeldOutcomes(JobStore(tmp_path), controls, clock=controls.clock) as held:
        assert not held.begun(held.begin([LAB]).result())
        taken(held, 0, 32)
        held.last_look().result()
        controls.now = 49
        taken(held, 32, 200)
        assert len(controls.asked) == 2
        controls.now = 50  # that one took ten seconds
        taken(held, 232, 1)
        held.settled("")
        assert len(controls.asked) == 3


def test_a_look_beside_the_judging_that_fails_stops_the_batch(tmp_path: Path) -> None:
    controls, store = Slow(fails=frozenset({2})), JobStore(tmp_path)
    controls.go.set()
    with HeldOutcomes(store, controls, clock=controls.clock) as held:
        assert not held.begun(held.begin([LAB]).result())
        taken(held, 0, 32)
        assert held.settled("")
        assert len(held.unsettled) == 32
    assert store.find("key0") is None


def test_the_last_look_is_at_the_labs_of_all_that_is_held(tmp_path: Path) -> None:
    other = cast("Lab", SimpleNamespace(id="b", cases=(), public=LAB.public))
    controls, store = FakeControls(), JobStore(tmp_path)
    with HeldOutcomes(store, controls) as held:
        assert not held.begun(held.begin([LAB, other]).result())
        assert not held.take("one", other, WRONG)
        assert not held.take("two", LAB, WRONG)
        held.last_look().result()
        assert controls.asked == [["a", "b"], ["b", "a"]]
        assert not held.settled("")
    assert store.find("one") is not None
    assert store.find("two") is not None
