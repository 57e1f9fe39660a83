"""`tilelab trace` after its options are parsed: finds the lab, traces, prints. Returns the exit status."""

from __future__ import annotations

import dataclasses
import json
import math
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.block_races.block_race_runs import story_of_block_race
from grader.commands.launches.own_launch_trace import OwnLaunches, trace_own_launches
from grader.commands.launches.step_pages import write_page, write_stories
from grader.machine.toolset import Toolset
from grader.model.course_root import course_root, lab_at, load_labs, matching_lab
from grader.model.labs import load_lab
from grader.model.verdicts import Verdict
from grader.reports.launches.launch_verdict import verdict_parts
from grader.reports.launches.trace_pages import as_markdown, as_text
from grader.reports.launches.trace_tables import Heading, Part, Sentence, trace_parts
from grader.single_launch.lab_launch import LaunchRefusedError, read_source, recognise
from grader.single_launch.trace_phases import Index3
from grader.single_launch.tracing import Traced, TraceRequest, trace_file
from grader.step_page.race_runs import story_of_race
from grader.step_page.trace_story import story_of
from grader.stories.mistake_stories import better_block, block_of_mistake, mistake_stories
from grader.stories.told_story import ToldStory

_NOT_PASSED = 1
_MOST_BLOCKS = 2  # that are followed until one has to do with the mistake
_FORMS = ("text", "markdown", "json")
_PAGES = Path("build/trace")  # in the course's folder: a page for each lab


@dataclass(frozen=True)
class PageWish:
    """What shall become of the page that steps through the block."""

    file: Path | None = None  # None: build/trace/<lab>.html, beside text alone
    wanted: bool = True
    show: bool = True  # opened, where there is a desktop


def trace_kernel(  # noqa: PLR0913 - one for each of the command's options
    file: Path | None,
    lab_id: str | None,
    *,
    shape: str | None,
    block: str,
    threads: Sequence[str],
    inputs: str | None,
    form: str,
    whole: bool,
    page: PageWish,
) -> int:
    """Returns 0 if the launch is right and clean, else 1. The output then says what is wrong, beside the trace."""
    if form not in _FORMS:
        message = f"there is no format {form!r}: write {' or '.join(_FORMS[:2])}"
        raise LaunchRefusedError(message)
    followed = _index(block, "--block")
    shown = {_index(thread, "--thread") for thread in threads}
    root = course_root(Path.cwd())
    lab_id = matching_lab(root, lab_id) if lab_id else None
    if file is None:
        lab = load_lab(root, lab_id or lab_at(root, Path.cwd()))
        file = lab.public_dir / lab.public.file
        source = read_source(file)
    else:
        source = read_source(file)
        text = source.decode("utf-8", "replace")
        lab = load_lab(root, lab_id) if lab_id else recognise(load_labs(root, []), file, text, root)
    if lab.public.starts_itself and form == "text" and page.wanted:
        at = page.file.parent if page.file else root / _PAGES
        return trace_own_launches(file, lab, OwnLaunches(at, show=page.show))
    request = TraceRequest(shape, inputs, followed)
    toolset = Toolset.open(root, allow_no_sandbox=True)
    with tempfile.TemporaryDirectory(prefix="tilelab-") as scratch:
        traced = trace_file(toolset, lab, source, request, _folder(scratch))
        sys.stdout.write(_rendered(traced, shown, form, whole=whole) + "\n")
        if page.wanted and (page.file or form == "text"):
            at = page.file or root / _PAGES / f"{lab.id}.html"
            write_page(story_of(traced, _lines(source)), at, "step through it", show=page.show)
            races = {
                "race": story_of_race(toolset, traced, source, _folder(scratch)),
                "blocks": story_of_block_race(toolset, traced, source, _folder(scratch)),
            }
            told = _mistakes(toolset, traced, source, scratch)
            write_stories(at, races, told, asks=lab.public.step_questions)
    return 0 if traced.report.launch.verdict is Verdict.PASS else _NOT_PASSED


def _mistakes(toolset: Toolset, traced: Traced, source: bytes, scratch: str) -> list[ToldStory]:
    """Of the block that has the first mistake, if that is another one than the block that is followed."""
    block: Index3 | None = block_of_mistake(traced.report.launch)
    if traced.report.launch.verdict is Verdict.PASS:
        return []
    try:
        for _ in range(_MOST_BLOCKS):
            if block is not None and block != traced.request.block:
                request = dataclasses.replace(traced.request, block=block)
                traced = trace_file(toolset, traced.lab, source, request, _folder(scratch))
            block = better_block(traced)
        return list(mistake_stories(traced, _lines(source)))
    except (LaunchRefusedError, RuntimeError, subprocess.TimeoutExpired):  # the first page stands without them
        return []


def _folder(scratch: str) -> Path:
    return Path(tempfile.mkdtemp(dir=scratch))


def _lines(source: bytes) -> list[str]:
    return source.decode("utf-8", "replace").split("\n")


def _index(text: str, option: str) -> Index3:
    if not re.fullmatch(r"\d{1,9},\d{1,9}(,\d{1,9})?", text):
        message = f"{option} {text!r}: write two or three numbers, as x,y or x,y,z"
        raise LaunchRefusedError(message)
    x, y, z = (*map(int, text.split(",")), 0)[:3]
    return x, y, z


def _rendered(traced: Traced, shown: set[Index3], form: str, *, whole: bool) -> str:
    if form == "json":
        return json.dumps(_plain(traced), indent=1, ensure_ascii=False)
    parts = [*_opening(traced), *verdict_parts(traced.report.launch)]
    if traced.steps is not None:
        parts = [
            *_opening(traced),
            *trace_parts(traced.steps, (lambda thread: thread in shown) if shown else None, brief=not (shown or whole)),
            *verdict_parts(traced.report.launch),
        ]
    return as_markdown(parts) if form == "markdown" else as_text(parts)


def _opening(traced: Traced) -> list[Part]:
    launch, lab = traced.report.launch, traced.lab
    said = f"{lab.public.file}, {launch.shape}, inputs: {launch.inputs}."
    if launch.grid and launch.block:
        grid, block = (" x ".join(map(str, extent)) for extent in (launch.grid, launch.block))
        said += f" {grid} blocks of {block} threads, in x, y and z."
    return [Heading(f"Block {traced.request.block} of {lab.id}"), Sentence(said)]


def _plain(traced: Traced) -> dict[str, object]:
    """All of the trace in a form that JSON can hold: a value that is not a number becomes null."""

    def tame(value: object) -> object:
        if isinstance(value, float):
            return value if math.isfinite(value) else None
        if isinstance(value, dict):
            return {key if isinstance(key, str) else number_key(key): tame(one) for key, one in value.items()}
        if isinstance(value, list | tuple):
            return [tame(one) for one in value]
        return value

    def number_key(key: tuple[int, ...]) -> str:
        return "".join(f"[{one}]" for one in key)

    steps = None if traced.steps is None else tame(dataclasses.asdict(traced.steps))
    return {
        "lab": traced.lab.id,
        "block": traced.request.block,
        "launch": traced.report.launch.model_dump(mode="json"),
        "inputs": [one.model_dump(mode="json") for one in traced.report.inputs],
        "trace": steps,
    }
