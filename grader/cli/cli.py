"""The `tilelab` command: it parses options and calls the other files. The course's commands and those for a class are here, those
for kernels in student_commands.py.

Exit status: 0 done (and, for `test`, passed); 1 `test`: not passed, `starters --check`: not up to date, `check-course`: a
proof failed; 2 the request cannot be carried out, and nothing was written; 3 something of ours or of this machine failed: what could not
be graded is blank, and the reason is reported; 130 interrupted.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from grader.cli.requests.class_requests import ClassRequest, ExportRequest, Graded, PagesRequest
from grader.cli.requests.error_exit import asked, command
from grader.cli.student_commands import student_app
from grader.model.course_root import course_root, load_labs
from grader.model.labs import LabError
from grader.roll.batch.plugin import Command, registered

# ruff: noqa: PLC0415 -- imports lie inside the commands: a student waits for `tilelab test` many times a day

_NOT_PASSED = 1
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
class_app = typer.Typer()
app.add_typer(class_app)  # without names, so that their commands belong to this program
app.add_typer(student_app)


@command(app, "starters")
def starters_command(
    check: Annotated[
        bool,
        typer.Option("--check", help="change nothing; fail when a starter is out of date or gives a solution away"),
    ] = False,
) -> int:
    """Make the starters in assignments/ from the model solutions, and what is made from each lab's questions."""
    from grader.course import starters
    from grader.course.leaks import MarkerError

    console = Console(highlight=False)
    root = course_root(Path.cwd())
    if check:
        diagnostics = starters.stale(root)
        for one in diagnostics:
            console.print(str(one), markup=False, soft_wrap=True)
        return _NOT_PASSED if diagnostics else 0
    try:
        written = starters.write(root)
    except MarkerError as error:
        raise LabError(str(error)) from error
    for path in written:
        console.print(f"wrote {path}", markup=False, soft_wrap=True)
    return 0


@command(app, "handouts")
def handouts_command(
    out: Annotated[Path, typer.Option(help="the folder to write the archive to")] = Path("build/handouts"),
    lab: Annotated[list[str] | None, typer.Option(help="hand out this lab only; may be given several times")] = None,
    accept: Annotated[
        bool, typer.Option("--accept", help="write the kinds of file there are now into handouts/listing.txt")
    ] = False,
) -> int:
    """Make the archive that students are given."""
    from grader.course.handouts import LISTING, diagnostics, handout, listing, write

    console = Console(highlight=False)
    root = course_root(Path.cwd())
    labs = load_labs(root, lab or [])
    made = handout(root, labs)
    if accept:
        (root / LISTING).write_text(listing(made), encoding="utf-8")
    if broken := diagnostics(root, labs, made):
        for one in broken:
            console.print(str(one), markup=False, soft_wrap=True)
        console.print("nothing was written", style="red")
        return _NOT_PASSED
    target = write(made, root / out)
    console.print(f"{target}\n{made.manifest}", markup=False, soft_wrap=True)
    return 0


@command(app, "check-course")
def check_course_command(
    lab: Annotated[list[str] | None, typer.Option(help="check this lab only; may be given several times")] = None,
    proof: Annotated[list[str] | None, typer.Option(help="run this proof only; may be given several times")] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="how many to run at once; default: one per core")] = None,
    remake: Annotated[
        bool, typer.Option("--remake", help="check nothing; write again what the pages show of commands' output")
    ] = False,
) -> int:
    """Prove that the course is ready for students: starters, solutions, rejects, handout, write-ups, leaks."""
    from grader.cli.check_course_command import check_course, remake_pages

    return remake_pages() if remake else check_course(lab or [], proof or [], workers=jobs)


@command(app, "new-lab")
def new_lab_command(
    lab: Annotated[str, typer.Argument(help="the new lab's name, such as 08-stencil")],
    problem: Annotated[
        str | None,
        typer.Option(help="its header in kit/problems without .hpp, an existing or a new one; default: the lab's name"),
    ] = None,
    kernel: Annotated[str | None, typer.Option(help="the kernel's name; default: problem and lab's name")] = None,
    title: Annotated[str | None, typer.Option(help="the lab's title; default: its name")] = None,
) -> int:
    """Write the files of a new lab that builds and runs; docs/writing-a-lab.md says how to continue."""
    from grader.course.new_lab import files_of, next_steps, with_defaults, write_lab

    root = course_root(Path.cwd())
    new = with_defaults(lab, title=title, problem=problem, kernel=kernel)
    files = files_of(root, new)
    write_lab(root, files)
    said = "".join(f"wrote {path}\n" for path in files) + "\n" + next_steps(new)
    Console(highlight=False).print(said, markup=False, soft_wrap=True, end="")
    return 0


@command(app, "calibrate")
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
) -> int:
    """Measure the naive kernel, the model solutions and faster kernels on this machine's GPU, and say which tiers they reach."""
    from grader.cli.doctor import calibrate_labs

    return calibrate_labs(lab or [], sweep=sweep, out=out)


@command(app, "doctor")
def doctor_command() -> int:
    """Say what was found on this machine: compiler, sandbox, kit, GPU."""
    from grader.cli.doctor import examine

    return examine(Path.cwd())


@command(app, "canaries")
def canaries_command(
    if_new: Annotated[
        bool, typer.Option("--if-new", help="only if this compiler was not tried before, and say only what is wrong")
    ] = False,
) -> int:
    """Try the compiler with the kit's canaries: kernels that show whether the detectors can rely on it."""
    from grader.cli.doctor import show_canaries

    return show_canaries(Path.cwd(), if_new=if_new)


# The commands about a class. Each does its work in a file of its own.

asked(class_app, "grade", "grader.cli.classes.grade_command:grade_class")(ClassRequest)
asked(class_app, "export", "grader.cli.classes.pages_command:export_again")(ExportRequest)
asked(class_app, "pages", "grader.cli.classes.pages_command:pages_again")(PagesRequest)


@command(class_app, "history")
def history_command(
    out: Graded = "out",
    student: Annotated[
        str, typer.Argument(help="an id, a login, a number or an address; default: a line for each batch")
    ] = "",
) -> int:
    """Show how grades changed from batch to batch, and why."""
    from grader.cli.classes.pages_command import show_history

    return show_history(out, student)


for _plugin in registered(Command):
    command(class_app, _plugin.name, hidden=_plugin.hidden)(_plugin.run)
