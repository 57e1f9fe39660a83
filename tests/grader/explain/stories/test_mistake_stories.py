"""Stories of mistakes, from real launches: what they ask is answered by the recorded steps, which are looked at here in another way."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from grader.engines.toolset import Toolset
from grader.explain.mistake_stories import asking, mistake_stories
from grader.explain.product_sum import factors_of, products_of
from grader.explain.recording import Recording, element_name
from grader.explain.story import Question, Story, spans
from grader.model.labs import load_lab
from grader.run.kernels.kernel_source import read_source
from grader.run.launches.lab_launch import Traced, TraceRequest, launch_builder
from grader.run.launches.trace_phases import CHANGES, StepKind, Trace

ROOT = Path(__file__).resolve().parents[4]
LAB = load_lab(ROOT, "02-tiled")
Told = Callable[..., tuple[Traced, Story]]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    toolset = Toolset.open(ROOT, allow_no_sandbox=True)

    def tell(name: str, lab_id: str = LAB.id, shape: str | None = None) -> tuple[Traced, Story]:
        source = read_source(ROOT / "solutions" / lab_id / "rejects" / f"{name}.cu")
        traced = launch_builder(toolset, load_lab(ROOT, lab_id), tmp_path_factory.mktemp(name))(source)(
            TraceRequest(shape)
        )
        (one,) = mistake_stories(traced, source.decode().split("\n"))
        return traced, one.story

    return tell


def _trace(traced: Traced) -> Trace:
    assert traced.report.trace is not None
    return traced.report.trace


def _right(question: Question) -> str:
    return question.choices[question.answer]


def test_who_never_reaches_a_barrier_and_where_they_are_is_what_the_executor_saw(told: Told) -> None:
    traced, story = told("barrier_for_some")
    trace = _trace(traced)
    first = next(step for step in trace.steps if step[0] == StepKind.BARRIER)[2]
    stands = {
        step[1]: trace.places[step[7]].line
        for step in trace.steps
        if step[0] in {StepKind.WAIT, StepKind.LEAVE} and step[2] == first
    }
    elsewhere = [thread for thread, line in stands.items() if line != 21]
    assert len(stands) == 256
    who, where = story.questions
    assert _right(who) == spans(elsewhere, (16, 16, 1)) == "thread (0,0,0)"
    assert _right(where) == f"it waits in line {stands[0]}"
    kinds = {step.kind for step in story.runs[0].steps}
    assert kinds >= {StepKind.WAIT, StepKind.BARRIER}
    assert who.step < where.step < len(story.runs[0].steps)


def test_who_writes_an_unset_element_is_searched_in_the_whole_trace(told: Told) -> None:
    traced, story = told("half_a_tile_loaded")
    trace = _trace(traced)
    assert story.title.endswith("Bs[8][0]")
    writes = [step for step in trace.steps if step[0] in CHANGES and element_name(trace, step) == "Bs[8][0]"]
    assert writes == []
    gets, writer = story.questions
    assert _right(writer) == "no thread of this block"
    read = story.runs[0].steps[gets.step]
    assert (read.kind, read.bits) == (StepKind.READ, (None,))
    assert "between Bs[0][0] and Bs[7][15]" in story.summary


def test_a_subscript_past_its_row_is_drawn_where_its_address_lies(told: Told) -> None:
    traced, story = told("reads_past_the_tile")
    (question,) = story.questions
    step = story.runs[0].steps[question.step]
    array = story.runs[0].arrays[step.array]
    assert "uses subscript 16 of As" in traced.report.launch.findings[0].message
    assert (step.kind, array.name, step.offsets) == (StepKind.OUTSIDE, "As", (16 * 4,))
    assert _right(question) == "inside As, at As[1][0]"
    assert "`As[ty][k]`" in question.text


def test_a_wrong_sum_is_the_sum_of_the_products_that_the_story_names(told: Told) -> None:
    traced, story = told("tile_transposed")
    inputs = {one.name: one for one in traced.report.inputs}
    named = [re.findall(r"([AB])\[(\d+)\]\[(\d+)\]", mark.text) for mark in story.runs[0].marks]
    assert [("A", "1", "0"), ("B", "1", "0")] in [one[:2] for one in named]
    recording = Recording.of(traced, ())
    assert recording is not None
    groups, _ = products_of(recording, traced.report.factors, 0)
    found = [one.product(0, 0) for one in groups]
    assert {one.shape for one in groups} == {(1, 1)}

    def value(name: str, index: tuple[int, ...] | None) -> float:
        assert index is not None
        return inputs[name].values[index[0] * inputs[name].columns + index[1]]

    total = math.fsum(value("A", one.first.index) * value("B", one.second.index) for one in found)
    stored = re.search(r"stores (\d+) in C\[0\]\[0\]", story.summary)
    assert stored is not None
    assert float(stored[1]) == total
    many, what = story.questions
    own = {((0, k), (k, 0)) for k in range(32)}
    assert _right(many) == str(len({one.indices for one in found} & own))
    assert _right(what) == "elements of A come from a wrong place"


def test_the_factors_follow_from_what_is_expected_where_nobody_names_them(told: Told) -> None:
    traced, _ = told("tile_transposed")
    unnamed = traced.report.model_copy(update={"factors": ()})
    assert factors_of(unnamed) == ("A", "B")
    one, other = unnamed.inputs
    changed = other.model_copy(update={"values": tuple(2 * value for value in other.values)})
    assert factors_of(unnamed.model_copy(update={"inputs": (one, changed)})) == ()
    assert factors_of(unnamed.model_copy(update={"inputs": (one,)})) == ()


def test_a_sum_that_another_element_should_have_is_told_as_that(told: Told) -> None:
    traced, story = told("writes_transposed", "01-naive", "5x8x6")
    a, b = ({one.name: one for one in traced.report.inputs}[name] for name in "AB")
    wrong = re.search(r"stores (\d+) in (C\[0\]\[5\])", story.summary)
    assert wrong is not None
    assert float(wrong[1]) == sum(a.values[k] * b.values[k * b.columns + 1] for k in range(a.columns))
    assert _right(story.questions[-1]) == "it is the whole sum for C[0][1]"
    assert "stored in the wrong place" in story.summary


def test_an_addition_to_what_nobody_has_set_is_told_as_one(told: Told) -> None:
    traced, story = told("own_bins_not_cleared", "07-histogram")
    changed = story.runs[0].steps[story.questions[0].step]
    assert (changed.kind, changed.bits) == (StepKind.ATOMIC, (None,))
    plain = [step for step in _trace(traced).steps if step[0] == StepKind.WRITE and step[3] == changed.array]
    assert plain == []
    assert _right(story.questions[1]) == "no thread of this block"
    assert "No thread of this block ever sets own[2]." in story.summary


def test_a_course_can_turn_the_questions_off(told: Told) -> None:
    _, story = told("reads_past_the_tile")
    quiet = replace(LAB, public=LAB.public.model_copy(update={"step_questions": False}))
    assert asking(story, LAB).questions
    assert asking(story, quiet).questions == ()


def test_threads_are_named_by_what_they_have_in_common() -> None:
    block = (16, 16, 1)
    inner = [x + 16 * y for y in range(16) for x in range(4, 16)]
    assert spans(inner, block) == "threads with x from 4 to 15 and y from 0 to 15"
    assert spans(range(64), block) == "threads (0,0,0) to (15,3,0)"
    assert (
        spans([one for one in range(256) if one not in {17, 40, 90}], (256, 1, 1))
        == "all threads but (17,0,0), (40,0,0), (90,0,0)"
    )
    assert spans([7], (32, 1, 1)) == "thread (7,0,0)"
