"""Finds the students' uploads in what was given as SUBMISSIONS: whose layout it is, and what in it is a student's.

Where that is not clear, all is refused: nobody gets somebody else's files, and no class becomes one student. What becomes of an
upload's files is decided in intake.py.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from grader.model.written_names import clean
from grader.roll.intake.class_level import (
    ASKED,
    LAYOUT,
    SHOWN,
    IntakeError,
    Level,
    Spool,
    check_layout,
    check_named,
    check_no_groups,
    check_one_student,
    first_defect,
    holds_class,
    list_archive,
    list_contents,
    list_folder,
)
from grader.roll.intake.upload import Refusal, Stored, Upload, failure_reason, is_archive_name, read_archive, stem_of
from grader.roll.platforms.download_names import ClassFiles, Export, Top
from grader.roll.platforms.recognition import PLAIN, recognised

_NESTED = 6  # how many folders or archives around the class are entered
_MOST_DOWNLOADS = 64
# Of what a platform says, in one of several downloads and in what is a student's.
_INNER_BYTES, _STUDENT_BYTES = 16 << 20, 1 << 20


def find_uploads(sources: Sequence[Path], spool: Spool) -> Export:
    """The uploads in all `sources`, and notices about them as a whole. Raises IntakeError where one holds none."""
    found = [_from_source(source, spool) for source in sources]
    return found[0] if len(found) == 1 else _together(found, [clean(source.name) for source in sources])


def _from_source(source: Path, spool: Spool) -> Export:
    try:
        if source.is_dir():
            return _from_level(source, Level(list_folder(source, spool), packed=False), spool)
        if source.is_file():
            files, whole = list_archive(stem_of(source.name), source, spool)
            if whole:
                raise IntakeError(
                    f"{source}: {whole[0].reason}. Unpack it yourself, check what is in it, and give the unpacked folder."
                )
            return _from_level(source, Level(files, packed=True), spool)
    except PermissionError as error:
        raise IntakeError(
            f"{error.filename or source}: you have no permission to read this. Change that and try again."
        ) from error
    except Refusal as refusal:
        raise IntakeError(f"{source}: {refusal}. {LAYOUT}.") from refusal
    raise IntakeError(f"{source}: there are no submissions here. {LAYOUT}.")


def _from_level(source: Path, level: Level, spool: Spool) -> Export:
    """Asks for the platform, here and in what is around the class; else takes each folder and archive as a student's."""
    levels = [_handed_in(level)]
    while len(levels) <= _NESTED:
        if (export := _export_in(source, levels[-1])) is not None:
            return _of_platform(source, export, levels[-1])
        if (several := _several_downloads(source, levels[-1], spool)) is not None:
            return several
        inner = _only_inside(levels[-1], spool)
        if inner is None:
            break
        levels.append(_handed_in(inner))
    for one in levels:
        # Called like one who is in the roster, or was here before.
        known = any(spool.is_student(stem_of(top.name)) for top in _packed_or_folders(one)[:ASKED])
        if known or (one is not level and holds_class(one.files)):
            return _of_anybody(source, one, spool)
    return _of_anybody(source, level, spool)


def _handed_in(level: Level) -> Level:
    """Microsoft Teams keeps what students are still working on beside what they handed in: only the latter counts."""
    tops = level.files.tops
    working = [name for name, top in tops.items() if top.is_folder and name.casefold() == "working files"]
    if not working or not any(top.is_folder and name.casefold() == "submitted files" for name, top in tops.items()):
        return level
    left = {name: top for name, top in tops.items() if name not in working}
    said = f"{clean(working[0])!r} beside the submitted ones do not count: nobody has handed them in"
    return replace(level, files=replace(level.files, tops=left), entered=(*level.entered, said))


def _export_in(source: Path, level: Level) -> Export | None:
    """Raises IntakeError where it is not sure that a platform has written this, and not the only student who handed in anything."""
    if not level.doubtful:
        return recognised(level.files)
    export = _looks_like(level.files)
    if export is None or export.platform == PLAIN:
        return None
    path = shlex.quote(clean(str(source / level.doubtful)))
    raise IntakeError(
        f"{source}: all that is there is {clean(level.doubtful)!r}, which is called like a student of this class. What is in it looks like "
        f"a download from {export.platform}. If it is one, give it by itself: tilelab grade {path}."
    )


