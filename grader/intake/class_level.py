"""One level of what was given: the folder or archive that holds the class, or one around it.

It says whether a level is a class or one student's own work, whose parts would become students.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.intake.intake_spool import Spool
from grader.intake.uploads.class_files import ClassFiles
from grader.intake.uploads.naming import clean, is_copy
from grader.intake.uploads.upload import Upload, is_archive_name
from grader.model.errors import RemediableError

LAYOUT = (
    "SUBMISSIONS is what your platform lets you download, as it is; or a folder that holds one folder or one .zip/.tar.gz per student, "
    "or one archive of such a folder"
)
SHOWN = 3
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
    holding: set[str] = set()
    for top in tops:
        if top.is_folder and not is_copy(top.name) and top.name.casefold() not in _PARTS:
            names = {file.path[-1] for file in top.contents.files if file.path} & files.wanted
            if names & holding:
                return True
            holding |= names
    return False


def check_layout(source: Path, names: list[str], loose: list[str]) -> None:
    """Raises IntakeError where nothing can be a student's upload."""
    if names:
        return
    if not loose:
        message = f"{source}: this is empty. {LAYOUT}."
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
    if parts or (alone and any(file.path[-1] in spool.wanted for file in uploads[0].contents.files)):
        shown = ", ".join(repr(clean(one)) for one in sorted(names)[:SHOWN])
        message = (
            f"{source}: this looks like the submission of one student, with {shown} in it. "
            "Put it into a folder named after the student, and give the folder above that."
        )
        raise IntakeError(message)
