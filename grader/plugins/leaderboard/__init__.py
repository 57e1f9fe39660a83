"""The leaderboard of a timed lab: a public page in OUT, and who is who for the instructor. `tilelab leaderboard` writes it again."""

# ruff: noqa: PLC0415 -- imports lie inside of functions: a student waits for `tilelab test` many times a day

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grader.roll.batch.plugin import Added, ClassAddition, Command

if TYPE_CHECKING:
    from grader.model.labs import Lab
    from grader.model.result import Result

FILE = "leaderboard.html"


def _add(results: Sequence[Result], texts: Mapping[str, Mapping[str, str]], labs: Sequence[Lab], out: Path) -> Added:
    from grader.plugins.leaderboard.class_boards import rank_class

    return rank_class(results, texts, labs, out)


def leaderboard_command(
    out: Annotated[str, typer.Argument(help="the folder that a class was graded into")] = "out",
    lab: Annotated[
        list[str] | None,
        typer.Option(help="a timed lab; may be given several times; default: those with [leaderboard] in lab.toml"),
    ] = None,
) -> int:
    """Write the leaderboard of a graded class again; grading writes it too."""
    from grader.plugins.leaderboard.class_boards import make_leaderboard

    return make_leaderboard(out, lab or [])


PLUGINS = (ClassAddition("leaderboard", FILE, _add), Command("leaderboard", leaderboard_command))
