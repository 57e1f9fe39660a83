"""What the page shows of a story: nothing hidden in its texts."""

from __future__ import annotations

from dataclasses import replace

from grader.explain.story import Mark, Question, Story, StoryArray, StoryPlace, StoryRun, WarpStep
from grader.pages.pages import trace_sheet
from grader.run.launches.trace_phases import StepKind

_TURNED = "x\u202ey\x1b"


def test_no_text_of_a_story_turns_its_direction() -> None:
    step = WarpStep(StepKind.READ, 0, 0, 0, 0, 4, 1, (0,), (0,), (1,), None)
    array = StoryArray(_TURNED, "global", _TURNED, 4)
    run = StoryRun(_TURNED, _TURNED, (array,), (StoryPlace(1, _TURNED),), (step,), ending=_TURNED)
    run = replace(run, marks=(Mark(0, _TURNED * 1000),))
    question = Question(0, 0, _TURNED, (_TURNED, "b"), 0, _TURNED)
    one = (1, 1, 1)
    story = Story(_TURNED, _TURNED, _TURNED, (_TURNED,), one, one, (0, 0, 0), _TURNED, _TURNED, (run,), (question,))
    sheet = trace_sheet(story)
    shown = (
        sheet.story.title,
        sheet.story.summary,
        sheet.story.file,
        sheet.block,
        sheet.element_example,
        *(a.text for a in sheet.lines),
    )
    assert [text for text in shown if "\u202e" in text or "\x1b" in text or "\\u001b" in text] == []
    assert "⟨U+202E⟩" in sheet.block
    assert len(sheet.block) < 20_000
