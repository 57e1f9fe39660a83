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
from grader.commands.launches.run_trace import NoLaunchError, RunTraces, run_parts
from grader.commands.launches.step_pages import write_page, write_stories
from grader.kernel_files.host_code import kernels_in
from grader.machine.toolset import Toolset
from grader.model.course_root import course_root, lab_at, load_labs, matching_lab
from grader.model.errors import RemediableError
from grader.model.labs import Lab, load_lab
from grader.model.verdicts import Verdict
from grader.reports.launches.launch_verdict import verdict_parts
from grader.reports.launches.trace_pages import as_markdown, as_text
from grader.reports.launches.trace_tables import Heading, Part, Sentence, trace_parts
from grader.single_launch.lab_launch import LaunchRefusedError, read_source, recognise
from grader.single_launch.trace_phases import Index3
from grader.single_launch.tracing import Build, Run, Traced, TraceRequest, built_launch, launch_builder
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


@dataclass(frozen=True)
class TraceWish:
    """The command's options as they were written."""

    shape: str | None
    block: str | None
    threads: Sequence[str]
    inputs: str | None
    launch: str | None  # of the student's own host code: a number or a kernel's name
    form: str
    whole: bool
    page: PageWish


@dataclass(frozen=True)
class _Followed:
    """A launch that was traced, of a file that is built: `run` makes it again, and `build` is for changed files."""

    traced: Traced
    run: Run
    build: Build
    parts: tuple[Part, ...] = ()  # what is said of it first
    is_right: bool = True  # all that was run


def trace_kernel(file: Path | None, lab_id: str | None, wish: TraceWish) -> int:
    """Returns 0 if the launch is right and clean, else 1. The output then says what is wrong, beside the trace."""
    if wish.form not in _FORMS:
        message = f"there is no format {wish.form!r}: write {' or '.join(_FORMS[:2])}"
        raise LaunchRefusedError(message)
    followed = _index(wish.block, "--block") if wish.block else None
    shown = {_index(thread, "--thread") for thread in wish.threads}
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
    request = TraceRequest(wish.shape, wish.inputs, followed or (0, 0, 0))
    toolset = Toolset.open(root, allow_no_sandbox=True)
    page = wish.page
    with tempfile.TemporaryDirectory(prefix="tilelab-") as scratch:
        try:
            found = _follow(toolset, lab, source, request, wish, Path(scratch))
        except NoLaunchError as error:
            if wish.form != "text" or not page.wanted or not kernels_in(source.decode("utf-8", "replace")):
                raise
            sys.stdout.write(f"{error}\n")
            at = page.file.parent if page.file else root / _PAGES
            return max(_NOT_PASSED, trace_own_launches(file, lab, OwnLaunches(at, show=page.show)))
        sys.stdout.write(_rendered(found, shown, wish) + "\n")
        if page.wanted and (page.file or wish.form == "text"):
            at = page.file or root / _PAGES / f"{lab.id}.html"
            traced = found.traced
            write_page(story_of(traced, _lines(source)), at, "step through it", show=page.show)
            races = {
                "race": story_of_race(traced, found.run, found.build, source),
                "blocks": story_of_block_race(traced, found.run, found.build, source),
            }
            write_stories(at, races, _mistakes(traced, found.run, source), asks=lab.public.step_questions)
    return 0 if found.is_right and found.traced.report.launch.verdict is Verdict.PASS else _NOT_PASSED


def _follow(  # noqa: PLR0913, PLR0917 -- what is run, and what is asked of it
    toolset: Toolset, lab: Lab, source: bytes, request: TraceRequest, wish: TraceWish, scratch: Path
) -> _Followed:
    if lab.public.starts_itself:
        traces = RunTraces(toolset, lab, scratch, wish.launch)
        found = traces.trace(source, request, finds_block=wish.block is None)
        is_right = found.run.launch.verdict is Verdict.PASS
        return _Followed(found.traced, found.again, traces.build, tuple(run_parts(found)), is_right)
    if wish.launch:
        message = f"--launch {wish.launch}: in {lab.id} there is one launch, which the lab makes"
        raise LaunchRefusedError(message)
    run = built_launch(toolset, lab, source, _folder(str(scratch)))
    return _Followed(run(request), run, launch_builder(toolset, lab, scratch))


def _mistakes(traced: Traced, run: Run, source: bytes) -> list[ToldStory]:
    """Of the block that has the first mistake, if that is another one than the block that is followed."""
    block: Index3 | None = block_of_mistake(traced.report.launch)
    if traced.report.launch.verdict is Verdict.PASS:
        return []
    try:
        for _ in range(_MOST_BLOCKS):
            if block is not None and block != traced.request.block:
                traced = run(dataclasses.replace(traced.request, block=block))
            block = better_block(traced)
        return list(mistake_stories(traced, _lines(source)))
    except (RemediableError, RuntimeError, subprocess.TimeoutExpired):  # the first page stands without them
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


def _rendered(found: _Followed, shown: set[Index3], wish: TraceWish) -> str:
    traced = found.traced
    if wish.form == "json":
        return json.dumps(_plain(traced), indent=1, ensure_ascii=False)
    parts = [*found.parts, *_opening(traced)]
    if traced.steps is not None:
        only = (lambda thread: thread in shown) if shown else None
        parts += trace_parts(traced.steps, only, brief=not (shown or wish.whole))
    launch = traced.report.launch
    if found.is_right or launch.verdict is not Verdict.PASS:
        parts += verdict_parts(launch)
    else:
        parts.append(Sentence("No mistake was found in this launch. What is wrong in the run is told above."))
    return as_markdown(parts) if wish.form == "markdown" else as_text(parts)


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
