"""Turns the times of a size sweep into what a result says about each size. No points depend on it."""

from __future__ import annotations

import dataclasses
import math
import random
from pathlib import Path

import pytest

from grader.engines.backend import Peak
from grader.model.labs import CaseSpec, Lab, PerformanceSpec, PrivateSpec, PublicSpec, TierSpec
from grader.model.outcome import Contest, JudgedCase, LabOutcome, SizeOutcome, SpeedOutcome, WrongOutput
from grader.model.result import SweepPoint
from grader.model.verdicts import Verdict
from grader.roll.batch.job_store import OUTCOME_JSON
from grader.run.scoring.lab_score import score_lab, with_measured_speed
from grader.run.speed.speed_run import lacks_sweep
from grader.run.speed.speed_score import control_trouble, merged, sweep_points

NAMES = ("baseline", "student", "model", "control")
PEAK = Peak(67e12, 4.8e12)
SWEPT = PerformanceSpec(baseline="naive", shape="1024x1024x1024", sweep=("512x512x512",))
PUBLIC = PublicSpec(
    title="Tiled", summary="", problem="matmul.hpp", file="tiled.cu", kernel="k()", launch="l()", shapes="any",
    performance=SWEPT, case=(CaseSpec(name="square", points=4),),
)  # fmt: skip
LAB = Lab(
    "lab", PUBLIC, PrivateSpec(performance_points=3, tier=(TierSpec(share=0.75, part=0.5),)), Path("a"), Path("b")
)


def at(size: int, share: float = 0.8, control: float = 1.0) -> Contest:
    """Naive, a student, a model solution 1.6 times as fast as naive, and naive again."""
    draw = random.Random(size)
    naive = 2.0 * size**3 / 5e12 * 1e9
    true = (naive, naive / 1.6 / share, naive / 1.6, naive / control)
    return Contest(
        status="completed",
        nanoseconds=tuple(tuple(one * math.exp(draw.gauss(0, 0.002)) for _ in range(31)) for one in true),
        shape=f"M={size} N={size} K={size}",
        flops=2.0 * size**3,
        bytes=12.0 * size**2,
        device="A GPU",
    )


def point_of(contest: Contest, names: tuple[str, ...] = NAMES, peak: Peak | None = PEAK) -> SweepPoint:
    (point,) = sweep_points([SizeOutcome("1x1x1", names, contest)], peak)
    return point


def test_a_size_says_of_each_kernel_how_long_it_took_and_how_that_compares() -> None:
    point = point_of(at(512))
    assert (point.shape, point.sizes, point.trouble) == ("M=512 N=512 K=512", (512, 512, 512), "")
    assert [one.name for one in point.kernels] == ["baseline", "student", "model"]
    naive, student, model = point.kernels
    assert naive.speedup is None
    assert naive.gflops == pytest.approx(5000, rel=0.003)
    assert naive.low_ms <= naive.milliseconds <= naive.high_ms
    assert student.speedup is not None
    assert student.speedup.low < 1.28 < student.speedup.high
    assert model.speedup is not None
    assert model.speedup.middle == pytest.approx(1.6, rel=0.003)
    assert point.floor_ms == pytest.approx(2 * 512**3 / 67e12 * 1e3)
    assert point_of(at(512), peak=None).floor_ms == 0


def test_a_kernel_of_any_name_can_take_part() -> None:
    point = point_of(at(512), ("baseline", "cublas", "model", "control"))
    assert [one.name for one in point.kernels] == ["baseline", "cublas", "model"]


def test_a_noisy_size_is_shown_and_says_so() -> None:
    point = point_of(at(512, control=1.05))
    assert point.kernels
    assert point.trouble.startswith("too noisy: naive timed against itself gave")
    assert control_trouble(("baseline", "student", "model"), at(512)) == ""


