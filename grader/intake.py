"""Takes a class's submissions in: finds the students, the files their labs ask for, and what is wrong with either.

`SUBMISSIONS` is a folder with a folder or an archive per student, or one archive of that. Nothing is changed there, no
link is followed, nothing outside `scratch` is written. A student whose upload cannot be taken stands in the result
with `refused`; only `SUBMISSIONS` as a whole being none is an IntakeError.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from grader.archives import read_archive
from grader.errors import RemediableError
from grader.folders import read_folder
from grader.matching import Match, match_files
from grader.naming import clean, id_of, is_junk
from grader.result import Submission
from grader.upload import (
    CLASS,
    STUDENT,
    Contents,
    Problem,
    Refusal,
    Request,
    Stored,
    clashes,
    is_archive_name,
    stem_of,
)

FILE_BYTES = 256 << 10  # of one source file
_LISTED = 40  # files named in a result
_LAYOUT = (
    "SUBMISSIONS is a folder that holds one folder or one .zip/.tar.gz per student, or one archive of such a folder"
)


class IntakeError(RemediableError):
    """SUBMISSIONS is not a class's submissions: says what is there and what to give instead."""


@dataclass(frozen=True)
class Intake:
    """One student's upload, taken in."""

    submission: Submission
    sources: dict[str, Path] = field(default_factory=dict)  # a lab's file → its normalised copy
    blocked: dict[str, str] = field(default_factory=dict)  # a lab's file that cannot be taken → why
    hints: dict[str, str] = field(default_factory=dict)  # a lab's file that is missing → what was there instead


@dataclass(frozen=True)
class Discovery:
    students: tuple[Intake, ...]
    notices: tuple[str, ...] = ()  # about SUBMISSIONS as a whole


@dataclass(frozen=True)
class _Upload:
    """One student's upload as found."""

    name: str
    contents: Contents = field(default_factory=Contents)
    refused: str | None = None
    notices: tuple[str, ...] = ()
    packed: bool = False  # came as an archive: no archive within it is opened, and any problem refuses it


class _Spool:
    """Folders of our own in `scratch` for what archives hold."""

    def __init__(self, scratch: Path, wanted: Collection[str]) -> None:
        self._scratch, self.wanted = scratch, frozenset(wanted)
        self._count = 0

    def request(self, *, whole_class: bool) -> Request:
        self._count += 1
        folder = self._scratch / f".spool-{self._count:04}"
        folder.mkdir(parents=True)
        if not whole_class:
            return Request(folder, self.wanted.__contains__, lambda _: FILE_BYTES)
        return Request(
            folder,
            lambda name: name in self.wanted or is_archive_name(name),
            lambda name: STUDENT.archive_bytes if is_archive_name(name) else FILE_BYTES,
            CLASS,
        )


def discover(source: Path, scratch: Path, wanted: Collection[str]) -> Discovery:
    """Every student of `source` with those of the `wanted` files they handed in, copied to `scratch/<id>/`."""
    spool = _Spool(scratch, wanted)
    try:
        if source.is_dir():
            uploads, notices = _from_folder(source, spool)
        elif source.is_file():
            uploads, notices = _from_archive(source, spool)
        else:
            message = f"{source}: there is nothing here that can be read as submissions. {_LAYOUT}."
            raise IntakeError(message)
    except PermissionError as error:
        message = f"{error.filename or source}: this may not be read. Make it readable for you and try again."
        raise IntakeError(message) from error
    students: dict[str, Intake] = {}
    for upload in uploads:
        student_id = id_of(upload.name, students)
        students[student_id] = _take(upload, student_id, scratch, spool)
    _check_plausible(source, uploads, students.values(), spool.wanted)
    return Discovery(tuple(students.values()), tuple(notices))


def _from_folder(source: Path, spool: _Spool) -> tuple[list[_Upload], list[str]]:
    with os.scandir(source) as scan:
        entries = sorted((entry for entry in scan if not is_junk((entry.name,))), key=lambda entry: entry.name)
    uploads: list[_Upload] = []
    loose: list[str] = []
    for entry in entries:
        if entry.is_symlink():
            reason = "this is a symbolic link; links are not followed: put the folder or the archive itself here"
            uploads.append(_Upload(stem_of(entry.name), refused=reason))
        elif entry.is_dir(follow_symlinks=False):
            uploads.append(_folder_upload(entry.name, Path(entry.path)))
        elif is_archive_name(entry.name) and entry.is_file(follow_symlinks=False):
            uploads.append(_archive_upload(entry.name, Path(entry.path), spool))
        else:
            loose.append(entry.name)
    _check_layout(source, [upload.name for upload in uploads], loose)
    if len(uploads) == 1 and _holds_class(uploads[0], spool.wanted):
        (only,) = (entry for entry in entries if entry.name not in loose)
        inner, notices = (_from_archive if uploads[0].packed else _from_folder)(Path(only.path), spool)
        return inner, [
            f"took the students from the one {'archive' if uploads[0].packed else 'folder'} {clean(only.name)!r}",
            *notices,
            *_loose_notices(loose),
        ]
    return uploads, _loose_notices(loose)


