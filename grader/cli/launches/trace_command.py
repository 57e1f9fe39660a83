"""`tilelab trace` after its options are parsed: finds the lab, traces, prints. Returns the exit status."""

from __future__ import annotations

import dataclasses
import math
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from grader.cli.error_exit import flag, option, say_next
from grader.cli.launches.check_command import CheckOptions, Kernel, OfLab, ShowPage, checked_file
from grader.engines.toolset import Toolset
from grader.explain.mistake_stories import better_block, block_of_mistake, mistake_stories, story_of
from grader.explain.race_story import story_of_race
from grader.explain.story import ToldStory
from grader.model import visible_text
from grader.model.course_root import course_root
from grader.model.errors import RemediableError
from grader.model.labs import Lab
from grader.model.several_files import with_text
from grader.model.verdicts import Verdict
from grader.model.visible_text import json_text, whole
from grader.pages.launches.trace_tables import Heading, Part, Sentence, Table, as_text, trace_parts, verdict_parts
from grader.roll.batch.drawn_pages import with_its_mistake, write_page, write_stories
from grader.run.kernels.host_code import kernels_in
from grader.run.kernels.kernel_source import read_kernel_source
from grader.run.kernels.own_launches import extent_text
from grader.run.launches.kernel_check import ProposalError
from grader.run.launches.lab_launch import (
    Build,
    LaunchRefusedError,
    Run,
    RunLaunch,
    RunTracer,
    SurveyedRun,
    Traced,
    TraceRequest,
    asked_source,
    launch_builder,
    not_built,
    several_launches,
    with_steps,
)
from grader.run.launches.trace_phases import Index3
from grader.run.program_judging import build_submission

# ruff: noqa: RUF009 -- `option` makes fields

# `tilelab trace` for a lab whose host code is the student's: there is no one launch to record, so each kernel of the file is launched once
# as `tilelab check` would, with made-up arguments where the file says none, and its pages are written. It grades nothing.

_MOST_KERNELS = 6


def trace_own_launches(file: Path, lab: Lab, folder: Path, *, show: bool = True) -> int:
    """Returns 0 if all launches are clean, else 1. Raises LaunchRefusedError where no kernel can be launched."""
    source = read_kernel_source(file, [])
    kernels = kernels_in(source.texts[source.name])[:_MOST_KERNELS]
    if not kernels:
        raise LaunchRefusedError(several_launches(lab))
    found, refused = 0, []
    for number, kernel in enumerate(kernels):
        page = folder / f"{lab.id}-{re.sub(r'[^A-Za-z0-9_]+', '-', kernel)[:60]}.html"
        try:
            found |= _trace(file, kernel, page, show=show and number == 0)
        except RemediableError as error:
            refused.append(f"{kernel}: {error}")
    if len(refused) == len(kernels):
        raise LaunchRefusedError("\n".join([several_launches(lab), *refused]))
    for one in refused:
        sys.stderr.write(f"not shown: {whole(one)}\n")
    return found


def _trace(file: Path, kernel: str, page: Path, *, show: bool) -> int:
    options = CheckOptions(file, kernel, trace=True, page=page, show=show)
    try:
        return checked_file(options)[1]
    except ProposalError as error:
        if not error.proposals:
            raise
        what = f"{kernel} is launched once with made-up arguments, not as your host code does. To choose others:"
        sys.stdout.write(whole(f"\n{what}\n  {error.proposals[0]} --trace\n"))
        sys.stdout.flush()
        found, grid, block = error.proposal, *map(extent_text, (error.proposal.grid, error.proposal.block))
        options = replace(options, grid=grid, block=block)
        return checked_file(replace(options, shared_bytes=found.shared_bytes, arguments=found.arguments))[1]


# `tilelab trace` for a lab whose host code is the student's: runs it on a public test's numbers, says which launches it makes, and traces
# one of them as host code made it. It grades nothing.

_MOST_LISTED = 20


class NoLaunchError(LaunchRefusedError):
    """The run launched no kernel that began. The text says what was found instead."""


@dataclass(frozen=True)
class TracedRun:
    """A launch that was traced. `again` makes it again, and `build` is for changed files."""

    traced: Traced
    again: Run
    build: Build
    run: SurveyedRun | None = None  # of host code that makes it
    followed: RunLaunch | None = None  # which launch of that run it is

    @property
    def is_right(self) -> bool:
        """All that was run."""
        return self.run is None or self.run.launch.verdict is Verdict.PASS