def test_a_size_at_which_the_kernel_fails_names_it() -> None:
    wrong = at(512).model_copy(update={"faults": (WrongOutput(round=3, fault="C[0][7] is wrong"),)})
    late = at(513).model_copy(
        update={"status": "timeout", "contestant": 1, "detail": "it did not end", "nanoseconds": ()}
    )
    slow = late.model_copy(update={"slow": True})
    ours = late.model_copy(update={"contestant": 0})
    assert [(one.trouble, one.wrong, one.ours) for one in map(point_of, (wrong, late, slow, ours))] == [
        ("your kernel: C[0][7] is wrong", True, False),
        ("your kernel: it did not end", True, False),
        ("your kernel: it did not end", False, False),
        ("naive: it did not end", False, True),
    ]


def test_a_size_that_was_left_out_says_why() -> None:
    (point,) = sweep_points([SizeOutcome("255x33x7", NAMES, trouble="left out")])
    assert (point.shape, point.sizes, point.kernels, point.trouble) == ("255x33x7", (255, 33, 7), (), "left out")


def timed(*sizes: SizeOutcome, run: Contest | None = None) -> LabOutcome:
    speed = SpeedOutcome(NAMES, (run or at(1024),), peak_flops=PEAK.flops, peak_bytes=PEAK.bytes, sweep=sizes)
    return LabOutcome("lab", cases=(JudgedCase("square", True, Verdict.PASS, "one shape"),), speed=speed)


def test_points_and_verdict_are_the_same_with_a_sweep_and_without() -> None:
    wrong = at(513).model_copy(update={"faults": (WrongOutput(round=3, fault="C[0][7] is wrong"),)})
    outcome = timed(SizeOutcome("512x512x512", NAMES, at(512)), SizeOutcome("513x513x513", NAMES, wrong))
    result, plain = (with_measured_speed(LAB, score_lab(LAB, one)) for one in (outcome, timed()))
    assert result.timing is not None
    assert [one.wrong for one in result.timing.sweep] == [False, True]
    assert (result.verdict, result.performance_points) == (Verdict.PASS, 1.5)
    assert result.model_copy(update={"timing": plain.timing}) == plain


def test_an_outcome_with_a_sweep_is_read_back_as_it_was() -> None:
    outcome = timed(SizeOutcome("512x512x512", NAMES, at(512)), SizeOutcome("513x513x513", trouble="left out"))
    assert OUTCOME_JSON.validate_json(OUTCOME_JSON.dump_json(outcome)) == outcome


def test_only_what_was_timed_lacks_a_sweep_and_only_until_it_has_the_sizes_asked_for() -> None:
    assert lacks_sweep(LAB, timed())
    assert not lacks_sweep(LAB, timed(SizeOutcome("512x512x512", NAMES, at(512))))
    assert lacks_sweep(LAB, timed(SizeOutcome("256x256x256", NAMES, at(256))))
    assert not lacks_sweep(LAB, LabOutcome("lab"))
    crashed = at(1024).model_copy(update={"status": "crash", "contestant": 1, "nanoseconds": ()})
    assert not lacks_sweep(LAB, timed(run=crashed))
    without = PUBLIC.model_copy(update={"performance": SWEPT.model_copy(update={"sweep": ()})})
    assert not lacks_sweep(dataclasses.replace(LAB, public=without), timed())


def test_kernels_that_were_timed_one_by_one_make_one_point_for_each_shape() -> None:
    one = [point_of(at(size), ("baseline", "model", "x", "control")) for size in (512, 513)]
    two = point_of(at(512), ("baseline", "faster", "y", "control"))
    wrong = at(513).model_copy(update={"faults": (WrongOutput(round=3, fault="C[0][7] is wrong"),)})
    points = merged([*one, two, point_of(wrong, ("baseline", "faster", "y", "control"))])
    assert [[kernel.name for kernel in each.kernels] for each in points] == [
        ["baseline", "model", "x", "faster", "y"], ["baseline", "model", "x"],
    ]  # fmt: skip
    assert points[1].trouble == "faster: C[0][7] is wrong"
