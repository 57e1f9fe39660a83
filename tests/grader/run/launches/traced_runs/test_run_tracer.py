"""A launch that a student's own host code makes, traced as it makes it."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from grader.cli.launches.trace_command import NoLaunchError, RunTraces, TracedRun, run_parts
from grader.engines.toolset import Toolset
from grader.explain.race_story import story_of_race
from grader.model.labs import load_lab
from grader.model.verdicts import Verdict
from grader.pages.launches.trace_tables import as_text
from grader.run.launches.lab_launch import LaunchRefusedError, TraceRequest
from grader.run.launches.trace_phases import BESIDE_FROM

pytestmark = pytest.mark.in_turn(3)

ROOT = Path(__file__).resolve().parents[5]
TWO = (ROOT / "tests" / "labs" / "traced_runs" / "two_launches.cu").read_bytes()
SEVERAL = TraceRequest("1000")  # four blocks


@pytest.fixture(scope="module")
def toolset() -> Toolset:
    return Toolset.open(ROOT, allow_no_sandbox=True, backend="cpu")


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def traces(toolset: Toolset, scratch: Path) -> RunTraces:
    return RunTraces(toolset, load_lab(ROOT, "08-scan"), scratch)


@pytest.fixture(scope="module")
def found(traces: RunTraces) -> TracedRun:
    return traces.trace(TWO, SEVERAL, finds_block=True)


def test_the_first_launch_with_a_finding_is_traced_with_the_block_of_its_first_mistake(found: TracedRun) -> None:
    launch = found.traced.report.launch
    assert found.run is not None
    assert found.followed is not None
    assert (found.run.total, found.followed.number, found.followed.kernel) == (2, 2, "add_sums")
    assert launch.shape == "n=1000, launch 2 of 2: add_sums"
    assert (launch.grid, launch.block, found.traced.request.block) == ((4, 1, 1), (256, 1, 1), (3, 0, 0))
    assert launch.verdict is Verdict.OUT_OF_BOUNDS
    assert {one.element for one in launch.findings} == {"out[1000]"}


def test_the_launch_finds_in_memory_what_the_one_before_has_left_there(found: TracedRun) -> None:
    trace = found.traced.report.trace
    assert trace is not None
    sums = next(number for number, one in enumerate(trace.arrays) if one.name == "sums")
    read = {step[4] // 4: int(trace.arrays[sums].value(step[6], step[5])) for step in trace.steps if step[3] == sums}
    assert sorted(read) == [0, 1, 2, 3]
    first = found.again(dataclasses.replace(SEVERAL, block=(0, 0, 0))).report.trace
    assert first is not None
    assert 0 not in read.values()
    assert {one.name: one.dimensions for one in trace.arrays} == {"sums": (4,), "out": (1000,)}


def test_the_run_is_told_with_each_launch_and_which_one_is_followed(found: TracedRun) -> None:
    text = as_text(list(run_parts(found)))
    assert "The run: 2 launches" in text
    assert "» 2" in text
    assert "out-of-bounds in line" in text
    assert "Launch 2 is followed" in text


def test_two_blocks_can_be_recorded_and_a_launch_be_reversed(found: TracedRun) -> None:
    forward = found.again(TraceRequest("1000", block=(0, 0, 0), beside=(1, 0, 0))).report.trace
    backward = found.again(TraceRequest("1000", block=(0, 0, 0), beside=(1, 0, 0), reversed=True)).report.trace
    assert forward is not None
    assert backward is not None
    assert [trace.steps[0][1] >= BESIDE_FROM for trace in (forward, backward)] == [False, True]


def test_a_launch_is_chosen_by_number_or_by_kernel(traces: RunTraces) -> None:
    build = dataclasses.replace(traces, launch="scan_blocks").build(TWO)
    launch = build(SEVERAL).report.launch
    assert launch.shape == "n=1000, launch 1 of 2: scan_blocks"
    assert not launch.findings
    assert launch.verdict is Verdict.OUT_OF_BOUNDS  # of the run: this launch alone is right, but it is not mended
    with pytest.raises(LaunchRefusedError, match="2 launches"):
        dataclasses.replace(traces, launch="7").build(TWO)(SEVERAL)


def test_what_cannot_be_traced_is_said(traces: RunTraces, found: TracedRun) -> None:
    with pytest.raises(LaunchRefusedError, match=r"block \(9, 0, 0\) is outside the grid: launch 2 has 4 x 1 x 1"):
        found.again(dataclasses.replace(SEVERAL, block=(9, 0, 0)))
    with pytest.raises(LaunchRefusedError, match="32, 256"):
        traces.build(TWO)(TraceRequest("7"))
    with pytest.raises(LaunchRefusedError, match=r"scan\.cu:1: compile-error"):
        traces.build(b"int scan() { return x; }\n")
    nothing = b"void scan(const int* in, int* out, int n) {}\n"
    with pytest.raises(NoLaunchError, match="launches no kernel that begins"):
        traces.trace(nothing, TraceRequest(), finds_block=True)


def test_a_race_in_a_launch_of_ones_own_is_shown_in_both_orders_and_mended(traces: RunTraces) -> None:
    source = TWO.replace(b"  __syncthreads();\n  for", b"  for")
    one = traces.trace(source, TraceRequest("32"), finds_block=True)
    assert one.traced.report.launch.verdict is Verdict.RACE
    story = story_of_race(one.traced, one.again, traces.build, source)
    assert story is not None
    assert len(story.runs) == 3


def test_a_whole_programs_launch_is_traced_on_the_numbers_of_a_public_test(toolset: Toolset, scratch: Path) -> None:
    program = (ROOT / "solutions" / "00-first-program" / "vector_add.cu").read_bytes()
    lab = load_lab(ROOT, "00-first-program")
    found = RunTraces(toolset, lab, scratch).trace(program, TraceRequest("1000"), finds_block=False)
    launch = found.traced.report.launch
    assert (launch.verdict, launch.shape) == (Verdict.PASS, "n=1000, add")
    assert found.traced.steps is not None
    trace = found.traced.report.trace
    assert trace is not None
    assert [one.name for one in trace.arrays] == ["a", "b", "c"]
