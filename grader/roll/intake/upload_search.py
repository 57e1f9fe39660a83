"""Finds the students' uploads in what was given as SUBMISSIONS: whose layout it is, and what in it is a student's.

Where that is not clear, all is refused: nobody gets somebody else's files, and no class becomes one student. What becomes of an
upload's files is decided in intake.py.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from grader.course.answer_text import is_named_answers
from grader.model.errors import RemediableError
from grader.model.several_files import is_asked
from grader.model.written_names import clean, is_copy, is_junk, is_prefixed, is_variant, nearly
from grader.roll.intake.upload import (
    CLASS,
    FILE_BYTES,
    NOTEBOOK_BYTES,
    STUDENT,
    Contents,
    Defect,
    Gathered,
    Refusal,
    Request,
    Stored,
    Upload,
    clashes,
    failure_reason,
    is_archive_name,
    read_archive,
    read_folder,
    stem_of,
)
from grader.roll.platforms.download_names import ClassFiles, Export, Top
from grader.roll.platforms.recognition import METADATA, PLAIN, own_file_bytes, recognised
from grader.system.confinement import Confinement

# Our own folders for the files of archives, and which files of an archive are stored there.

_LARGE, _MOST_LARGE = 4 << 20, 3  # a platform writes one such file; students may call files of theirs so too


class Spool:
    """Makes folders in `scratch`, one for the files of each archive. `told` hears how many uploads of how many were read."""

    def __init__(
        self,
        scratch: Path,
        wanted: Collection[str],
        zone: tzinfo | None = None,
        told: Callable[[int, int], None] = lambda _done, _total: None,
        labs: Collection[str] = (),
        confinement: Confinement | None = None,
        is_student: Callable[[str], bool] = lambda _name: False,
    ) -> None:
        self.beside: tuple[str, ...] = ()  # names and patterns of other files than `wanted`
        self._scratch, self.wanted, self.labs = scratch, frozenset(wanted), frozenset(labs)
        self.zone = zone or datetime.now().astimezone().tzinfo or UTC
        self.told = told
        self._confinement = confinement
        self.is_student = is_student  # whether a folder of that name is a known student's
        self._count = 0
        self._asked: dict[str, bool] = {}

    def request(self, *, whole_class: bool) -> Request:
        self._count += 1
        folder = self._scratch / f".spool-{self._count:04}"
        folder.mkdir(parents=True)
        large = 0

        def file_bytes(path: tuple[str, ...]) -> int:
            nonlocal large
            if self._is_source(path):
                return NOTEBOOK_BYTES if path[-1].endswith(".ipynb") else FILE_BYTES
            if is_archive_name(path[-1]):
                return STUDENT.archive_bytes
            count = own_file_bytes(path) if whole_class else 0
            large += count > _LARGE
            return count if count <= _LARGE or large <= _MOST_LARGE else 0

        return Request(folder, file_bytes, CLASS if whole_class else STUDENT, self._confinement)

    def _is_source(self, path: tuple[str, ...]) -> bool:
        """Whether it may be a lab's file or answers: by its name, a nearly right name, or what follows a platform's part of it."""
        name = path[-1]
        if name not in self._asked:
            ends = any(name.casefold().endswith(one.casefold()) or nearly(one, [name]) for one in self.wanted)
            self._asked[sys.intern(name)] = (
                ends
                or is_asked(name, self.beside)
                or ".cu" in name.casefold()[-16:]
                or name.endswith(".ipynb")
                or is_named_answers(name)
            )
        return self._asked[name]


# Lists what lies at the top of a class: of a folder or an archive that was given, or of one inside it.

_LINK = "this is a symbolic link, which is not followed: put the folder or the archive itself here"


def list_folder(path: Path, spool: Spool) -> ClassFiles:
    """Each folder in it may be as large as one student's; one that is alone there may hold the class."""
    with os.scandir(path) as scan:
        entries = sorted((entry for entry in scan if not is_junk((entry.name,))), key=lambda entry: entry.name)
    alone = sum(entry.is_dir(follow_symlinks=False) for entry in entries) == 1
    tops: dict[str, Top] = {}
    for at, entry in enumerate(entries):
        spool.told(at, 2 * len(entries))  # then each is looked into once more
        if entry.is_symlink():
            tops[entry.name] = Top(entry.name, is_folder=not is_archive_name(entry.name), refused=_LINK)
        elif entry.is_dir(follow_symlinks=False):
            try:
                contents = read_folder(Path(entry.path), CLASS if alone else STUDENT)
                tops[entry.name] = Top(entry.name, contents, is_folder=True)
            except Refusal as refusal:
                tops[entry.name] = Top(entry.name, is_folder=True, refused=str(refusal))
        elif entry.is_file(follow_symlinks=False):
            stored = Stored((), entry.stat(follow_symlinks=False).st_size, Path(entry.path))
            tops[entry.name] = Top(entry.name, Contents((stored,)))
        else:
            tops[entry.name] = Top(entry.name)  # a device or the like: nobody's
    return ClassFiles(path.resolve().name, tops, spool.wanted, spool.zone)


