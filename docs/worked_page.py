"""The worked example of lab 02 as a page that steps through it, from the same run as its tables (trace_example.py).

The lab's model solution runs, and the page shows none of its lines: what each step belongs to is said in the write-up's words.
Usage, once set-up has run: .venv/bin/python docs/worked_page.py. A test fails when the page is not current.
"""

# ruff: noqa: INP001 -- a script, in no package
from __future__ import annotations

from dataclasses import replace

from trace_example import LAB, ROOT, traced

from grader.explain.mistake_stories import story_of
from grader.explain.story import Story, StoryRun
from grader.pages.pages import trace_page
from grader.run.launches.lab_launch import Traced
from grader.run.launches.trace_phases import StepKind

PAGE = ROOT / "assignments" / LAB / "worked-example.html"
IN_WORDS = (
    "Phase 0, then phase 1:",
    "    each thread loads one element of a tile of A into As",
    "    each thread loads one element of a tile of B into Bs",
    "    barrier: all of both tiles is there",
    "    each thread adds the products of a row of As and a column of Bs to its sum",
    "    barrier: no thread needs these tiles any more",
    "At the end each thread stores its sum in C",
)
_LOADS = {"A": 2, "As": 2, "B": 3, "Bs": 3}
_FILLED, _ADDS, _EMPTIED, _STORES = 4, 5, 6, 7


def worked_story(launch: Traced) -> Story:
    """Without the kernel's source, and without the names of its file and function. Raises ValueError where a step fits no words."""
    story = story_of(launch, IN_WORDS)
    if story is None:
        message = f"the worked example of {LAB} did not run"
        raise ValueError(message)
    return replace(
        story,
        title="The worked example: an 8 x 8 product in tiles of 4 x 4, block (0,0,0)",
        summary="Each number of the write-up's tables is here, at the step that makes it. Step to a barrier, or follow one thread.",
        file="in words",
        runs=tuple(_in_words(one) for one in story.runs),
    )


def _in_words(run: StoryRun) -> StoryRun:
    """With the numbers of the sentences in place of those of lines."""
    lines: dict[int, int] = {}
    for step in run.steps:
        barriers = sum(line in {_FILLED, _EMPTIED} for line in lines.values())
        said = _line(run, step.kind, step.array, barriers)
        if lines.setdefault(step.place, said) != said and step.kind is not StepKind.BARRIER:
            message = f"line {run.places[step.place].line} of the kernel does what two sentences say"
            raise ValueError(message)
    places = tuple(
        replace(place, line=lines.get(at, 0), function="", calls="", element="") for at, place in enumerate(run.places)
    )
    return replace(run, places=places)


def _line(run: StoryRun, kind: StepKind, array: int, barriers: int) -> int:
    if kind is StepKind.BARRIER:
        return _EMPTIED if barriers else _FILLED
    name = run.arrays[array].name
    if name == "C":
        return _STORES
    return _ADDS if kind is StepKind.READ and name in {"As", "Bs"} else _LOADS[name]


def page(launch: Traced) -> str:
    return trace_page(worked_story(launch))


if __name__ == "__main__":
    PAGE.write_text(page(traced()), encoding="utf-8")
