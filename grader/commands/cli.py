"""The `tilelab` command: it parses options and calls the other files. The course's commands are here, those for kernels in
student_commands.py.

Exit status: 0 done (and, for `test`, passed); 1 `test`: not passed, `starters --check`: not up to date, `check-course`: a
proof failed; 2 the request cannot be carried out, and nothing was written; 3 graded, but something of ours failed and is
reported; 130 interrupted.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.commands.error_exit import guarded
from grader.commands.student_commands import student_app
from grader.exports import export_help

# ruff: noqa: PLC0415 -- imports lie inside the commands: a student waits for `tilelab test` many times a day

app = typer.Typer(
    help="Grades CUDA kernels, with or without a GPU.",
    epilog="Exit status: 0 done; 1 not passed, stale or not proved; 2 cannot be done as asked; 3 graded, with a fault of ours.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.command("grade")
def grade_command(  # noqa: PLR0913, PLR0917 - one for each option
    submissions: Annotated[
        Path, typer.Argument(help="a folder with a folder or archive per student, or an archive of that")
    ],
    out: Annotated[Path, typer.Option(help="the folder to write the report to")] = Path("out"),
    lab: Annotated[list[str] | None, typer.Option(help="grade this lab only; may be given several times")] = None,
    export: Annotated[
        list[str] | None,
        typer.Option(help=f"write grades in this format; may be given several times. {export_help()}", metavar="NAME"),
    ] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="how many to judge at once; left out: one per core")] = None,
    no_sandbox: Annotated[
        bool, typer.Option("--no-sandbox", help="run submissions unconfined where nothing confines")
    ] = False,
    sanitize: Annotated[
        bool, typer.Option("--sanitize", help="on a GPU: ask compute-sanitizer about every case as well (slow)")
    ] = False,
    sweep: Annotated[
        bool,
        typer.Option("--sweep", help="on a GPU: time right kernels over the sizes of each lab's sweep as well (slow)"),
    ] = False,
) -> None:
    """Grade a class and write the report."""

    def run() -> int:
        from grader.commands.grade_command import grade_class

        return grade_class(
            submissions,
            out,
            lab or [],
            exports=export or [],
            workers=jobs,
            allow_no_sandbox=no_sandbox,
            sanitized=sanitize,
            sweep=sweep,
        )

    guarded(run)


app.add_typer(student_app)  # without a name, so that its commands belong to this program


@app.command("starters")
def starters_command(
    check: Annotated[
        bool, typer.Option("--check", help="change nothing; fail when a starter is stale or leaks")
    ] = False,
) -> None:
    """Make the starters in assignments/ from the model solutions."""

    def run() -> int:
        from grader.commands.course_commands import make_starters

        return make_starters(check=check)

    guarded(run)


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
        from grader.commands.course_commands import make_handouts

        return make_handouts(out, lab or [], accept=accept)

    guarded(run)


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
        from grader.commands.check_course_command import check_course, remake_pages

        return remake_pages() if remake else check_course(lab or [], proof or [], workers=jobs)

    guarded(run)


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
        from grader.commands.course_commands import make_lab

        return make_lab(lab, problem=problem, kernel=kernel, title=title)

    guarded(run)


@app.command("calibrate")
def calibrate_command(
    lab: Annotated[
        list[str] | None, typer.Argument(help="a lab, or a part of its name; left out: all that are timed")
    ] = None,
    sweep: Annotated[
        bool, typer.Option("--sweep", help="over the sizes of each lab's sweep, not at its one shape alone")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(help="write it to this file too: a page with pictures where it ends in .html, else Markdown"),
    ] = None,
) -> None:
    """Measure naive, the model solutions and what lies beside them on this machine's GPU."""

    def run() -> int:
        from grader.commands.calibrate_command import calibrate_labs

        return calibrate_labs(lab or [], sweep=sweep, out=out)

    guarded(run)


@app.command("doctor")
def doctor_command() -> None:
    """Say what was found on this machine: compiler, sandbox, kit, GPU."""

    def run() -> int:
        from grader.commands.doctor import examine

        return examine(Path.cwd())

    guarded(run)
