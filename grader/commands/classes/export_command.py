"""`tilelab export OUT`: writes the grades of a graded class in other formats. Nothing is judged again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from grader.batch.exporting import write_exports
from grader.batch.output_folder import OutputFolder
from grader.commands.classes.named_exports import exports_named
from grader.exports import EXPORTS
from grader.exports.again.chosen_labs import with_labs
from grader.exports.again.last_batch import LastBatchFile
from grader.exports.again.later_roster import with_roster
from grader.exports.grades_csv import GRADES_CSV
from grader.model.errors import RemediableError
from grader.people.roster import read_roster

_FAULTS = 3


@dataclass(frozen=True)
class ExportRequest:
    """What `tilelab export` was asked to do: its options."""

    out: str
    exports: tuple[str, ...]
    assignment: str = ""  # empty: as the batch called it
    roster: str = ""  # a file; empty: there is none
    labs: tuple[str, ...] = ()  # empty: all that the batch graded


def export_again(request: ExportRequest) -> int:
    """Writes the formats into OUT, and returns the exit status."""
    if not request.exports:
        message = (
            f"name a format, as in `make export EXPORT=canvas`. There are: {', '.join(one.name for one in EXPORTS)}"
        )
        raise RemediableError(message)
    formats = exports_named(request.exports)
    folder = OutputFolder(Path(request.out), Path("submissions that nobody reads"))
    if not request.out.strip() or not folder.is_ours:
        message = f"{request.out}: this folder holds no graded class. Name the OUT of `make grade`."
        raise RemediableError(message)
    roster = read_roster(Path(request.roster)) if request.roster.strip() else None
    console = Console(highlight=False)
    with folder.alone():
        file = LastBatchFile(folder.path / "instructor")
        batch = file.read()
        graded, lost = file.graded(batch)
        notices: list[str] = []
        if roster is not None:
            graded, notices = with_roster(graded, roster, folder.identities.read().book)
        assignment = request.assignment.strip() or batch.assignment
        part = with_labs(graded, request.labs) if request.labs else graded
        table = write_exports(graded, folder, [] if GRADES_CSV in formats else [GRADES_CSV])  # of all labs
        written = write_exports(part, folder, formats, assignment)
    _say(console, [*notices, *written.notices], "note: ", "yellow")
    broken = [*lost, *table.faults, *table.unwritten, *written.faults, *written.unwritten]
    _say(console, broken, "", "bold magenta")
    for export in (*table.formats, *formats):
        console.print(f"grades: {folder.path / export.file}", markup=False, soft_wrap=True)
    return _FAULTS if broken else 0


def _say(console: Console, sentences: Sequence[str], before: str, style: str) -> None:
    for sentence in sentences:
        console.print(f"{before}{sentence}", style=style, markup=False, soft_wrap=True)
