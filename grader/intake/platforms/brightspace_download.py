"""Brightspace's "Download" of an assignment folder: `12345-67890 - Ada Lovelace - Nov 20, 2026 1011 AM/…`, or ` - lab.cu` behind it.

The first number is the student's or the group's, the second the assignment's. Each time a student hands in makes a folder of its own.
Times are the platform's local ones. `index.html` is Brightspace's list of them. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime

from grader.intake.platforms.flat_names import read_names, strange, unclear_notices
from grader.intake.uploads.class_files import ClassFiles, Export
from grader.intake.uploads.upload import Contents, Defect, Stored, Upload, clashes
from grader.model.result import Student

_HEAD = re.compile(r"(?P<first>\d+)-(?P<second>\d+) - ")
_DATE = re.compile(
    r" - (?:(?P<month>[^\W\d_]{3,12})\.? (?P<day>\d{1,2})|(?P<day2>\d{1,2})\.? (?P<month2>[^\W\d_]{3,12})\.?),? (?P<year>\d{4}) "
    r"(?P<hour>\d{1,2})[ .h]{0,3}(?P<minute>\d\d) ?(?P<half>[AP]M)?(?= - |$)",
    re.IGNORECASE,
)
# By their first letters, in languages that Brightspace is used in.
_MONTHS = (
    ("jan", "ene", "gen"), ("feb", "fév", "fev"), ("mar", "mär", "maa", "mrt"), ("apr", "avr", "abr"), ("may", "mai", "mei", "mag"),
    ("jun", "juin", "giu"), ("jul", "juil", "lug"), ("aug", "aoû", "ago"), ("sep", "set"), ("oct", "okt", "out", "ott"), ("nov",),
    ("dec", "dez", "déc", "dic"),
)  # fmt: skip
_NOON = 12


@dataclass(frozen=True)
class _BrightspaceName:
    first: str
    second: str
    shown: str
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
    swapped = len({one.first for one in clear.values()}) == 1 < len({one.second for one in clear.values()})
    attempts: dict[tuple[str, str, datetime | None], list[str]] = {}
    for name, one in sorted(clear.items()):
        student = one.second if swapped else one.first
        attempts.setdefault((student, one.shown, one.at), []).append(name)
    uploads = []
    for (student, shown, at), names in attempts.items():
        upload = _upload(files, {name: clear[name] for name in names})
        owner = Student(name=shown, platform_ids={"Brightspace": student})
        uploads.append(replace(upload, name=f"{shown} {student}", owners=(owner,), at=files.local(at) if at else None))
    notices = tuple(unclear_notices(unclear))
    return Export(
        "Brightspace", tuple(uploads), notices, tuple(others), tuple(strange(files, others)), local_times=True
    )


def _read(name: str, *, is_folder: bool) -> _BrightspaceName | None:
    head = _HEAD.match(name)
    dates = list(_DATE.finditer(name, head.end())) if head else []
    if head is None or not dates:
        return None
    date = dates[-1] if is_folder else dates[0]
    rest = name[date.end() :].removeprefix(" - ")
    if is_folder and rest:
        return None
    clear = is_folder or len(dates) == 1
    return _BrightspaceName(head["first"], head["second"], name[head.end() : date.start()], _time(date), rest, clear)


def _time(date: re.Match[str]) -> datetime | None:
    month = (date["month"] or date["month2"]).casefold()
    number = next((number for number, starts in enumerate(_MONTHS, 1) if month.startswith(starts)), 0)
    hour = int(date["hour"])
    if date["half"]:
        hour = hour % _NOON + (_NOON if date["half"].casefold() == "pm" else 0)
    try:
        return datetime(int(date["year"]), number, int(date["day"] or date["day2"]), hour, int(date["minute"]))  # noqa: DTZ001 -- local
    except ValueError:
        return None


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