def _of_platform(source: Path, export: Export, level: Level) -> Export:
    if export.strange:
        shown = ", ".join(repr(clean(name)) for name in export.strange[:SHOWN])
        raise IntakeError(
            f"{source}: this is a download from {export.platform}, but it is not clear whose this is: {shown}. Put what came otherwise "
            "into a folder of its own, with one folder for each student, and give both: tilelab grade A B."
        )
    count = len({repr(owner) for one in export.uploads for owner in (one.owners or (one.name,))})
    attempts = max((one.attempt for one in export.uploads if not one.told), default=0)
    said = f"{export.platform} {export.what}, {count} student{'s' if count != 1 else ''}"
    if attempts > 1:
        said += f", up to {attempts} attempts of each"
    uploads = export.uploads
    if level.packed:
        uploads = tuple(replace(one, refused=one.refused or first_defect(one.contents)) for one in uploads)
    notices = (*level.entered, said, *export.notices, *_loose_notices(export.ignored))
    local_times = export.local_times and any(one.at is not None for one in uploads)
    return replace(export, uploads=uploads, notices=notices, local_times=local_times)


def _only_inside(level: Level, spool: Spool) -> Level | None:
    """What is in the only folder or archive there. Files beside it that nobody hands in do not count."""
    inner = _packed_or_folders(level)
    return _inside(level, inner[0], spool) if len(inner) == 1 else None


def _packed_or_folders(level: Level) -> list[Top]:
    return [top for top in level.files.tops.values() if top.is_folder or is_archive_name(top.name)]


def _inside(level: Level, top: Top, spool: Spool) -> Level | None:
    """None: it cannot be read, or it is not sure that all of it can be."""
    stored = top.file
    if top.refused is not None or (stored is None and not top.is_folder):
        return None
    what = "folder" if top.is_folder else "archive"
    entered = (*level.entered, f"found the students in {clean(top.name)!r}, the only {what} there")
    doubtful = level.doubtful or (top.name if spool.is_student(stem_of(top.name)) else "")
    if stored is None:
        return Level(list_contents(top.name, top.contents, spool), level.packed, entered, doubtful)
    if stored.at is None:
        return None
    try:
        files, whole = list_archive(stem_of(top.name), stored.at, spool)
    except Refusal:
        return None
    return None if whole else Level(files, packed=True, entered=entered, doubtful=doubtful)


def _several_downloads(source: Path, level: Level, spool: Spool) -> Export | None:
    """Where all that is there are downloads of a platform: one for each lab, for example."""
    inner = _packed_or_folders(level)
    if not 1 < len(inner) <= _MOST_DOWNLOADS:
        return None
    parts: list[tuple[str, Export]] = []
    for top in inner:
        inside = _inside(replace(level, entered=()), top, spool)
        one = _platform_in(inside, spool) if inside is not None else None
        if one is None:
            return None
        parts.append((clean(top.name), _of_platform(source / top.name, *one)))
    return _together([part for _, part in parts], [name for name, _ in parts])


def _platform_in(level: Level, spool: Spool) -> tuple[Export, Level] | None:
    """A class of one platform, with at most one folder around it. A folder with one repository is one student's."""
    level = replace(level, files=replace(level.files, most_bytes=_INNER_BYTES))
    inner = None if (export := _looks_like(level.files)) is not None else _only_inside(level, spool)
    if inner is not None:
        export, level = _looks_like(replace(inner.files, most_bytes=_INNER_BYTES)), inner
    return None if export is None or export.platform == PLAIN else (export, replace(level, entered=()))


def _together(parts: Sequence[Export], names: Sequence[str]) -> Export:
    """Attempts are counted apart in each of the downloads."""
    uploads: list[Upload] = []
    for part in parts:
        first = max((upload.download for upload in uploads), default=-1) + 1
        uploads += [replace(upload, download=first + upload.download) for upload in part.uploads]
    notices = [f"{name}: {notice}" for name, part in zip(names, parts, strict=True) for notice in part.notices]
    local_times = any(part.local_times for part in parts)
    return Export("several", tuple(uploads), tuple(notices), local_times=local_times)


