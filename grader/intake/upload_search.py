"""Finds the students' uploads in SUBMISSIONS: which folders and archives there are, and which student each belongs to.

What becomes of an upload's files is decided in intake.py.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path

from grader.intake.archives import read_archive
from grader.intake.flat_uploads import flat_uploads
from grader.intake.folders import read_folder
from grader.intake.naming import clean, is_junk
from grader.intake.platform_names import PlatformName, flat_download, platform_name
from grader.intake.upload import (
    CLASS,
    STUDENT,
    Contents,
    Defect,
    Refusal,
    Request,
    Stored,
    Upload,
    clashes,
    is_archive_name,
    stem_of,
)
from grader.model.errors import RemediableError

FILE_BYTES = 256 << 10  # of one source file
LAYOUT = (
    "SUBMISSIONS is a folder that holds one folder or one .zip/.tar.gz per student, or one archive of such a folder"
)


class IntakeError(RemediableError):
    """SUBMISSIONS is not a class's submissions. The text says what is there, and what to give instead."""


class Spool:
    """Makes our own folders in `scratch`, one for the files of each archive."""

    def __init__(
        self, scratch: Path, wanted: Collection[str], told: Callable[[int, int], None] = lambda _done, _total: None
    ) -> None:
        self._scratch, self.wanted, self.told = scratch, frozenset(wanted), told
        self._count = 0

    def request(self, *, whole_class: bool) -> Request:
        self._count += 1
        folder = self._scratch / f".spool-{self._count:04}"
        folder.mkdir(parents=True)
        if not whole_class:
            return Request(folder, self.wanted.__contains__, lambda _: FILE_BYTES)
        return Request(
            folder,
            lambda name: name in self.wanted or is_archive_name(name) or self._is_named_by_a_platform(name),
            lambda name: STUDENT.archive_bytes if is_archive_name(name) else FILE_BYTES,
            CLASS,
        )

    def _is_named_by_a_platform(self, name: str) -> bool:
        one = platform_name(name, self.wanted)
        return one is not None and one.file in self.wanted


def find_uploads(source: Path, spool: Spool) -> tuple[list[Upload], list[str]]:
    """The uploads at `source`, and notices about it as a whole. Raises IntakeError where it holds no upload."""
    try:
        if source.is_dir():
            return _from_folder(source, spool)
        if source.is_file():
            return _from_archive(source, spool)
    except PermissionError as error:
        message = f"{error.filename or source}: you have no permission to read this. Change that and try again."
        raise IntakeError(message) from error
    message = f"{source}: there are no submissions here. {LAYOUT}."
    raise IntakeError(message)


def _from_folder(source: Path, spool: Spool) -> tuple[list[Upload], list[str]]:
    with os.scandir(source) as scan:
        entries = sorted((entry for entry in scan if not is_junk((entry.name,))), key=lambda entry: entry.name)
    if all(entry.is_file(follow_symlinks=False) for entry in entries):
        files = {
            entry.name: Stored((entry.name,), entry.stat(follow_symlinks=False).st_size, Path(entry.path))
            for entry in entries
        }
        if (told := flat_download(files, spool.wanted)) is not None:
            return _from_flat(files, told, spool)
    uploads: list[Upload] = []
    loose: list[str] = []
    for at, entry in enumerate(entries):
        spool.told(at, 2 * len(entries))  # then each is looked into once more
        if entry.is_symlink():
            reason = "this is a symbolic link, which is not followed: put the folder or the archive itself here"
            uploads.append(Upload(stem_of(entry.name), refused=reason))
        elif entry.is_dir(follow_symlinks=False):
            uploads.append(_folder_upload(entry.name, Path(entry.path)))
        elif is_archive_name(entry.name) and entry.is_file(follow_symlinks=False):
            uploads.append(archive_upload(entry.name, Path(entry.path), spool))
        else:
            loose.append(entry.name)
    _check_layout(source, [upload.name for upload in uploads], loose)
    if len(uploads) == 1 and _holds_class(uploads[0], spool.wanted):
        (only,) = (entry for entry in entries if entry.name not in loose)
        inner, notices = (_from_archive if uploads[0].packed else _from_folder)(Path(only.path), spool)
        return inner, [
            f"found the students in {clean(only.name)!r}, the only {'archive' if uploads[0].packed else 'folder'} there",
            *notices,
            *_loose_notices(loose),
        ]
    return uploads, _loose_notices(loose)


def _from_archive(source: Path, spool: Spool) -> tuple[list[Upload], list[str]]:
    """The students of one archive that holds a folder or an archive for each student."""
    try:
        contents = read_archive(source, spool.request(whole_class=True))
    except Refusal as refusal:
        message = f"{source}: {refusal}. {LAYOUT}."
        raise IntakeError(message) from refusal
    notices: list[str] = []
    groups = _groups(contents)
    if len(groups) == 1 and _is_class(next(iter(groups.values())), spool.wanted):
        (wrapper, contents), *_ = groups.items()
        notices.append(f"found the students in {clean(wrapper)!r}, the only folder there")
        groups = _groups(contents)
    if whole := [defect for defect in contents.defects if not defect.path]:
        message = f"{source}: {whole[0].reason}. Unpack it yourself, check what is in it, and give the unpacked folder."
        raise IntakeError(message)
    if not contents.folders and all(len(file.path) == 1 for file in contents.files):
        files = {file.path[0]: file for file in contents.files}
        if len(files) == len(contents.files) and (told := flat_download(files, spool.wanted)) is not None:
            students, said = _from_flat(files, told, spool)
            return students, [*notices, *said, *(f"ignored: {defect.reason}" for defect in contents.defects)]
    loose = [file.path[0] for file in contents.files if len(file.path) == 1 and not is_archive_name(file.path[0])]
    uploads = [_archived_upload(name, group, spool) for name, group in sorted(groups.items()) if name not in loose]
    _check_layout(source, [upload.name for upload in uploads], loose)
    return uploads, notices + _loose_notices(loose)


