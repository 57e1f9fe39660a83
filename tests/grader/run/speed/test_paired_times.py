"""Runs, tiers and the control, and the promised shares of simulated gradings, with the noise models of docs/benchmarks.md."""

from __future__ import annotations

import importlib.util
import random
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from grader.model.result import Ratio
from grader.run.speed.speed_score import (
    Times,
    is_unsteady,
    needs_more,
    noise_trouble,
    reaches,
    speed_of,
)

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "coverage.py"


@pytest.fixture(scope="module")
def simulation() -> ModuleType:
    spec = importlib.util.spec_from_file_location("tilelab_coverage", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look for their module there
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("noise", ["independent", "linear_drift"])
def test_a_kernel_above_a_tier_never_fails_and_one_below_hardly_ever_passes(simulation: ModuleType, noise: str) -> None:
    found = simulation.shares(getattr(simulation, noise), 1000)
    assert found.above_failed == 0
    assert found.below_passed < 0.01
    assert 0.93 <= found.covered_by_31 <= 0.97


def test_spikes_and_autocorrelation_fail_nobody_above_a_tier(simulation: ModuleType) -> None:
    for noise in (simulation.spikes, simulation.autocorrelated, simulation.clock_steps):
        assert simulation.shares(noise, 200).above_failed == 0


def test_noise_that_pairing_cannot_remove_is_shown_to_break_the_interval(simulation: ModuleType) -> None:
    assert simulation.shares(simulation.mood(0.9, 0.02), 200).covered_by_31 < 0.6


def run(share: float, control: float = 1.0, spread: float = 0.0, rounds: int = 31) -> Times:
    draw = random.Random(7)

    def times(nanoseconds: float) -> tuple[float, ...]:
        return tuple(nanoseconds * (1 + draw.uniform(-spread, spread)) for _ in range(rounds))

    return Times(
        baseline=times(400.0), control=times(400.0 / control), model=times(250.0), student=times(250.0 / share)
    )


def test_a_speedup_is_the_share_of_the_models_times_its_speedup() -> None:
    speed = speed_of(run(0.8))
    assert speed.speedup.middle == pytest.approx(1.28)
    assert speed.model_speedup.middle == pytest.approx(1.6)
    assert speed.share.middle == pytest.approx(0.8)


def test_a_tier_is_reached_by_the_upper_end() -> None:
    steady = speed_of(run(0.9))
    assert reaches(replace(steady, share=Ratio(low=0.86, middle=0.88, high=0.9)), 0.9)
    assert not reaches(replace(steady, share=Ratio(low=0.86, middle=0.88, high=0.8999)), 0.9)


def test_a_kernel_that_varies_on_a_quiet_machine_is_measured_by_its_slow_end() -> None:
    quiet = run(0.9)
    draw = random.Random(3)
    speed = speed_of(replace(quiet, student=tuple(one * draw.uniform(0.5, 1.5) for one in quiet.student)))
    assert noise_trouble(speed) == ""
    assert is_unsteady(speed)
    between = (speed.share.low + speed.share.high) / 2
    assert reaches(speed, speed.share.low)
    assert not reaches(speed, between)
    assert not is_unsteady(speed_of(quiet))
    assert not is_unsteady(speed_of(run(0.9, spread=0.5)))


def test_one_slow_launch_among_fast_ones_is_noticed_where_no_other_kernel_was_slow() -> None:
    quiet = run(0.9)
    slow = replace(quiet, student=(*quiet.student[:7], 9 * quiet.student[7], *quiet.student[8:]))
    assert speed_of(slow).spike == pytest.approx(9)
    stumbled = replace(slow, model=(*quiet.model[:7], 9 * quiet.model[7], *quiet.model[8:]))
    assert speed_of(stumbled).spike == 0
    assert speed_of(quiet).spike == 0


def test_more_rounds_are_taken_only_for_a_threshold_inside_the_interval() -> None:
    speed = speed_of(run(0.9, spread=0.02))
    assert needs_more(speed, [0.5, 0.9])
    assert not needs_more(speed, [0.5, 1.2])
    assert not needs_more(speed_of(run(0.9, spread=0.02, rounds=61)), [0.9])


def test_a_control_that_is_not_one_is_not_graded() -> None:
    assert not noise_trouble(speed_of(run(0.9)))
    assert not noise_trouble(speed_of(run(0.9, control=1.004)))
    assert "naive timed against itself" in noise_trouble(speed_of(run(0.9, control=1.02)))


def test_times_too_wide_apart_are_not_graded() -> None:
    assert "uncertain" in noise_trouble(speed_of(run(0.9, spread=0.5)))


def test_rounds_alternate_so_that_pairs_stand_in_abba_order(simulation: ModuleType) -> None:
    assert list(simulation.launch_order(2, 3)) == [(0, 0), (0, 1), (1, 1), (1, 0), (2, 0), (2, 1)]