@dataclass(frozen=True)
class RunTraces:
    """`launch`: a number or a kernel's name; none: the first with a finding. `scratch`: a folder of the caller, for builds and runs."""

    toolset: Toolset
    lab: Lab
    scratch: Path
    launch: str | None = None

    def build(self, source: bytes) -> Run:
        """As a `Build`: of a changed file, in which the same launch is meant. A run with another mistake is not right."""
        tracer = self._tracer(source)

        def run(request: TraceRequest) -> Traced:
            survey = tracer.survey(request)
            traced = tracer.trace(survey, self._followed(survey), request)
            launch = traced.report.launch
            if launch.verdict is not Verdict.PASS or survey.launch.verdict is Verdict.PASS:
                return traced
            whole = launch.model_copy(update={"verdict": survey.launch.verdict})
            return dataclasses.replace(traced, report=traced.report.model_copy(update={"launch": whole}))

        return run

    def trace(self, source: bytes, request: TraceRequest, *, finds_block: bool) -> TracedRun:
        """`finds_block`: the block of the first mistake is followed, whichever that is. Raises LaunchRefusedError and its like."""
        tracer = self._tracer(source)
        survey = tracer.survey(request)
        followed = self._followed(survey)
        again = partial(tracer.trace, survey, followed)
        traced = with_its_mistake(again, request) if finds_block else again(request)

        def build(changed: bytes) -> Run:
            texts = (one.decode("utf-8", "replace") for one in (source, changed))
            return self.build(with_text(next(texts), self.lab.public.file, traced.file, next(texts)).encode())

        return TracedRun(with_steps(traced), again, build, survey, followed)

    def _followed(self, survey: SurveyedRun) -> RunLaunch:
        followed = survey.named(self.launch) if self.launch else survey.first_to_see()
        if followed is None:
            said = "\n".join(_of_host(survey)) or survey.launch.message
            what = f"In this run, the host code of {self.lab.public.file} launches no kernel that begins."
            raise NoLaunchError(f"{what}\n{said}".strip())
        if not followed.began:
            which = f"launch {followed.number} ({followed.kernel})"
            raise LaunchRefusedError(f"{which} did not begin, so there is nothing to step through")
        return followed

    def _tracer(self, source: bytes) -> RunTracer:
        folder = Path(tempfile.mkdtemp(dir=self.scratch))
        built, program = build_submission(self.toolset, self.lab, source.decode("utf-8", "replace"), folder)
        if program is None:
            raise not_built(self.lab, built.refusals)
        return RunTracer(program)


def run_parts(found: TracedRun) -> Iterator[Part]:
    """Which launches there were, which one is followed, and what host code did wrong."""
    run, followed = found.run, found.followed
    if run is None or followed is None:
        return
    many = f"{run.total} launches" if run.total > 1 else "one launch"
    yield Heading(f"The run: {many}")
    heads = ("launch", "kernel", "blocks", "threads of each", "line", "found")
    yield Table(heads, tuple(_row(one, followed) for one in run.launches[:_MOST_LISTED]), frozenset({0, 4}))
    if len(run.launches) > _MOST_LISTED:
        yield Sentence(f"{len(run.launches) - _MOST_LISTED} more are not listed.")
    if run.total > 1:
        yield Sentence(
            f"Launch {followed.number} is followed (»). For another: --launch with a number or a kernel's name, as in "
            f'OPTIONS="--launch {run.total}".'
        )
    for said in _of_host(run):
        yield Sentence(said)
    if run.launch.verdict is Verdict.PASS and not found.traced.request.shape:
        yield Sentence("With these sizes the run is right. SHAPE=... traces it with those of another public test.")


def _row(one: RunLaunch, followed: RunLaunch) -> tuple[str, ...]:
    times = f" ({one.count} times)" if one.count > 1 else ""
    number = f"{'» ' if one.number == followed.number else ''}{one.number}{times}"
    kernel, findings = visible_text.line(one.kernel, 60), visible_text.line(", ".join(one.findings), 80)
    grid, block = (" x ".join(map(str, extent)) for extent in (one.grid, one.block))
    return (number, kernel, grid, block, str(one.line or ""), findings)


def _of_host(run: SurveyedRun) -> Iterator[str]:
    """What is wrong in host code: findings without a thread."""
    for one in run.launch.findings:
        if one.severity == "error" and one.thread is None and one.message:
            where = f"Line {one.line}: " if one.line else ""
            yield visible_text.line(f"{where}{one.called}: {one.message}", 1000)


_NOT_PASSED = 1
_MOST_BLOCKS = 2  # that are followed until one has to do with the mistake
_CORRECT = "correct the first mistake, and run the tests"
_PAGES = Path("build/trace")  # in the course's folder: a page for each lab


@dataclass(frozen=True)
class TraceWish:
    """What `tilelab trace` was asked to do."""

    file: Kernel = None
    lab: OfLab = None
    shape: str | None = option("small sizes of the problem: M, N and K of a product; default: the lab's", default=None)
    block: str | None = option(
        "which block to follow: x,y or x,y,z; default: 0,0; of your own launches: where the first mistake is",
        default=None,
    )
    launch: str | None = option(
        "which launch of your own host code: its number or its kernel; default: the first with a finding", default=None
    )
    threads: tuple[str, ...] = option(
        "show this thread's rows only, in full; may be given several times", "--thread", default=()
    )
    whole: bool = flag("--all", "show a row for every thread, and every interval")
    inputs: str | None = option(
        "what the inputs hold: worked, integers or random; default: the first that there are", default=None
    )
    as_json: bool = flag("--json", "print everything as JSON instead")
    page: Path | None = option(
        "where to write the page that steps through the block; default: build/trace/LAB.html", default=None
    )
    paged: bool = option("write that page", "--with-page/--no-page", default=True)
    show: ShowPage = True


