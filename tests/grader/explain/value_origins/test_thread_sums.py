"""Threads with several sums: which products are in each, from what was read and stored."""

from __future__ import annotations

import math
import re

import pytest
from corpus_sample import sample

from grader.explain.product_sum import products_of, stored_elements, sum_in
from grader.explain.recording import Recording
from tests.grader.explain.stories.conftest import ROOT, Tell

pytestmark = pytest.mark.in_turn(4)

LADDER = ROOT / "solutions" / "04-open" / "ladder"
TILE = (LADDER / "02_register_tile.cu").read_text()
SHAPE = "32x32x32"


def sums_are_right(tell: Tell, text: str, expected: int) -> None:
    """Of a right kernel: every element that thread 33 stores is the sum of exactly its own products."""
    traced, told = tell("04-open", text, SHAPE)
    assert told == {}
    recording = Recording.of(traced, ())
    assert recording is not None
    trace, thread = recording.trace, 1
    elements = stored_elements(recording, thread, "C")
    assert len(elements) == expected
    groups, _ = products_of(recording, traced.report.factors, thread)
    output = next(one for one in trace.arrays if one.name == "C")
    stored = {
        output.index(step[4], step[5]): output.value(step[6], step[5])
        for step in trace.steps
        if step[1] == thread and step[0] == 1 and trace.arrays[step[3]].name == "C"
    }
    for row, column in elements:
        found = sum_in(groups, (row, column), elements, stored[row, column], 32)
        assert found is not None
        assert {one.indices for one in found.products if None not in one.indices} == {
            ((row, k), (k, column)) for k in range(32)
        }


@pytest.mark.parametrize(
    ("rung", "count"),
    sample([("01_column_of_outputs", 8), ("03_vector_loads", 64), ("05_double_buffer", 16), ("07_warp_tiles", 32)], 2),
)
def test_each_sum_of_a_right_thread_has_its_own_products(tell: Tell, rung: str, count: int) -> None:
    sums_are_right(tell, (LADDER / f"{rung}.cu").read_text(), count)


def test_products_that_all_sums_of_a_thread_lack_are_named(tell: Tell) -> None:
    traced, told = tell("04-open", TILE.replace("k < depth; ++k", "k < depth - 1; ++k"), SHAPE)
    story = told["sum"].story
    assert "It lacks the products of k = 7, 15, 23, 31: the thread never reads them." in story.summary
    assert "The thread has 64 sums" in story.summary
    a, b = ({one.name: one for one in traced.report.inputs}[name].values for name in "AB")
    stored = re.search(r"stores (\d+) in C\[0\]\[0\]", story.summary)
    assert stored is not None
    assert float(stored[1]) == math.fsum(a[k] * b[k * 32] for k in range(32) if k % 8 != 7)


def test_a_sum_that_multiplies_a_neighbours_column_says_which(tell: Tell) -> None:
    _, told = tell("04-open", TILE.replace("b[j] = Bs[k][column + j]", "b[j] = Bs[k][column + j / 2]"), SHAPE)
    story = told["sum"].story
    assert "the sum in C[0][1]" in story.title
    assert "its elements of B come from column 0, and column 1 belongs here" in story.summary
    mark = story.runs[0].marks[-1]
    shown = story.runs[0].steps[mark.step]
    assert (shown.array, shown.offsets) == (mark.elements[0].array, (mark.elements[0].offset,))


def test_sums_that_change_places_are_told_as_such(tell: Tell) -> None:
    _, told = tell("04-open", TILE.replace("sums[i][j] += a[i] * b[j]", "sums[j][i] += a[i] * b[j]"), SHAPE)
    assert "it is stored in the wrong place" in told["sum"].story.summary


def test_products_that_were_added_and_forgotten_are_named(tell: Tell) -> None:
    text = TILE.replace("sums[i][j] += a[i] * b[j]", "sums[i][j] = (k == 0 ? 0.0f : sums[i][j]) + a[i] * b[j]")
    _, told = tell("04-open", text, SHAPE)
    assert "It lacks the products of k = 0 to 23: the thread reads them, but they are not" in told["sum"].story.summary
