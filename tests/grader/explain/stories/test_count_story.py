"""Wrong counts of a histogram: what a story says is held against the values, which are counted here once more."""

from __future__ import annotations

import re

import pytest

from tests.grader.explain.stories.conftest import ROOT, Tell, reject
from tests.grader.explain.stories.test_untouched_story import right

LAB = "07-histogram"
MODEL = (ROOT / "solutions" / LAB / "histogram.cu").read_text()
GUARD = "if (value >= 0 && value < bin_count) atomicAdd(&own[value], 1u);"
PASSES = "for (int bin = threadIdx.x; bin < bin_count; bin += threads) atomicAdd(&bins[bin], own[bin]);"


def changed(before: str, after: str) -> str:
    assert before in MODEL
    return MODEL.replace(before, after)


def test_a_value_outside_that_is_counted_is_named(tell: Tell) -> None:
    traced, told = tell(LAB, reject(LAB, "outside_goes_to_the_ends"), "40x8")
    story = told["sum"].story
    named = re.search(r"values\[(\d+)\] = (-?\d+) and counts it in own\[0\]", story.summary)
    assert named is not None
    assert traced.report.inputs[0].values[int(named[1])] == int(named[2]) != 0
    assert right(story.questions[0]) == "other values are counted in it"


def test_values_that_are_not_counted_are_named_with_their_number(tell: Tell) -> None:
    traced, told = tell(LAB, changed("value >= 0 &&", "value > 0 &&"), "40x8")
    values = traced.report.inputs[0].values
    assert f"So it is with {values.count(0)} values" in told["sum"].story.summary
    assert right(told["sum"].story.questions[0]) == "some of its values are not counted in it"


def test_a_count_that_is_passed_on_again_or_cut_is_told(tell: Tell) -> None:
    _, told = tell(
        LAB, changed(PASSES, "for (int bin = 0; bin < bin_count; ++bin) atomicAdd(&bins[bin], own[bin]);"), "40x8"
    )
    assert "own[0] is added to bins[0] 256 times" in told["sum"].story.summary
    traced, told = tell(LAB, reject(LAB, "counts_cut_to_a_byte"), "1000x2")
    zeros = traced.report.inputs[0].values.count(0)
    assert f"which is {zeros}, but adds {zeros % 256} to bins[0]" in told["sum"].story.summary


def test_a_value_that_is_added_itself_is_told(tell: Tell) -> None:
    _, told = tell(LAB, changed("atomicAdd(&own[value], 1u)", "atomicAdd(&own[value], value)"), "40x8")
    assert "adds 0 to own[0]" in told["sum"].story.summary
    assert right(told["sum"].story.questions[0]) == "something else than 1 is added for a value"


@pytest.mark.parametrize(
    "counting",
    [
        "staged[threadIdx.x] = value; const int v = staged[threadIdx.x]; if (v > 0 && v < bin_count) atomicAdd(&own[v], 1u);",
        "staged[threadIdx.x] = value; const int v = staged[threadIdx.x]; if (v > 0 && v < bin_count) atomicAdd(&bins[v], 1u);",
    ],
)
def test_nothing_is_told_where_values_come_by_way_of_shared_memory(counting: str, tell: Tell) -> None:
    text = changed(GUARD, counting).replace(
        "extern __shared__", "__shared__ volatile int staged[threads];\n  extern __shared__"
    )
    assert "sum" not in tell(LAB, text, "40x8")[1]


def test_a_right_histogram_has_no_story(tell: Tell) -> None:
    assert tell(LAB, MODEL, "40x8")[1] == {}
