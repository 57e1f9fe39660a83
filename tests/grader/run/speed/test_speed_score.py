"""Turns times into ratios, tiers and points. Nobody loses points for what is not measured."""

from __future__ import annotations

import dataclasses
import math
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from grader.model.labs import CaseSpec, Lab, PerformanceSpec, PrivateSpec, PublicSpec, StandInSpec, TierSpec
from grader.model.outcome import Contest, JudgedCase, LabOutcome, SpeedOutcome, WrongOutput
from grader.model.result import LabResult
from grader.model.verdicts import Verdict
from grader.roll.batch.job_store import OUTCOME_JSON
from grader.run.scoring.lab_score import score_lab, speed_is_assessed, total, with_measured_speed

NAMES = ("baseline", "student", "model", "control")
PUBLIC = PublicSpec(
    title="Tiled", summary="", problem="matmul.hpp", file="tiled.cu", kernel="k()", launch="l()", shapes="any",
    performance=PerformanceSpec(baseline="naive", shape="1024x1024x1024"), case=(CaseSpec(name="square", points=4),),
)  # fmt: skip
PRIVATE = PrivateSpec(
    performance_points=3, tier=(TierSpec(share=0.75, part=0.5), TierSpec(share=0.9, part=1.0)),
)  # fmt: skip
LAB = Lab("lab", PUBLIC, PRIVATE, Path("public"), Path("private"))


def scored(lab: Lab, outcome: LabOutcome) -> LabResult:
    return with_measured_speed(lab, score_lab(lab, outcome))


def contest(share: float, control: float = 1.0, noise: float = 0.002, nanoseconds: float = 400_000.0) -> Contest:
    draw = random.Random(1)
    model = nanoseconds / 1.6
    true = (nanoseconds, model / share, model, nanoseconds / control)
    return Contest(
        status="completed",
        nanoseconds=tuple(tuple(one * math.exp(draw.gauss(0, noise)) for _ in range(31)) for one in true),
        shape="M=1024 N=1024 K=1024",
        flops=2.0 * 1024**3,
        bytes=12.0 * 1024**2,
        looked_at=31,
        device="A GPU",
    )


def timed(run: Contest | None, *, passed: bool = True, peak: float = 67e12) -> LabOutcome:
    verdict = Verdict.PASS if passed else Verdict.WRONG_ANSWER
    speed = SpeedOutcome(NAMES, (run,), peak_flops=peak, peak_bytes=5e12) if run else None
    return LabOutcome("lab", cases=(JudgedCase("square", passed, verdict, "one shape"),), speed=speed)


def assessed(lab: Lab, outcomes: Sequence[LabOutcome]) -> bool:
    return speed_is_assessed(lab, [score_lab(lab, one) for one in outcomes])


def test_ratios_come_from_the_same_rounds() -> None:
    timing = score_lab(LAB, timed(contest(0.8))).timing
    assert timing is not None
    assert timing.speedup is not None
    assert timing.share is not None
    assert timing.speedup.middle == pytest.approx(1.28, rel=0.003)
    assert timing.share.low < 0.8 < timing.share.high
    assert [one.name for one in timing.contestants] == list(NAMES)
    assert timing.contestants[0].gflops == pytest.approx(2 * 1024**3 / 400_000, rel=0.003)
    words = "1.28 times as fast as naive (1.28 to 1.28), 80 % of the model solution's speed"
    assert timing.words == words


def test_words_say_that_printing_was_left_out() -> None:
    outcome = timed(contest(0.8))
    assert outcome.speed is not None
    silent = dataclasses.replace(outcome, speed=dataclasses.replace(outcome.speed, silent=True))
    assert score_lab(LAB, silent).performance.endswith("speed; timed without its printf calls")


@pytest.mark.parametrize(("share", "points"), [(1.0, 3), (0.92, 3), (0.8, 1.5), (0.7, 0), (1.4, 3)])
def test_points_follow_the_highest_tier_reached(share: float, points: float) -> None:
    result = scored(LAB, timed(contest(share)))
    assert (result.points, result.max_points, result.performance_points) == (4 + points, 7, points)


def test_speed_that_does_not_count_is_in_no_maximum_and_still_told() -> None:
    result = score_lab(LAB, timed(contest(1.0)))
    assert (result.points, result.max_points) == (4, 4)
    assert result.timing is not None
    assert result.timing.speedup is not None


