"""One level of what was given: the folder or archive that holds the class, or one around it.

It says whether a level is a class or one student's own work, whose parts would become students.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from grader.course.answer_text import is_named_answers
from grader.model.errors import RemediableError
from grader.model.written_names import clean, is_copy, is_junk, is_prefixed, is_variant, nearly
from grader.roll.intake.upload import (
    CLASS,
    FILE_BYTES,
    STUDENT,
    Contents,
    Defect,
    Gathered,
    Refusal,
    Request,
    Stored,
    Upload,
    clashes,
    is_archive_name,
    read_archive,
    read_folder,
    stem_of,
)
from grader.roll.platforms.download_names import ClassFiles, Top
from grader.roll.platforms.recognition import METADATA, own_file_bytes
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
                return FILE_BYTES
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
            self._asked[sys.intern(name)] = ends or ".cu" in name.casefold()[-16:] or is_named_answers(name)
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
