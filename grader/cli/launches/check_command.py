"""`tilelab check` after its options are parsed: reads the file, checks, prints. Returns the exit status."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from grader.cli.error_exit import argument, flag, option, say_next
from grader.cli.practice.terminal_keys import student_console
from grader.engines.toolset import Toolset
from grader.explain.mistake_stories import block_of_mistake, mistake_stories, story_of
from grader.model.course_root import course_root
from grader.model.errors import MachineError, RemediableError
from grader.model.result import Finding, Outlook
from grader.model.verdicts import Verdict
from grader.model.visible_text import json_text, whole
from grader.pages.launches.trace_tables import as_text, verdict_parts
from grader.pages.launches.traffic_tables import climb_parts, model_parts, traffic_parts
from grader.pages.screens.check_screen import CheckPage, Excerpts, ProgramPage
from grader.roll.batch.drawn_pages import write_page, write_stories
from grader.run.kernels.host_code import launches_cooperatively
from grader.run.kernels.kernel_build import BuiltKernel, why_not, with_contents
from grader.run.kernels.kernel_source import (
    CheckError,
    KernelSource,
    ProgramSource,
    named_kernel,
    read_kernel_source,
    read_program,
)
from grader.run.kernels.own_launches import Extent3, versions_of, with_arguments
from grader.run.launches.kernel_check import Checked, CheckReport, CheckRequest, check_kernel, refusals_of, trace_again
from grader.run.launches.lab_launch import (
    Traced,
    TraceRequest,
    asked_source,
    build_launch,
    model_launch,
    predicted_outlook,
)
from grader.run.launches.trace_phases import TraceReport
from grader.run.programs.host_toolchain import NAMED_STANDARDS
from grader.run.programs.program_findings import ProgramReport
from grader.run.programs.program_kernels import ProgramRecipe
from grader.run.programs.program_run import ProgramRequest, run_whole
from grader.run.scoring.metrics import ProfileReport, derived, metrics_of
from grader.run.scoring.predicted_time import ModelledTime, gpu_named

# ruff: noqa: RUF009 -- `option` and `argument` make fields

_FOUND, _CANNOT, _OWN_STATUS, _LIMIT = 1, 2, 4, 5
_MAX_EXTENT = 2**31 - 1
Kernel = Annotated[Path | None, typer.Argument(help="the .cu file; default: the lab's file in assignments/")]
OfLab = Annotated[str | None, typer.Option(help="the lab it is for; default: the lab that the file belongs to")]
_Macros = Annotated[tuple[str, ...], typer.Option("-D", help="a macro, as a compiler takes it: NAME or NAME=VALUE")]
_Standard = Annotated[str, typer.Option("--std", help="the standard of C++, as nvcc takes it: c++03 to c++20")]
_SameValue = Annotated[
    bool, typer.Option("--allow-same-value-writes", help="threads may store one value in one element at the same time")
]
_Folders = Annotated[tuple[Path, ...], typer.Option("-I", help="a folder with headers of the file's author")]
ShowPage = Annotated[bool, typer.Option("--show/--no-show", help="open that page, if there is a browser")]


@dataclass(frozen=True)
class CheckOptions:
    """What `tilelab check` was asked to do."""

    file: Path = argument("any .cu file")
    kernel: str | None = option(
        "its name: scale, ns::scale or 'scale<float>'; default: the only kernel of the file", default=None
    )
    grid: str | None = option("blocks: x, x,y or x,y,z; default: 1", default=None)
    block: str | None = option("threads of a block: x, x,y or x,y,z; default: 32", default=None)
    shared_bytes: int = option("bytes of dynamic shared memory", "--shared", min=0, default=0)
    cooperative: bool = flag(
        "--cooperative", "a cooperative launch, for grid.sync(); also if the file's host code makes one"
    )
    arguments: tuple[str, ...] = option(
        "an argument, in the kernel's order: a buffer as float[4096]=random, =iota, =0, ={1,2,3}, =@file or without =, a value as int=64",
        "--arg",
        default=(),
    )
    definitions: _Macros = ()
    folders: _Folders = ()
    standard: _Standard = ""
    same_value: _SameValue = False
    settings: tuple[str, ...] = option(
        "what a __constant__ or __device__ variable holds: 'weights={1,2,1}', 'scale=0.5', 'w[9]=random'",
        "--set",
        default=(),
    )
    seed: int = option("the seed of random numbers", min=0, default=1)
    seconds: int | None = option(
        "processor time of the launch; default: 5, and as many steps as suit its threads and buffers",
        min=1,
        max=100,
        default=None,
    )
    early_return: str = option(
        "what it is if a thread returns before a barrier of its block: note or error", default="note"
    )
    trace: bool = flag("--trace", "also write a page that steps through the block of the first finding, and open it")
    page: Path | None = option("where to write that page; default: build/trace/check-KERNEL.html", default=None)
    show: ShowPage = True
    metrics: bool = flag("--metrics", "also print counts of memory traffic, under Nsight Compute's names")
    as_json: bool = flag("--json", "print verdict, metrics and findings as JSON instead")


def check_file(options: CheckOptions) -> int:
    """Run one kernel of any file under every detector: races, bounds, uninitialised reads, barriers."""
    try:  # the status is 1 if something was found or the launch did not end well, 2 if there was none; JSON is written in every case
        report, status = checked_file(options)
    except (RemediableError, MachineError) as error:
        if options.as_json:
            kernel, proposals = getattr(error, "kernel", ""), getattr(error, "proposals", ())
            print_json(CheckReport(verdict=None, message=str(error), kernel=kernel, proposals=proposals))
        raise
    if options.as_json:
        print_json(report)
    else:
        others = "try other sizes and inputs too: --grid, --block and --arg"
        say_next(others if status == 0 else "correct the first finding, and check the file again")
    return status


def checked_file(options: CheckOptions) -> tuple[CheckReport, int]:
    """Prints what was found, except as JSON. With the exit status."""
    file = options.file
    if options.early_return not in {"note", "error"}:
        raise CheckError(f"--early-return {options.early_return!r}: write note or error")
    source = in_standard(read_kernel_source(file, options.folders), options.standard)
    definitions = [definition(one) for one in options.definitions]
    name = with_arguments(source, named_kernel(source, options.kernel, str(file)), definitions)
    shown, source = source, with_contents(source, options.settings)
    request = CheckRequest(
        file=str(file),
        kernel=name,
        grid=_extent(options.grid or "1", "--grid"),
        block=_extent(options.block or "32", "--block"),
        shared_bytes=options.shared_bytes,
        cooperative=options.cooperative or launches_cooperatively(source.texts.values()),
        arguments=options.arguments,
        seed=options.seed,
        seconds=options.seconds or 0,
        early_return_is_error=options.early_return == "error",
        allow_same_value_writes=options.same_value,
        definitions=definitions,
        options=[
            *(["--cooperative"] if options.cooperative else []),
            *(["--allow-same-value-writes"] if options.same_value else []),
            *(["--std", options.standard] if options.standard else []),
            *(f"-D{one}" for one in options.definitions),
            *(f"-I{one}" for one in options.folders),
            *(word for one in options.settings for word in ("--set", one)),
        ],
        is_proposed=not (options.grid or options.block or options.shared_bytes),
    )
    toolset = Toolset.open(course_root(Path.cwd()), allow_no_sandbox=True)
    with tempfile.TemporaryDirectory(prefix="tilelab-") as scratch:
        checked = check_kernel(toolset, source, request, Path(scratch))
        pages = _traced(toolset, checked, shown, Path(scratch), options) if isinstance(checked, Checked) else None
    if isinstance(checked, BuiltKernel):
        return _refused(shown, request, checked, as_json=options.as_json), _CANNOT
    if checked.verdict is Verdict.INTERNAL_ERROR:
        raise CheckError(f"the launch could not be run: {checked.message}")
    same = {key: getattr(checked, key) for key in ("verdict", "message", "metrics", "left_out")}
    report = CheckReport(kernel=name, findings=_with_ending(checked, source), **same)
    if not options.as_json:
        student_console().print(CheckPage(checked, report, shown.texts, options.metrics), soft_wrap=False)
    if pages is not None:
        pages()
    return report, 0 if checked.verdict is Verdict.PASS else _FOUND


def _traced(
    toolset: Toolset, checked: Checked, source: KernelSource, scratch: Path, options: CheckOptions
) -> Callable[[], None] | None:
    """Runs the launch once more for its pages. Returns what writes them, after the findings are printed; None where none are wanted."""
    if not (options.trace or options.page) or checked.verdict is Verdict.INTERNAL_ERROR:
        return None
    block = block_of_mistake(checked)
    try:
        trace = trace_again(toolset, scratch, block, is_endless=checked.verdict is Verdict.TIMEOUT)
    except (RuntimeError, subprocess.TimeoutExpired):
        trace = None
    name = re.sub(r"\W+", "-", options.kernel or Path(source.name).stem).strip("-")
    report = TraceReport(factors=(), inputs=(), launch=checked, trace=trace)
    traced = Traced(name, source.name, TraceRequest(block=block), report)
    lines = source.texts[source.name].split("\n")
    story, told = story_of(traced, lines), list(mistake_stories(traced, lines))
    page = options.page or course_root(Path.cwd()) / "build" / "trace" / f"check-{name}.html"

    def write() -> None:
        if story is None:
            sys.stderr.write("There is no page to step through: no thread of this launch accessed memory.\n")
        write_page(story, page, "step through it", show=options.show)
        write_stories(page, {}, told, asks=True)

    return write


def in_standard(source: KernelSource, standard: str) -> KernelSource:
    """`standard`: what --std says; empty: nothing."""
    if standard not in NAMED_STANDARDS:
        raise CheckError(f"--std {standard}: write {', '.join(filter(None, NAMED_STANDARDS))}")
    return source.spaced() if standard == "c++03" else source


def definition(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z_]\w*(=[^\n\\]*)?", text):
        raise CheckError(f"-D {text!r}: write NAME or NAME=VALUE")
    return text


def _extent(text: str, option: str) -> Extent3:
    """`4` and `4,2` are short for `4,1,1` and `4,2,1`."""
    if not re.fullmatch(r"\d{1,10}(,\d{1,10}){0,2}", text):
        raise CheckError(f"{option} {text!r}: write one to three numbers, as x, x,y or x,y,z")
    x, y, z = (*map(int, text.split(",")), 1, 1)[:3]
    if max(x, y, z) > _MAX_EXTENT:
        raise CheckError(f"{option} {text!r}: a grid cannot be that large")
    return x, y, z


def _with_ending(checked: Checked, source: KernelSource) -> tuple[Finding, ...]:
    """Also how the launch ended, if no finding says it, and a note if the result depends on the order of blocks and threads."""
    findings = checked.findings
    if checked.verdict is not Verdict.PASS and all(one.kind is not checked.verdict for one in findings):
        findings = (*findings, Finding(kind=checked.verdict, file=source.name, message=checked.message))
    if why := checked.explanation:
        note = Finding(kind=Verdict.RACE, severity="note", file=source.name, message=why.sentence, advice=why.advice)
        findings = (*findings, note)
    return findings


def error_console() -> Console:
    return Console(file=sys.stderr, highlight=False, color_system=None if os.environ.get("NO_COLOR") else "auto")


def _refused(source: KernelSource, request: CheckRequest, built: BuiltKernel, *, as_json: bool) -> CheckReport:
    why = why_not(source, request.kernel, built)
    is_about_name = all(one.line == 0 for one in built.build.refusals)
    versions = versions_of(source, request.kernel) if is_about_name else []
    lines = [
        shlex.join(["tilelab", "check", request.file, "--kernel", one, *request.options])
        for one in (versions if len(versions) > 1 else ())
    ]
    sys.stderr.write(whole("\n  ".join([f"tilelab: {request.kernel} cannot be checked.\n{why}", *lines])) + "\n")
    found = refusals_of(source, built.build)
    if not as_json:
        error_console().print(Excerpts(found, source.texts), soft_wrap=False)
    return CheckReport(
        verdict=built.build.refusals[0].verdict,
        message=why,
        kernel=request.kernel,
        findings=found,
        left_out=tuple(built.left_out),
        proposals=tuple(lines),
    )


def print_json(report: CheckReport | ProgramReport) -> None:
    plain = report.model_dump(mode="json", exclude={"findings"})
    plain["findings"] = [
        finding.model_dump(mode="json", exclude={"cases"}, exclude_none=True) for finding in report.findings
    ]
    sys.stdout.write(json_text(plain) + "\n")


# `tilelab run`: reads the program, builds and runs it, prints what was found. What the program prints stays on standard output, alone.
# What was found goes to standard error, after the program's end.

_CLEAR = "\r\x1b[K"


@dataclass(frozen=True)
class RunOptions:
    """What `tilelab run` was asked to do."""

    file: Path = argument("a .cu file with main(); what follows it are the program's own arguments")
    definitions: _Macros = ()
    folders: _Folders = ()
    standard: _Standard = ""
    same_value: _SameValue = False
    others: tuple[Path, ...] = option("another source of the program; may be given several times", "--with", default=())
    readable: tuple[Path, ...] = option(
        "a folder that the program may read besides the current one; may be given several times", "--read", default=()
    )
    writable: tuple[Path, ...] = option(
        "a folder that the program may write to, besides the current one; may be given several times",
        "--write",
        default=(),
    )
    seconds: int = option("how long the program may run", min=1, max=86400, default=600)
    as_json: bool = flag("--json", "print findings, exit status and the program's output as JSON instead")


def run_file(context: typer.Context, options: RunOptions) -> int:
    """Run a whole CUDA program without a GPU, under every detector, and name mistakes on the host's side as well.

    Exit status: 0 if nothing was found; 1 if something was found, or the program crashed; 2 if it cannot be built; 3 if this machine
    failed; 4 if nothing was found and the program ended with another status than 0; 5 if it was stopped at a limit.
    """
    definitions = [definition(one) for one in options.definitions]
    given = [*(("--read", one) for one in options.readable), *(("--write", one) for one in options.writable)]
    for name, folder in given:
        if not folder.is_dir():
            raise CheckError(f"{name} {folder}: there is no such folder")
    read = read_program(options.file, options.others, options.folders)
    source = ProgramSource(tuple(in_standard(unit, options.standard) for unit in read.units))
    toolset = Toolset.open(course_root(Path.cwd()), allow_no_sandbox=True)
    request = ProgramRequest(
        context.args,
        Path.cwd(),
        options.seconds,
        readable=[folder.resolve() for folder in options.readable],
        writable=[folder.resolve() for folder in options.writable],
        settings={"allow_same_value_writes" if options.same_value else "tell_same_value_writes": True},
        keeps_output=options.as_json,
    )
    with tempfile.TemporaryDirectory(prefix="tilelab-") as scratch:
        recipe = ProgramRecipe(source, definitions, standards=NAMED_STANDARDS[options.standard])
        report = run_whole(toolset, recipe, request, Path(scratch), _progress())
    if options.as_json:
        print_json(report)
    else:
        sys.stdout.flush()
        error_console().print(ProgramPage(report, source.texts), soft_wrap=False)
        others = "run it with other arguments and sizes, too"
        found = "correct the first finding, and run it again"
        own = "look at what the program says of itself"
        say_next(others if report.is_clean else own if _status(report) == _OWN_STATUS else found, on_errors=True)
    return _status(report)


def _status(report: ProgramReport) -> int:
    if report.ended in {"not-built", "refused"}:
        return _CANNOT
    if report.has_errors:
        return _FOUND
    if report.limit:
        return _LIMIT
    return 0 if report.is_clean else _OWN_STATUS if report.ended == "exit" else _FOUND


def _progress() -> Callable[[str], None]:
    """One line that is overwritten, where a person watches."""
    if not sys.stderr.isatty():
        return lambda _: None

    def show(text: str) -> None:
        sys.stderr.write(f"{_CLEAR}{f'tilelab: {text} …' if text else ''}")
        sys.stderr.flush()

    return show


# `tilelab profile` after its options are parsed: finds the lab, counts, prints. Returns the exit status.

_NOT_PASSED = 1


def profile_kernel(
    file: Kernel = None,
    shape: Annotated[
        str | None, typer.Option(help="the problem's sizes: M, N and K of a product; default: 128 each")
    ] = None,
    lab: OfLab = None,
    kernel: Annotated[
        str | None, typer.Option(help="the kernel's name, if the lab cannot be found out from the file")
    ] = None,
    gpu: Annotated[str | None, typer.Option(help="also model its speed on this GPU: H200, A100, RTX4090 or T4")] = None,
    json_: Annotated[bool, typer.Option("--json", help="print metrics, lines and findings as JSON instead")] = False,
) -> int:
    """Count a kernel's memory traffic as Nsight Compute does: requests, sectors, wavefronts, line by line."""
    device = gpu_named(gpu) if gpu else None
    asked, _, source = asked_source(file, lab, kernel)
    toolset = Toolset.open(course_root(Path.cwd()), allow_no_sandbox=True)
    with tempfile.TemporaryDirectory(prefix="tilelab-") as scratch:
        built = build_launch(toolset, asked, source, Path(scratch))
        report = built.profile(shape)
        model = model_launch(report, device, built.profile) if device else None
        found = predicted_outlook(asked, report, built.profile)
    launch = report.launch
    if json_:
        shown = json_text(as_plain(report, model, found))
    else:
        modelled = [*(model_parts(model) if model else []), *(climb_parts(found) if found else [])]
        parts = [*traffic_parts(asked.id, launch), *modelled, *verdict_parts(launch)]
        shown = as_text(parts)
    sys.stdout.write(shown + "\n")
    passed = launch.verdict is Verdict.PASS
    if not json_:
        say_next("change the line with the most sectors, and profile again" if passed else "correct the first finding")
    return 0 if passed else _NOT_PASSED


def as_plain(report: ProfileReport, model: ModelledTime | None = None, found: Outlook | None = None) -> dict[str, Any]:
    """For `--json`: counts are whole numbers, ratios are not."""
    traffic = report.launch.traffic
    plain: dict[str, Any] = {
        "shape": report.shape,
        "metrics": metrics_of(traffic),
        "lines": [
            {"line": one.line, "source": one.source, "metrics": {**one.metrics, **derived(one.metrics)}}
            for one in (traffic.lines if traffic else ())
        ],
        "findings": [finding.model_dump(mode="json") for finding in report.launch.findings],
    }
    if model is not None:
        plain["modelled"] = {
            "gpu": model.gpu.name,
            "shape": model.shape,
            "binding": model.binding.name,
            "seconds": {term.name: term.seconds for term in model.terms},
            "flops": model.flops,
        }
    if found is not None:
        plain["predicted"] = found.model_dump(mode="json")
    return plain
