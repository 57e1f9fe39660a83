"""Warp operations with a lane that takes no part: who takes part and who gets nothing, held against what the executor recorded."""

from __future__ import annotations

from grader.explain.story import Question
from grader.run.launches.trace_phases import StepKind
from tests.grader.explain.stories.conftest import Tell, reject

LAB = "06-reduction"


def right(question: Question) -> str:
    return question.choices[question.answer]


def test_lanes_that_read_from_one_that_has_left_are_those_that_got_nothing(tell: Tell) -> None:
    traced, told = tell(LAB, reject(LAB, "full_mask_in_a_branch"), "40")
    story = told["lanes"].story
    assert traced.report.trace is not None
    operations = [
        step
        for step in traced.report.trace.steps
        if step[0] == StepKind.EXCHANGE and step[1] // 32 == 1 and step[4] >= 16
    ]
    nothing = [step[1] % 32 for step in operations[:8] if step[5] == 0]
    assert nothing == list(range(8))
    (mark,) = story.runs[0].marks
    shown = story.runs[0].steps[mark.step]
    assert shown.kind is StepKind.EXCHANGE
    assert [lane for lane, bits in zip(shown.lanes, shown.bits, strict=True) if bits is None] == nothing
    assert dict(zip(shown.lanes, shown.offsets, strict=True))[0] == 16
    assert mark.threads == (32, 48)
    assert "7 more lanes: lanes 1 to 7" in story.summary
    who, gets = story.questions
    assert right(who) == "lanes 0 to 7"
    assert right(gets) == "a value that CUDA does not define"


def test_a_lane_that_its_own_mask_leaves_out_takes_part_in_nothing(tell: Tell) -> None:
    _, told = tell(LAB, reject(LAB, "mask_of_half_a_warp"), "40")
    story = told["lanes"].story
    assert (
        "Lane 16, thread (16,0,0), calls it with the mask 0x0000ffff, which does not name lane 16 itself"
        in story.summary
    )
    assert story.runs[0].steps[story.runs[0].marks[0].step].lanes == (16,)


def test_a_lane_past_the_end_of_the_block_does_not_exist(tell: Tell) -> None:
    text = (
        reject(LAB, "full_mask_in_a_branch")
        .replace("threads = 256", "threads = 40")
        .replace("if (i < n)", "if (i < 4096)")
    )
    text = text.replace("float mine = in[i]", "float mine = i < n ? in[i] : 0")
    _, told = tell(LAB, text, "40")
    assert "Lane 16 does not exist: the block ends before it." in told["lanes"].story.summary


def test_an_unset_element_of_memory_is_no_story_of_lanes(tell: Tell) -> None:
    _, told = tell(LAB, reject(LAB, "nothing_past_the_end"), "40")
    assert set(told) == {"unset"}
