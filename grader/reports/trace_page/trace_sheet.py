"""A story as what its page's template shows: title, facts, the source's lines, and the block of data for the scripts. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from markupsafe import Markup

from grader.reports.findings.finding_card import Fact
from grader.reports.text import visible
from grader.step_page.page_block import page_block
from grader.step_page.story import Story

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
    facts: tuple[Fact, ...]
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
        "Launch": visible.line(story.shape, 100),
        "Inputs": visible.line(story.inputs, 80),
        "Grid": " x ".join(map(str, story.grid)),
        "Block": " x ".join(map(str, story.block)),
        "Followed": _followed(story),
    }
    return TraceSheet(
        title=story.title,
        summary=visible.line(story.summary, _LONGEST_TEXT),
        tone=story.tone,
        file=story.file,
        facts=tuple(Fact(term, detail) for term, detail in facts.items() if detail),
        lines=tuple(
            SourceLine(number, visible.code(text, _LONGEST_LINE), number in with_steps)
            for number, text in enumerate(story.source[:_MOST_LINES], 1)
        ),
        thread_example="1, 0" if story.block[1] > 1 else "1",
        element_example=_element(named.name, len(named.dimensions)) if named else "",
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
        title=visible.line(story.title, _LONGEST_TITLE),
        file=visible.line(story.file, 80),
        questions=tuple(
            replace(
                one,
                text=visible.line(one.text, _LONGEST_TEXT),
                choices=tuple(visible.line(choice, 200) for choice in one.choices),
                explanation=visible.line(one.explanation, _LONGEST_TEXT),
            )
            for one in story.questions
        ),
        runs=tuple(
            replace(
                run,
                title=visible.line(run.title, _LONGEST_TITLE),
                schedule=visible.line(run.schedule, _LONGEST_TEXT),
                marks=tuple(replace(one, text=visible.line(one.text, _LONGEST_TEXT)) for one in run.marks),
                arrays=tuple(
                    replace(one, name=visible.line(one.name, 60), element=visible.line(one.element, 60))
                    for one in run.arrays
                ),
                places=tuple(replace(one, function=visible.line(one.function, 120)) for one in run.places),
                ending=visible.line(run.ending, _LONGEST_TEXT),
            )
            for run in story.runs
        ),
    )


def _element(name: str, dimensions: int) -> str:
    return visible.line(name, 20) + "[0]" * max(1, dimensions)