def test_a_wrong_kernel_earns_nothing_for_speed() -> None:
    result = scored(LAB, timed(contest(1.0), passed=False))
    assert (result.points, result.max_points) == (0, 7)


def test_speed_counts_once_every_right_kernel_of_a_batch_was_measured() -> None:
    fast, unmeasured, wrong = timed(contest(1.0)), timed(None), timed(None, passed=False)
    assert assessed(LAB, [fast, wrong])
    assert not assessed(LAB, [fast, unmeasured])
    assert not assessed(LAB, [wrong])
    assert not assessed(dataclasses.replace(LAB, private=PrivateSpec(performance_points=3)), [fast])


def test_a_noisy_machine_costs_nobody_anything() -> None:
    noisy = timed(contest(1.0, control=1.03))
    result = score_lab(LAB, noisy)
    assert result.performance.startswith("not graded: the machine is too noisy")
    assert not assessed(LAB, [noisy])


def test_a_wrong_output_of_a_timed_launch_is_a_wrong_answer() -> None:
    run = contest(1.0).model_copy(update={"faults": (WrongOutput(round=17, fault="row 3 of C is wrong"),)})
    result = scored(LAB, timed(run))
    assert result.verdict is Verdict.WRONG_ANSWER
    assert result.performance_points == 0
    assert "timed launch 18, row 3 of C is wrong" in result.findings[0].message


def test_a_kernel_that_hangs_when_timed_is_a_timeout() -> None:
    run = contest(1.0).model_copy(update={"status": "timeout", "contestant": 1, "nanoseconds": (), "detail": "late"})
    assert score_lab(LAB, timed(run)).verdict is Verdict.TIMEOUT


def test_a_kernel_that_is_too_slow_to_be_timed_is_right_and_counts_as_measured() -> None:
    run = contest(1.0).model_copy(
        update={"status": "timeout", "slow": True, "contestant": 1, "nanoseconds": (), "detail": "one launch takes 900"}
    )
    result = scored(LAB, timed(run))
    assert (result.verdict, result.performance_points) == (Verdict.PASS, 0)
    assert result.performance.startswith("too slow to be timed: one launch takes 900")
    assert assessed(LAB, [timed(run)])


def test_a_baseline_that_fails_is_not_the_students_fault() -> None:
    run = contest(1.0).model_copy(update={"status": "crash", "contestant": 0, "nanoseconds": (), "detail": "gone"})
    result = score_lab(LAB, timed(run))
    assert result.verdict is Verdict.PASS
    assert result.performance == "not measured: baseline: gone"


def test_a_time_that_no_device_can_reach_is_for_a_person_to_look_at() -> None:
    result = scored(LAB, timed(contest(1.0, nanoseconds=40_000.0)))
    assert result.performance_points == 0
    assert result.timing is not None
    assert "look at the kernel" in result.timing.review


def test_one_slow_launch_is_for_a_person_to_look_at_and_changes_no_points() -> None:
    quiet = contest(0.8)
    baseline, student, model, control = quiet.nanoseconds
    slow = quiet.model_copy(
        update={"nanoseconds": (baseline, (*student[:7], 9 * student[7], *student[8:]), model, control)}
    )
    usual, seen = (scored(LAB, timed(one)) for one in (quiet, slow))
    assert usual.timing is not None
    assert seen.timing is not None
    assert usual.timing.review == ""
    assert "9 times as long as its others" in seen.timing.review
    assert seen.performance_points == usual.performance_points


def test_a_kernel_that_varies_alone_counts_as_measured_and_earns_its_slow_end() -> None:
    quiet = contest(1.0)
    baseline, student, model, control = quiet.nanoseconds
    halves = tuple(one * (1 + number % 2) for number, one in enumerate(student))
    varying = timed(quiet.model_copy(update={"nanoseconds": (baseline, halves, model, control)}))
    result = scored(LAB, varying)
    assert result.timing is not None
    assert result.timing.share is not None
    assert result.timing.share.high > 0.9
    assert (result.performance_points, [one.reached for one in result.timing.tiers]) == (0, [False, False])
    assert "so the slower ones count" in result.performance
    assert assessed(LAB, [varying])


