"""The `tilelab` command: parses, delegates, and turns known errors into one friendly sentence.

Exit status: 0 done (and, for `test`, passed); 1 `test`: not passed, `starters --check`: stale, `check-course`: a proof
failed; 2 what was asked for cannot be done, nothing was written; 3 graded, but something of ours broke and is flagged;
130 interrupted.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

# ruff: noqa: PLC0415 -- imports lie inside the commands: a student waits for `tilelab test` many times a day
# ruff: noqa: PT028 -- `test_command` is a command, not a test
if TYPE_CHECKING:
    from collections.abc import Callable

app = typer.Typer(
    help="Grades CUDA kernels, with or without a GPU.",
    epilog="Exit status: 0 done; 1 not passed, stale or not proved; 2 cannot be done as asked; 3 graded, with a fault of ours.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.command("grade")
def grade_command(
    submissions: Annotated[
        Path, typer.Argument(help="a folder with a folder or archive per student, or an archive of that")
    ],
    out: Annotated[Path, typer.Option(help="the folder to write the report to")] = Path("out"),
    lab: Annotated[list[str] | None, typer.Option(help="grade this lab only; may be given several times")] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="how many to judge at once; left out: one per core")] = None,
    no_sandbox: Annotated[
        bool, typer.Option("--no-sandbox", help="run submissions unconfined where nothing confines")
    ] = False,
) -> None:
    """Grade a class and write the report."""

    def run() -> int:
        from grader.session import grade_class

        return grade_class(submissions, out, lab or [], workers=jobs, allow_no_sandbox=no_sandbox)

    _guarded(run)


@app.command("test")
def test_command(
    lab: Annotated[
        list[str] | None, typer.Argument(help="a lab, or a part of its name; left out: this folder's, or all of them")
    ] = None,
    case: Annotated[str | None, typer.Option(help="run this public test only; a part of its name will do")] = None,
    file: Annotated[Path | None, typer.Option(help="test this file instead of the one in assignments/")] = None,
) -> None:
    """Run the public tests on your files."""

    def run() -> int:
        from grader.session import test_labs

        return test_labs(lab or [], case=case, file=file)

    _guarded(run)


@app.command("watch")
def watch_command(
    lab: Annotated[
        list[str] | None, typer.Argument(help="a lab, or a part of its name; left out: this folder's, or all of them")
    ] = None,
    case: Annotated[str | None, typer.Option(help="run this public test only; a part of its name will do")] = None,
) -> None:
    """Run the public tests again whenever you save a file."""

    def run() -> int:
        from grader.session import watch_labs

        return watch_labs(lab or [], case=case)

    _guarded(run)


@app.command("report")
def report_command(
    lab: Annotated[
        list[str] | None, typer.Argument(help="a lab, or a part of its name; left out: this folder's, or all of them")
    ] = None,
    out: Annotated[Path, typer.Option(help="the file to write")] = Path("build/report.html"),
    show: Annotated[bool, typer.Option("--show/--no-show", help="open it, where something here opens pages")] = True,
) -> None:
    """Write the page that your instructor will see, for the public tests, and open it."""

    def run() -> int:
        from grader.session import report_labs

        return report_labs(lab or [], out=out, show=show)

    _guarded(run)


@app.command("trace")
def trace_command(  # noqa: PLR0913, PLR0917 - one for each option
    file: Annotated[Path | None, typer.Argument(help="the .cu file; left out: the lab's in assignments/")] = None,
    lab: Annotated[str | None, typer.Option(help="the lab it is for; left out: told by the file")] = None,
    shape: Annotated[str, typer.Option(help="the problem's sizes, small: M, N and K of a product")] = "8x8x8",
    block: Annotated[str, typer.Option(help="which block to follow: x,y or x,y,z")] = "0,0",
    thread: Annotated[
        list[str] | None, typer.Option(help="show this thread's rows only; may be given several times")
    ] = None,
    inputs: Annotated[str, typer.Option(help="what the inputs hold: worked, integers or random")] = "worked",
    form: Annotated[str, typer.Option("--format", help="text or markdown")] = "text",
    json_: Annotated[bool, typer.Option("--json", help="print all of it as JSON instead")] = False,
) -> None:
    """Show what one block of a kernel does on a small input: loads, barriers, reads, sums, stores."""

    def run() -> int:
        from grader.tracing_session import trace_kernel

        return trace_kernel(
            file, lab, shape=shape, block=block, threads=thread or [], inputs=inputs, form="json" if json_ else form
        )

    _guarded(run)


@app.command("profile")
def profile_command(  # noqa: PLR0913, PLR0917 - one for each option
    file: Annotated[Path | None, typer.Argument(help="the .cu file; left out: the lab's in assignments/")] = None,
    shape: Annotated[
        str | None, typer.Option(help="the problem's sizes: M, N and K of a product; left out: 128 each")
    ] = None,
    lab: Annotated[str | None, typer.Option(help="the lab it is for; left out: told by the file")] = None,
    kernel: Annotated[str | None, typer.Option(help="the kernel's name, where the file does not tell the lab")] = None,
    gpu: Annotated[
        str | None, typer.Option(help="model its speed on this GPU as well: H200, A100, RTX4090 or T4")
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="print metrics, lines and findings as JSON instead")] = False,
) -> None:
    """Count a kernel's memory traffic as Nsight Compute does: requests, sectors, wavefronts, line by line."""

    def run() -> int:
        from grader.profiling_session import profile_kernel

        return profile_kernel(file, lab, kernel, shape=shape, gpu=gpu, as_json=json_)

    _guarded(run)


