"""Both orders of a race, from two traces of the same launch. Traces are made by hand; that the runs are real is another test's matter."""

from __future__ import annotations

import struct
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from grader.explain.race_story import story_of_race, told_race
from grader.explain.story import Story
from grader.model.labs import load_lab
from grader.model.result import Finding, Launch, Site
from grader.model.verdicts import Verdict
from grader.run.launches.added_barrier import AddedBarrier
from grader.run.launches.lab_launch import Run, Traced, TraceRequest
from grader.run.launches.trace_phases import Step, StepKind, Trace, TracedArray, TracedPlace, TraceReport

ROOT = Path(__file__).resolve().parents[4]
LAB = load_lab(ROOT, "02-tiled")
FILE = LAB.public.file
SOURCE = ["s[threadIdx.x] = in[threadIdx.x];", "", "out[threadIdx.x] = s[1 - threadIdx.x];"]
ARRAYS = tuple(
    TracedArray(name=name, space=space, element="float", element_bytes=4, dimensions=(2,))
    for name, space in (("s", "shared"), ("out", "global"))
)
S, OUT = 0, 1
WRITE_LINE, READ_LINE = 0, 1


def bits(value: float) -> int:
    return int.from_bytes(struct.pack("<f", value), "little")


def step(kind: StepKind, thread: int, array: int, element: int, value: float, place: int, interval: int = 0) -> Step:
    return int(kind), thread, interval, array, 4 * element, 4, bits(value), place, 0, 0


def writes(thread: int) -> Step:
    return step(StepKind.WRITE, thread, S, thread, 10.0 + thread, WRITE_LINE)


def reads(thread: int, value: float, interval: int = 0) -> Step:
    return step(StepKind.READ, thread, S, 1 - thread, value, READ_LINE, interval)


def stores(thread: int, value: float, interval: int = 0) -> Step:
    return step(StepKind.WRITE, thread, OUT, thread, value, READ_LINE, interval)


NAN = float("nan")
# Thread 0 writes s[0]; thread 1 reads it. First thread 0 runs to its end, then thread 1; and the other way round.
FORWARD = (writes(0), reads(0, NAN), stores(0, NAN), writes(1), reads(1, 10), stores(1, 10))
BACKWARD = (writes(1), reads(1, NAN), stores(1, NAN), writes(0), reads(0, 11), stores(0, 11))
BARRIER: Step = (int(StepKind.BARRIER), 0, 0, 0, 0, 0, 0, WRITE_LINE, 0, 0)
MENDED = (writes(0), writes(1), BARRIER, reads(0, 11, 1), stores(0, 11, 1), reads(1, 10, 1), stores(1, 10, 1))
RACE = Finding(
    kind=Verdict.RACE, message="a race", file=FILE, line=1, access="write", block=(0, 0, 0), thread=(0, 0, 0),
    array="s", element="s[0]", other=Site(file=FILE, line=3, access="read", block=(0, 0, 0), thread=(1, 0, 0)),
)  # fmt: skip


def traced(steps: tuple[Step, ...], *findings: Finding, reversed_: bool = False, read_line: int = 3) -> Traced:
    verdict = findings[0].kind if findings else Verdict.PASS
    launch = Launch(shape="n=2", inputs="random", verdict=verdict, grid=(1, 1, 1), block=(2, 1, 1), findings=findings)
    places = tuple(TracedPlace(file=FILE, function="k", line=line) for line in (1, read_line))
    report = TraceReport(
        factors=(), inputs=(), launch=launch, trace=Trace(arrays=ARRAYS, places=places, steps=steps, complete=True)
    )
    return Traced(LAB.id, FILE, TraceRequest(reversed=reversed_), report)


ADDED = AddedBarrier((1,), (1, 1, 2, 3), traced(MENDED, read_line=4))


def story(added: AddedBarrier | None = ADDED, finding: Finding = RACE) -> Story | None:
    backward = traced(BACKWARD, finding, reversed_=True)
    return told_race(traced(FORWARD, finding), lambda _: backward, SOURCE, lambda *_: added)


def remarks(told: Story, run: int) -> list[tuple[str, str]]:
    return [(mark.tone, mark.text) for mark in told.runs[run].marks]


def test_each_order_is_told_with_what_the_read_gets_in_it() -> None:
    told = story()
    assert told is not None
    assert [run.title for run in told.runs] == [
        "Thread (0,0,0) is first",
        "Thread (1,0,0) is first",
        "With __syncthreads() after line 1",
    ]
    assert ("good", "Thread (1,0,0) reads s[0] and gets 10.") in remarks(told, 0)
    assert ("bad", "Thread (1,0,0) reads s[0] and gets an unwritten value.") in remarks(told, 1)
    assert ("good", "In the end thread (1,0,0) stores out[1] = 10.") in remarks(told, 2)


def test_steps_are_those_of_the_run_in_its_order() -> None:
    told = story()
    assert told is not None
    for run, steps in zip(told.runs, (FORWARD, BACKWARD, MENDED), strict=True):
        kinds = [StepKind(one[0]) for one in steps]
        assert [one.kind for one in run.steps] == kinds
        assert [one.lanes for one in run.steps if one.lanes] == [
            (one[1],) for one in steps if one[0] != StepKind.BARRIER
        ]


def test_lines_of_the_mended_file_are_those_of_the_shown_one() -> None:
    told = story()
    assert told is not None
    mended = told.runs[2]
    assert {mended.places[one.place].line for one in mended.steps} == {1, 3}


def test_what_the_read_gets_is_asked_before_it_is_shown() -> None:
    told = story()
    assert told is not None
    first, second = told.questions
    assert first.choices[first.answer] == "10"
    assert "an unwritten value" in first.choices
    assert (second.run, second.choices[second.answer]) == (2, "10")
    assert any("depends" in choice for choice in second.choices)
    for one in told.questions:
        assert told.runs[one.run].steps[one.step].kind is StepKind.READ


def test_without_a_barrier_that_helps_both_orders_are_told_and_neither_is_called_right() -> None:
    told = story(added=None)
    assert told is not None
    assert len(told.runs) == 2
    assert {tone for run in range(2) for tone, _ in remarks(told, run)} == {"note"}


def test_a_race_between_blocks_has_no_two_orders_in_one_block() -> None:
    assert RACE.other is not None
    other = RACE.model_copy(update={"other": RACE.other.model_copy(update={"block": (1, 0, 0)})})
    assert story(finding=other) is None


def test_two_runs_in_the_same_order_are_no_story() -> None:
    same = traced(FORWARD, RACE)
    again = replace(same, request=TraceRequest(reversed=True))
    assert told_race(same, lambda _: again, SOURCE, lambda *_: ADDED) is None


@pytest.mark.parametrize("error", [RuntimeError("the tracer failed"), subprocess.TimeoutExpired("tracer", 400)])
def test_a_run_that_fails_leaves_no_story(error: Exception) -> None:
    def fails(_: TraceRequest) -> Traced:
        raise error

    def build(_: bytes) -> Run:
        pytest.fail("a file was built")

    assert story_of_race(traced(FORWARD, RACE), fails, build, b"") is None
