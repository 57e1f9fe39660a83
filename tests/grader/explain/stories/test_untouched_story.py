"""Elements that no thread writes or reads: who should have, held against the recorded steps and against the launch's result."""

from __future__ import annotations

import re

from grader.explain.recording import element_name
from grader.explain.story import Question, thread_number
from grader.run.launches.lab_launch import Traced
from grader.run.launches.trace_phases import ACCESSES, CHANGES
from tests.grader.explain.stories.conftest import ROOT, Tell, reject

NAIVE = (ROOT / "solutions" / "01-naive" / "matmul_naive.cu").read_text()
GUARD = "if (row >= M || col >= N) return;"


def right(question: Question) -> str:
    return question.choices[question.answer]


def touched(traced: Traced, name: str, kinds: frozenset[int]) -> set[str]:
    assert traced.report.trace is not None
    trace = traced.report.trace
    return {element_name(trace, one) for one in trace.steps if one[0] in kinds and trace.arrays[one[3]].name == name}


def test_the_thread_that_a_guard_keeps_away_is_named_with_the_guard_and_its_numbers(tell: Tell) -> None:
    text = NAIVE.replace(GUARD, "if (row >= M - 1 || col >= N) return;")
    traced, told = tell("01-naive", text, "20x30x4", (0, 1, 0))
    story = told["untouched"].story
    assert story.title.endswith("no thread writes C[19][0]")
    assert "C[19][0]" not in touched(traced, "C", CHANGES)
    wrong = traced.report.launch.mismatch
    assert wrong is not None
    assert f"{wrong.unwritten} elements of C are like that" in story.summary
    who, why = story.questions
    assert right(who) == "thread (0,3,0)"
    assert right(why) == "`row >= M - 1 || col >= N` in line 26 is true for it"
    assert text.split("\n")[25].strip().startswith("if (row >= M - 1")
    assert who.step < why.step < len(story.runs[0].steps)
    assert traced.report.trace is not None
    assert all(step[1] != thread_number((0, 3, 0), (16, 16, 1)) for step in traced.report.trace.steps)


def test_the_steps_of_a_thread_that_computes_and_does_not_store_are_shown(tell: Tell) -> None:
    text = NAIVE.replace("C[row * N + col] = sum;", "if (threadIdx.x % 3 != 2) C[row * N + col] = sum;")
    traced, told = tell("01-naive", text, "8x8x8")
    story = told["untouched"].story
    assert right(story.questions[0]) == "thread (2,0,0)"
    own = [mark for mark in story.runs[0].marks if "last access of thread (2,0,0)" in mark.text]
    assert len(own) == 1
    assert traced.report.trace is not None
    last = [step for step in traced.report.trace.steps if step[1] == 2 and step[0] in ACCESSES][-1]
    shown = story.runs[0].steps[own[0].step]
    assert (shown.array, shown.offsets) == (last[3], (last[4],))


def test_a_grid_that_ends_too_early_lacks_the_block_that_is_named(tell: Tell) -> None:
    traced, told = tell("01-naive", reject("01-naive", "grid_misses_the_edge"), "9x33x5", (1, 0, 0))
    story = told["untouched"].story
    assert traced.report.launch.grid == (2, 1, 1)
    assert "thread (0,0,0) of block (2,0,0), which this grid of 2 x 1 blocks does not have" in story.summary
    (question,) = story.questions
    assert right(question) == "a thread that this grid does not have"


def test_a_place_before_the_first_thread_belongs_to_no_block(tell: Tell) -> None:
    text = NAIVE.replace("blockIdx.y * blockDim.y + threadIdx.y", "blockIdx.y * blockDim.y + threadIdx.y + 1")
    _, told = tell("01-naive", text, "8x8x8")
    assert "thread (0,-1,0), which no block has" in told["untouched"].story.summary


def test_inputs_that_no_thread_reads_are_told_where_one_block_does_everything(tell: Tell) -> None:
    traced, told = tell("07-histogram", reject("07-histogram", "whole_blocks_only"), "300x8")
    story = told["untouched"].story
    read = touched(traced, "values", ACCESSES)
    missing = re.search(r"No thread reads values\[(\d+)\], like (\d+) more", story.summary)
    assert missing is not None
    assert f"values[{missing[1]}]" not in read
    assert len(read) + int(missing[2]) + 1 == 300


def test_a_launch_whose_elements_are_all_written_has_no_such_story(tell: Tell) -> None:
    _, told = tell("01-naive", reject("01-naive", "forgets_to_accumulate"))
    assert set(told) == {"sum"}


def test_where_nobody_writes_to_the_result_at_all_the_question_is_how_many_do(tell: Tell) -> None:
    traced, told = tell("01-naive", reject("01-naive", "writes_nothing"), "8x8x8")
    assert touched(traced, "C", CHANGES) == set()
    (question,) = told["untouched"].story.questions
    assert right(question) == "none"


def test_an_element_of_one_row_has_one_subscript(tell: Tell) -> None:
    _, told = tell("01-naive", reject("01-naive", "writes_nothing"), "1x8x8")
    assert told["untouched"].story.title.endswith("no thread writes C[0]")
