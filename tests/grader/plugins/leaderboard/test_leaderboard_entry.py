"""Who is ranked, who is listed apart, and who is not on the page: from invented results."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.model.labs import CaseSpec, Lab, LeaderboardSpec, PerformanceSpec, PrivateSpec, PublicSpec
from grader.model.result import (
    Case,
    ContestantTimes,
    Environment,
    LabResult,
    Launch,
    Mismatch,
    Ratio,
    Result,
    Submission,
    SweepPoint,
    SweepTime,
    Timing,
    WrongElement,
)
from grader.model.verdicts import Verdict
from grader.plugins.leaderboard.board import Apart, Entry, listed, on_one_gpu

PUBLIC = PublicSpec(
    title="Open", summary="", problem="p.hpp", file="k.cu", kernel="k()", launch="l()", shapes="any",
    performance=PerformanceSpec(baseline="naive", shape="8x8x8"), leaderboard=LeaderboardSpec(),
    case=(CaseSpec(name="square", points=1),),
)  # fmt: skip
PRIVATE = PrivateSpec(case=(CaseSpec(name="accurate", points=1, feedback="verdict", precision=True),))
LAB = Lab("lab", PUBLIC, PRIVATE, Path("public"), Path("private"))
TIMED = Timing(
    words="fast", shape="M=8 N=8 K=8", device="A GPU", speedup=Ratio(low=1.9, middle=2, high=2.1),
    contestants=(ContestantTimes(name="student", milliseconds=0.5, gflops=4000, gbytes=25, samples=(5e5,) * 3),),
)  # fmt: skip


def case(name: str, verdict: Verdict, *, feedback: str = "full", launches: tuple[Launch, ...] = ()) -> Case:
    passed = verdict is Verdict.PASS
    return Case.model_validate({
        "name": name, "visibility": "public", "feedback": feedback, "verdict": verdict, "passed": passed, "points": 0, "max_points": 1,
        "launches": launches,
    })  # fmt: skip


def result(timing: Timing | None, square: Verdict, accurate: Verdict, verdict: Verdict | None = None) -> Result:
    element = WrongElement(row=0, column=0, expected=1.0, got=1.0005)
    mismatch = Mismatch(
        output="C", rows=1, columns=1, wrong=1, unwritten=0, first=(element,), tile_rows=1, tile_columns=1, summary=""
    )
    hidden = Launch(shape="M=9 N=9 K=9", inputs="", verdict=accurate, mismatch=mismatch)
    cases = (case("square", square), case("accurate", accurate, feedback="verdict", launches=(hidden,)))
    worst = verdict or next((one.verdict for one in cases if not one.passed), Verdict.PASS)
    lab = LabResult(
        title="Open", file="k.cu", verdict=worst, points=0, max_points=2, cases=cases, timing=timing
    )  # fmt: skip
    return Result(
        submission=Submission(id="anna", name="anna"),
        environment=Environment(kit="0", compiler="g++", sandbox="none", date="2026-01-01"),
        labs={"lab": lab}, total=0, max=2,
    )  # fmt: skip


def test_a_right_kernel_that_was_timed_is_ranked() -> None:
    found = listed(LAB, result(TIMED, Verdict.PASS, Verdict.PASS))
    assert isinstance(found, Entry)
    assert (found.speed.middle, found.gflops, found.of_library) == (2, 4000, None)


@pytest.mark.parametrize("verdict", [Verdict.RACE, Verdict.WRONG_ANSWER, Verdict.TIMEOUT])
def test_a_kernel_that_fails_a_case_is_not_listed_however_fast(verdict: Verdict) -> None:
    assert listed(LAB, result(TIMED, verdict, Verdict.PASS)) is None
    assert listed(LAB, result(TIMED, verdict, Verdict.WRONG_ANSWER)) is None


def test_a_kernel_that_only_the_case_of_precision_refuses_is_listed_apart() -> None:
    found = listed(LAB, result(None, Verdict.PASS, Verdict.WRONG_ANSWER))
    assert isinstance(found, Apart)
    assert found.reason == "lower-precision"
    assert "5.0e-04" in found.private  # the size of a hidden case's errors is for the instructor
    assert listed(LAB, result(None, Verdict.PASS, Verdict.RACE)) is None


@pytest.mark.parametrize(
    ("size", "reason"), [(4e-4, "lower-precision"), (3e-3, "lower-precision"), (1e-6, ""), (0.5, ""), (None, "")]
)
def test_a_timed_output_tells_lower_precision_by_the_size_of_its_errors(size: float | None, reason: str) -> None:
    timing = Timing(words="not measured: your kernel: row 0 of C is wrong", relative_error=size)
    found = listed(LAB, result(timing, Verdict.PASS, Verdict.PASS, Verdict.WRONG_ANSWER))
    assert (found.reason if isinstance(found, Apart) else "") == reason


def test_a_kernel_that_a_person_has_to_look_at_waits() -> None:
    found = listed(LAB, result(TIMED.model_copy(update={"review": "too fast"}), Verdict.PASS, Verdict.PASS))
    assert found == Apart("anna", "to-be-looked-at", "too fast")


def test_without_a_gpu_nobody_is_ranked() -> None:
    found = listed(LAB, result(Timing(words="there was no GPU"), Verdict.PASS, Verdict.PASS))
    assert found == Apart("anna", "not-measured", "there was no GPU")


def test_another_gpu_is_another_list() -> None:
    ours = listed(LAB, result(TIMED, Verdict.PASS, Verdict.PASS))
    other = listed(LAB, result(TIMED.model_copy(update={"device": "B GPU"}), Verdict.PASS, Verdict.PASS))
    assert ours is not None
    assert other is not None
    assert [type(one) for one in on_one_gpu([ours, other, ours])] == [Entry, Apart, Entry]


def test_the_share_of_a_library_comes_from_the_sweep_s_point_of_the_same_shape() -> None:
    def at(shape: str, library_ms: float) -> SweepPoint:
        def kernel(name: str, middle: float) -> SweepTime:
            return SweepTime(name=name, milliseconds=middle, low_ms=middle, high_ms=middle, gflops=1, gbytes=1)

        return SweepPoint(shape=shape, sizes=(8,), kernels=(kernel("student", 0.5), kernel("cublas", library_ms)))

    swept = TIMED.model_copy(update={"sweep": (at("M=9 N=9 K=9", 0.4), at("M=8 N=8 K=8", 0.125))})
    found = listed(LAB, result(swept, Verdict.PASS, Verdict.PASS))
    assert isinstance(found, Entry)
    assert found.of_library == Ratio(low=0.25, middle=0.25, high=0.25)
