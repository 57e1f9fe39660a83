"""`tilelab history OUT [STUDENT]`: how grades changed from batch to batch, and why. Nothing is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from grader.batch.output_folder import OutputFolder
from grader.batch.standing.history_folder import HistoryFolder
from grader.model.errors import RemediableError
from grader.people.name_forms import some
from grader.policy.grade_history import KeptBatch, KeptGrade, changes_of
from grader.policy.person_index import AmbiguousError, PersonIndex

_CAUSES = {
    "first": "graded for the first time",
    "code": "new files",
    "time": "other times",
    "tests": "changed tests or points",
    "grader": "another grader",
    "policy": "another policy",
    "deadline": "deadlines that have passed",
    "override": "overrides",
    "fault": "earlier faults of the grader",
    "again": "graded again",
}


def show_history(out: str, student: str = "") -> int:
    """`student`: an id, a login, a number or an address; empty: the whole class, a line for each batch."""
    folder = OutputFolder(Path(out), Path("submissions that nobody reads"))
    if not out.strip() or not folder.is_ours:
        message = f"{out}: this folder holds no graded class. Name the OUT of `make grade`."
        raise RemediableError(message)
    history = HistoryFolder(folder.path / "instructor")
    batches = history.read()
    lines = _of_student(batches, _meant(student, folder, batches)) if student.strip() else _of_class(batches)
    console = Console(highlight=False)
    for line in lines or ["no batch has kept grades here yet"]:
        console.print(line, markup=False, soft_wrap=True)
    for notice in history.notices:
        console.print(f"note: {notice}", style="yellow", markup=False, soft_wrap=True)
    return 0


def _meant(word: str, folder: OutputFolder, batches: Sequence[KeptBatch]) -> str:
    """The student's id. Raises RemediableError."""
    known = {one.student for batch in batches for one in batch.grades}
    if word in known:
        return word
    try:
        meant = PersonIndex((), folder.identities.read().book).find(word)
    except AmbiguousError as error:
        message = f"{error}."
        raise RemediableError(message) from error
    if meant is None or meant.id not in known:
        message = f"{folder.path}: no grade of {word!r} is kept here. There are: {some(sorted(known)) or 'none'}"
        raise RemediableError(message)
    return meant.id


def _of_class(batches: Sequence[KeptBatch]) -> list[str]:
    """A line for each batch, the oldest first."""
    lines, known = [], dict[tuple[str, str], KeptGrade]()
    for number, batch in enumerate(batches, 1):
        moved = [one for one in batch.grades if (old := known.get((one.student, one.lab))) and old.points != one.points]
        causes = Counter(cause for one in batch.grades for cause in one.causes)
        said = ", ".join(f"{count} {_CAUSES.get(cause, cause)}" for cause, count in causes.most_common())
        lines.append(f"{number:3}  {batch.date}  {len(moved)} grades changed; {said}")
        known |= {(one.student, one.lab): one for one in batch.grades}
    return lines


def _of_student(batches: Sequence[KeptBatch], student: str) -> list[str]:
    lines = []
    first = {
        one.lab: (batch.date, one) for batch in reversed(batches) for one in batch.grades if one.student == student
    }
    for lab, (date, one) in sorted(first.items()):
        lines.append(f"{lab}")
        lines.append(f"  {date}  {points_text(one.points)} of {one.most:g}: first grade")
        for change in changes_of(student, lab, batches):
            lines.append(
                f"  {change.date}  {points_text(change.before)} → {points_text(change.after)}: {'; '.join(change.causes)}"
            )
            lines += [f"      {detail}" for detail in change.details]
    return lines


def points_text(points: float | None) -> str:
    return "no grade" if points is None else f"{points:g}"