def list_archive(name: str, path: Path, spool: Spool) -> tuple[ClassFiles, tuple[Defect, ...]]:
    """The archive's entries, and what is wrong with it as a whole. Raises Refusal where it cannot be read."""
    contents = read_archive(path, spool.request(whole_class=True))
    return list_contents(name, contents, spool), tuple(one for one in contents.defects if not one.path)


def list_contents(name: str, contents: Contents, spool: Spool) -> ClassFiles:
    """Of what was read already. An archive may hold a name twice: then it is nobody's."""
    tops = {}
    for top, group in grouped(contents).items():
        files = tuple(file for file in group.files if not file.path)
        twice = bool(files) and (len(group.files) > 1 or bool(group.folders or group.defects))
        refused = f"the class's archive holds {clean(top)!r} more than once" if twice else None
        tops[top] = Top(top, Contents(files[:1]) if files else group, is_folder=not files, refused=refused)
    return ClassFiles(name, dict(sorted(tops.items())), spool.wanted, spool.zone)


def grouped(contents: Contents) -> dict[str, Contents]:
    """The contents by the first component of their paths, with that component removed."""
    groups: dict[str, Gathered] = {}

    def group(path: tuple[str, ...]) -> Gathered:
        return groups.setdefault(path[0], Gathered())

    for file in contents.files:
        group(file.path).files.append(Stored(file.path[1:], file.size, file.at))
    for folder in filter(None, contents.folders):
        group(folder).folders.extend([folder[1:]] if folder[1:] else [])
    for defect in contents.defects:
        if defect.path and not is_junk(defect.path[:1]):
            group(defect.path).defects.append(Defect(defect.reason, defect.path[1:]))
    for repository in filter(None, contents.repositories):
        group(repository).repositories.add(repository[1:])
    return {name: group.contents for name, group in groups.items()}


def first_defect(contents: Contents) -> str | None:
    """Why an archived upload is refused: one defect in its entries is enough."""
    defects = [*contents.defects, *clashes(file.path for file in contents.files)]
    return defects[0].reason if defects else None


_NUMBERED = re.compile(r"submission_\d{4,}")
LAYOUT = (
    "SUBMISSIONS is what your platform lets you download, as it is; or a folder that holds one folder or one .zip/.tar.gz per student, "
    "or one archive of such a folder"
)
SHOWN = 3
ASKED = 5  # of how many names it is asked whether they are known students': each takes a while with a long roster
_COMPARED = 64  # names in one folder
# What people call folders in their own work, and nobody calls a student.
_PARTS = frozenset(
    {
        "assignments",
        "cuda",
        "code",
        "include",
        "kernels",
        "kit",
        "lib",
        "source",
        "sources",
        "src",
        "test",
        "tests",
        "work",
    }
)


