"""The options of the commands about a class. Each command does its work in a file of its own."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated

import typer

from grader.cli.error_exit import command
from grader.roll.batch.plugin import Command, OtherMachines, export_help, registered

# ruff: noqa: PLC0415 -- imports lie inside the commands: a student waits for `tilelab test` many times a day

class_app = typer.Typer()


def with_options_of_plugins(own_command: Callable[..., int]) -> Callable[..., int]:
    """The command with the options of what may judge in place of this machine, which it gets together."""

    @wraps(own_command)
    def run(**given: object) -> int:
        return own_command(**given)

    own = [
        one
        for one in inspect.signature(own_command, eval_str=True).parameters.values()
        if one.kind is not one.VAR_KEYWORD
    ]
    found = {name: option for machines in registered(OtherMachines) for name, option in machines.options.items()}
    more = [
        inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=annotation)
        for name, (annotation, default) in found.items()
    ]
    run.__annotations__ = {one.name: one.annotation for one in (*own, *more)}
    vars(run)["__signature__"] = inspect.Signature([*own, *more])
    return run


@command(class_app, "grade")
@with_options_of_plugins
def grade_command(  # noqa: PLR0913, PLR0917 - one for each option
    submissions: Annotated[
        list[str],
        typer.Argument(
            help="what your platform lets you download, as it is; or a folder or archive with one folder or archive per student. "
            "Several are one class: one download for each lab, for example"
        ),
    ],
    out: Annotated[str, typer.Option(help="the folder to write the report to")] = "out",
    lab: Annotated[list[str] | None, typer.Option(help="grade this lab only; may be given several times")] = None,
    export: Annotated[
        list[str] | None,
        typer.Option(help=f"write grades in this format; may be given several times. {export_help()}", metavar="NAME"),
    ] = None,
    assignment: Annotated[
        str,
        typer.Option(
            help="what the platform calls it, for exports: 'Week 3 (4711)'; see docs/exports.md", metavar="NAME"
        ),
    ] = "",
    roster: Annotated[
        str,
        typer.Option(
            help="a CSV file of everybody in the course, as a platform exports it: see docs/roster.md", metavar="FILE"
        ),
    ] = "",
    comments: Annotated[
        str,
        typer.Option(
            help="comments for all who made the same mistake; default: OUT/instructor/comments.toml", metavar="FILE"
        ),
    ] = "",
    course: Annotated[
        str,
        typer.Option(
            help="the course's deadlines and rules for late work; default: course.toml in the course's folder, if it is there: see "
            "docs/policy.md",
            metavar="FILE",
        ),
    ] = "",
    attempt: Annotated[
        str,
        typer.Option(
            help="which of a student's attempts counts for each lab: latest, best, or before-deadline (the last one before it); "
            "default: as course.toml says, else the latest",
            metavar="WHICH",
        ),
    ] = "",
    timezone: Annotated[
        str,
        typer.Option(
            help="of times that a platform writes without one, such as Europe/Berlin; default: that of course.toml, else this machine's",
            metavar="NAME",
        ),
    ] = "",
    jobs: Annotated[int | None, typer.Option(min=1, help="how many to judge at once; default: one per core")] = None,
    no_sandbox: Annotated[
        bool, typer.Option("--no-sandbox", help="run submissions even where there is no sandbox to confine them")
    ] = False,
    sanitize: Annotated[
        bool, typer.Option("--sanitize", help="on a GPU: also run every case under compute-sanitizer (slow)")
    ] = False,
    sweep: Annotated[
        bool,
        typer.Option("--sweep", help="on a GPU: also time correct kernels at all sizes of each lab's sweep (slow)"),
    ] = False,
    search_seconds: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="how long to look for the lines of wrong results after judging; 0: not at all; default: an eighth of what judging took",
        ),
    ] = None,
    **plugins: object,
) -> int:
    """Grade a class and write the report."""
    from grader.cli.classes.grade_command import ClassRequest, grade_class

    return grade_class(
        ClassRequest(
            tuple(submissions),
            out,
            labs=tuple(lab or ()),
            exports=tuple(export or ()),
            assignment=assignment,
            roster=roster,
            comments=comments,
            course=course,
            attempt=attempt,
            timezone=timezone,
            workers=jobs,
            allow_no_sandbox=no_sandbox,
            sanitized=sanitize,
            sweep=sweep,
            search_seconds=search_seconds,
            of_plugins=plugins,
        )
    )


@command(class_app, "export")
def export_command(
    out: Annotated[str, typer.Argument(help="the folder that a class was graded into")] = "out",
    export: Annotated[
        list[str] | None,
        typer.Option(help=f"write grades in this format; may be given several times. {export_help()}", metavar="NAME"),
    ] = None,
    lab: Annotated[
        list[str] | None, typer.Option(help="the points of this lab only; may be given several times")
    ] = None,
    assignment: Annotated[
        str,
        typer.Option(help="what the platform calls it; default: as the class was graded", metavar="NAME"),
    ] = "",
    roster: Annotated[
        str,
        typer.Option(help="a CSV file of everybody in the course: see docs/roster.md", metavar="FILE"),
    ] = "",
) -> int:
    """Write the grades of a graded class in other formats; nothing is judged again."""
    from grader.cli.classes.pages_command import ExportRequest, export_again

    return export_again(ExportRequest(out, tuple(export or ()), assignment, roster, tuple(lab or ())))


@command(class_app, "pages")
def pages_command(
    out: Annotated[str, typer.Argument(help="the folder that a class was graded into")] = "out",
    export: Annotated[
        list[str] | None,
        typer.Option(
            help=f"write grades in this format as well as those that are in OUT; may be given several times. {export_help()}",
            metavar="NAME",
        ),
    ] = None,
    assignment: Annotated[
        str,
        typer.Option(help="what the platform calls it; default: as the class was graded", metavar="NAME"),
    ] = "",
    comments: Annotated[
        str, typer.Option(help="comments for all who made the same mistake; default: as in grading", metavar="FILE")
    ] = "",
    course: Annotated[
        str,
        typer.Option(
            help="the course.toml beside which overrides.csv and regrade.csv lie; default: as in grading",
            metavar="FILE",
        ),
    ] = "",
) -> int:
    """Put new comments, overrides and answers onto the pages and into the exports of a graded class; nothing is judged again."""
    from grader.cli.classes.pages_command import PagesRequest, pages_again

    return pages_again(PagesRequest(out, tuple(export or ()), assignment, comments, course))


@command(class_app, "history")
def history_command(
    out: Annotated[str, typer.Argument(help="the folder that a class was graded into")] = "out",
    student: Annotated[
        str, typer.Argument(help="an id, a login, a number or an address; default: a line for each batch")
    ] = "",
) -> int:
    """Show how grades changed from batch to batch, and why."""
    from grader.cli.classes.pages_command import show_history

    return show_history(out, student)


for _plugin in registered(Command):
    command(class_app, _plugin.name, hidden=_plugin.hidden)(_plugin.run)
