"""The names that course platforms give to files when an instructor downloads all of an assignment: who handed in what, and when. Pure.

Such a download is flat: the files of all students lie side by side, and only the platform's part of each name tells them apart. Names of
students and of their files are hostile. Where they make a name that can be read in two ways, nobody gets the file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class PlatformName:
    """One file of a flat download."""

    platform: str
    student: str  # what tells students apart: the platform's id, or the login; empty: the name can be read in two ways
    shown: str  # what is known of the student's name; it may be empty
    attempt: str  # later attempts come later in the order of strings; empty: the platform gives the last one alone
    file: str  # the student's own name of the file; empty: a note of the platform's

    @property
    def upload(self) -> str:
        return f"{self.shown} {self.student}".strip()


# What each platform writes. In Canvas nothing in front of the numbers is the student's to choose. In Moodle the full name may be, and
# everywhere the file's name is: so the platform's own mark must be there once.
_CANVAS = re.compile(r"(?P<shown>[^_\s/]+)_(?:LATE_)?(?P<student>\d+)_\d+_(?P<file>.+)")
_ATTEMPT = re.compile(r"_attempt_(?P<attempt>\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d)(?=_|\.txt$)")
_ASSIGNMENT = re.compile(r"_(?P<student>\d+)_assignsubmission_(?P<part>file|onlinetext)(?=_)")
_CANVAS_AGAIN = re.compile(r"-\d+(?=\.[^.]+$)")  # what Canvas adds to a file that was handed in again
_PAGES = frozenset({"index.html"})  # which a platform adds itself


def platform_name(name: str, wanted: Iterable[str] = ()) -> PlatformName | None:
    """None where no platform writes such a name. `wanted`: names of the labs' files."""
    if marks := list(_ATTEMPT.finditer(name)):
        head, attempt, file = name[: marks[0].start()], marks[0]["attempt"], name[marks[0].end() :]
        one = PlatformName("Blackboard", head, "", attempt, "" if file == ".txt" else file[1:])
        return one if len(marks) == 1 else replace(one, student="")
    if marks := list(_ASSIGNMENT.finditer(name)):
        file = "" if marks[0]["part"] == "onlinetext" else name[marks[0].end() + 1 :]
        one = PlatformName("Moodle", marks[0]["student"], name[: marks[0].start()], "", file)
        return one if len(marks) == 1 else replace(one, student="")
    if found := _CANVAS.fullmatch(name):
        file = found["file"]
        if (first := _CANVAS_AGAIN.sub("", file)) in {*wanted}:
            file = first
        return PlatformName("Canvas", found["student"], found["shown"], "", file)
    return None


def flat_download(names: Iterable[str], wanted: Iterable[str]) -> dict[str, PlatformName] | None:
    """What each of `names`, which lie side by side, says. None where they are no flat download: a platform names all files in one, so
    one that is named otherwise is enough.
    """
    wanted = frozenset(wanted)
    told: dict[str, PlatformName] = {}
    for name in names:
        if name.casefold() in _PAGES:
            continue
        one = platform_name(name, wanted)
        if one is None:
            return None
        told[name] = one
    if len({one.platform for one in told.values()}) != 1 or not any(one.student for one in told.values()):
        return None
    return _with_logins(told)


def _with_logins(told: dict[str, PlatformName]) -> dict[str, PlatformName]:
    """In Blackboard the assignment's name stands before each login. Both may hold underscores: what all have in common is the
    assignment's.
    """
    heads = {one.student for one in told.values() if one.platform == "Blackboard" and one.student}
    if not heads:
        return told
    common = os.path.commonprefix(sorted(heads)) if len(heads) > 1 else next(iter(heads))  # noqa: RUF071 - letters are compared
    length = common.rfind("_") + 1
    return {name: replace(one, student=one.student[length:]) for name, one in told.items()}