class IntakeError(RemediableError):
    """SUBMISSIONS is not a class's submissions. The text says what is there, and what to give instead."""


@dataclass(frozen=True)
class Level:
    """What lies in one folder or archive, of those around the class."""

    files: ClassFiles
    packed: bool  # it came out of an archive
    entered: tuple[str, ...] = ()  # what has to be said of the way to it
    # A folder or archive around it that may be a student's: then what is in it is no platform's word.
    doubtful: str = ""


def holds_class(files: ClassFiles) -> bool:
    """Whether this is the class and not a student: it holds several archives, or a lab's file in several folders."""
    beside = files.only(folders=False)
    if files.wanted & beside.keys():
        return False
    return sum(map(is_archive_name, beside)) > 1 or len(_alike(files)) > 1


def _alike(files: ClassFiles, labs: Collection[str] = ()) -> list[str]:
    """Folders that hold the same lab's file, and that are no parts of one person's work. Most often they are persons."""
    holding: dict[str, list[str]] = {}
    for top in files.tops.values():
        if top.is_folder and not is_copy(top.name) and top.name.casefold() not in _PARTS and top.name not in labs:
            for name in _wanted_in(top, files.wanted):
                holding.setdefault(name, []).append(top.name)
    return max(holding.values(), key=len, default=[])


def _wanted_in(top: Top, wanted: Collection[str]) -> set[str]:
    """The labs' files in a folder, also under names that a system has changed."""
    names = {file.path[-1] for file in top.contents.files if file.path}
    exact = names & set(wanted)
    others = [name for name in names if ".cu" in name.casefold()][:_COMPARED] if len(exact) < len(wanted) else []
    return exact | {one for one in wanted for name in others if is_variant(name, one) or is_prefixed(name, one)}


def check_layout(source: Path, names: list[str], loose: list[str], wanted: Collection[str]) -> None:
    """Raises IntakeError where nothing can be a student's upload."""
    if names:
        return
    if not loose:
        message = f"{source}: this is empty. {LAYOUT}."
    elif alike := _side_by_side(loose, wanted):
        raise not_apart(source, alike)
    elif any(name.casefold().endswith(".cu") for name in loose):
        shown = ", ".join(map(clean, loose[:SHOWN]))
        message = (
            f"{source}: this looks like the submission of one student: {shown} is directly in it. "
            "Put it into a folder named after the student, and give the folder above that."
        )
    else:
        shown = f"only files such as {clean(loose[0])!r}"
        message = f"{source}: there is no folder or archive of a student in it, {shown}. {LAYOUT}."
    raise IntakeError(message)


def not_apart(source: Path, alike: Sequence[str]) -> IntakeError:
    return IntakeError(
        f"{source}: this may be a class whose files all lie side by side, such as {clean(alike[0])!r} and {clean(alike[1])!r}, "
        f"and no platform's names are recognised. Put each student's files into a folder of their own. {LAYOUT}."
    )


def _side_by_side(names: Sequence[str], wanted: Collection[str]) -> list[str]:
    """Several names that end like one that a lab asks for, with something in front of it or "(1)" behind it."""
    for one in sorted(wanted):
        stem, dot, suffix = one.casefold().rpartition(".")
        ending = re.compile(re.escape(stem) + r"([ _-]?\(?\d+\)?)?" + re.escape(dot + suffix) + r"(\.txt)?\Z")
        alike = [name for name in names if ending.search(name.casefold())]
        if len(alike) > 1:
            return alike
    return []


