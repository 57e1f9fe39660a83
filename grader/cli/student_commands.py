"""The commands for authors of kernels: test, watch, report, trace, profile, check, run. Part of `tilelab`, see cli.py."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from grader.cli.error_exit import argument, asked, command, flag, option

# ruff: noqa: PLC0415 -- imports lie inside the commands: a student waits for `tilelab test` many times a day
# ruff: noqa: PT028 -- `test_command` is a command, not a test
# ruff: noqa: RUF009 -- `option` and `argument` make fields

student_app = typer.Typer()

_Labs = Annotated[
    list[str] | None, typer.Argument(help="a lab, or part of its name; default: this folder's lab, or all labs")
]
_Case = Annotated[str | None, typer.Option(help="run this public test only; part of its name is enough")]
_Kernel = Annotated[Path | None, typer.Argument(help="the .cu file; default: the lab's file in assignments/")]
_OfLab = Annotated[str | None, typer.Option(help="the lab it is for; default: the lab that the file belongs to")]
_Macros = Annotated[tuple[str, ...], typer.Option("-D", help="a macro, as a compiler takes it: NAME or NAME=VALUE")]
_Folders = Annotated[tuple[Path, ...], typer.Option("-I", help="a folder with headers of the file's author")]
_ShowPage = Annotated[bool, typer.Option("--show/--no-show", help="open that page, if there is a browser")]


@command(student_app, "test")
def test_command(
    lab: _Labs = None,
    case: _Case = None,
    file: Annotated[Path | None, typer.Option(help="test this file instead of the one in assignments/")] = None,
) -> int:
    """Run the public tests on your files."""
    from grader.cli.practice_commands import test_labs

    return test_labs(lab or [], case=case, file=file)


@command(student_app, "watch")
def watch_command(
    lab: _Labs = None,
    case: _Case = None,
) -> int:
    """Run the public tests again whenever you save a file."""
    from grader.cli.practice_commands import watch_labs

    return watch_labs(lab or [], case=case)


@command(student_app, "answers")
def answers_command(
    lab: _Labs = None,
) -> int:
    """Say which questions of a lab are answered in its answers.md, and whether the numbers are right."""
    from grader.cli.practice_commands import show_answers

    return show_answers(lab or [])


@command(student_app, "report")
def report_command(
    lab: _Labs = None,
    out: Annotated[Path, typer.Option(help="the file to write")] = Path("build/report.html"),
    show: Annotated[bool, typer.Option("--show/--no-show", help="open the page in a browser, if there is one")] = True,
    sweep: Annotated[
        bool,
        typer.Option("--sweep", help="on a GPU: also time correct kernels at all sizes of each lab's sweep (slow)"),
    ] = False,
) -> int:
    """Write the page that your instructor will see, for the public tests, and open it."""
    from grader.cli.practice_commands import report_labs

    return report_labs(lab or [], out=out, show=show, sweep=sweep)


@asked(student_app, "trace", "grader.cli.launches.trace_command:trace_kernel")
@dataclass(frozen=True)
class TraceWish:
    """Show what one block of a kernel does on a small input: loads, barriers, reads, sums, stores."""

    file: _Kernel = None
    lab: _OfLab = None
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
    form: str = option("text or markdown", "--format", default="text")
    as_json: bool = flag("--json", "print everything as JSON instead")
    page: Path | None = option(
        "where to write the page that steps through the block; default: build/trace/LAB.html", default=None
    )
    paged: bool = option("write that page", "--with-page/--no-page", default=True)
    show: _ShowPage = True


@command(student_app, "profile")
def profile_command(
    file: _Kernel = None,
    shape: Annotated[
        str | None, typer.Option(help="the problem's sizes: M, N and K of a product; default: 128 each")
    ] = None,
    lab: _OfLab = None,
    kernel: Annotated[
        str | None, typer.Option(help="the kernel's name, if the lab cannot be found out from the file")
    ] = None,
    gpu: Annotated[str | None, typer.Option(help="also model its speed on this GPU: H200, A100, RTX4090 or T4")] = None,
    json_: Annotated[bool, typer.Option("--json", help="print metrics, lines and findings as JSON instead")] = False,
) -> int:
    """Count a kernel's memory traffic as Nsight Compute does: requests, sectors, wavefronts, line by line."""
    from grader.cli.launches.check_command import profile_kernel

    return profile_kernel(file, lab, kernel, shape=shape, gpu=gpu, as_json=json_)


@asked(student_app, "check", "grader.cli.launches.check_command:check_file")
@dataclass(frozen=True)
class CheckOptions:
    """Run one kernel of any file under every detector: races, bounds, uninitialised reads, barriers."""

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
    settings: tuple[str, ...] = option(
        "what a __constant__ or __device__ variable holds: 'weights={1,2,1}', 'scale=0.5', 'w[9]=random'",
        "--set",
        default=(),
    )
    seed: int = option("the seed of random numbers", min=0, default=1)
    early_return: str = option(
        "what it is if a thread returns before a barrier of its block: note or error", default="note"
    )
    trace: bool = flag("--trace", "also write a page that steps through the block of the first finding, and open it")
    page: Path | None = option("where to write that page; default: build/trace/check-KERNEL.html", default=None)
    show: _ShowPage = True
    as_json: bool = flag("--json", "print verdict, metrics and findings as JSON instead")


@dataclass(frozen=True)
class RunOptions:
    """What `tilelab run` was asked to do."""

    file: Path = argument("a .cu file with main(); what follows it are the program's own arguments")
    definitions: _Macros = ()
    folders: _Folders = ()
    others: tuple[Path, ...] = option("another source of the program; may be given several times", "--with", default=())
    readable: tuple[Path, ...] = option(
        "a folder that the program may read besides the current one; may be given several times", "--read", default=()
    )
    seconds: int = option("how long the program may run", min=1, max=86400, default=600)
    as_json: bool = flag("--json", "print findings, exit status and the program's output as JSON instead")


@command(
    student_app,
    "run",
    context_settings={"allow_interspersed_args": False, "allow_extra_args": True, "ignore_unknown_options": False},
)
def run_command(context: typer.Context, options: RunOptions) -> int:
    """Run a whole CUDA program without a GPU, under every detector, and name mistakes on the host's side as well.

    Exit status: the program's own if nothing was found; 1 if something was found, or the program crashed or did not end; 2 if it cannot
    be built; 3 if this machine failed.
    """
    from grader.cli.launches.check_command import run_file

    return run_file(options, context.args)
