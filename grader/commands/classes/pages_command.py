"""`tilelab pages OUT`: puts new comments and decisions onto the pages and into the exports of a graded class. Nothing is judged."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from grader.batch.again.class_again import Decided, WrittenAgain, write_again
from grader.batch.output_folder import OutputFolder
from grader.batch.written.page_material import MaterialFolder
from grader.clusters.comments_file import CommentsFile
from grader.commands.classes.named_exports import exports_named
from grader.exports.again.last_batch import LastBatchFile
from grader.model.course_root import course_root, load_labs
from grader.model.errors import RemediableError
from grader.model.labs import lab_ids
from grader.policy.policy_files import read_policy
from grader.reports.text.number_format import counted

_FAULTS = 3


@dataclass(frozen=True)
class PagesRequest:
    """What `tilelab pages` was asked to do: its options."""

    out: str
    exports: tuple[str, ...] = ()  # besides those that lie in OUT
    assignment: str = ""  # empty: as the batch called it
    comments: str = ""  # a file; empty: the one that the batch used
    course: str = ""  # a file; empty: the one that the batch used


def pages_again(request: PagesRequest) -> int:
    """Writes pages and exports of the class in OUT again, and returns the exit status."""
    folder = OutputFolder(Path(request.out), Path("submissions that nobody reads"))
    if not request.out.strip() or not folder.is_ours:
        message = f"{request.out}: this folder holds no graded class. Name the OUT of `make grade`."
        raise RemediableError(message)
    root = course_root(Path.cwd())
    formats = exports_named(request.exports)
    console = Console(highlight=False)
    with folder.alone():
        batch = LastBatchFile(folder.private).read()
        material = MaterialFolder(folder.private).of_class()
        named = request.course.strip() or (material.course if material else "")
        told = request.comments.strip() or (material.comments if material else "")
        comments = _comments(told, folder)
        policy = read_policy(root, lab_ids(root), Path(named) if named else None)
        done = write_again(
            folder,
            load_labs(root, batch.labs),
            Decided(comments, comments.read(), policy, str(Path(told).absolute()) if told else ""),
            formats,
            request.assignment.strip(),
        )
    _say(console, done, comments)
    for export in done.exports:
        console.print(f"grades: {folder.path / export.file}", markup=False, soft_wrap=True)
    console.print(f"report: {folder.path / 'index.html'}", style="bold", markup=False, soft_wrap=True)
    return _FAULTS if done.faults else 0


def _comments(named: str, folder: OutputFolder) -> CommentsFile:
    """Where a file that was named is gone, all comments would vanish from all pages without a word. Raises RemediableError."""
    if named and not Path(named).is_file():
        message = f"{named}: there is no such file. Name the comments that count, as in COMMENTS=comments.toml. Nothing was changed."
        raise RemediableError(message)
    return CommentsFile(Path(named) if named else folder.comments)


def _say(console: Console, done: WrittenAgain, comments: CommentsFile) -> None:
    for sentences, before, style in (
        (done.notices, "note: ", "yellow"),
        (done.alarms, "look at this first: ", "bold red"),
        (done.faults, "", "bold magenta"),
    ):
        for one in sentences:
            console.print(f"{before}{one}", style=style, markup=False, soft_wrap=True)
    if not done.commented:
        console.print(f"{comments.path} holds no comment yet", markup=False, soft_wrap=True)
    for key, pages in done.commented.items():
        where = f"on {counted(pages, 'page')}" if pages else _NOWHERE
        console.print(f"comment {key}: {where}", markup=False, soft_wrap=True)
    changed = f"{counted(done.students, 'student')}; {counted(done.regraded, 'grade')} changed; nothing was judged"
    console.print(changed, markup=False, soft_wrap=True)


_NOWHERE = "on no page: no student's page shows this mistake, or each has a closer comment"
