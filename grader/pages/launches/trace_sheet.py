"""A story as what its page's template shows: title, facts, the source's lines, and the block of data for the scripts. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from markupsafe import Markup

from grader.explain.page_block import page_block
from grader.explain.story import Story
from grader.model import visible_text
from grader.pages.page_section import trusted_text

_MOST_LINES = 4000
_LONGEST_LINE = 400
_LONGEST_TITLE = 160
_LONGEST_TEXT = 600


@dataclass(frozen=True)
class SourceLine:
    number: int
    text: str
    has_steps: bool


@dataclass(frozen=True)
class TraceSheet:
    title: str
    summary: str
    tone: str
    file: str
    facts: dict[str, str]
    lines: tuple[SourceLine, ...]
    thread_example: str
    element_example: str
    has_questions: bool
    block: Markup  # JSON without "<", for a script element that holds data


def trace_sheet(story: Story) -> TraceSheet:
    story = _tamed(story)
    with_steps = {run.places[step.place].line for run in story.runs for step in run.steps}
    named = next((array for run in story.runs for array in run.arrays if array.space == "shared"), None)
    named = named or next((array for run in story.runs for array in run.arrays), None)
    facts = {
        "Launch": visible_text.line(story.shape, 100),
        "Inputs": visible_text.line(story.inputs, 80),
        "Grid": " x ".join(map(str, story.grid)),
        "Block": " x ".join(map(str, story.block)),
        "Followed": _followed(story),
    }
    return TraceSheet(
        title=story.title,
        summary=visible_text.line(story.summary, _LONGEST_TEXT),
        tone=story.tone,
        file=story.file,
        facts={term: detail for term, detail in facts.items() if detail},
        lines=tuple(
            SourceLine(number, visible_text.code(text, _LONGEST_LINE), number in with_steps)
            for number, text in enumerate(story.source[:_MOST_LINES], 1)
        ),
        thread_example="1, 0" if story.block[1] > 1 else "1",
        element_example=visible_text.line(named.name, 20) + "[0]" * max(1, len(named.dimensions)) if named else "",
        has_questions=bool(story.questions),
        block=Markup(page_block(story)),  # noqa: S704 -- JSON whose every "<" is escaped
    )


def _followed(story: Story) -> str:
    one, *other = (f"({', '.join(map(str, block))})" for block in (story.at, story.beside) if block is not None)
    return f"blocks {one} and {other[0]}" if other else f"block {one}"


def _tamed(story: Story) -> Story:
    """Names come from the submission, also those in sentences."""
    return replace(
        story,
        title=visible_text.line(story.title, _LONGEST_TITLE),
        file=visible_text.line(story.file, 80),
        questions=tuple(
            replace(
                one,
                text=visible_text.line(one.text, _LONGEST_TEXT),
                choices=tuple(visible_text.line(choice, 200) for choice in one.choices),
                explanation=visible_text.line(one.explanation, _LONGEST_TEXT),
            )
            for one in story.questions
        ),
        runs=tuple(
            replace(
                run,
                title=visible_text.line(run.title, _LONGEST_TITLE),
                schedule=visible_text.line(run.schedule, _LONGEST_TEXT),
                marks=tuple(replace(one, text=visible_text.line(one.text, _LONGEST_TEXT)) for one in run.marks),
                arrays=tuple(
                    replace(one, name=visible_text.line(one.name, 60), element=visible_text.line(one.element, 60))
                    for one in run.arrays
                ),
                places=tuple(replace(one, function=visible_text.line(one.function, 120)) for one in run.places),
                ending=visible_text.line(run.ending, _LONGEST_TEXT),
            )
            for run in story.runs
        ),
    )


# The page's scripts as one text. They share one scope, and the last one starts. Nothing is built and nothing is fetched.

_SCRIPTS = (
    "page_parts",
    "story_data",
    "block_memory",
    "step_search",
    "step_words",
    "standings",
    "element_grid",
    "thread_grid",
    "matrix_place",
    "lane_picture",
    "lane_table",
    "question_card",
    "page_address",
    "stage",
    "stepping",
)


def step_script() -> Markup:
    parts = [trusted_text(f"trace_page/scripts/{name}.js") for name in _SCRIPTS]
    return Markup('(() => {\n"use strict";\n') + Markup("\n").join(parts) + Markup("\n})();")