def _of_anybody(source: Path, level: Level, spool: Spool) -> Export:
    uploads: list[Upload] = []
    loose: list[str] = []
    for name, top in level.files.tops.items():
        if top.is_folder:
            refused = top.refused or (first_defect(top.contents) if level.packed else None)
            uploads.append(Upload(name, top.contents, refused))
        elif is_archive_name(name) and top.refused is not None:
            uploads.append(Upload(stem_of(name), refused=top.refused, packed=True))
        elif is_archive_name(name) and top.file is not None:
            uploads.append(archive_upload(replace(top.file, path=(name,)), spool))
        else:
            loose.append(name)
    check_layout(source, [upload.name for upload in uploads], loose, spool.wanted)
    check_named(source, uploads, spool)
    check_no_groups(source, uploads, spool)
    check_one_student(source, level, uploads, spool)
    uploads = _without_downloads(source, uploads, [name for name in level.files.tops if name not in loose], spool)
    return Export("", tuple(uploads), (*level.entered, *_loose_notices(loose)))


def _without_downloads(source: Path, uploads: list[Upload], names: Sequence[str], spool: Spool) -> list[Upload]:
    """A download of a whole class is no student's upload. A student may hand in what looks like one: where it holds fewer persons than the
    class, this student alone is refused. `names`: as they lie there.
    """
    of_class: dict[int, tuple[str, int]] = {}  # whose, and of how many persons
    for number, one in enumerate(uploads):
        if any(len(file.path) == 1 and file.path[0] in spool.wanted for file in one.contents.files):
            continue
        export = _looks_like(replace(list_contents(one.name, one.contents, spool), most_bytes=_STUDENT_BYTES))
        persons = len({str(each.owners) for each in export.uploads}) if export is not None else 0
        if export is not None and export.platform != PLAIN and persons > 1:
            of_class[number] = export.platform, persons
    others = len(uploads) - len(of_class)
    if len(of_class) > others or any(count > others for _, count in of_class.values()):
        given = [names[number] for number in list(of_class)[:SHOWN]]
        shown = ", ".join(repr(clean(name)) for name in given)
        paths = " ".join(shlex.quote(clean(str(source / name))) for name in given)
        raise IntakeError(
            f"{source}: some of what is there are downloads of a whole class ({shown}), and some are not. Put what is not into a folder "
            f"of its own, with one folder for each student, and give all of them: tilelab grade {paths} OTHERS."
        )
    for number, (platform, _) in of_class.items():
        why = f"this looks like a download of a whole class ({platform}) and not like one student's upload"
        refused = f"{why}; the instructor has to give it by itself: tilelab grade A B"
        uploads[number] = replace(uploads[number], refused=refused)
    return uploads


def _looks_like(files: ClassFiles) -> Export | None:
    """The same of what may be a student's: what is damaged there is nothing to the class."""
    try:
        return recognised(files)
    except Exception:  # noqa: BLE001 -- so is whatever else it brings about
        return None


def archive_upload(stored: Stored, spool: Spool) -> Upload:
    name = stem_of(stored.path[-1])
    if stored.at is None:
        return Upload(name, refused="it cannot be read", packed=True)
    try:
        contents = read_archive(stored.at, spool.request(whole_class=False))
    except Refusal as refusal:
        return Upload(name, refused=str(refusal), packed=True)
    except (OSError, MemoryError):  # this machine's, and so every student's
        raise
    except Exception as error:  # noqa: BLE001 -- whatever one student's archive brings about is nothing to the class
        return Upload(name, refused=failure_reason(error), packed=True)
    return Upload(name, contents, first_defect(contents), packed=True)


def _loose_notices(loose: Sequence[str]) -> list[str]:
    shown = ", ".join(clean(name) for name in loose[:SHOWN]) + (", …" if len(loose) > SHOWN else "")
    return [f"ignored what is neither a folder nor an archive: {shown}"] if loose else []