def _from_flat(
    files: Mapping[str, Stored], told: Mapping[str, PlatformName], spool: Spool
) -> tuple[list[Upload], list[str]]:
    """The students of a flat download. Their archives are opened."""
    students, notices = flat_uploads(files, told)
    uploads = []
    for one in students:
        archives = [file for file in one.contents.files if is_archive_name(file.path[-1])]
        if len(archives) == len(one.contents.files) == 1 and archives[0].at is not None:
            opened = archive_upload(archives[0].path[-1], archives[0].at, spool, one.notices)
            uploads.append(replace(opened, name=one.name, downloaded=one.downloaded))
        else:
            twice = clashes(file.path for file in one.contents.files)
            reason = twice[0].reason if twice else None
            uploads.append(Upload(one.name, one.contents, reason, one.notices, downloaded=one.downloaded))
    return uploads, notices


def _groups(contents: Contents) -> dict[str, Contents]:
    """The contents by the first component of their paths, with that component removed."""
    groups: dict[str, tuple[list[Stored], list[tuple[str, ...]], list[Defect]]] = {}
    for file in contents.files:
        rest = Stored(file.path[1:], file.size, file.at)
        groups.setdefault(file.path[0], ([], [], []))[0].append(rest)
    for folder in contents.folders:
        if folder:
            groups.setdefault(folder[0], ([], [], []))[1].append(folder[1:])
    for defect in contents.defects:
        if defect.path and not is_junk(defect.path[:1]):
            groups.setdefault(defect.path[0], ([], [], []))[2].append(Defect(defect.reason, defect.path[1:]))
    return {name: Contents(tuple(a), tuple(b), tuple(c)) for name, (a, b, c) in groups.items()}


def _archived_upload(name: str, group: Contents, spool: Spool) -> Upload:
    """A student in the class's archive: a folder in it, or an archive in it."""
    itself = [file for file in group.files if not file.path]
    if not itself:
        return Upload(name, group, _first_defect(group))
    if len(itself) > 1 or len(group.files) > 1 or group.defects:
        return Upload(stem_of(name), refused=f"the class's archive holds {clean(name)!r} more than once", packed=True)
    assert itself[0].at is not None
    return archive_upload(name, itself[0].at, spool)


def _folder_upload(name: str, path: Path) -> Upload:
    try:
        return Upload(name, read_folder(path, STUDENT))
    except Refusal as refusal:
        return Upload(name, refused=str(refusal))


def archive_upload(name: str, path: Path, spool: Spool, notices: tuple[str, ...] = ()) -> Upload:
    try:
        contents = read_archive(path, spool.request(whole_class=False))
    except Refusal as refusal:
        return Upload(stem_of(name), refused=str(refusal), packed=True, notices=notices)
    return Upload(stem_of(name), contents, _first_defect(contents), packed=True, notices=notices)


def _first_defect(contents: Contents) -> str | None:
    """Why an archived upload is refused: one defect in its entries is enough."""
    defects = [*contents.defects, *clashes(file.path for file in contents.files)]
    return defects[0].reason if defects else None


def _holds_class(upload: Upload, wanted: frozenset[str]) -> bool:
    """Whether the only upload holds all students: at its top or, in an archive, in the one folder at its top."""
    if _is_class(upload.contents, wanted):
        return True
    groups = _groups(upload.contents) if upload.packed else {}
    return len(groups) == 1 and _is_class(next(iter(groups.values())), wanted)


def _is_class(contents: Contents, wanted: frozenset[str]) -> bool:
    """Whether the one folder is the class and not a student: it holds several archives, or a lab's file in several folders."""
    tops = [file.path[0] for file in contents.files if len(file.path) == 1]
    if any(name in wanted for name in tops):
        return False
    if sum(map(is_archive_name, tops)) > 1:
        return True
    flat = None if len(tops) < len(contents.files) else flat_download(tops, wanted)
    if flat is not None and len({one.student for one in flat.values()}) > 1:
        return True
    folders = {
        (file.path[0], file.path[-1]) for file in contents.files if len(file.path) > 1 and file.path[-1] in wanted
    }
    return len({name for _, name in folders}) < len(folders)


def _check_layout(source: Path, names: list[str], loose: list[str]) -> None:
    """Raises IntakeError where nothing can be a student's upload."""
    if names:
        return
    if not loose:
        message = f"{source}: this is empty. {LAYOUT}."
    elif any(name.casefold().endswith(".cu") for name in loose):
        shown = ", ".join(map(clean, loose[:3]))
        message = (
            f"{source}: this looks like the submission of one student: {shown} is directly in it. "
            "Put it into a folder named after the student, and give the folder above that."
        )
    else:
        shown = f"only files such as {clean(loose[0])!r}"
        message = f"{source}: there is no folder or archive of a student in it, {shown}. {LAYOUT}."
    raise IntakeError(message)


def _loose_notices(loose: list[str]) -> list[str]:
    if not loose:
        return []
    shown = ", ".join(clean(name) for name in loose[:3]) + (", …" if len(loose) > 3 else "")  # noqa: PLR2004 -- a few
    return [f"ignored what is neither a folder nor an archive: {shown}"]
