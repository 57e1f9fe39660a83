"""The page's block of data: its columns, and that it never grows past its limit."""

from __future__ import annotations

import base64
import json
from dataclasses import replace

import pytest

from grader.explain.page_block import column, page_block, shortened, value_text
from grader.explain.story import Mark, Question, Story, StoryArray, StoryPlace, StoryRun, WarpStep
from grader.run.launches.trace_phases import StepKind


def _read(text: str) -> list[int]:
    """What story_data.js does."""
    numbers, before, value, shift = [], 0, 0, 0
    for byte in base64.b64decode(text):
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            before += -(value + 1) // 2 if value % 2 else value // 2
            numbers.append(before)
            value = shift = 0
    return numbers


def _story(steps: int = 4) -> Story:
    array = StoryArray("A", "global", "float", 4, initial={0: (0x3F800000, 4)})
    made = [
        WarpStep(StepKind.READ, 0, 0, 0, 0, 4, 1, (0, 1), (0, 4 * number), (0x3F800000, number), None)
        for number in range(steps)
    ]
    made.append(WarpStep(StepKind.WRITE, 0, 0, 0, 0, 4, 1, (2,), (0,), (0x40000000,), None))
    made.append(WarpStep(StepKind.READ, 0, 0, 0, 0, 4, 1, (3,), (0,), (0x40000000,), None))
    run = StoryRun("t", "", (array,), (StoryPlace(3),), tuple(made), marks=(Mark(steps, "here"),))
    questions = (Question(0, steps, "?", ("a", "b"), 0, "so"),)
    return Story("</script>", "s", "a.cu", ("x",), (1, 1, 1), (32, 1, 1), (0, 0, 0), "N=4", "ones", (run,), questions)


@pytest.mark.parametrize("numbers", [[], [0], [-1, 5, 5, 100000, -70000], [1 << 40, 0, -(1 << 40)]])
def test_a_column_is_read_as_it_was_written(numbers: list[int]) -> None:
    assert _read(column(numbers)) == numbers


def test_what_lanes_read_is_written_down_only_where_the_memory_holds_something_else() -> None:
    run = json.loads(page_block(_story()))["runs"][0]
    seen = [_read(text) for text in run["seen"]]
    # Steps 0 to 3 read element 0 as it was. The other element is not known before, and each step reads another one.
    assert list(zip(seen[0], seen[1], strict=True)) == [(0, 1), (1, 1), (2, 1), (3, 1)]
    assert [run["texts"][number] for number in _read(run["stored"])] == ["2"]


def test_no_text_can_end_the_script_element() -> None:
    assert "<" not in page_block(_story())


def test_a_story_that_is_too_large_loses_steps_at_its_end_and_says_so() -> None:
    text = page_block(_story(20_000), most_bytes=60_000)
    block = json.loads(text)
    assert len(text) <= 60_000
    assert not block["runs"][0]["complete"]
    assert len(_read(block["runs"][0]["steps"]["site"])) > 1000
    assert block["questions"] == []


def test_a_story_with_too_much_memory_keeps_that_which_its_steps_use() -> None:
    story = _story()
    run = story.runs[0]
    array = replace(run.arrays[0], initial={4 * cell: (cell, 4) for cell in range(50_000)})
    places = (*run.places, *(StoryPlace(1, "f" * 100) for _ in range(4000)))
    text = page_block(replace(story, runs=(replace(run, arrays=(array,), places=places),)), most_bytes=60_000)
    block = json.loads(text)
    assert len(text) <= 60_000
    assert block["runs"][0]["complete"]
    assert _read(block["runs"][0]["arrays"][0]["initial"][0]) == [0, 1, 2, 3]


def test_what_an_element_of_64_mib_held_is_no_long_text() -> None:
    story = _story()
    array = StoryArray("A", "global", "Huge", 1 << 26, initial={0: (7, 4)})
    assert len(page_block(replace(story, runs=(replace(story.runs[0], arrays=(array,)),)))) < 2000
    assert value_text(7, 1 << 26, "Huge") == ""


def test_a_shortened_story_keeps_no_remark_about_steps_that_it_lost() -> None:
    story = replace(_story(), start=5)
    assert shortened(story, 3).runs[0].marks == ()
    assert shortened(story, 3).start == 2


@pytest.mark.parametrize(
    ("bits", "size", "element", "text"),
    [
        (0x3F800000, 4, "float", "1"),
        (0x3DCCCCCD, 4, "float", "0.1"),
        (0x7F800000, 4, "float", "Inf"),
        (0xFFC00000, 4, "float", "NaN"),
        (0x44C80000, 4, "float", "1600"),
        (0xFFFFFFFF, 4, "int", "-1"),
        (0xFFFFFFFF, 4, "unsigned int", "4294967295"),
        (0xC1, 1, "unsigned char", "193"),
        (0x3C00, 2, "__half", "1"),
        (0x3F80, 2, "__nv_bfloat16", "1"),
        (0x3FB999999999999A, 8, "double", "0.1"),
        (0x3F8000003F800000, 4, "__nv_bfloat16", "1"),
        (0xAB, 1, "", "0xab"),
    ],
)
def test_a_value_is_the_shortest_number_that_is_exactly_it(bits: int, size: int, element: str, text: str) -> None:
    assert value_text(bits, size, element) == text
