"""The options of the commands about a class. Each command does its work in a file of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.error_exit import guarded
from grader.pages.exports.export_list import export_help

# ruff: noqa: PLC0415 -- imports lie inside the commands: a student waits for `tilelab test` many times a day

class_app = typer.Typer()


@class_app.command("grade")
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
    slurm: Annotated[
        bool, typer.Option("--slurm", help="judge on a Slurm cluster, as arrays of tasks: see docs/clusters.md")
    ] = False,
    slurm_options: Annotated[
        str,
        typer.Option(help="for sbatch: '--partition=gpu --gres=gpu:1'", metavar="OPTIONS"),
    ] = "",
    slurm_slice: Annotated[
        int | None, typer.Option(min=1, max=10_000, help="how many files a task judges; default: 32")
    ] = None,
    slurm_time: Annotated[
        str, typer.Option(help="the time limit of a task, as sbatch has it; default: the partition's", metavar="TIME")
    ] = "",
) -> None:
    """Grade a class and write the report."""

    def run() -> int:
        from grader.cli.classes.grade_command import ClassRequest, SlurmOptions, grade_class

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
                slurm=SlurmOptions(slurm, slurm_options, slurm_slice, slurm_time),
            )
        )

    guarded(run)


@class_app.command("judge-slice", hidden=True)
def judge_slice_command(array: Annotated[Path, typer.Argument(help="the folder of an array in OUT")]) -> None:
    """What a task of `grade --slurm` runs on its node."""

    def run() -> int:
        from grader.cli.classes.grade_one_command import judge_array_slice

        return judge_array_slice(array)

    guarded(run)


@class_app.command("export")
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
) -> None:
    """Write the grades of a graded class in other formats; nothing is judged again."""

    def run() -> int:
        from grader.cli.classes.pages_command import ExportRequest, export_again

        return export_again(ExportRequest(out, tuple(export or ()), assignment, roster, tuple(lab or ())))

    guarded(run)


@class_app.command("pages")
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
) -> None:
    """Put new comments, overrides and answers onto the pages and into the exports of a graded class; nothing is judged again."""

    def run() -> int:
        from grader.cli.classes.pages_command import PagesRequest, pages_again

        return pages_again(PagesRequest(out, tuple(export or ()), assignment, comments, course))

    guarded(run)


@class_app.command("history")
def history_command(
    out: Annotated[str, typer.Argument(help="the folder that a class was graded into")] = "out",
    student: Annotated[
        str, typer.Argument(help="an id, a login, a number or an address; default: a line for each batch")
    ] = "",
) -> None:
    """Show how grades changed from batch to batch, and why."""

    def run() -> int:
        from grader.cli.classes.pages_command import show_history

        return show_history(out, student)

    guarded(run)


@class_app.command("leaderboard")
def leaderboard_command(
    out: Annotated[str, typer.Argument(help="the folder that a class was graded into")] = "out",
    lab: Annotated[
        list[str] | None,
        typer.Option(help="a timed lab; may be given several times; default: those with [leaderboard] in lab.toml"),
    ] = None,
) -> None:
    """Write the leaderboard of a graded class again; grading writes it too."""

    def run() -> int:
        from grader.cli.classes.pages_command import make_leaderboard

        return make_leaderboard(out, lab or [])

    guarded(run)


@class_app.command("grade-one")
def grade_one_command(
    platform: Annotated[
        str, typer.Argument(help="gradescope, classroom50, github-actions, prairielearn or autolab", metavar="PLATFORM")
    ],
    submission: Annotated[
        Path, typer.Argument(help="the folder with one student's files, as the platform puts it there")
    ],
    out: Annotated[Path, typer.Option(help="the folder from which the platform takes the result")],
    metadata: Annotated[
        Path | None, typer.Option(help="the platform's own file about the submission: who, when", metavar="FILE")
    ] = None,
    lab: Annotated[list[str] | None, typer.Option(help="grade this lab only; may be given several times")] = None,
    public: Annotated[
        bool, typer.Option("--public", help="run the public tests alone, as where nothing can be hidden from students")
    ] = False,
) -> None:
    """Grade one submission inside a platform's container, and write the result in its format: see docs/autograders.md."""

    def run() -> int:
        from grader.cli.classes.grade_one_command import OneRequest, grade_one

        return grade_one(OneRequest(platform, submission, out, metadata, tuple(lab or ()), public))

    guarded(run)


@class_app.command("autograder")
def autograder_command(
    platform: Annotated[
        str, typer.Argument(help="gradescope, classroom50, github-actions, prairielearn or autolab", metavar="PLATFORM")
    ] = "",
    lab: Annotated[list[str] | None, typer.Option(help="a lab that it grades; may be given several times")] = None,
    out: Annotated[Path, typer.Option(help="the folder to write to; the pack gets one of its own in it")] = Path(
        "build/autograders"
    ),
    bundle: Annotated[
        str, typer.Option(help="an archive of `make bundle`, for a platform without a network", metavar="FILE")
    ] = "",
    image: Annotated[
        str, typer.Option(help="what PrairieLearn calls your image: account/name:tag", metavar="NAME")
    ] = "",
) -> None:
    """Pack what a platform needs to grade these labs itself; see docs/autograders.md."""

    def run() -> int:
        from grader.cli.classes.grade_one_command import PackOptions, make_autograder

        return make_autograder(PackOptions(platform, out, tuple(lab or ()), bundle, image))

    guarded(run)
