"""Brightspace's "Download" of an assignment folder: `12345-67890 - Ada Lovelace - Nov 20, 2026 1011 AM/…`, or ` - lab.cu` behind it.

The first number is the student's or the group's, the second the assignment's, as a rule. Each time that a student hands in makes a
folder of its own. Times are the platform's local ones. `index.html` is Brightspace's list of them. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import datetime
from operator import attrgetter

from grader.model.result import Student
from grader.model.written_names import exact_form
from grader.roll.intake.upload import Contents, Defect, Stored, Upload, clashes
from grader.roll.platforms.download_names import ClassFiles, Export, read_names, strange, unclear_notices, written_date

_HEAD = re.compile(r"(?P<first>\d+)-(?P<second>\d+) ?- ")
_BETWEEN = " - "


@dataclass(frozen=True)
class _BrightspaceName:
    first: str
    second: str
    shown: str
    date: str
    at: datetime | None
    file: str  # in a flat download
    clear: bool


def brightspace_download(files: ClassFiles) -> Export | None:
    read = read_names(files.tops, lambda name: _read(name, is_folder=files.tops[name].is_folder))
    if read is None or not read[0]:
        return None
    told, others = read
    unclear = sorted(name for name, one in told.items() if not one.clear)
    clear = {name: one for name, one in told.items() if one.clear}
    number_of = _student_number(clear.values())
    attempts: dict[tuple[str, str, str], list[str]] = {}
    for name, one in sorted(clear.items()):
        attempts.setdefault((number_of(one), one.shown, one.date), []).append(name)
    uploads = []
    for (student, shown, _), names in attempts.items():
        at = clear[names[0]].at
        upload = _upload(files, {name: clear[name] for name in names})
        owner = Student(name=shown, platform_ids={"Brightspace": student} if student else {})
        called = f"{shown} {student}".strip()
        uploads.append(replace(upload, name=called, owners=(owner,), at=files.local(at) if at else None))
    notices = unclear_notices(unclear)
    if any(not owner.platform_ids for one in uploads for owner in one.owners):
        notices.append("its numbers do not tell students apart here, so the names do: two students of one name are one")
    return Export(
        "Brightspace", tuple(uploads), tuple(notices), tuple(others), tuple(strange(files, others)), local_times=True
    )


def _student_number(names: Collection[_BrightspaceName]) -> Callable[[_BrightspaceName], str]:
    """Which of the two numbers is the student's. One that several names have is none: then the name tells students apart."""
    for part in ("first", "second"):
        called: dict[str, set[str]] = {}
        for one in names:
            called.setdefault(getattr(one, part), set()).add(exact_form(one.shown))
        if all(len(some) == 1 for some in called.values()):
            return attrgetter(part)
    return lambda _one: ""


def _read(name: str, *, is_folder: bool) -> _BrightspaceName | None:
    """A student may have chosen a name or a file's name that holds a date too: of a folder the last date counts."""
    head = _HEAD.match(name)
    parts = name[head.end() :].split(_BETWEEN) if head else []
    dates = {at: date for at, part in enumerate(parts) if at and (date := written_date(part)) is not None}
    if head is None or not dates or (is_folder and len(parts) - 1 not in dates):
        return None
    at = len(parts) - 1 if is_folder else min(dates)
    shown, file = _BETWEEN.join(parts[:at]), _BETWEEN.join(parts[at + 1 :])
    return _BrightspaceName(
        head["first"], head["second"], shown, parts[at], dates[at].at, file, is_folder or len(dates) == 1
    )


def _upload(files: ClassFiles, names: dict[str, _BrightspaceName]) -> Upload:
    found: list[Stored] = []
    defects: list[Defect] = []
    downloaded, refused = [], None
    for name, one in names.items():
        top = files.tops[name]
        refused = refused or top.refused
        defects += top.contents.defects
        for file in top.contents.files:
            found.append(Stored(file.path if top.is_folder else (one.file or name,), file.size, file.at))
            downloaded.append("/".join((name, *file.path)) if top.is_folder else name)
    twice = clashes(file.path for file in found)
    refused = refused or (twice[0].reason if twice else None)
    return Upload("", Contents(tuple(found), defects=tuple(defects)), refused, downloaded=tuple(downloaded))
