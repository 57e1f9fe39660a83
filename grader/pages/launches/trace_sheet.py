"""A story as what its page's template shows: title, facts, the source's lines, and the block of data for the scripts. Pure."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any

from markupsafe import Markup

from grader.explain.page_block import page_block
from grader.explain.story import Story
from grader.model import visible_text
from grader.pages.page_section import Shown, trusted_text

_MOST_LINES = 4000
_LONGEST_LINE = 400
_LONGEST_TEXT = 600
# Characters of the fields that a submission may fill; of all others, as many as a text has.
_LONGEST = dict.fromkeys(("name", "element", "calls"), 60) | dict.fromkeys(("file", "inputs"), 80)
_LONGEST |= {"title": 160, "shape": 100, "choices": 200, "function": 120}
_UNTOLD = frozenset({"source", "steps", "initial"})  # lines, and numbers


def trace_sheet(story: Story) -> Shown:
    story = _tamed(story)
    with_steps = {run.places[step.place].line for run in story.runs for step in run.steps}
    named = next((array for run in story.runs for array in run.arrays if array.space == "shared"), None)
    named = named or next((array for run in story.runs for array in run.arrays), None)
    blocks = [f"({', '.join(map(str, block))})" for block in (story.at, story.beside) if block is not None]
    facts = {
        "Launch": story.shape,
        "Inputs": story.inputs,
        "Grid": " x ".join(map(str, story.grid)),
        "Block": " x ".join(map(str, story.block)),
        "Followed": f"blocks {blocks[0]} and {blocks[1]}" if len(blocks) > 1 else f"block {blocks[0]}",
    }
    return Shown(
        story=story,
        facts={term: detail for term, detail in facts.items() if detail},
        lines=[
            Shown(number=number, text=visible_text.code(text, _LONGEST_LINE), has_steps=number in with_steps)
            for number, text in enumerate(story.source[:_MOST_LINES], 1)
        ],
        thread_example="1, 0" if story.block[1] > 1 else "1",
        element_example=visible_text.line(named.name, 20) + "[0]" * max(1, len(named.dimensions)) if named else "",
        block=Markup(page_block(story)),  # noqa: S704 -- JSON whose every "<" is escaped
    )


def _tamed(value: Any, longest: int = _LONGEST_TEXT) -> Any:  # noqa: ANN401 -- whatever a story consists of
    """Names come from the submission, also those in sentences."""
    if isinstance(value, str) and not isinstance(value, Enum):
        return visible_text.line(value, longest)
    if isinstance(value, tuple):
        return tuple(_tamed(one, longest) for one in value)
    if not is_dataclass(value) or isinstance(value, type):
        return value
    told = [one.name for one in fields(value) if one.name not in _UNTOLD]
    return replace(value, **{one: _tamed(getattr(value, one), _LONGEST.get(one, _LONGEST_TEXT)) for one in told})


# The page's scripts as one text. They share one scope, and the last one starts. Nothing is built and nothing is fetched.

_SCRIPTS = (
    "page_parts", "story_data", "block_memory", "step_words", "standings", "element_grid", "thread_grid", "matrix_place",
    "lane_picture", "lane_table", "question_card", "page_address", "stage", "stepping",
)  # fmt: skip


def step_script() -> Markup:
    parts = [trusted_text(f"trace_page/scripts/{name}.js") for name in _SCRIPTS]
    return Markup('(() => {\n"use strict";\n') + Markup("\n").join(parts) + Markup("\n})();")
