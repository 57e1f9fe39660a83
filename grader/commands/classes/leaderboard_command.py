"""`tilelab leaderboard OUT`: writes the leaderboards of a graded class again, from what its last batch found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from grader.batch.leaderboards import rank_again
from grader.batch.output_folder import OutputFolder
from grader.batch.publishing import write_files
from grader.model.course_root import course_root, load_labs
from grader.model.errors import RemediableError
from grader.model.labs import LabError

_FAULTS = 3


def make_leaderboard(out: str, lab_ids: Sequence[str]) -> int:
    """`lab_ids`: labs that are timed; empty: those whose lab.toml has [leaderboard]."""
    folder = OutputFolder(Path(out), Path("submissions that nobody reads"))
    if not (folder.path / "instructor").is_dir() or not folder.is_ours:
        message = f"{out}: this folder holds no graded class. Name the OUT of `make grade`."
        raise RemediableError(message)
    labs = [lab for lab in load_labs(course_root(Path.cwd()), lab_ids) if lab_ids or lab.public.leaderboard is not None]
    if not labs:
        message = (
            "no lab of this course has a leaderboard: write [leaderboard] into its lab.toml, or name a lab with --lab"
        )
        raise LabError(message)
    if untimed := [lab.id for lab in labs if lab.public.performance is None]:
        message = f"{untimed[0]} is not timed: a leaderboard needs [performance] in its lab.toml"
        raise LabError(message)
    console = Console(highlight=False)
    with folder.alone():
        ranked = rank_again(labs, folder)
        faults, unwritten = write_files(ranked.files)
    for sentence in (*ranked.notices, *faults, *unwritten):
        console.print(f"note: {sentence}", style="yellow", markup=False, soft_wrap=True)
    if not ranked.files:
        message = (
            f"{out}: the last batch there did not grade {' or '.join(lab.id for lab in labs)}: nothing was written"
        )
        raise RemediableError(message)
    if faults or unwritten:
        return _FAULTS
    console.print(f"leaderboard: {folder.leaderboard}", markup=False, soft_wrap=True, style="bold")
    console.print(f"who is who: {ranked.files[1].path}", markup=False, soft_wrap=True)
    return 0
