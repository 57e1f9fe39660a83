"""The options of the commands about a class. Each command does its work in a file of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

import typer

from grader.cli.error_exit import command
from grader.roll.batch.plugin import Command, export_help, registered

# ruff: noqa: PLC0415 -- imports lie inside the commands: a student waits for `tilelab test` many times a day

class_app = typer.Typer()

_Graded = Annotated[str, typer.Argument(help="the folder that a class was graded into")]
_Exports = Annotated[
    tuple[str, ...],
    typer.Option(
        "--export", help=f"write grades in this format; may be given several times. {export_help()}", metavar="NAME"
    ),
]
_Assignment = Annotated[
    str, typer.Option(help="what the platform calls it; default: as the class was graded", metavar="NAME")
]


@dataclass(frozen=True)
class ClassRequest:
    """What `tilelab grade` was asked to do."""

    submissions: Annotated[
        tuple[str, ...],
        typer.Argument(
            help="what your platform lets you download, as it is; or a folder or archive with one folder or archive per student. "
            "Several are one class: one download for each lab, for example"
        ),
    ]
    out: Annotated[str, typer.Option(help="the folder to write the report to")] = "out"
    labs: Annotated[tuple[str, ...], typer.Option("--lab", help="grade this lab only; may be given several times")] = ()
    exports: _Exports = ()
    assignment: Annotated[
        str,
        typer.Option(
            help="what the platform calls it, for exports: 'Week 3 (4711)'; see docs/exports.md", metavar="NAME"
        ),
    ] = ""
    roster: Annotated[
        str,
        typer.Option(
            help="a CSV file of everybody in the course, as a platform exports it: see docs/roster.md", metavar="FILE"
        ),
    ] = ""
    comments: Annotated[
        str,
        typer.Option(
            help="comments for all who made the same mistake; default: OUT/instructor/comments.toml", metavar="FILE"
        ),
    ] = ""
    course: Annotated[
        str,
        typer.Option(
            help="the course's deadlines and rules for late work; default: course.toml in the course's folder, if it is there: see "
            "docs/policy.md",
            metavar="FILE",
        ),
    ] = ""
    attempt: Annotated[
        str,
        typer.Option(
            help="which of a student's attempts counts for each lab: latest, best, or before-deadline (the last one before it); "
            "default: as course.toml says, else the latest",
            metavar="WHICH",
        ),
    ] = ""
    timezone: Annotated[
        str,
        typer.Option(
            help="of times that a platform writes without one, such as Europe/Berlin; default: that of course.toml, else this machine's",
            metavar="NAME",
        ),
    ] = ""
    workers: Annotated[
        int | None, typer.Option("--jobs", min=1, help="how many to judge at once; default: one per core")
    ] = None
    allow_no_sandbox: Annotated[
        bool, typer.Option("--no-sandbox", help="run submissions even where there is no sandbox to confine them")
    ] = False
    sanitized: Annotated[
        bool, typer.Option("--sanitize", help="on a GPU: also run every case under compute-sanitizer (slow)")
    ] = False
    sweep: Annotated[
        bool,
        typer.Option("--sweep", help="on a GPU: also time correct kernels at all sizes of each lab's sweep (slow)"),
    ] = False
    search_seconds: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="how long to look for the lines of wrong results after judging; 0: not at all; default: an eighth of what judging took",
        ),
    ] = None
    of_plugins: Mapping[str, object] = field(default_factory=dict)  # options of what may judge in place of this machine


@command(class_app, "grade")
def grade_command(request: ClassRequest) -> int:
    """Grade a class and write the report."""
    from grader.cli.classes.grade_command import grade_class

    return grade_class(request)


@dataclass(frozen=True)
class ExportRequest:
    """What `tilelab export` was asked to do."""

    out: _Graded = "out"
    exports: _Exports = ()
    labs: Annotated[
        tuple[str, ...], typer.Option("--lab", help="the points of this lab only; may be given several times")
    ] = ()
    assignment: _Assignment = ""
    roster: Annotated[
        str,
        typer.Option(help="a CSV file of everybody in the course: see docs/roster.md", metavar="FILE"),
    ] = ""


@command(class_app, "export")
def export_command(request: ExportRequest) -> int:
    """Write the grades of a graded class in other formats; nothing is judged again."""
    from grader.cli.classes.pages_command import export_again

    return export_again(request)


@dataclass(frozen=True)
class PagesRequest:
    """What `tilelab pages` was asked to do."""

    out: _Graded = "out"
    exports: Annotated[
        tuple[str, ...],
        typer.Option(
            "--export",
            help="write grades in this format as well as those that are in OUT; may be given several times. "
            f"{export_help()}",
            metavar="NAME",
        ),
    ] = ()
    assignment: _Assignment = ""
    comments: Annotated[
        str, typer.Option(help="comments for all who made the same mistake; default: as in grading", metavar="FILE")
    ] = ""
    course: Annotated[
        str,
        typer.Option(
            help="the course.toml beside which overrides.csv and regrade.csv lie; default: as in grading",
            metavar="FILE",
        ),
    ] = ""


@command(class_app, "pages")
def pages_command(request: PagesRequest) -> int:
    """Put new comments, overrides and answers onto the pages and into the exports of a graded class; nothing is judged again."""
    from grader.cli.classes.pages_command import pages_again

    return pages_again(request)


@command(class_app, "history")
def history_command(
    out: _Graded = "out",
    student: Annotated[
        str, typer.Argument(help="an id, a login, a number or an address; default: a line for each batch")
    ] = "",
) -> int:
    """Show how grades changed from batch to batch, and why."""
    from grader.cli.classes.pages_command import show_history

    return show_history(out, student)


for _plugin in registered(Command):
    command(class_app, _plugin.name, hidden=_plugin.hidden)(_plugin.run)
