"""Moodle's "Download all submissions": `Ada Lovelace_700001_assignsubmission_file/…`, in folders or side by side.

A student's files and what this student typed into the text field (`…_assignsubmission_onlinetext`) belong together. Moodle writes no
underscore into the name. Of a team it writes the team's name and number. See mod/assign/classes/downloader.php of Moodle. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from grader.model.result import Student
from grader.model.written_names import clean
from grader.roll.intake.matching import online_text
from grader.roll.intake.upload import Contents, Defect, Stored, Upload, stored_bytes
from grader.roll.platforms.download_names import ClassFiles, Export, read_names, strange, unclear_notices

_MARK = re.compile(r"(?:_(?P<id>\d+))?_assignsubmission_(?P<part>[a-z]+)(?=_|$)")
_TEXT = "onlinetext"
_TEXT_BYTES = 1 << 20


@dataclass(frozen=True)
class _MoodleName:
    shown: str
    id: str  # the participant's or the team's; empty: the default team
    part: str
    rest: str  # in a flat download, the file's name
    clear: bool


def moodle_download(files: ClassFiles) -> Export | None:
    read = read_names(files.tops, _read)
    if read is None or not read[0]:
        return None
    told, others = read
    unclear = sorted(name for name, one in told.items() if not one.clear)
    of_student: dict[tuple[str, str], list[str]] = {}
    for name, one in sorted(told.items()):
        if one.clear:
            of_student.setdefault((one.id, one.shown if not one.id else ""), []).append(name)
    named = len({told[names[0]].shown for names in of_student.values()}) > 1 or len(of_student) == 1
    uploads = tuple(_upload(files, {name: told[name] for name in names}, named=named) for names in of_student.values())
    return Export("Moodle", uploads, tuple(unclear_notices(unclear)), tuple(others), tuple(strange(files, others)))


def _read(name: str) -> _MoodleName | None:
    marks = list(_MARK.finditer(name))
    if not marks:
        return None
    first = marks[0]
    return _MoodleName(
        name[: first.start()], first["id"] or "", first["part"], name[first.end() + 1 :], len(marks) == 1
    )


def _upload(files: ClassFiles, names: dict[str, _MoodleName], *, named: bool) -> Upload:
    """`named`: names are the students'; otherwise the platform hides them, and all are called "Participant"."""
    found: list[Stored] = []
    downloaded: list[str] = []
    texts: list[str] = []
    defects: list[Defect] = []
    refused = None
    for name, one in names.items():
        top = files.tops[name]
        refused = refused or top.refused
        defects += top.contents.defects
        if one.part == _TEXT:
            texts += _texts(top.contents.files)
            downloaded.append(name)
            continue
        if one.part != "file":
            continue
        for file, path in _handed_in(one, top.contents.files, is_folder=top.is_folder):
            found.append(Stored(path, file.size, file.at))
            downloaded.append("/".join((name, *path)) if top.is_folder else name)
    any_one = next(iter(names.values()))
    owner = Student(name=any_one.shown if named else "", platform_ids={"Moodle": any_one.id} if any_one.id else {})
    return Upload(
        f"{any_one.shown} {any_one.id}".strip(),
        Contents(tuple(found), defects=tuple(defects)),
        refused,
        owners=(owner,),
        downloaded=tuple(clean(one) for one in downloaded),
        text="\n".join(texts),
    )


def _handed_in(
    one: _MoodleName, files: tuple[Stored, ...], *, is_folder: bool
) -> Iterator[tuple[Stored, tuple[str, ...]]]:
    for file in files:
        if is_folder:
            yield file, file.path
        elif one.rest:
            yield file, (one.rest,)


def _texts(files: tuple[Stored, ...]) -> Iterator[str]:
    for file in files:
        if not file.path or file.path[-1].endswith("onlinetext.html"):
            data = stored_bytes(file, _TEXT_BYTES)
            if data:
                yield online_text(data.decode("utf-8", "replace"))