def _from_archive(source: Path, spool: _Spool) -> tuple[list[_Upload], list[str]]:
    """The students of one archive that holds a folder or an archive for each."""
    try:
        contents = read_archive(source, spool.request(whole_class=True))
    except Refusal as refusal:
        message = f"{source}: {refusal}. {_LAYOUT}."
        raise IntakeError(message) from refusal
    notices: list[str] = []
    groups = _groups(contents)
    if len(groups) == 1 and _is_class(next(iter(groups.values())), spool.wanted):
        (wrapper, contents), *_ = groups.items()
        notices.append(f"took the students from the one folder {clean(wrapper)!r}")
        groups = _groups(contents)
    if whole := [problem for problem in contents.problems if not problem.path]:
        message = f"{source}: {whole[0].reason}. Unpack it yourself into a folder, look at it, and give that folder."
        raise IntakeError(message)
    loose = [file.path[0] for file in contents.files if len(file.path) == 1 and not is_archive_name(file.path[0])]
    loose = [name for name in loose if not is_junk((name,))]
    uploads = [_archived_upload(name, group, spool) for name, group in sorted(groups.items()) if name not in loose]
    _check_layout(source, [upload.name for upload in uploads], loose)
    return uploads, notices + _loose_notices(loose)


def _groups(contents: Contents) -> dict[str, Contents]:
    """The contents by first path component, which is taken off; junk aside."""
    groups: dict[str, tuple[list[Stored], list[tuple[str, ...]], list[Problem]]] = {}
    for file in contents.files:
        if not is_junk(file.path):
            rest = Stored(file.path[1:], file.size, file.at)
            groups.setdefault(file.path[0], ([], [], []))[0].append(rest)
    for folder in contents.folders:
        if folder and not is_junk(folder):
            groups.setdefault(folder[0], ([], [], []))[1].append(folder[1:])
    for problem in contents.problems:
        if problem.path and not is_junk(problem.path[:1]):
            groups.setdefault(problem.path[0], ([], [], []))[2].append(Problem(problem.reason, problem.path[1:]))
    return {name: Contents(tuple(a), tuple(b), tuple(c)) for name, (a, b, c) in groups.items()}


def _archived_upload(name: str, group: Contents, spool: _Spool) -> _Upload:
    """A student inside the class's archive: a folder of it, or an archive in it."""
    itself = [file for file in group.files if not file.path]
    if not itself:
        return _Upload(name, group, _first_problem(group))
    if len(itself) > 1 or len(group.files) > 1 or group.problems:
        return _Upload(stem_of(name), refused=f"the class's archive holds {clean(name)!r} more than once", packed=True)
    assert itself[0].at is not None
    return _archive_upload(name, itself[0].at, spool)


def _folder_upload(name: str, path: Path) -> _Upload:
    try:
        return _Upload(name, read_folder(path, STUDENT))
    except Refusal as refusal:
        return _Upload(name, refused=str(refusal))


def _archive_upload(name: str, path: Path, spool: _Spool, notices: tuple[str, ...] = ()) -> _Upload:
    try:
        contents = read_archive(path, spool.request(whole_class=False))
    except Refusal as refusal:
        return _Upload(stem_of(name), refused=str(refusal), packed=True, notices=notices)
    return _Upload(stem_of(name), contents, _first_problem(contents), packed=True, notices=notices)


def _first_problem(contents: Contents) -> str | None:
    """Why an archived upload is refused: anything wrong with its entries is enough."""
    problems = [*contents.problems, *clashes(file.path for file in contents.files if not is_junk(file.path))]
    return problems[0].reason if problems else None


def _holds_class(upload: _Upload, wanted: frozenset[str]) -> bool:
    """Whether the only upload there is holds all students: at its top or, in an archive, in the one folder there."""
    if _is_class(upload.contents, wanted):
        return True
    groups = _groups(upload.contents) if upload.packed else {}
    return len(groups) == 1 and _is_class(next(iter(groups.values())), wanted)