def check_named(source: Path, uploads: Sequence[Upload], spool: Spool) -> None:
    """Raises IntakeError where folders are Gradescope's, and the file that says whose they are is missing."""
    numbered = [one.name for one in uploads if _NUMBERED.fullmatch(one.name)]
    if 2 * len(numbered) > len(uploads) and not any(map(spool.is_student, numbered[:ASKED])):
        raise IntakeError(
            f"{source}: {clean(numbered[0])!r} is called like a folder of Gradescope's export, and {METADATA}, which says whose it is, "
            "is not beside it. Give the export as it was downloaded. If there is none, give a roster whose column `upload` holds "
            "these names: --roster FILE."
        )


def check_no_groups(source: Path, uploads: Sequence[Upload], spool: Spool) -> None:
    """Raises IntakeError where most of what would be a student is a section, a week or a lab with students in it."""
    groups: dict[str, list[str]] = {}
    packed: dict[str, list[str]] = {}
    for upload in uploads:
        inside = list_contents(upload.name, upload.contents, spool)
        if inside.wanted & inside.only(folders=False).keys():
            continue
        persons = _alike(inside, spool.labs)
        archives = [stem_of(name) for name in inside.only(folders=False) if is_archive_name(name)]
        if len(persons) > 1:
            groups[upload.name] = persons
        elif len(archives) > 1:
            packed[upload.name] = archives
    repeated = Counter(stem.casefold() for stems in packed.values() for stem in stems)
    # In most students' own folders archives are called alike, such as code.zip.
    own = {name for name, stems in packed.items() if any(repeated[stem.casefold()] > 1 for stem in stems)}
    groups |= {name: stems for name, stems in packed.items() if name in spool.labs or name not in own}
    handed_in = sum(bool(upload.contents.files) for upload in uploads)
    if 2 * len(groups) <= handed_in or any(map(spool.is_student, list(groups)[:ASKED])):
        return
    shown = [clean(name) for name in list(groups)[:SHOWN]]
    inner = ", ".join(repr(clean(one)) for one in next(iter(groups.values()))[:SHOWN])
    where = source if source.is_dir() else Path(stem_of(source.name))
    command = " ".join(shlex.quote(str(where / name)) for name in shown)
    unpack = "" if source.is_dir() else "unpack it and "
    raise IntakeError(
        f"{source}: {', '.join(map(repr, shown))} would be students here, but there are several persons' files in each, it seems (such as "
        f"{inner}). If these are sections, weeks or labs with students in them, {unpack}give each by itself: tilelab grade {command}. "
        "If they are students, leave in each folder only the version that counts."
    )


def check_one_student(source: Path, level: Level, uploads: Sequence[Upload], spool: Spool) -> None:
    """Raises IntakeError where what was given may just as well be one student's own folder: then its parts are no students."""
    names = {upload.name for upload in uploads}
    others = [name for name in names if not (name.casefold() in _PARTS or name in spool.labs or is_copy(name))]
    parts = {"assignments", "kit"} <= names or not others
    first = uploads[0]
    alone = len(uploads) == 1 and level.packed and not (level.entered or first.packed or first.refused is not None)
    alone = alone and any(file.path[-1] in spool.wanted for file in first.contents.files)
    if parts or (alone and not spool.is_student(first.name)):
        shown = ", ".join(repr(clean(one)) for one in sorted(names)[:SHOWN])
        raise IntakeError(
            f"{source}: this looks like the submission of one student, with {shown} in it. "
            f"Put it into a folder named after the student, and give the folder above that.{_if_class(source, first) if alone else ''}"
        )


def _if_class(source: Path, upload: Upload) -> str:
    """What to do where the one folder in an archive is called like a student, and the class has one."""
    folder = shlex.quote(stem_of(source.name))
    zipped = not source.is_dir() and source.name.casefold().endswith(".zip")
    command = f"unzip {shlex.quote(str(source))} -d {folder}" if zipped else "unpack it"
    return f" If {clean(upload.name)!r} is the student, {command} and give that folder: tilelab grade {folder}; or give a roster."


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
    said = f"{clean(working[0])!r} beside the submitted ones do not count: they were not handed in"
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