def with_library(share: float, *, of_library: float, name: str = "library") -> LabOutcome:
    """A kernel with this share of the model's speed, and this one of the speed of what is timed as `name`."""
    quiet = contest(share)
    student = quiet.nanoseconds[1]
    run = quiet.model_copy(
        update={
            "nanoseconds": (*quiet.nanoseconds[:3], tuple(one * of_library for one in student), quiet.nanoseconds[3])
        }
    )
    outcome = timed(run)
    assert outcome.speed is not None
    names = (*NAMES[:3], name, NAMES[3])
    return dataclasses.replace(outcome, speed=dataclasses.replace(outcome.speed, names=names))


CLIMBING = dataclasses.replace(
    LAB,
    private=PrivateSpec(
        performance_points=3,
        tier=(
            TierSpec(share=0.9, part=1.0), TierSpec(of="library", share=0.5, part=1.5), TierSpec(of="library", share=0.9, part=2),
        ),
        stand_in=StandInSpec(file="rung.cu", share=0.5, measured_on="NVIDIA H200"),
    ),
)  # fmt: skip


@pytest.mark.parametrize(
    ("of_model", "of_library", "points"),
    [(0.8, 0.2, 0), (1.0, 0.2, 3), (2.0, 0.5, 4.5), (3.0, 0.95, 6), (0.8, 0.6, 4.5)],
)
def test_tiers_beyond_the_model_are_shares_of_the_library(of_model: float, of_library: float, points: float) -> None:
    result = scored(CLIMBING, with_library(of_model, of_library=of_library))
    assert (result.performance_points, result.performance_max, result.max_points) == (points, 3, 7)
    assert result.timing is not None
    assert result.timing.library_share is not None
    assert result.timing.library_share.middle == pytest.approx(of_library, rel=0.003)


def test_words_say_which_tier_was_reached_and_what_the_next_one_needs() -> None:
    words = scored(CLIMBING, with_library(1.0, of_library=0.25)).performance
    assert words.endswith(
        "100 % of the model solution's speed, 25.0 % of cuBLAS's: 3 of 3 points. "
        "4.5 points ask for 50 % of cuBLAS's speed; this kernel has 25.0 % (25.0 to 25.0)"
    )
    best = scored(CLIMBING, with_library(3.0, of_library=0.95)).performance
    assert best.endswith(": 6 points, where 3 are full marks, and no tier is higher")
    alone = scored(CLIMBING, timed(contest(1.0)))
    assert alone.performance.endswith("4.5 points ask for 50 % of cuBLAS's speed; that was not measured here")
    assert alone.performance_points == 3


def test_a_time_on_one_gpu_is_a_tier_there_and_nowhere_else() -> None:
    tiers = (
        TierSpec(of="time", milliseconds=0.3, gpu="A GPU", part=1),
        TierSpec(of="time", milliseconds=0.2, gpu="A GPU", part=1.5),
    )
    lab = dataclasses.replace(LAB, private=PrivateSpec(performance_points=3, tier=tiers))
    result = scored(lab, timed(contest(1.0)))  # 0.25 ms
    assert result.performance_points == 3
    assert "4.5 points ask for at most 0.2 ms on the A GPU; this kernel has 0.2" in result.performance
    elsewhere = dataclasses.replace(
        lab, private=PrivateSpec(performance_points=3, tier=(tiers[0].model_copy(update={"gpu": "B7"}),))
    )
    other = scored(elsewhere, timed(contest(1.0)))
    assert other.performance_points == 0
    assert other.performance.endswith("at most 0.3 ms on the B7; that was not measured here")
    with pytest.raises(ValueError, match="milliseconds and gpu"):
        TierSpec(of="time", share=1, part=1)


def test_a_kernel_stands_in_for_the_library_by_its_known_share() -> None:
    result = scored(CLIMBING, with_library(1.0, of_library=1.04, name="stand-in"))
    assert result.timing is not None
    assert result.timing.library_share is not None
    assert result.timing.library_share.middle == pytest.approx(0.52, rel=0.003)
    assert result.performance_points == 4.5
    assert "about 52.0 % of cuBLAS's (it cannot be timed here; a kernel of the course stands in" in result.performance
    assert "rung" not in result.performance


def test_an_outcome_with_times_is_read_back_as_it_was() -> None:
    outcome = timed(contest(0.8))
    assert OUTCOME_JSON.validate_json(OUTCOME_JSON.dump_json(outcome)) == outcome


def test_performance_points_are_part_of_a_total() -> None:
    assert total({"lab": scored(LAB, timed(contest(1.0)))}) == (7, 7)