def _is_class(contents: Contents, wanted: frozenset[str]) -> bool:
    """Whether the one folder found is the class, no student: archives in it, or a lab's file in several folders."""
    tops = [file.path[0] for file in contents.files if len(file.path) == 1 and not is_junk(file.path)]
    if any(name in wanted for name in tops):
        return False
    if sum(map(is_archive_name, tops)) > 1:
        return True
    folders = {
        (file.path[0], file.path[-1]) for file in contents.files if len(file.path) > 1 and file.path[-1] in wanted
    }
    return len({name for _, name in folders}) < len(folders)


def _take(upload: _Upload, student_id: str, scratch: Path, spool: _Spool) -> Intake:
    """Matches the upload's files with the wanted ones and copies them."""
    name = upload.name
    upload = _opened(upload, spool)
    match = Match()
    if upload.refused is None:
        upload, match = _matched(upload, scratch / student_id, spool.wanted)
    listed = [clean("/".join(file.path)) for file in upload.contents.files if not is_junk(file.path)]
    submission = Submission(
        id=student_id,
        name=clean(name),
        files=tuple(listed[:_LISTED]),
        notices=(*upload.notices, *match.notices),
        refused=upload.refused,
    )
    return Intake(submission, match.sources, match.blocked, match.hints)


def _matched(upload: _Upload, target: Path, wanted: frozenset[str]) -> tuple[_Upload, Match]:
    match = match_files(upload.contents, target, wanted, FILE_BYTES)
    archives = [
        file.path[-1] for file in upload.contents.files if is_archive_name(file.path[-1]) and not is_junk(file.path)
    ]
    if archives and not (match.sources or match.blocked or match.hints):
        reason = f"an archive within an archive is not opened: {clean(archives[0])!r}; hand in the files themselves"
        if not upload.packed:
            reason = f"there are several archives and no lab's file beside them: {clean(archives[0])!r}, …; hand in one"
        return _Upload(upload.name, upload.contents, reason, upload.notices, upload.packed), Match()
    return upload, match


def _opened(upload: _Upload, spool: _Spool) -> _Upload:
    """A folder that holds nothing but one archive, as course systems make them, stands for that archive."""
    files = [file for file in upload.contents.files if not is_junk(file.path)]
    archives = [file for file in files if is_archive_name(file.path[-1])]
    if upload.packed or upload.refused is not None or len(archives) != 1 or archives[0].at is None:
        return upload
    if any(file.path[-1] in spool.wanted for file in files):
        return upload
    name = archives[0].path[-1]
    return _archive_upload(name, archives[0].at, spool, (f"opened the one archive {clean(name)!r}",))


def _check_layout(source: Path, names: list[str], loose: list[str]) -> None:
    """Raises IntakeError unless there is something that can be a student."""
    if names:
        return
    if not loose:
        message = f"{source}: this is empty. {_LAYOUT}."
    elif any(name.casefold().endswith(".cu") for name in loose):
        shown = ", ".join(map(clean, loose[:3]))
        message = (
            f"{source}: this looks like one student's submission ({shown} lie directly in it). "
            "Put it into a folder named after the student, and give the folder above that."
        )
    else:
        shown = f"only {clean(loose[0])!r} and the like"
        message = f"{source}: there is no student's folder or archive in it, {shown}. {_LAYOUT}."
    raise IntakeError(message)


def _check_plausible(source: Path, uploads: list[_Upload], students: Iterable[Intake], wanted: frozenset[str]) -> None:
    """Raises IntakeError when nobody handed in anything that looks like a lab: this is some other folder."""
    if any(one.sources or one.blocked or one.hints or one.submission.refused for one in students):
        return
    if any(
        file.path and file.path[-1].casefold().endswith(".cu") for upload in uploads for file in upload.contents.files
    ):
        return
    message = (
        f"{source}: none of the {len(uploads)} folders and archives in it holds a file that a lab asks for "
        f"({', '.join(sorted(wanted))}). {_LAYOUT}."
    )
    raise IntakeError(message)


def _loose_notices(loose: list[str]) -> list[str]:
    if not loose:
        return []
    shown = ", ".join(clean(name) for name in loose[:3]) + (", …" if len(loose) > 3 else "")  # noqa: PLR2004 -- a few
    return [f"left aside what is neither a folder nor an archive: {shown}"]
