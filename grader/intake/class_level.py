"""One level of what was given: the folder or archive that holds the class, or one around it.

It says whether a level is a class or one student's own work, whose parts would become students.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.intake.class_listing import list_contents
from grader.intake.intake_spool import Spool
from grader.intake.platforms.gradescope_export import METADATA
from grader.intake.uploads.class_files import ClassFiles, Top
from grader.intake.uploads.naming import clean, is_copy, is_prefixed, is_variant
from grader.intake.uploads.upload import Upload, is_archive_name, stem_of
from grader.model.errors import RemediableError

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
    doubtful: str = (
        ""  # a folder or archive around it that may be a student's: then what is in it is no platform's word
    )


def holds_class(files: ClassFiles) -> bool:
    """Whether this is the class and not a student: it holds several archives, or a lab's file in several folders."""
    tops = files.tops.values()
    if any(top.name in files.wanted for top in tops if not top.is_folder):
        return False
    if sum(is_archive_name(top.name) for top in tops if not top.is_folder) > 1:
        return True
    return len(_alike(files)) > 1


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
        message = (
            f"{source}: this may be a class whose files all lie side by side, such as {clean(alike[0])!r} and {clean(alike[1])!r}, "
            f"and no platform's names are recognised. Put each student's files into a folder of their own. {LAYOUT}."
        )
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
        message = (
            f"{source}: {clean(numbered[0])!r} is called like a folder of Gradescope's export, and {METADATA}, which says whose it is, "
            "is not beside it. Give the export as it was downloaded. If there is none, give a roster whose column `upload` holds "
            "these names: --roster FILE."
        )
        raise IntakeError(message)


def check_no_groups(source: Path, uploads: Sequence[Upload], spool: Spool) -> None:
    """Raises IntakeError where most of what would be a student is a section, a week or a lab with students in it."""
    groups: dict[str, list[str]] = {}
    packed: dict[str, list[str]] = {}
    for upload in uploads:
        inside = list_contents(upload.name, upload.contents, spool)
        if any(top.name in inside.wanted for top in inside.tops.values() if not top.is_folder):
            continue
        persons = _alike(inside, spool.labs)
        archives = [
            stem_of(top.name) for top in inside.tops.values() if not top.is_folder and is_archive_name(top.name)
        ]
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
    message = (
        f"{source}: {', '.join(map(repr, shown))} would be students here, but there are several persons' files in each, it seems (such as "
        f"{inner}). If these are sections, weeks or labs with students in them, {unpack}give each by itself: tilelab grade {command}. "
        "If they are students, leave in each folder only the version that counts."
    )
    raise IntakeError(message)


def check_one_student(source: Path, level: Level, uploads: Sequence[Upload], spool: Spool) -> None:
    """Raises IntakeError where what was given may just as well be one student's own folder: then its parts are no students."""
    names = {upload.name for upload in uploads}
    parts = {"assignments", "kit"} <= names or all(
        name.casefold() in _PARTS or name in spool.labs or is_copy(name) for name in names
    )
    alone = (
        len(uploads) == 1
        and level.packed
        and not level.entered
        and not uploads[0].packed
        and uploads[0].refused is None
    )
    alone = alone and any(file.path[-1] in spool.wanted for file in uploads[0].contents.files)
    if parts or (alone and not spool.is_student(uploads[0].name)):
        shown = ", ".join(repr(clean(one)) for one in sorted(names)[:SHOWN])
        message = (
            f"{source}: this looks like the submission of one student, with {shown} in it. "
            f"Put it into a folder named after the student, and give the folder above that.{_if_class(source, names, alone=alone)}"
        )
        raise IntakeError(message)


def _if_class(source: Path, names: Collection[str], *, alone: bool) -> str:
    """What to do where the one folder in an archive is called like a student, and the class has one."""
    if not alone:
        return ""
    folder = stem_of(source.name)
    command = f"unzip {shlex.quote(str(source))} -d {shlex.quote(folder)}"
    if source.is_dir() or not source.name.casefold().endswith(".zip"):
        command = "unpack it"
    one = clean(next(iter(names)))
    return f" If {one!r} is the student, {command} and give that folder: tilelab grade {shlex.quote(folder)}; or give a roster."
