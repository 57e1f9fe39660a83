"""Adds leaderboards to a graded class: reads the names that students ask for and the history in OUT, and makes the files to be written.

Nothing here can cost a grade: what goes wrong is a fault that is told, and the results stay as they are.
"""

from __future__ import annotations

import hashlib
import json
import traceback
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from pydantic import ValidationError
from rich.console import Console

from grader.model.course_root import course_root, load_labs
from grader.model.errors import RemediableError
from grader.model.labs import Lab, LabError
from grader.model.result import Result
from grader.plugins.leaderboard import FILE
from grader.plugins.leaderboard.board import Boards, make_boards
from grader.plugins.leaderboard.board_history import LeaderboardFolder
from grader.plugins.leaderboard.leaderboard_sheet import leaderboard_names_page, leaderboard_page
from grader.plugins.leaderboard.pseudonyms import Wish, wish_in
from grader.roll.batch.output_folder import OutputFolder, graded_folder
from grader.roll.batch.plugin import Added
from grader.roll.batch.publishing import File, write_files
from grader.roll.intake.attempts import Intake

_Wishes = Mapping[str, Mapping[str, Wish]]
_Digests = Mapping[str, Mapping[str, str]]


def rank_class(results: Sequence[Result], students: Sequence[Intake], labs: Sequence[Lab], out: OutputFolder) -> Added:
    """For those of `labs` that want a leaderboard."""
    wanted = [lab for lab in labs if lab.public.leaderboard is not None]
    if not wanted:
        return Added(tuple(results))
    try:
        files = {
            lab.id: {
                student.submission.id: path.read_bytes()
                for student in students
                if (path := student.sources.get(lab.public.file)) is not None
            }
            for lab in wanted
        }
        wishes = {
            lab_id: {student: wish_in(data.decode("utf-8", "replace")) for student, data in found.items()}
            for lab_id, found in files.items()
        }
        digests = {
            lab_id: {student: hashlib.sha256(data).hexdigest()[:32] for student, data in found.items()}
            for lab_id, found in files.items()
        }
        return _ranked(results, wanted, wishes, digests, out)
    except Exception:  # noqa: BLE001 -- a fault of the leaderboard must not cost a grade
        return Added(tuple(results), faults=(f"the leaderboard was not made: {traceback.format_exc()}",))


def rank_again(labs: Sequence[Lab], out: OutputFolder) -> Added:
    """The leaderboards of the class that OUT holds, from the records of its last batch. A lab that it did not grade has none. Raises
    OSError.
    """
    results, notices = _records(out)
    last = set(_folder(out).history().students)
    results = [one for one in results if not last or one.submission.id in last]
    found = {lab.id: {one.submission.id: one.labs[lab.id] for one in results if lab.id in one.labs} for lab in labs}
    labs = [lab for lab in labs if found[lab.id]]
    if not labs:
        return Added(tuple(results), notices=tuple(notices))
    handed_in = {
        lab_id: {student: lab for student, lab in of_lab.items() if lab.ran or lab.leaderboard or lab.timing}
        for lab_id, of_lab in found.items()
        if of_lab
    }
    wishes: dict[str, dict[str, Wish]] = {}
    digests: dict[str, dict[str, str]] = {}
    for lab_id, of_lab in handed_in.items():
        given = {student: lab.leaderboard for student, lab in of_lab.items()}
        wishes[lab_id] = {
            student: Wish(name.name if name.chosen else "", name.note, hidden=not name.name) if name else Wish()
            for student, name in given.items()
        }
        digests[lab_id] = {student: name.source for student, name in given.items() if name}
    ranked = _ranked(results, labs, wishes, digests, out)
    return Added(ranked.results, ranked.files, (*notices, *ranked.notices))


def _ranked(
    results: Sequence[Result], labs: Sequence[Lab], wishes: _Wishes, digests: _Digests, out: OutputFolder
) -> Added:
    folder = _folder(out)
    made = make_boards(
        labs,
        results,
        wishes,
        digests,
        key=folder.key(),
        history=folder.history(),
        refused=folder.refused(),
    )
    return Added(made.results, _files(made, folder, out), tuple(folder.notices))


def _files(made: Boards, folder: LeaderboardFolder, out: OutputFolder) -> tuple[File, ...]:
    return (
        File(out.path / FILE, partial(leaderboard_page, made.boards), mode=0o644),
        File(folder.path / "names.html", partial(leaderboard_names_page, made.boards)),
        File(folder.path / "history.json", partial(folder.history_text, made.history)),
    )


def _folder(out: OutputFolder) -> LeaderboardFolder:
    return LeaderboardFolder(out.private / "leaderboard")


def _records(out: OutputFolder) -> tuple[list[Result], list[str]]:
    """The complete results that OUT keeps, and the records that cannot be read."""
    results, notices = [], []
    for path in sorted((out.path / "instructor").glob("*.json")):
        try:
            results.append(Result.model_validate(json.loads(path.read_text(encoding="utf-8"))["result"]))
        except (OSError, ValueError, KeyError, TypeError, RecursionError, ValidationError):
            notices.append(f"{path} cannot be read, so its student is missing here: grade again")
    return results, notices


# `tilelab leaderboard OUT`: writes the leaderboards of a graded class again, from what its last batch found.

_BROKEN = 3  # the exit status


def make_leaderboard(out: str, lab_ids: Sequence[str]) -> int:
    """`lab_ids`: labs that are timed; empty: those whose lab.toml has [leaderboard]."""
    folder = graded_folder(out)
    labs = [lab for lab in load_labs(course_root(Path.cwd()), lab_ids) if lab_ids or lab.public.leaderboard is not None]
    if not labs:
        raise LabError(
            "no lab of this course has a leaderboard: write [leaderboard] into its lab.toml, or name a lab with --lab"
        )
    if untimed := [lab.id for lab in labs if lab.public.performance is None]:
        raise LabError(f"{untimed[0]} is not timed: a leaderboard needs [performance] in its lab.toml")
    console = Console(highlight=False)
    with folder.alone():
        ranked = rank_again(labs, folder)
        faults, unwritten = write_files(ranked.files)
    for sentence in (*ranked.notices, *faults, *unwritten):
        console.print(f"note: {sentence}", style="yellow", markup=False, soft_wrap=True)
    if not ranked.files:
        raise RemediableError(
            f"{out}: the last batch there did not grade {' or '.join(lab.id for lab in labs)}: nothing was written"
        )
    if faults or unwritten:
        return _BROKEN
    console.print(f"leaderboard: {folder.path / FILE}", markup=False, soft_wrap=True, style="bold")
    console.print(f"who is who: {ranked.files[1].path}", markup=False, soft_wrap=True)
    return 0
