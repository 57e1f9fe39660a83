"""The commands for authors of kernels: test, watch, report, trace, profile, check, run. Part of `tilelab`, see cli.py."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.requests.error_exit import asked, command
from grader.cli.requests.launch_requests import CheckOptions, Kernel, OfLab, RunOptions, TraceWish

# ruff: noqa: PLC0415 -- imports lie inside the commands: a student waits for `tilelab test` many times a day
# ruff: noqa: PT028 -- `test_command` is a command, not a test

student_app = typer.Typer()

_Labs = Annotated[
    list[str] | None, typer.Argument(help="a lab, or part of its name; default: this folder's lab, or all labs")
]
_Case = Annotated[str | None, typer.Option(help="run this public test only; part of its name is enough")]


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


asked(student_app, "trace", "grader.cli.launches.trace_command:trace_kernel")(TraceWish)
asked(student_app, "check", "grader.cli.launches.check_command:check_file")(CheckOptions)


@command(student_app, "profile")
def profile_command(
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
    from grader.cli.launches.check_command import profile_kernel

    return profile_kernel(file, lab, kernel, shape=shape, gpu=gpu, as_json=json_)


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
