"""Wrong sums: which elements are in them how often is computed here once more, by other means than the recorded steps."""

from __future__ import annotations

from collections import Counter

from grader.explain.story import Question
from tests.grader.explain.stories.conftest import ROOT, Tell, reject
from tests.grader.explain.stories.test_untouched_story import right

LAB = "06-reduction"
MODEL = (ROOT / "solutions" / LAB / "sum_reduce.cu").read_text()


def _lanes_after_shuffling_down(count: int) -> Counter[int]:
    """Of the elements 0 to count - 1, one in each lane: how often each is in the sum of all lanes' sums."""
    whole: Counter[int] = Counter()
    for warp in range(0, count, 32):
        lanes = [Counter({one: 1} if one < count else {}) for one in range(warp, warp + 32)]
        for step in (16, 8, 4, 2, 1):
            lanes = [lanes[one] + lanes[one + step if one + step < 32 else one] for one in range(32)]
        whole.update(sum(lanes, Counter()))
    return whole


def _how_often(story_question: Question) -> tuple[int, int]:
    return int(story_question.text.partition("[")[2].partition("]")[0]), int(right(story_question))


def test_how_often_an_element_is_in_a_sum_of_all_lanes_is_what_the_tree_of_shuffles_gives(tell: Tell) -> None:
    traced, told = tell(LAB, reject(LAB, "every_lane_adds"), "40")
    story = told["sum"].story
    often = _lanes_after_shuffling_down(40)
    wrong = traced.report.launch.mismatch
    assert wrong is not None
    assert wrong.first[0].got == sum(often[at] * value for at, value in enumerate(traced.report.inputs[0].values))
    at, times = _how_often(story.questions[0])
    assert times == often[at] > 1
    assert right(story.questions[1]) == str(sum(one == 1 for one in often.values()))
    assert "adds a sum that has it too" in story.summary


def test_an_element_that_is_lost_is_followed_to_where_nobody_reads_it(tell: Tell) -> None:
    traced, told = tell(LAB, reject(LAB, "odd_one_left_over"), "40")
    story = told["sum"].story
    kept, values = {}, traced.report.inputs[0].values
    for at in range(40):  # halves of 96: 48, 24, 12, 6, 3, then thread 0 takes 1
        place = at
        for half in (48, 24, 12, 6, 3, 1):
            place = place - half if half <= place < 2 * half else place
        kept[at] = place == 0
    wrong = traced.report.launch.mismatch
    assert wrong is not None
    assert wrong.first[0].got == sum(value for at, value in enumerate(values) if kept[at])
    at, times = _how_often(story.questions[0])
    assert times == 0
    assert not kept[at]
    assert f"{sum(not one for one in kept.values())} elements are not in it" in story.summary
    assert "stores a sum with in[2] in parts[2] in line 15, and no thread reads parts[2] after that" in story.summary


def test_a_right_sum_and_one_that_is_multiplied_have_no_story(tell: Tell) -> None:
    assert tell(LAB, MODEL, "40")[1] == {}
    assert "sum" not in tell(LAB, MODEL.replace("mine += in[at];", "mine += 2 * in[at] + 1;"), "40")[1]


def test_a_sum_in_which_other_blocks_have_a_part_is_not_told(tell: Tell) -> None:
    assert "sum" not in tell(LAB, reject(LAB, "every_lane_adds"), "1000")[1]


def test_a_block_that_adds_all_elements_beside_others_is_told(tell: Tell) -> None:
    stride = "at < n; at += gridDim.x * threads"
    assert stride in MODEL
    text = MODEL.replace(stride, "at < n; at += threads").replace("constexpr int each = 8;", "constexpr int each = 1;")
    traced, told = tell(LAB, text, "1000")
    values = traced.report.inputs[0].values
    assert (
        f"This block alone brings {sum(values):.9g}, all of them once, and the grid has 4 blocks"
        in told["sum"].story.summary
    )
    assert right(told["sum"].story.questions[0]) == str(sum(one != 0 for one in values))
    assert "sum" not in tell(LAB, MODEL.replace("atomicAdd(sum, mine)", "atomicAdd(sum, 2 * mine)"))[1]
