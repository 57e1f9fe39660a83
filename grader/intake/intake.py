"""Reads a class's submissions: takes each student's files that labs ask for, and says what is wrong with the rest.

It changes nothing in SUBMISSIONS, follows no link and writes only into `scratch`. A student whose upload cannot be taken gets
`refused`. IntakeError means that SUBMISSIONS as a whole is not a class's submissions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.intake.matching import Match, match_files
from grader.intake.naming import clean, id_of
from grader.intake.upload import is_archive_name, stem_of
from grader.intake.upload_search import FILE_BYTES, LAYOUT, IntakeError, Spool, Upload, archive_upload, find_uploads
from grader.model.result import Submission

__all__ = ["FILE_BYTES", "Discovery", "Intake", "IntakeError", "discover"]

_LISTED = 40  # at most this many file names go into a result


@dataclass(frozen=True)
class Intake:
    """What was taken from one student's upload."""

    submission: Submission
    sources: dict[str, Path] = field(default_factory=dict)  # a lab's file → its normalised copy
    blocked: dict[str, str] = field(default_factory=dict)  # a lab's file that cannot be taken → why
    hints: dict[str, str] = field(default_factory=dict)  # a lab's file that is missing → what was there instead

    def texts(self) -> dict[str, str]:
        """The text of each file that was taken. Pages quote from it."""
        return {name: path.read_bytes().decode("utf-8", "replace") for name, path in self.sources.items()}


@dataclass(frozen=True)
class Discovery:
    title: str  # the name of SUBMISSIONS
    students: tuple[Intake, ...]
    notices: tuple[str, ...] = ()  # about SUBMISSIONS as a whole


def discover(source: Path, scratch: Path, wanted: Collection[str]) -> Discovery:
    """Every student of `source`, with the `wanted` files that this student handed in, copied to `scratch/<id>/`."""
    spool = Spool(scratch, wanted)
    uploads, notices = find_uploads(source, spool)
    students: dict[str, Intake] = {}
    # A name that is a valid id already stays as it is; other students with similar names get other ids.
    exact = [upload.name for upload in uploads if id_of(upload.name, ()) == upload.name]
    for upload in uploads:
        others = [name for name in exact if name != upload.name]
        student_id = id_of(upload.name, [*students, *others])
        students[student_id] = _take(upload, student_id, scratch, spool)
    _check_plausible(source, uploads, students.values(), spool.wanted)
    return Discovery(clean(stem_of(source.resolve().name)), tuple(students.values()), tuple(notices))


def _take(upload: Upload, student_id: str, scratch: Path, spool: Spool) -> Intake:
    """Matches the upload's files with the wanted ones and copies them."""
    name = upload.name
    upload = _opened(upload, spool)
    match = Match()
    if upload.refused is None:
        upload, match = _matched(upload, scratch / student_id, spool.wanted)
    listed = [clean("/".join(file.path)) for file in upload.contents.files]
    submission = Submission(
        id=student_id,
        name=clean(name),
        files=tuple(listed[:_LISTED]),
        notices=(*upload.notices, *match.notices),
        refused=upload.refused,
    )
    return Intake(submission, match.sources, match.blocked, match.hints)


def _matched(upload: Upload, target: Path, wanted: frozenset[str]) -> tuple[Upload, Match]:
    match = match_files(upload.contents, target, wanted, FILE_BYTES)
    archives = [file.path[-1] for file in upload.contents.files if is_archive_name(file.path[-1])]
    if archives and not (match.sources or match.blocked or match.hints):
        reason = f"the archive holds another archive, which is not opened: {clean(archives[0])!r}; hand in the files themselves"
        if not upload.packed:
            reason = f"the upload has several archives and no file of a lab: {clean(archives[0])!r}, …; hand in only one archive"
        return Upload(upload.name, upload.contents, reason, upload.notices, upload.packed), Match()
    return upload, match


def _opened(upload: Upload, spool: Spool) -> Upload:
    """Opens the archive where a folder holds one archive and no wanted file. Course systems make such folders."""
    files = upload.contents.files
    archives = [file for file in files if is_archive_name(file.path[-1])]
    if upload.packed or upload.refused is not None or len(archives) != 1 or archives[0].at is None:
        return upload
    if any(file.path[-1] in spool.wanted for file in files):
        return upload
    name = archives[0].path[-1]
    return archive_upload(name, archives[0].at, spool, (f"opened {clean(name)!r}, the only archive in the folder",))


def _check_plausible(
    source: Path, uploads: Sequence[Upload], students: Iterable[Intake], wanted: frozenset[str]
) -> None:
    """Raises IntakeError where nobody handed in anything that looks like a lab: then this is some other folder. So it does where a whole
    class would become one student: the only upload holds several files whose names end like one that a lab asks for.
    """
    students = list(students)
    if len(students) == 1 and not (students[0].sources or students[0].blocked):
        names = [file.path[-1].casefold() for file in uploads[0].contents.files if file.path]
        for name in sorted(wanted):
            alike = [one for one in names if one != name.casefold() and one.endswith(name.casefold())]
            if len(alike) > 1:
                message = (
                    f"{source}: this may be a class whose files all lie side by side, such as {clean(alike[0])!r} and {clean(alike[1])!r}, "
                    f"and no platform's names are recognised. Put each student's files into a folder of their own. {LAYOUT}."
                )
                raise IntakeError(message)
    if any(one.sources or one.blocked or one.hints or one.submission.refused for one in students):
        return
    if any(
        file.path and file.path[-1].casefold().endswith(".cu") for upload in uploads for file in upload.contents.files
    ):
        return
    message = (
        f"{source}: none of its folders and archives holds a file that a lab asks for "
        f"({', '.join(sorted(wanted))}). {LAYOUT}."
    )
    raise IntakeError(message)
