"""Canvas's "Download Submissions": `doejohn_LATE_1001_90001_lab.cu`: name, the user's id, the file's id, the file's name.

Only the last attempt of each student is in it. A file that was handed in again is called `lab-1.cu`. What was typed into the text field
is `doejohn_1001_text.html`. Where students are graded without their names it is `anon_LATE_aB3xZ_90001_lab.cu`. See
app/models/content_zipper.rb of Canvas. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from grader.model.result import Student
from grader.model.written_names import clean, is_variant
from grader.roll.intake.matching import online_text
from grader.roll.intake.upload import Contents, Stored, Upload
from grader.roll.platforms.download_names import (
    ClassFiles,
    Export,
    Gathered,
    Top,
    only_files,
    only_folders,
    read_names,
    strange,
    unclear_notices,
)

# What follows the name. Students may choose their file's name and sometimes their own: so the first place counts that fits.
_IDS = re.compile(
    r"_(?P<late>late_)?(?P<student>\d+)_(?:(?P<number>\d+)_(?P<file>.+)|(?:\d+_)?(?P<page>text|link)\.html)\Z",
    re.IGNORECASE | re.DOTALL,  # a file's name may hold a newline
)
_NAMELESS = re.compile(
    r"anon_(?P<late>late_)?(?P<student>[0-9a-z]{5})_(?:(?P<number>\d+)_(?P<file>.+)|(?:\d+_)?(?P<page>text|link)\.html)\Z",
    re.IGNORECASE | re.DOTALL,
)
_STRICT = re.compile(r"(?P<shown>[a-z][a-z0-9-]*)_(?:LATE_)?(?P<student>\d{2,})_(?P<number>\d{4,})_.+", re.DOTALL)
_AGAIN = re.compile(r"-\d+(?=\.[^.]+$)")
_TEXT_BYTES = 1 << 20
_Readings = Callable[
    [str], "list[re.Match[str]] | None"
]  # of a file's name: in how many ways it can be read; none: in no way


@dataclass(frozen=True)
class _CanvasName:
    shown: str
    student: str
    late: bool
    number: int  # of the file; a later upload has a larger one
    file: str  # empty: a page that Canvas made of a text or a link
    page: str
    readings: int  # in how many ways the name can be read


def canvas_download(files: ClassFiles) -> Export | None:
    ids: _Readings = _readings
    tops = {**only_files(files), **_unpacked(files)}
    nameless = read_names(tops, _nameless_readings)
    if nameless is not None and nameless[0] and not nameless[1]:  # it is so for all of an assignment or for none
        ids = _nameless_readings
    read = read_names(tops, lambda name: _read(ids(name), files.wanted))
    if read is None or not read[0]:
        return None
    told, others = read
    unclear = _unclear(told)
    of_student: dict[str, list[str]] = {}
    for name, one in sorted(told.items()):
        if name not in unclear:
            of_student.setdefault(one.student, []).append(name)
    uploads = tuple(_upload(files, {name: told[name] for name in names}) for names in of_student.values())
    late = sum(one.late for one in uploads)
    notices = [f"{late} of them are marked as late by Canvas"] if late else []
    if ids is _nameless_readings:
        notices.append(
            "Canvas has left out the names (anonymous grading), and it calls a student otherwise in each assignment: "
            "each assignment's students have rows of their own, until you turn that off in Canvas and download again"
        )
    folders = [name for name, top in files.tops.items() if top.is_folder and name not in tops]
    return Export(
        "Canvas",
        uploads,
        (*notices, *unclear_notices(unclear)),
        tuple(others),
        tuple(strange(files, [*others, *folders])),
    )


def _unpacked(files: ClassFiles) -> Mapping[str, Top]:
    """Folders that are called like a student's archive without its suffix: somebody has unpacked it. Where there is nothing else, people
    may call folders so too, and all of them have to be of Canvas's very form.
    """
    found = {name: top for name, top in only_folders(files).items() if _readings(name)}
    if any(_readings(name) for name in only_files(files)):
        return found
    strict = [match for name in only_folders(files) if (match := _STRICT.fullmatch(name))]
    shown, students, numbers = ({one[part] for one in strict} for part in ("shown", "student", "number"))
    all_are = len(students) == len(numbers) == len(only_folders(files)) > 1
    return found if all_are and 2 * len(shown) > len(strict) else {}  # `hw_01_2026_x` and `hw_02_2027_x` have one name


def _readings(name: str) -> list[re.Match[str]] | None:
    places = [place for start in range(len(name)) if name[start] == "_" and (place := _IDS.match(name, start))]
    return places if places and re.fullmatch(r"[\w-]*", name[: places[0].start()]) else None


def _nameless_readings(name: str) -> list[re.Match[str]] | None:
    place = _NAMELESS.match(name)
    return [place] if place else None


def _read(readings: list[re.Match[str]] | None, wanted: frozenset[str]) -> _CanvasName | None:
    if not readings:
        return None
    first = readings[0]
    nameless = first.re is _NAMELESS
    file = first["file"] or ""
    original = _AGAIN.sub("", file)
    if any(original == one or is_variant(original, one) for one in wanted):
        file = original
    return _CanvasName(
        "" if nameless else first.string[: first.start()],
        f"anon {first['student']}" if nameless else first["student"],
        bool(first["late"]),
        int((first["number"] or "0")[:18]),
        file,
        first["page"] or "",
        len(readings),
    )


def _unclear(told: Mapping[str, _CanvasName]) -> list[str]:
    """Whoever is called `x_666` makes names that begin like those of the user 666: where an id has two names, only what can be read in one
    way is taken.
    """
    called: dict[str, set[str]] = {}
    for one in told.values():
        called.setdefault(one.student, set()).add(one.shown)
    return sorted(name for name, one in told.items() if one.readings > 1 and len(called[one.student]) > 1)


def _upload(files: ClassFiles, names: Mapping[str, _CanvasName]) -> Upload:
    gathered, text, refused = Gathered(), "", None
    last: dict[str, str] = {}
    for name, one in sorted(names.items(), key=lambda item: item[1].number):
        if one.page == "text":
            text = online_text(files.text(name, _TEXT_BYTES) or "")
        elif one.file:
            if one.file in last:
                gathered.notices.append(f"{clean(one.file)} was handed in several times: the last one counts")
            last[one.file] = name
    for file, name in last.items():
        top = files.tops[name]
        gathered.files += [Stored((file, *one.path), one.size, one.at) for one in top.contents.files]
        gathered.downloaded.append(name)
        refused = refused or top.refused
    any_one = next(iter(names.values()))
    return Upload(
        f"{any_one.shown} {any_one.student}".strip(),
        Contents(tuple(gathered.files)),
        refused,
        notices=tuple(dict.fromkeys(gathered.notices)),
        owners=(Student(platform_ids={"Canvas": any_one.student}),),
        late=any(one.late for one in names.values()),
        downloaded=tuple(gathered.downloaded or names),
        text=text,
    )