@app.command("check")
def check_command(  # noqa: PLR0913, PLR0917 - one for each option
    file: Annotated[Path, typer.Argument(help="any .cu file")],
    kernel: Annotated[
        str | None, typer.Option(help="its name: scale, ns::scale or 'scale<float>'; left out: the file's only one")
    ] = None,
    grid: Annotated[str, typer.Option(help="blocks: x, x,y or x,y,z")] = "1",
    block: Annotated[str, typer.Option(help="threads of a block: x, x,y or x,y,z")] = "32",
    shared: Annotated[int, typer.Option(min=0, help="bytes of dynamic shared memory")] = 0,
    arg: Annotated[
        list[str] | None,
        typer.Option(
            help="an argument, in the kernel's order: a buffer as float[4096]=random, =iota, =0 or left open, a value as int=64"
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="another seed makes other random numbers")] = 1,
    json_: Annotated[bool, typer.Option("--json", help="print verdict, metrics and findings as JSON instead")] = False,
) -> None:
    """Run one kernel of any file under every detector: races, bounds, uninitialised reads, barriers."""

    def run() -> int:
        from grader.kernel_check_session import check_file

        return check_file(
            file, kernel, grid=grid, block=block, shared_bytes=shared, arguments=arg or [], seed=seed, as_json=json_
        )

    _guarded(run)


@app.command("starters")
def starters_command(
    check: Annotated[
        bool, typer.Option("--check", help="change nothing; fail when a starter is stale or leaks")
    ] = False,
) -> None:
    """Make the starters in assignments/ from the model solutions."""

    def run() -> int:
        from grader.session import make_starters

        return make_starters(check=check)

    _guarded(run)


@app.command("handouts")
def handouts_command(
    out: Annotated[Path, typer.Option(help="the folder to write the archive to")] = Path("build/handouts"),
    lab: Annotated[list[str] | None, typer.Option(help="hand out this lab only; may be given several times")] = None,
    accept: Annotated[
        bool, typer.Option("--accept", help="change handouts/listing.txt to the kinds of file there are now")
    ] = False,
) -> None:
    """Make the archive that students are given."""

    def run() -> int:
        from grader.session import make_handouts

        return make_handouts(out, lab or [], accept=accept)

    _guarded(run)


@app.command("check-course")
def check_course_command(
    lab: Annotated[list[str] | None, typer.Option(help="check this lab only; may be given several times")] = None,
    proof: Annotated[list[str] | None, typer.Option(help="make this proof only; may be given several times")] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="how many to run at once; left out: one per core")] = None,
    remake: Annotated[
        bool, typer.Option("--remake", help="check nothing; bring what commands print in the pages up to date")
    ] = False,
) -> None:
    """Prove that the course is fit to be given: starters, solutions, rejects, handout, write-ups, leaks."""

    def run() -> int:
        from grader import check_session

        return check_session.remake() if remake else check_session.check_course(lab or [], proof or [], workers=jobs)

    _guarded(run)


@app.command("new-lab")
def new_lab_command(
    lab: Annotated[str, typer.Argument(help="the new lab, as in 06-reduction")],
    problem: Annotated[
        str | None, typer.Option(help="its header in kit/problems, without .hpp, old or new; left out: the lab's name")
    ] = None,
    kernel: Annotated[str | None, typer.Option(help="the kernel's name; left out: problem and lab's name")] = None,
    title: Annotated[str | None, typer.Option(help="the lab's title; left out: its name")] = None,
) -> None:
    """Lay down the files of a new lab, which then build and run; docs/writing-a-lab.md goes on from there."""

    def run() -> int:
        from grader.session import make_lab

        return make_lab(lab, problem=problem, kernel=kernel, title=title)

    _guarded(run)


@app.command("calibrate")
def calibrate_command(
    lab: Annotated[
        list[str] | None, typer.Argument(help="a lab, or a part of its name; left out: all that are timed")
    ] = None,
    sweep: Annotated[
        bool, typer.Option("--sweep", help="over the sizes of each lab's sweep, not at its one shape alone")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="write the table to this file too")] = None,
) -> None:
    """Measure naive, the model solutions and what lies beside them on this machine's GPU."""

    def run() -> int:
        from grader.calibration_session import calibrate_labs

        return calibrate_labs(lab or [], sweep=sweep, out=out)

    _guarded(run)


@app.command("doctor")
def doctor_command() -> None:
    """Say what was found on this machine: compiler, sandbox, kit, GPU."""

    def run() -> int:
        from grader.doctor import examine

        return examine(Path.cwd())

    _guarded(run)


def _guarded(run: Callable[[], int]) -> NoReturn:
    """Runs a command; what went wrong in a known way is said in one sentence, without a stack trace."""
    from grader.errors import RemediableError

    try:
        status = run()
    except KeyboardInterrupt:
        _say("interrupted; what was judged is kept, run the same command again to go on")
        status = 130
    except RemediableError as error:
        _say(str(error))
        status = 2
    raise typer.Exit(status)


def _say(message: str) -> None:
    sys.stderr.write(f"tilelab: {message}\n")
