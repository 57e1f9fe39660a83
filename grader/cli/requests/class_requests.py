"""What the commands about a class are asked: their options as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

import typer

from grader.cli.requests.error_exit import argument, flag, option
from grader.roll.batch.plugin import export_help

Graded = Annotated[str, typer.Argument(help="the folder that a class was graded into")]
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
    """Grade a class and write the report."""

    submissions: tuple[str, ...] = argument(
        "what your platform lets you download, as it is; or a folder or archive with one folder or archive per student. Several are one "
        "class: one download for each lab, for example"
    )
    out: str = option("the folder to write the report to", default="out")
    labs: tuple[str, ...] = option("grade this lab only; may be given several times", "--lab", default=())
    exports: _Exports = ()
    assignment: str = option(
        "what the platform calls it, for exports: 'Week 3 (4711)'; see docs/exports.md", metavar="NAME"
    )
    roster: str = option(
        "a CSV file of everybody in the course, as a platform exports it: see docs/roster.md", metavar="FILE"
    )
    comments: str = option(
        "comments for all who made the same mistake; default: OUT/instructor/comments.toml", metavar="FILE"
    )
    course: str = option(
        "the course's deadlines and rules for late work; default: course.toml in the course's folder, if it is there: see docs/policy.md",
        metavar="FILE",
    )
    attempt: str = option(
        "which of a student's attempts counts for each lab: latest, best, or before-deadline (the last one before it); default: as "
        "course.toml says, else the latest",
        metavar="WHICH",
    )
    timezone: str = option(
        "of times that a platform writes without one, such as Europe/Berlin; default: that of course.toml, else this machine's",
        metavar="NAME",
    )
    workers: int | None = option("how many to judge at once; default: one per core", "--jobs", min=1, default=None)
    allow_no_sandbox: bool = flag("--no-sandbox", "run submissions even where there is no sandbox to confine them")
    sanitized: bool = flag("--sanitize", "on a GPU: also run every case under compute-sanitizer (slow)")
    sweep: bool = flag("--sweep", "on a GPU: also time correct kernels at all sizes of each lab's sweep (slow)")
    search_seconds: float | None = option(
        "how long to look for the lines of wrong results after judging; 0: not at all; default: an eighth of what judging took",
        min=0,
        default=None,
    )
    of_plugins: Mapping[str, object] = field(default_factory=dict)  # options of what may judge in place of this machine


@dataclass(frozen=True)
class ExportRequest:
    """Write the grades of a graded class in other formats; nothing is judged again."""

    out: Graded = "out"
    exports: _Exports = ()
    labs: tuple[str, ...] = option("the points of this lab only; may be given several times", "--lab", default=())
    assignment: _Assignment = ""
    roster: str = option("a CSV file of everybody in the course: see docs/roster.md", metavar="FILE")


@dataclass(frozen=True)
class PagesRequest:
    """Put new comments, overrides and answers onto the pages and into the exports of a graded class; nothing is judged again."""

    out: Graded = "out"
    exports: tuple[str, ...] = option(
        f"write grades in this format as well as those that are in OUT; may be given several times. {export_help()}",
        "--export",
        metavar="NAME",
        default=(),
    )
    assignment: _Assignment = ""
    comments: str = option("comments for all who made the same mistake; default: as in grading", metavar="FILE")
    course: str = option(
        "the course.toml beside which overrides.csv and regrade.csv lie; default: as in grading", metavar="FILE"
    )
