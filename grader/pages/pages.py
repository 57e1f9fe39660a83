"""The pages that Tilelab writes, and what each is made from."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from grader.explain.page_block import page_block
from grader.explain.similar_files import SimilarFiles
from grader.explain.story import Story
from grader.model import visible_text
from grader.model.graded_class import NOTHING_KNOWN, ClassInsight
from grader.model.result import Result, SweepPoint
from grader.model.several_files import place_in
from grader.model.visible_text import counted
from grader.pages.class_page.class_sheet import CLASS_SECTIONS, class_sheet
from grader.pages.page_section import Shown, render_drawing, render_page, trusted_text
from grader.pages.speed.sweep_figure import sweep_figure
from grader.pages.student_page.student_sheet import LAB_SECTIONS, student_sheet


def student_page(
    result: Result,
    *,
    sources: Mapping[str, str],
    instructor: bool = False,
    preview: bool = False,
    steps: str | None = None,
) -> str:
    """The page shows all that `result` holds: redact it first, except for the instructor. `sources`: the submission's files, name to
    text. `preview`: of public tests only, by the student. `steps`: how links to pages that step through a block begin; None: none.
    """
    sheet = student_sheet(result, sources, instructor=instructor, preview=preview, steps=steps)
    return render_page("student_page/student", sheet, sections=LAB_SECTIONS)


def class_page(
    results: Sequence[Result], *, course: str, notes: Sequence[str] = (), insight: ClassInsight = NOTHING_KNOWN
) -> str:
    """The instructor's page about the class. It links into the folder `students/` beside it. `insight`: what else the batch knows."""
    sheet = class_sheet(results, course, notes, insight)
    script = trusted_text("class_page/student_table.js")
    return render_page("class_page/class", sheet, sections=CLASS_SECTIONS, script=script)


def similar_page(
    lab_id: str, title: str, found: SimilarFiles, *, names: Mapping[str, str], texts: Mapping[str, str]
) -> str:
    """For the instructor alone, the most alike first, in instructor/similar/. It says nothing of people. `names`, `texts`: by student."""
    pairs = []
    for pair in found.pairs:
        how = "under other names" if pair.renamed else "with the same names"
        share = f"{100 * pair.share:.0f} % of the passages that few others have"
        one = _who(pair.one, names, texts[pair.one], pair.lines[0])
        other = _who(pair.other, names, texts[pair.other], pair.lines[1])
        pairs.append(Shown(words=f"{share}, {how} ({pair.passages:,} in common)", one=one, other=other))
    many = counted(len(found.pairs) + found.left_out, "pair")
    sheet = Shown(
        lab_id=lab_id,
        title=title,
        summary=f"{many} of similar files, and {counted(len(found.equal), 'file')} that several students handed in",
        pairs=pairs,
        left_out=found.left_out,
        equal=[[_who(one, names) for one in students] for students in found.equal],
    )
    return render_page("similar_page/similar", sheet)


def _who(student: str, names: Mapping[str, str], text: str = "", marked: Collection[int] = ()) -> Shown:
    """`marked`: numbers of lines, from 1."""
    name = visible_text.line(names.get(student, ""), 80) or visible_text.line(student, 80)
    link = f"../{quote(student, safe='', errors='replace')}.html"
    shown = visible_text.block(text, lines=400, columns=160)
    numbers = [place_in(text, at)[1] or "" for at in range(1, len(shown.lines) + 1)]  # those of each of several files
    return Shown(name=name, link=link, text=shown, marked=marked, numbers=numbers)


def calibration_page(
    labs: Mapping[str, Sequence[SweepPoint]], titles: Mapping[str, str], device: str, conditions: str
) -> str:
    """The speed of the course's own kernels on a GPU, with a picture for each lab."""
    of = [
        Shown(id=one, title=titles.get(one, one), sweep=sweep_figure(each), points=each) for one, each in labs.items()
    ]
    return render_page("speed_figures/calibration", Shown(device=device, conditions=conditions, labs=of))


def trace_page(story: Story) -> str:
    """The page that steps through a block of a launch."""
    return render_page("trace_page/trace", trace_sheet(story), script=step_script())


def sweep_drawing(figure: Shown) -> str:
    """A size sweep's picture as an SVG file."""
    return render_drawing("speed_figures/sweep.html.j2", figure)


# A story as what its page's template shows: title, facts, the source's lines, and the block of data for the scripts. Pure.

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
    blocks = [visible_text.index(block) for block in (story.at, story.beside) if block is not None]
    bad = [mark for run in story.runs for mark in run.marks if mark.tone == "bad"]
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
        mistake="race"
        if any("race" in text for text in (story.title, *(one.text[:20].lower() for one in bad)))
        else "mistake",
        has_mistake=bool(bad),
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
