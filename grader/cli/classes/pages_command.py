"""`tilelab pages OUT`: puts new comments and decisions onto the pages and into the exports of a graded class. Nothing is judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from grader.cli.error_exit import option, say_next
from grader.explain.class_mistakes import CommentsFile
from grader.model.course_root import course_root, load_labs
from grader.model.errors import RemediableError
from grader.model.labs import lab_ids
from grader.model.visible_text import counted
from grader.model.written_names import some
from grader.roll.batch.class_batch import Decided, WrittenAgain, write_again
from grader.roll.batch.class_standing import HistoryFolder
from grader.roll.batch.output_folder import LastBatchFile, OutputFolder, graded_folder, with_labs, with_roster
from grader.roll.batch.plugin import Export, export_help, registered
from grader.roll.batch.publishing import keep_batch, write_exports
from grader.roll.people.roster import read_roster
from grader.roll.policy.class_policy import AmbiguousError, PersonIndex
from grader.roll.policy.course_file import read_policy
from grader.roll.policy.grade_history import KeptBatch, KeptGrade, changes_in
from grader.run.scoring.redaction import redacted

_Graded = Annotated[str, typer.Argument(help="the folder that a class was graded into")]
Exports = Annotated[
    tuple[str, ...],
    typer.Option(
        "--export", help=f"write grades in this format; may be given several times. {export_help()}", metavar="NAME"
    ),
]
_Assignment = Annotated[
    str, typer.Option(help="what the platform calls it; default: as the class was graded", metavar="NAME")
]


def exports_named(names: Sequence[str]) -> list[Export]:
    """The formats of these names. Raises RemediableError for a name that is no format."""
    known = {export.name: export for export in registered(Export)}
    for name in names:
        if name not in known:
            raise RemediableError(f"there is no export {name!r}. There are: {', '.join(known)}")
    return [known[name] for name in dict.fromkeys(names)]


_FAULTS = 3


@dataclass(frozen=True)
class PagesRequest:
    """What `tilelab pages` was asked to do."""

    out: _Graded = "out"
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


def pages_again(request: PagesRequest) -> int:
    """Put new comments, overrides and answers onto the pages and into the exports of a graded class; nothing is judged again."""
    folder = graded_folder(request.out)
    root = course_root(Path.cwd())
    formats = exports_named(request.exports)
    console = Console(highlight=False)
    with folder.alone():
        batch = LastBatchFile(folder.private).read()
        named = request.course.strip() or batch.course
        told = request.comments.strip() or batch.comments
        if told and not Path(told).is_file():  # all comments would vanish from all pages without a word
            remedy = "Name the comments that count, as in COMMENTS=comments.toml."
            raise RemediableError(f"{told}: there is no such file. {remedy} Nothing was changed.")
        if batch.roster and not Path(batch.roster).is_file():
            remedy = "Name it once more, as in `make export EXPORT=canvas ROSTER=roster.csv`."
            raise RemediableError(
                f"{batch.roster}: the roster of the last export is gone. {remedy} Nothing was changed."
            )
        comments = CommentsFile(Path(told) if told else folder.comments)
        policy = read_policy(root, lab_ids(root), Path(named) if named else None)
        decided = Decided(comments, comments.read(), policy, str(Path(told).absolute()) if told else "")
        done = write_again(folder, load_labs(root, batch.labs), decided, formats, request.assignment.strip())
    _say(console, done, comments)
    _say_each(console, [str(folder.path / export.file) for export in done.published.exports], "grades: ")
    _say_each(console, [str(folder.path / "index.html")], "report: ", "bold")
    whole = (folder.path / "exports").is_dir() and not done.published.notices
    files = "the files in exports/" if whole else "what `make export` writes"
    say_next(f"give back the folders in students/, or {files}: docs/exports.md")
    return _FAULTS if done.published.faults else 0


def _say(console: Console, done: WrittenAgain, comments: CommentsFile) -> None:
    _say_each(console, done.published.notices, "note: ", "yellow")
    _say_each(console, done.alarms, "look at this first: ", "bold red")
    _say_each(console, done.published.faults, "", "bold magenta")
    nowhere = "on no page: no student's page shows this mistake, or each has a closer comment"
    told = ((key, f"on {counted(pages, 'page')}" if pages else nowhere) for key, pages in done.commented.items())
    said = [f"comment {key}: {where}" for key, where in told]
    changed = f"{counted(done.students, 'student')}; {counted(done.regraded, 'grade')} changed; nothing was judged"
    _say_each(console, [*(said or [f"{comments.path} holds no comment yet"]), changed])


# `tilelab export OUT`: writes the grades of a graded class in other formats. Nothing is judged again.


@dataclass(frozen=True)
class ExportRequest:
    """What `tilelab export` was asked to do."""

    out: _Graded = "out"
    exports: Exports = ()
    labs: tuple[str, ...] = option("the points of this lab only; may be given several times", "--lab", default=())
    assignment: _Assignment = ""
    roster: str = option("a CSV file of everybody in the course: see docs/roster.md", metavar="FILE")


def export_again(request: ExportRequest) -> int:
    """Write the grades of a graded class in other formats; nothing is judged again."""
    if not request.exports:
        names = ", ".join(one.name for one in registered(Export))
        raise RemediableError(f"name a format, as in `make export EXPORT=canvas`. There are: {names}")
    formats = exports_named(request.exports)
    folder = graded_folder(request.out)
    console = Console(highlight=False)
    with folder.alone():
        file = LastBatchFile(folder.path / "instructor")
        batch = file.read()
        named = str(Path(request.roster).absolute()) if request.roster.strip() else batch.roster
        roster = read_roster(Path(named)) if named else None
        graded, lost = file.graded(batch)
        graded, notices = with_roster(graded, roster, folder.identities.read()) if roster else (graded, [])
        unkept = keep_batch(folder, batch.model_copy(update={"roster": named})) if named != batch.roster else []
        assignment = request.assignment.strip() or batch.assignment
        part = with_labs(graded, request.labs) if request.labs else graded
        of_all_labs = [one for one in registered(Export) if one.always and one not in formats]
        table = write_exports(redacted(graded), folder, of_all_labs)
        written = write_exports(redacted(part), folder, formats, assignment)
    _say_each(console, [*notices, *written.notices], "note: ", "yellow")
    broken = [*lost, *unkept, *table.faults, *table.unwritten, *written.faults, *written.unwritten]
    _say_each(console, broken, "", "bold magenta")
    _say_each(console, [str(folder.path / export.file) for export in (*table.exports, *formats)], "grades: ")
    first = "do what the notes say, and export again. Or " if written.notices else ""
    say_next(f"{first}import these files as docs/exports.md says for each platform")
    return _FAULTS if broken else 0


def _say_each(console: Console, sentences: Sequence[str], before: str = "", style: str = "") -> None:
    for sentence in sentences:
        console.print(f"{before}{sentence}", style=style, markup=False, soft_wrap=True)


# `tilelab history OUT [STUDENT]`: how grades changed from batch to batch, and why. Nothing is written.

_CAUSES = {
    "first": "graded for the first time", "code": "new files", "time": "other times", "tests": "changed tests or points",
    "grader": "another grader", "policy": "another policy", "deadline": "deadlines that have passed", "override": "overrides",
    "fault": "earlier faults of the grader", "again": "graded again",
}  # fmt: skip


def show_history(
    out: _Graded = "out",
    student: Annotated[
        str, typer.Argument(help="an id, a login, a number or an address; default: a line for each batch")
    ] = "",
) -> int:
    """Show how grades changed from batch to batch, and why."""
    folder = graded_folder(out)
    history = HistoryFolder(folder.path / "instructor")
    batches = history.read()
    lines = _of_student(batches, _meant(student, folder, batches)) if student.strip() else _of_class(batches)
    console = Console(highlight=False)
    _say_each(console, lines or ["no batch has kept grades here yet"])
    _say_each(console, history.notices, "note: ", "yellow")
    say_next(
        f"`make pages OUT={out}` counts a changed override or deadline"
        if student.strip()
        else "name a student to see why"
    )
    return 0


def _meant(word: str, folder: OutputFolder, batches: Sequence[KeptBatch]) -> str:
    """The student's id. Raises RemediableError."""
    known = {one.student for batch in batches for one in batch.grades}
    if word in known:
        return word
    try:
        meant = PersonIndex((), folder.identities.read()).find(word)
    except AmbiguousError as error:
        raise RemediableError(f"{error}.") from error
    if meant is None or meant not in known:
        there = some(sorted(known)) or "none"
        raise RemediableError(f"{folder.path}: no grade of {word!r} is kept here. There are: {there}")
    return meant


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
    lines, changes = [], changes_in(batches)
    grades = ((batch.date, one) for batch in reversed(batches) for one in batch.grades if one.student == student)
    for lab, (date, one) in sorted({one.lab: (date, one) for date, one in grades}.items()):
        lines += [lab, f"  {date}  {points_text(one.points)} of {one.most:g}: first grade"]
        for change in changes[student, lab]:
            before, after = points_text(change.before), points_text(change.after)
            lines.append(f"  {change.date}  {before} → {after}: {'; '.join(change.causes)}")
            lines += [f"      {detail}" for detail in change.details]
    return lines


def points_text(points: float | None) -> str:
    return "no grade" if points is None else f"{points:g}"
