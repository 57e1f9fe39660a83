"""Platforms that grade by themselves: a pack for each, and the grading of one submission in its container. See docs/autograders.md."""

# ruff: noqa: PLC0415 -- imports lie inside of functions: a student waits for `tilelab test` many times a day

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from grader.roll.batch.plugin import Command


@dataclass(frozen=True)
class OneRequest:
    """What `tilelab grade-one` was asked to do."""

    platform: Annotated[
        str, typer.Argument(help="gradescope, classroom50, github-actions, prairielearn or autolab", metavar="PLATFORM")
    ]
    submission: Annotated[
        Path, typer.Argument(help="the folder with one student's files, as the platform puts it there")
    ]
    out: Annotated[Path, typer.Option(help="the folder from which the platform takes the result")]
    metadata: Annotated[
        Path | None, typer.Option(help="the platform's own file about the submission: who, when", metavar="FILE")
    ] = None
    labs: Annotated[tuple[str, ...], typer.Option("--lab", help="grade this lab only; may be given several times")] = ()
    public: Annotated[
        bool, typer.Option("--public", help="run the public tests alone, as where nothing can be hidden from students")
    ] = False


def grade_one_command(request: OneRequest) -> int:
    """Grade one submission inside a platform's container, and write the result in its format: see docs/autograders.md."""
    from grader.plugins.autograders.autograder_commands import grade_one

    return grade_one(request)


@dataclass(frozen=True)
class PackOptions:
    """What `tilelab autograder` was asked to do."""

    platform: Annotated[
        str, typer.Argument(help="gradescope, classroom50, github-actions, prairielearn or autolab", metavar="PLATFORM")
    ] = ""
    labs: Annotated[
        tuple[str, ...], typer.Option("--lab", help="a lab that it grades; may be given several times")
    ] = ()
    out: Annotated[Path, typer.Option(help="the folder to write to; the pack gets one of its own in it")] = Path(
        "build/autograders"
    )
    bundle: Annotated[
        str, typer.Option(help="an archive of `make bundle`, for a platform without a network", metavar="FILE")
    ] = ""
    image: Annotated[str, typer.Option(help="what PrairieLearn calls your image: account/name:tag", metavar="NAME")] = (
        ""
    )


def autograder_command(request: PackOptions) -> int:
    """Pack what a platform needs to grade these labs itself; see docs/autograders.md."""
    from grader.plugins.autograders.autograder_commands import make_autograder

    return make_autograder(request)


PLUGINS = (Command("grade-one", grade_one_command), Command("autograder", autograder_command))
