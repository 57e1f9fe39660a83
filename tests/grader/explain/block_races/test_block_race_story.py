"""Races between blocks: each order is a run of its own, and what the story says of it is what the executor recorded."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from grader.engines.toolset import Toolset
from grader.explain.page_block import page_block
from grader.explain.race_story import race_of, story_of_race, told_race
from grader.explain.story import Story
from grader.model.labs import load_lab
from grader.run.launches.lab_launch import Run, Traced, TraceRequest, launch_builder
from grader.run.launches.trace_phases import BESIDE_FROM, CHANGES, StepKind
from tests.grader.explain.stories.conftest import ROOT, reject

PLAIN = reject("06-reduction", "blocks_add_without_atomic")
OVERWRITES = PLAIN.replace("sum[0] += parts[0]", "sum[0] = parts[0]")
# The block that runs first is the first to use another array: the two orders number them differently.
READS = PLAIN.replace(
    "if (t == 0) sum[0] += parts[0];",
    "if (t == 0 && blockIdx.x == 0) sum[0] = parts[0];\n  if (t == 0 && blockIdx.x == 1) parts[0] = sum[0] + in[0];",
)
GREATEST = PLAIN.replace("sum[0] += parts[0];", "sum[0] = max(sum[0], parts[0]);")


@pytest.fixture(scope="module")
def toolset() -> Toolset:
    return Toolset.open(ROOT, allow_no_sandbox=True)


@pytest.fixture(scope="module")
def runs(toolset: Toolset, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Run]:
    def of(text: str) -> Run:
        lab = load_lab(ROOT, "06-reduction")

        return launch_builder(toolset, lab, tmp_path_factory.mktemp("run"))(text.encode())

    return of


@pytest.fixture(scope="module")
def lost(toolset: Toolset, runs: Callable[[str], Run], tmp_path_factory: pytest.TempPathFactory) -> Story:
    run = runs(PLAIN)
    build = launch_builder(toolset, load_lab(ROOT, "06-reduction"), tmp_path_factory.mktemp("story"))
    story = story_of_race(run(TraceRequest("600")), run, build, PLAIN.encode(), between=True)
    assert story is not None
    return story


def changes(traced: Traced) -> list[tuple[int, int]]:
    """Of the sum: by which thread, and what it holds then."""
    trace = traced.report.trace
    assert trace is not None
    return [
        (step[1], int(trace.arrays[step[3]].value(step[6], step[5])))
        for step in trace.steps
        if step[0] in CHANGES and trace.arrays[step[3]].name == "sum"
    ]


def test_a_change_is_lost_in_a_run_in_which_both_read_before_either_writes(
    lost: Story, runs: Callable[[str], Run]
) -> None:
    run = runs(PLAIN)
    request = TraceRequest("600", beside=(2, 0, 0))
    forward, backward = run(request), run(replace(request, reversed=True))
    held = run(replace(request, held=(0, 0)))
    assert [who for who, _ in changes(forward)] == [0, BESIDE_FROM]
    assert [who for who, _ in changes(backward)] == [BESIDE_FROM, 0]
    assert [who for who, _ in changes(held)] == [BESIDE_FROM, 0]
    whole, gone = changes(forward)[-1][1], changes(held)[-1][1]
    assert changes(backward)[-1][1] == whole
    assert gone == changes(forward)[0][1] != whole
    assert (forward.report.launch.mismatch is None, held.report.launch.mismatch is None) == (True, False)
    assert f"sum[0] holds {whole} after both" in lost.summary
    assert f"it holds {gone}: one change is lost. That launch's result is wrong." in lost.summary
    assert [one.title for one in lost.runs] == [
        "Block (0,0,0) is first",
        "Block (2,0,0) is first",
        "Both read before either writes",
        "With atomicAdd in line 18",
    ]
    assert "was held before its write in line 18 until all other blocks had ended" in lost.runs[2].schedule
    ends = [one.marks[-1] for one in lost.runs]
    assert [mark.tone for mark in ends] == ["good", "good", "bad", "good"]


def test_what_the_lost_change_leaves_is_asked_before_it_is_shown(lost: Story) -> None:
    first, second = lost.questions
    held = lost.runs[2]
    assert first.run == 2
    assert held.steps[first.step].kind.name == "WRITE"
    assert f"it holds {first.choices[first.answer]} now" in held.marks[-1].text
    assert second.run == 3
    assert f"it holds {second.choices[second.answer]} now" in lost.runs[3].marks[-1].text


def test_a_page_of_two_blocks_names_both_and_shows_no_shared_arrays(lost: Story) -> None:
    assert (lost.at, lost.beside) == ((0, 0, 0), (2, 0, 0))
    for run in lost.runs:
        assert {step.warp for step in run.steps} == {0, BESIDE_FROM // 32}
        assert {run.arrays[step.array].space for step in run.steps} == {"global"}
    assert '"beside":[2,0,0]' in page_block(lost)


def test_blocks_that_overwrite_each_other_are_told_in_two_orders(runs: Callable[[str], Run]) -> None:
    run = runs(OVERWRITES)
    story = told_race(run(TraceRequest("600")), run, OVERWRITES.split("\n"), between=True)
    assert story is not None
    assert len(story.runs) == 2
    (question,) = story.questions
    last = [one.marks[-1].text for one in story.runs]
    assert f"it holds {question.choices[question.answer]} now" in last[0]
    assert last[0] != last[1]
    assert "whichever block comes last decides" in story.summary


def test_what_another_block_writes_is_read_before_or_after(runs: Callable[[str], Run]) -> None:
    run = runs(READS)
    story = told_race(run(TraceRequest("600")), run, READS.split("\n"), between=True)
    assert story is not None
    assert len(story.runs) == 2
    kinds = [[step.kind for step in one.steps if one.arrays[step.array].name == "sum"] for one in story.runs]
    assert kinds[0] == kinds[1][::-1]


def test_where_no_atomic_function_takes_the_type_the_story_is_told_without_one(
    runs: Callable[[str], Run], toolset: Toolset, tmp_path: Path
) -> None:
    """There is no atomicMax for float."""
    run = runs(GREATEST)
    build = launch_builder(toolset, load_lab(ROOT, "06-reduction"), tmp_path)
    story = story_of_race(run(TraceRequest("600")), run, build, GREATEST.encode(), between=True)
    assert story is not None
    assert not any("atomicMax" in one.title for one in story.runs)


def test_a_race_within_a_block_and_a_launch_without_one_are_no_such_story(runs: Callable[[str], Run]) -> None:
    text = PLAIN.replace("sum[0] += parts[0]", "atomicAdd(sum, parts[0])")
    assert race_of(runs(text)(TraceRequest("600")).report.launch, between=True) is None
    within = runs(text.replace("    __syncthreads();\n  }", "  }"))(TraceRequest("200"))
    assert within.report.launch.findings
    assert race_of(within.report.launch, between=True) is None


def test_a_run_that_fails_leaves_no_story(runs: Callable[[str], Run], tmp_path: Path) -> None:
    def fails(_: TraceRequest) -> Traced:
        raise subprocess.TimeoutExpired(str(tmp_path), 1)

    assert told_race(runs(PLAIN)(TraceRequest("600")), fails, [], between=True) is None


def test_other_blocks_are_not_held_and_steps_of_a_held_thread_stay_in_its_order(runs: Callable[[str], Run]) -> None:
    held = runs(PLAIN)(TraceRequest("600", beside=(1, 0, 0), held=(0, 0)))
    trace = held.report.trace
    assert trace is not None
    own = [step[0] for step in trace.steps if step[1] == 0 and step[0] != StepKind.BARRIER]
    plain = runs(PLAIN)(TraceRequest("600", beside=(1, 0, 0))).report.trace
    assert plain is not None
    assert own == [step[0] for step in plain.steps if step[1] == 0 and step[0] != StepKind.BARRIER]