def trace_kernel(wish: TraceWish) -> int:
    """Show what one block of a kernel does on a small input: loads, barriers, reads, sums, stores."""
    followed = _index(wish.block, "--block") if wish.block else None
    shown = {_index(thread, "--thread") for text in wish.threads for thread in text.split()}
    root, (lab, file, source) = course_root(Path.cwd()), asked_source(wish.file, wish.lab)
    source = lab.whole(source.decode("utf-8", "replace"), file).encode()
    request = TraceRequest(wish.shape, wish.inputs, followed or (0, 0, 0))
    toolset = Toolset.open(root, allow_no_sandbox=True)
    with tempfile.TemporaryDirectory(prefix="tilelab-") as scratch:
        try:
            found = _follow(toolset, lab, source, request, wish, Path(scratch))
        except NoLaunchError as error:
            if wish.as_json or not wish.paged or not kernels_in(source.decode("utf-8", "replace")):
                raise
            sys.stdout.write(f"{whole(str(error))}\n")
            at = wish.page.parent if wish.page else root / _PAGES
            status = max(_NOT_PASSED, trace_own_launches(file, lab, at, show=wish.show))
            say_next(_CORRECT)
            return status
        sys.stdout.write(_rendered(found, shown, wish) + "\n")
        if wish.paged and (wish.page or not wish.as_json):
            at = wish.page or root / _PAGES / f"{lab.id}.html"
            traced = found.traced
            source = lab.files_of(source.decode("utf-8", "replace"))[traced.file].encode()
            write_page(story_of(traced, _lines(source)), at, "step through it", show=wish.show)
            races = {
                kind: story_of_race(traced, found.again, found.build, source, between=kind == "blocks")
                for kind in ("race", "blocks")
            }
            write_stories(at, races, _mistakes(traced, found.again, source), asks=lab.public.step_questions)
    passed = found.is_right and found.traced.report.launch.verdict is Verdict.PASS
    if not wish.as_json:
        say_next("follow another block with --block, or run the tests" if passed else _CORRECT)
    return 0 if passed else _NOT_PASSED


def _follow(
    toolset: Toolset, lab: Lab, source: bytes, request: TraceRequest, wish: TraceWish, scratch: Path
) -> TracedRun:
    if lab.public.starts_itself:
        traces = RunTraces(toolset, lab, scratch, wish.launch)
        return traces.trace(source, request, finds_block=wish.block is None)
    if wish.launch:
        raise LaunchRefusedError(f"--launch {wish.launch}: in {lab.id} there is one launch, which the lab makes")
    build = launch_builder(toolset, lab, scratch)
    run = build(source)
    return TracedRun(run(request), run, build)


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


def _lines(source: bytes) -> list[str]:
    return source.decode("utf-8", "replace").split("\n")


def _index(text: str, option: str) -> Index3:
    if not re.fullmatch(r"\d{1,9},\d{1,9}(,\d{1,9})?", text):
        raise LaunchRefusedError(f"{option} {text!r}: write two or three numbers, as x,y or x,y,z")
    x, y, z = (*map(int, text.split(",")), 0)[:3]
    return x, y, z


def _rendered(found: TracedRun, shown: set[Index3], wish: TraceWish) -> str:
    traced = found.traced
    if wish.as_json:
        return json_text(_plain(traced))
    launch = traced.report.launch
    said = f"{traced.file}, {launch.shape}, inputs: {launch.inputs}."
    if launch.grid and launch.block:
        grid, block = (" x ".join(map(str, extent)) for extent in (launch.grid, launch.block))
        said += f" {grid} blocks of {block} threads, in x, y and z."
    parts = [
        *run_parts(found),
        Heading(f"Block ({','.join(map(str, traced.request.block))}) of {traced.name}"),
        Sentence(said),
    ]
    if traced.steps is not None:
        only = (lambda thread: thread in shown) if shown else None
        parts += trace_parts(traced.steps, only, brief=not (shown or wish.whole))
    if found.is_right or launch.verdict is not Verdict.PASS:
        parts += verdict_parts(launch)
    else:
        parts.append(Sentence("No mistake was found in this launch. What is wrong in the run is told above."))
    return as_text(parts)


def _plain(traced: Traced) -> dict[str, object]:
    """All of the trace in a form that JSON can hold: a value that is not a number becomes null."""

    def tame(value: object) -> object:
        if isinstance(value, float):
            return value if math.isfinite(value) else None
        if isinstance(value, dict):
            names = {key: key if isinstance(key, str) else "".join(f"[{one}]" for one in key) for key in value}
            return {names[key]: tame(one) for key, one in value.items()}
        if isinstance(value, list | tuple):
            return [tame(one) for one in value]
        return value

    steps = None if traced.steps is None else tame(dataclasses.asdict(traced.steps))
    return {
        "lab": traced.name,
        "block": traced.request.block,
        "launch": traced.report.launch.model_dump(mode="json"),
        "inputs": [one.model_dump(mode="json") for one in traced.report.inputs],
        "trace": steps,
    }
