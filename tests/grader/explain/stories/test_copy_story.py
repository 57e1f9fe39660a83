"""Elements that are copies from a wrong place: what the story says is held against the inputs and the recorded steps."""

from __future__ import annotations

import re

from grader.explain.recording import element_name
from grader.run.launches.trace_phases import CHANGES, StepKind
from tests.grader.explain.stories.conftest import ROOT, Tell, reject
from tests.grader.explain.stories.test_untouched_story import right

MODEL = (ROOT / "solutions" / "05-transpose" / "transpose_tiled.cu").read_text()


def test_where_the_value_came_from_and_where_the_right_one_is_are_what_was_recorded(tell: Tell) -> None:
    traced, told = tell("05-transpose", reject("05-transpose", "tile_not_turned"), "20x20")
    story, trace = told["copy"].story, traced.report.trace
    assert trace is not None
    (given,) = traced.report.inputs
    assert "stores" in story.summary
    stored = re.search(r"stores ([\d.]+) in out\[0\]\[1\]", story.summary)
    assert stored is not None
    assert float(stored[1]) == given.values[1]
    assert f"in[1][0] = {given.values[20]:g} belongs there" in story.summary
    wrote = {element_name(trace, one): one for one in trace.steps if one[0] in CHANGES and one[6]}
    assert trace.arrays[2].value(wrote["turning[1][0]"][6], 4) == given.values[20]
    which, of_input = story.questions
    assert right(which) == "turning[0][1]"
    assert "`turning[y][x]`" in which.text
    assert right(of_input) == "in[0][1]"
    read, store = (story.runs[0].steps[one.step] for one in story.questions)
    assert (read.kind, store.kind) == (StepKind.READ, StepKind.WRITE)
    assert read.lanes == store.lanes == (1,)


def test_a_right_element_that_this_block_never_loads_is_told_as_that(tell: Tell) -> None:
    traced, told = tell("05-transpose", reject("05-transpose", "tile_stays_in_its_place"), "64x64", (1, 0, 0))
    trace = traced.report.trace
    assert trace is not None
    read = {element_name(trace, one) for one in trace.steps if one[0] == StepKind.READ}
    assert "in[0][32]" in read
    assert "in[32][0]" not in read
    assert "No thread of this block ever reads in[32][0]" in told["copy"].story.summary


def test_a_copy_without_shared_memory_is_told_by_what_the_line_reads(tell: Tell) -> None:
    store, reads = "out[(left + y) * M + top + x] = ", "in[(left + y) * N + top + x]"
    plain = MODEL.replace("__syncthreads();", "").replace(f"{store}turning[x][y]", f"{store}{reads}")
    _, told = tell("05-transpose", plain, "32x32")
    story = told["copy"].story
    assert "`in[(left + y) * N + top + x]` in line" in story.summary
    assert "is in[0][1] for this thread" in story.summary


def test_nothing_is_told_of_values_that_were_changed_on_the_way(tell: Tell) -> None:
    changed = reject("05-transpose", "tile_not_turned").replace("= turning[y][x];", "= turning[y][x] + 1000.0f;")
    _, told = tell("05-transpose", changed, "32x32")
    assert "copy" not in told


def test_a_right_kernel_has_no_story(tell: Tell) -> None:
    assert tell("05-transpose", MODEL, "32x32")[1] == {}
