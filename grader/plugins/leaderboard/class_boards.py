"""Adds leaderboards to a graded class: reads the names that students ask for and the history in OUT, and makes the files to be written.

Nothing here can cost a grade: what goes wrong is a fault that is told, and the results stay as they are.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from grader.model.course_root import course_root, load_labs
from grader.model.errors import RemediableError
from grader.model.labs import Lab, LabError
from grader.model.result import Result
from grader.plugins.leaderboard import FILE
from grader.plugins.leaderboard.board import History, make_boards
from grader.plugins.leaderboard.leaderboard_sheet import leaderboard_names_page, leaderboard_page
from grader.plugins.leaderboard.pseudonyms import Wish, wish_in
from grader.roll.batch.output_folder import LastBatchFile, graded_folder, read_kept
from grader.roll.batch.plugin import Added, File
from grader.roll.batch.publishing import write_files
from grader.system.own_files import write_atomically

Texts = Mapping[str, Mapping[str, str]]  # by student, each file's


def rank_class(results: Sequence[Result], texts: Texts, labs: Sequence[Lab], out: Path) -> Added:
    """For those of `labs` that want a leaderboard."""
    wanted = [lab for lab in labs if lab.public.leaderboard is not None]
    if not wanted:
        return Added(tuple(results))
    try:
        return _ranked(results, texts, wanted, out)
    except Exception:  # noqa: BLE001 -- a fault of the leaderboard must not cost a grade
        return Added(tuple(results), faults=(f"the leaderboard was not made: {traceback.format_exc()}",))


def rank_again(labs: Sequence[Lab], out: Path) -> Added:
    """The leaderboards of the class that OUT holds, from the records of its last batch. A lab that it did not grade has none. Raises
    OSError or RemediableError.
    """
    file = LastBatchFile(out / "instructor")
    batch = file.read()
    records, lost = file.records(batch)
    results = tuple(one.result for one in records)
    labs = [lab for lab in labs if lab.id in batch.labs]
    if not labs:
        return Added(results, notices=tuple(lost))
    ranked = _ranked(results, {one.result.submission.id: one.texts for one in records}, labs, out)
    return Added(ranked.results, ranked.files, (*lost, *ranked.notices))


def _ranked(results: Sequence[Result], texts: Texts, labs: Sequence[Lab], out: Path) -> Added:
    folder = LeaderboardFolder(out / "instructor" / "leaderboard")
    wishes = {
        lab.id: {student: _wish(own[lab.public.file]) for student, own in texts.items() if lab.public.file in own}
        for lab in labs
    }
    boards, told, history = make_boards(labs, results, wishes, folder.key(), folder.history(), folder.refused())
    files = (
        File(out / FILE, partial(leaderboard_page, boards), mode=0o644),
        File(folder.path / "names.html", partial(leaderboard_names_page, boards)),
        File(folder.path / "history.json", lambda: history.model_dump_json(by_alias=True, indent=1) + "\n"),
    )
    return Added(told, files, tuple(folder.notices))


def _wish(text: str) -> Wish:
    return replace(wish_in(text), source=hashlib.sha256(text.encode()).hexdigest()[:32])


# The folder OUT/instructor/leaderboard: the secret key of made names, the history, and the names that the instructor refuses.
#
# What cannot be read is never overwritten: it is put aside under another name, and a notice says so.

_LARGEST = 64 << 20
_KEY = re.compile(r"[0-9a-f]{64}")


@dataclass
class LeaderboardFolder:
    path: Path
    notices: list[str] = field(default_factory=list)  # what was found damaged, for the instructor

    def key(self) -> bytes:
        """The key, made where there is none. Raises OSError."""
        path = self.path / "key"
        if path.exists():
            text = _text(path)
            if text is not None and _KEY.fullmatch(text.strip()):
                return bytes.fromhex(text.strip())
            new = "there is a new one now, and students who are new get names from it"
            self._put_aside(path, "the key of made names", new)
        key = secrets.token_bytes(32)
        write_atomically(path, key.hex() + "\n")
        path.chmod(0o600)
        return key

    def history(self) -> History:
        """An empty one where there is none, or where it cannot be read. Raises OSError."""
        path = self.path / "history.json"
        if path.exists():
            if (history := read_kept(path, History)) is not None:
                return history
            self._put_aside(
                path,
                "the leaderboard's history",
                "a new one begins, without changes since last time. It was damaged, or written by another version of Tilelab",
            )
        return History()

    def refused(self) -> list[str]:
        """A name on each line of refused.txt, which the instructor may write."""
        path = self.path / "refused.txt"
        return [line.strip() for line in (_text(path) or "").splitlines() if line.strip()]

    def _put_aside(self, path: Path, what: str, then: str) -> None:
        number = next(n for n in range(1, 10_000) if not (self.path / f"{path.name}.unread-{n}").exists())
        aside = path.replace(self.path / f"{path.name}.unread-{number}")
        self.notices.append(f"{path}: {what} cannot be read. It is kept as {aside.name}, and {then}")


def _text(path: Path) -> str | None:
    """None where it is not text, not a file, or far too large."""
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST:
            return None
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


# `tilelab leaderboard OUT`: writes the leaderboards of a graded class again, from what its last batch found.

_BROKEN = 3  # the exit status


def make_leaderboard(
    out: Annotated[str, typer.Argument(help="the folder that a class was graded into")] = "out",
    lab: Annotated[
        list[str] | None,
        typer.Option(help="a timed lab; may be given several times; default: those with [leaderboard] in lab.toml"),
    ] = None,
) -> int:
    """Write the leaderboard of a graded class again; grading writes it too."""
    folder = graded_folder(out)
    labs = [one for one in load_labs(course_root(Path.cwd()), lab or []) if lab or one.public.leaderboard is not None]
    if not labs:
        raise LabError(
            "no lab of this course has a leaderboard: write [leaderboard] into its lab.toml, or name a lab with --lab"
        )
    if untimed := [one.id for one in labs if one.public.performance is None]:
        raise LabError(f"{untimed[0]} is not timed: a leaderboard needs [performance] in its lab.toml")
    console = Console(highlight=False)
    with folder.alone():
        ranked = rank_again(labs, folder.path)
        faults, unwritten = write_files(ranked.files)
    for sentence in (*ranked.notices, *faults, *unwritten):
        console.print(f"note: {sentence}", style="yellow", markup=False, soft_wrap=True)
    if not ranked.files:
        raise RemediableError(
            f"{out}: the last batch there did not grade {' or '.join(one.id for one in labs)}: nothing was written"
        )
    if faults or unwritten:
        return _BROKEN
    console.print(f"leaderboard: {folder.path / FILE}", markup=False, soft_wrap=True, style="bold")
    names = f"next: publish that file alone; {ranked.files[1].path} says who has which pseudonym"
    console.print(names, markup=False, soft_wrap=True)
    return 0
