"""The `tilelab` command: it parses options and calls the other files. The course's commands are here, those for a class in
class_commands.py, those for kernels in student_commands.py.

Exit status: 0 done (and, for `test`, passed); 1 `test`: not passed, `starters --check`: not up to date, `check-course`: a
proof failed; 2 the request cannot be carried out, and nothing was written; 3 something of ours or of this machine failed: what could not
be graded is blank, and the reason is reported; 130 interrupted.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.commands.class_commands import class_app
from grader.commands.frame.error_exit import guarded
from grader.commands.student_commands import student_app

# ruff: noqa: PLC0415 -- imports lie inside the commands: a student waits for `tilelab test` many times a day

app = typer.Typer(
    help="Grades CUDA kernels, with or without a GPU.",
    epilog=(
        "Exit status: 0 done; 1 not passed, out of date or not proved; 2 the command cannot be carried out; "
        "3 this machine or the grader failed: some grades are blank."
    ),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


app.add_typer(class_app)  # without names, so that their commands belong to this program
app.add_typer(student_app)


@app.command("starters")
def starters_command(
    check: Annotated[
        bool,
        typer.Option("--check", help="change nothing; fail when a starter is out of date or gives a solution away"),
    ] = False,
) -> None:
    """Make the starters in assignments/ from the model solutions, and what is made from each lab's questions."""

    def run() -> int:
        from grader.commands.course_commands import make_starters

        return make_starters(check=check)

    guarded(run)


@app.command("handouts")
def handouts_command(
    out: Annotated[Path, typer.Option(help="the folder to write the archive to")] = Path("build/handouts"),
    lab: Annotated[list[str] | None, typer.Option(help="hand out this lab only; may be given several times")] = None,
    accept: Annotated[
        bool, typer.Option("--accept", help="write the kinds of file there are now into handouts/listing.txt")
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
    proof: Annotated[list[str] | None, typer.Option(help="run this proof only; may be given several times")] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="how many to run at once; default: one per core")] = None,
    remake: Annotated[
        bool, typer.Option("--remake", help="check nothing; write again what the pages show of commands' output")
    ] = False,
) -> None:
    """Prove that the course is ready for students: starters, solutions, rejects, handout, write-ups, leaks."""

    def run() -> int:
        from grader.commands.check_course_command import check_course, remake_pages

        return remake_pages() if remake else check_course(lab or [], proof or [], workers=jobs)

    guarded(run)


@app.command("new-lab")
def new_lab_command(
    lab: Annotated[str, typer.Argument(help="the new lab's name, such as 08-stencil")],
    problem: Annotated[
        str | None,
        typer.Option(help="its header in kit/problems without .hpp, an existing or a new one; default: the lab's name"),
    ] = None,
    kernel: Annotated[str | None, typer.Option(help="the kernel's name; default: problem and lab's name")] = None,
    title: Annotated[str | None, typer.Option(help="the lab's title; default: its name")] = None,
) -> None:
    """Write the files of a new lab that builds and runs; docs/writing-a-lab.md says how to continue."""

    def run() -> int:
        from grader.commands.course_commands import make_lab

        return make_lab(lab, problem=problem, kernel=kernel, title=title)

    guarded(run)


@app.command("calibrate")
def calibrate_command(
    lab: Annotated[
        list[str] | None, typer.Argument(help="a lab, or part of its name; default: all labs that are timed")
    ] = None,
    sweep: Annotated[
        bool, typer.Option("--sweep", help="measure all sizes of each lab's sweep, not only its one shape")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(help="also write it to this file: a page with pictures if its name ends in .html, else Markdown"),
    ] = None,
) -> None:
    """Measure the naive kernel, the model solutions and faster kernels on this machine's GPU, and say which tiers they reach."""

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


@app.command("canaries")
def canaries_command(
    if_new: Annotated[
        bool, typer.Option("--if-new", help="only if this compiler was not tried before, and say only what is wrong")
    ] = False,
) -> None:
    """Try the compiler with the kit's canaries: kernels that show whether the detectors can rely on it."""

    def run() -> int:
        from grader.commands.doctor import show_canaries

        return show_canaries(Path.cwd(), if_new=if_new)

    guarded(run)
