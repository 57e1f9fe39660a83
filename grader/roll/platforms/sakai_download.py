"""Sakai's "Download All": a folder `Lovelace, Ada(ada)` for each student, with `Submission attachment(s)/…`, `timestamp.txt` and the like;
or the same names side by side, joined with `_`.

The login stands in brackets. What instructors give back lies in the same folder, so it is left out. Sakai gives the last submission alone.
Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from grader.model.result import Student
from grader.roll.intake.matching import online_text
from grader.roll.intake.upload import Contents, Defect, Stored, Upload, stored_bytes
from grader.roll.platforms.download_names import ClassFiles, Export, Top, read_names, strange, unclear_notices

ATTACHED, STAMP, TEXT = "Submission attachment(s)", "timestamp.txt", "_submissionText.html"
_TABLES = frozenset({"grades.csv", "grades.xls", "grades.xlsx"})  # which Sakai adds itself
_WHO = re.compile(r"(?P<shown>.+?) ?\((?P<login>[^()/\s]+)\)")
_PART = re.compile(
    rf"_(?:{re.escape(ATTACHED)}_(?P<file>.+)|(?P<stamp>{re.escape(STAMP)})|(?P<text>submissionText\.html)"
    r"|(?P<ours>(?:Feedback Attachment\(s\)_.+|feedbackText\.html|comments\.txt)))\Z",
    re.DOTALL,
)
_TEXT_BYTES, _STAMP_BYTES = 1 << 20, 200


@dataclass(frozen=True)
class _SakaiName:
    shown: str
    login: str
    part: re.Match[str] | None  # none: a folder
    clear: bool = True


@dataclass
class _Handed:
    """What one student handed in, as far as it was read."""

    files: list[Stored]
    downloaded: list[str]
    defects: list[Defect]
    text: str = ""
    at: datetime | None = None
    refused: str | None = None


def sakai_download(files: ClassFiles) -> Export | None:
    read = read_names((name for name in files.tops if name not in _TABLES), lambda name: _read(files.tops[name]))
    if read is None or not read[0]:
        return None
    told, others = read
    unclear = sorted(name for name, one in told.items() if not one.clear)
    of_student: dict[tuple[str, str], _Handed] = {}
    for name, one in sorted(told.items()):
        if one.clear:
            handed = of_student.setdefault((one.login, one.shown), _Handed([], [], []))
            _take(handed, one, files.tops[name])
    uploads = tuple(_upload(login, shown, one) for (login, shown), one in of_student.items())
    return Export("Sakai", uploads, tuple(unclear_notices(unclear)), tuple(others), tuple(strange(files, others)))


def _read(top: Top) -> _SakaiName | None:
    if top.is_folder:
        who = _WHO.fullmatch(top.name)
        marks = {file.path[0] for file in top.contents.files} | {folder[0] for folder in top.contents.folders}
        known = ATTACHED in marks or STAMP in marks or f"{top.name}{TEXT}" in marks
        return _SakaiName(who["shown"], who["login"], None) if who and known else None
    readings = []
    for who in re.finditer(r"\([^()/\s]+\)", top.name):
        part = _PART.match(top.name, who.end())
        front = _WHO.fullmatch(top.name[: who.end()])
        if part is not None and front is not None:
            readings.append(_SakaiName(front["shown"], front["login"], part))
    if not readings:
        return None
    first = readings[0]
    return first if len(readings) == 1 else _SakaiName(first.shown, first.login, first.part, clear=False)


def _take(handed: _Handed, one: _SakaiName, top: Top) -> None:
    handed.refused = handed.refused or top.refused
    handed.defects += top.contents.defects
    if one.part is None:
        own = [file for file in top.contents.files if file.path[0] == ATTACHED and len(file.path) > 1]
        handed.files += [Stored(file.path[1:], file.size, file.at) for file in own]
        handed.downloaded += ["/".join((top.name, *file.path)) for file in own]
        for file in top.contents.files:
            if file.path == (STAMP,):
                handed.at = _moment(stored_bytes(file, _STAMP_BYTES))
            elif len(file.path) == 1 and file.path[0] == f"{top.name}{TEXT}":
                handed.text = _typed(stored_bytes(file, _TEXT_BYTES))
    elif top.file is not None and not one.part["ours"]:
        if one.part["file"]:
            handed.files.append(Stored((one.part["file"],), top.file.size, top.file.at))
            handed.downloaded.append(top.name)
        elif one.part["stamp"]:
            handed.at = _moment(stored_bytes(top.file, _STAMP_BYTES))
        else:
            handed.text = _typed(stored_bytes(top.file, _TEXT_BYTES))


def _typed(data: bytes | None) -> str:
    return online_text((data or b"").decode("utf-8", "replace"))


def _moment(data: bytes | None) -> datetime | None:
    """Sakai writes it in UTC: `20261120101112000` or `2026-11-20T10:11:12Z`. Other forms say no time zone, and are not believed."""
    text = (data or b"").decode("ascii", "replace").strip()
    if found := re.fullmatch(r"(\d{14})\d{3}", text):
        text = f"{found[1][:8]}T{found[1][8:]}Z"
    elif not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", text):
        return None
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except ValueError:
        return None


def _upload(login: str, shown: str, one: _Handed) -> Upload:
    last, comma, first = (part.strip() for part in shown.partition(","))
    return Upload(
        login,
        Contents(tuple(one.files), defects=tuple(one.defects)),
        one.refused,
        owners=(Student(name=f"{first} {last}" if comma else shown, login=login),),
        at=one.at,
        downloaded=tuple(one.downloaded),
        text=one.text,
    )
